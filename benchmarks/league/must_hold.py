"""What must hold for the answers of tetiwd, next to those of other methods on the same sets."""

import numpy as np
import pandas as pd

from benchmarks.league.methods import METHODS, YARDSTICK
from benchmarks.league.sets import SETS
from benchmarks.table import Row
from tetiwd.errors import plural

LEAST_MEAN = 0.85  # over the shared sets
MOST_BELOW = 0.03  # Ward told k, on any shared set
MOST_OFF = 1.5  # factor between the number of clusters and the true one, on average
WARD = METHODS[YARDSTICK].title
TOLD_NOTHING = [method.title for method in METHODS.values() if not method.told_k]


def must_hold(standings: pd.DataFrame, name: str) -> list[Row]:
    """A row per requirement on one competitor; those that other methods are missing for are left out."""
    index = standings.pivot(index="set", columns="name", values="ari")
    ratio = standings[standings.name == name].set_index("set").ratio
    rows = [*by_itself(index, name), *against_ward(index, name), *against_the_rest(index, name)]
    off = np.exp(np.abs(np.log(ratio)))
    mean = float(np.exp(np.log(off).mean()))
    value = f"{mean:.2f}; at most {off.max():.2f} ({off.idxmax()}), above {MOST_OFF} on {(off > MOST_OFF).sum()} sets"
    rows.append(Row(f"{name}: mean factor between k and true k", value, f"≤ {MOST_OFF}", mean <= MOST_OFF))
    return [*rows, agreement_of_chains(standings, name)]


def by_itself(index: pd.DataFrame, name: str) -> list[Row]:
    """The mean over the shared sets."""
    shared = index[name].dropna()
    shared = shared[[SETS[one].shared for one in shared.index]]
    if shared.empty:
        return []
    mean, value = shared.mean(), f"{shared.mean():.3f} ({len(shared)} sets)"
    return [Row(f"{name}: mean ARI over the shared sets", value, f"≥ {LEAST_MEAN}", mean >= LEAST_MEAN)]


def agreement_of_chains(standings: pd.DataFrame, name: str) -> Row:
    """In how many runs chains agree, and on which sets they do not."""
    own = standings[standings.name == name]
    apart = own[own.agree < own.runs]
    where = ", ".join(f"{row.set} {row.agree} of {row.runs}" for row in apart.itertuples())
    value = f"{own.agree.sum()} of {own.runs.sum()}" + (f"; {where}" if where else "")
    return Row(f"{name}: runs whose chains agree", value, "all", apart.empty)


def against_ward(index: pd.DataFrame, name: str) -> list[Row]:
    """Means over the shared and over all sets, and the worst set."""
    if WARD not in index:
        return []
    both = index[[name, WARD]].dropna()
    rows = []
    for group, sets in {"the shared": both[[SETS[one].shared for one in both.index]], "all": both}.items():
        if sets.empty:
            continue
        ours, theirs = sets.mean()
        what, value = f"{name}: mean ARI over {group} sets, against {WARD}", f"{ours:.3f} ({len(sets)} sets)"
        rows.append(Row(what, value, f"> {theirs:.3f}", ours > theirs))
        lead = sets[name] - sets[WARD]
        what = f"{name}: smallest lead over {WARD} on {group} sets"
        below = plural((lead < -MOST_BELOW).sum(), "set")
        value = f"{signed(lead.min())} ({lead.idxmin()}); below −{MOST_BELOW} on {below}"
        if group == "all":
            rows.append(Row(what, value))
        else:
            rows.append(Row(what, value, f"≥ −{MOST_BELOW}", lead.min() >= -MOST_BELOW))
    return rows


def against_the_rest(index: pd.DataFrame, name: str) -> list[Row]:
    """The method told nothing that comes closest, on the sets that it can be used on."""
    margins = {other: (index[name] - index[other]).dropna() for other in TOLD_NOTHING if other in index}
    means = {other: margin.mean() for other, margin in margins.items() if len(margin)}
    if not means:
        return []
    closest = min(means, key=means.__getitem__)
    value = f"{signed(means[closest])} ({closest}, {len(margins[closest])} sets)"
    return [Row(f"{name}: mean ARI minus that of the best told nothing", value, "> 0", means[closest] > 0)]


def signed(difference: float) -> str:
    """A difference with its sign."""
    return f"{difference:+.3f}".replace("-", "−")
