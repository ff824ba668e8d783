"""Standings as tables: means over sets, the index of every set, and all columns set by set."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from benchmarks.league.sets import CHOSEN, CONFIRMED, SETS
from benchmarks.table import aligned, number

GROUPS: dict[str, Callable[[str], bool]] = {
    "all": lambda name: True,
    CHOSEN: lambda name: SETS[name].half == CHOSEN,
    CONFIRMED: lambda name: SETS[name].half == CONFIRMED,
    "shared": lambda name: SETS[name].shared,
}
OWN_COLUMNS = ("k ÷ true", "links right", "seconds", "chains agree")


def means_over_sets(standings: pd.DataFrame) -> str:
    """A row per competitor."""
    rows = []
    for name, own in standings.groupby("name", sort=False):
        means = [mean_of(own.ari[own.set.map(belongs)]) for belongs in GROUPS.values()]
        ratio = f"{np.exp(np.log(own.ratio).mean()):.2f}"
        summed = own.sum(numeric_only=True)
        summed["seconds"] /= len(own)
        rows.append([str(name), str(len(own)), *means, ratio, *rest_of(summed, own.ours.all())])
    return aligned(["method", "sets", *(f"ARI, {group}" for group in GROUPS), *OWN_COLUMNS], rows)


def index_by_set(standings: pd.DataFrame) -> str:
    """A row per competitor and a column per set."""
    wide = standings.pivot(index="name", columns="set", values="ari")
    names, sets = standings.name.unique(), standings.set.unique()
    rows = [[name, *(two_digits(wide.loc[name, one]) for one in sets)] for name in names]
    return aligned(["ARI", *sets], rows)


def one_set(standings: pd.DataFrame) -> str:
    """All columns of one set."""
    rows = [
        [own["name"], with_range(own), two_digits(own.ratio), *rest_of(own, own.ours)]
        for _, own in standings.iterrows()
    ]
    return aligned(["method", "ARI (over seeds)", *OWN_COLUMNS], rows)


def rest_of(own: pd.Series, ours: bool) -> Sequence[str]:
    """Links, seconds and whether chains agree."""
    share = f"{100 * own.right / own.claimed:.0f} % of {own.claimed:.0f}" if own.claimed else "–"
    return share, number(own.seconds), f"{own.agree:.0f} of {own.runs:.0f}" if ours else "–"


def with_range(own: pd.Series) -> str:
    """The index, with its range over seeds."""
    return two_digits(own.ari) + (f" ({own.lowest:.2f} to {own.highest:.2f})" if own.runs > 1 else "")


def mean_of(values: pd.Series) -> str:
    """A mean with three digits."""
    return f"{values.mean():.3f}" if len(values) else "–"


def two_digits(value: float) -> str:
    """A number, or a dash where there is none."""
    return "–" if np.isnan(value) else f"{value:.2f}"
