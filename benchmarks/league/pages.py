"""The page of the league."""

from collections.abc import Sequence

import pandas as pd

from benchmarks import league
from benchmarks.league import ours, tables
from benchmarks.league.methods import METHODS
from benchmarks.league.must_hold import TOLD_NOTHING, WARD, must_hold
from benchmarks.league.records import Record
from benchmarks.league.sets import SETS, USUAL
from benchmarks.league.standings import name_of, over_seeds, scored
from benchmarks.table import Row, folded, markdown

NEXT = (
    "**Next:** [when to use it, and when not](explanation/comparison.md) · "
    "[how defaults are chosen](explanation/choosing.md)"
)


def page_of(records: Sequence[Record]) -> str:
    """What came out, then all tables, with what they mean, what is not in them and where they were made."""
    standings = over_seeds(scored(records))
    judged = next((name for name in ours.SETTINGS if any(record.method == name for record in records)), None)
    what, _, how = str(league.__doc__).strip().partition("\n\n")
    rows: list[Row] = []
    parts = [f"# League\n\n{what}"]
    if judged is not None:
        names = [name_of(judged, estimate) for estimate in ours.ESTIMATES]
        rows = [row for name in names for row in must_hold(standings, name)]
        parts += [in_short(standings, names[0], rows)]
    parts += ["## Means over sets", tables.means_over_sets(standings), folded("What is compared, and how", how)]
    if rows:
        parts += ["## What must hold", markdown(rows)]
    parts += ["## By set", tables.index_by_set(standings)]
    for name, entry in SETS.items():
        if (standings.set == name).any():
            parts.append(folded(f"{name} ({entry.half})", tables.one_set(standings[standings.set == name])))
    return "\n\n".join([*parts, absent(records), made_at(records), NEXT]) + "\n"


def in_short(standings: pd.DataFrame, name: str, rows: Sequence[Row]) -> str:
    """The mean index of one competitor of ours, next to the best of those told nothing and to Ward told k."""
    means = standings.groupby("name", sort=False).ari.agg(["mean", "size"])
    of_all = means[means["size"] == means["size"].max()]["mean"]
    others = of_all[[other for other in TOLD_NOTHING if other in of_all]]
    mean, n_sets = means.loc[name]
    lines = [f"- **{name}**, told nothing: mean adjusted Rand index {mean:.3f} over {n_sets:.0f} sets"]
    if len(others):
        lines.append(f"- the best other method that is told nothing ({others.idxmax()}): {others.max():.3f}")
    if WARD in of_all:
        lines.append(f"- {WARD}: {of_all[WARD]:.3f}")
    held = [row.held for row in rows if row.held is not None]
    lines.append(f"- {sum(held)} of {len(held)} requirements [hold](#what-must-hold)")
    return "\n".join(lines)


def absent(records: Sequence[Record]) -> str:
    """Sets, methods and settings without any record."""
    sets, methods = {record.set for record in records}, {record.method for record in records}
    missing = {
        "sets": [name for name in USUAL if name not in sets],
        "methods": [name for name in METHODS if name not in methods],
        "settings of tetiwd": [name for name in ours.SETTINGS if name not in methods],
    }
    said = [f"{what} {', '.join(names)}" for what, names in missing.items() if names]
    return f"Not in these tables: {'; '.join(said) or 'nothing'}."


def made_at(records: Sequence[Record]) -> str:
    """When and where the answers were computed, and the commits of those of tetiwd."""
    dates = sorted({record.date for record in records})
    commits = dict.fromkeys(record.commit for record in records if record.ours)
    machines = dict.fromkeys(record.machine for record in records)
    return (
        f"Computed {' to '.join(dict.fromkeys([dates[0], dates[-1]]))}, with tetiwd at commit "
        f"{', '.join(commits) or '– (not run)'}: {'; '.join(machines)}."
    )
