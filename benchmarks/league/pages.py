"""The page of the league."""

from collections.abc import Sequence

from benchmarks import league
from benchmarks.league import ours, tables
from benchmarks.league.methods import METHODS
from benchmarks.league.must_hold import must_hold
from benchmarks.league.records import Record
from benchmarks.league.sets import SETS
from benchmarks.league.standings import name_of, over_seeds, scored
from benchmarks.table import markdown


def page_of(records: Sequence[Record]) -> str:
    """All tables, with what they mean, what is not in them and where they were made."""
    standings = over_seeds(scored(records))
    judged = next((name for name in ours.SETTINGS if any(record.method == name for record in records)), None)
    parts = ["# League", str(league.__doc__).strip(), "## Means over sets", tables.means_over_sets(standings)]
    if judged is not None:
        rows = [row for estimate in ours.ESTIMATES for row in must_hold(standings, name_of(judged, estimate))]
        parts += ["## What must hold", markdown(rows)]
    parts += ["## By set", tables.index_by_set(standings)]
    for name, entry in SETS.items():
        if (standings.set == name).any():
            parts += [f"### {name} ({entry.half})", tables.one_set(standings[standings.set == name])]
    return "\n\n".join([*parts, absent(records), made_at(records)]) + "\n"


def absent(records: Sequence[Record]) -> str:
    """Sets, methods and settings without any record."""
    sets, methods = {record.set for record in records}, {record.method for record in records}
    names = [name for name in SETS if name not in sets]
    names += [name for name in (*METHODS, *ours.SETTINGS) if name not in methods]
    return f"Not in these tables: {', '.join(names) or 'nothing'}."


def made_at(records: Sequence[Record]) -> str:
    """When and where the answers were found, and the commits of those of tetiwd."""
    dates = sorted({record.date for record in records})
    commits = dict.fromkeys(record.commit for record in records if record.ours)
    machines = dict.fromkeys(record.machine for record in records)
    return (
        f"Found {' to '.join(dict.fromkeys([dates[0], dates[-1]]))}, by tetiwd at commit "
        f"{', '.join(commits) or '– (not run)'}: {'; '.join(machines)}."
    )
