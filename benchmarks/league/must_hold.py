"""What must hold for the answers of tetiwd, next to those of other methods on the same sets."""

import numpy as np
import pandas as pd

from benchmarks.league.methods import METHODS, YARDSTICK
from benchmarks.league.sets import SETS
from benchmarks.table import Row

MOST_BELOW = 0.03  # Ward told k, on any shared set
MOST_OFF = 1.5  # factor between the number of clusters and the true one, on average
WARD = METHODS[YARDSTICK].title
TOLD_NOTHING = [method.title for method in METHODS.values() if not method.told_k]


def must_hold(standings: pd.DataFrame, name: str) -> list[Row]:
    """A row per requirement on one competitor; those that other methods are missing for are left out."""
    index = standings.pivot(index="set", columns="name", values="ari")
    ratio = standings[standings.name == name].set_index("set").ratio
    rows = [*against_ward(index, name), *against_the_rest(index, name)]
    off = np.exp(np.abs(np.log(ratio)))
    mean = float(np.exp(np.log(off).mean()))
    value = f"{mean:.2f}; at most {off.max():.2f} ({off.idxmax()}), above {MOST_OFF} on {(off > MOST_OFF).sum()} sets"
    return [*rows, Row(f"{name}: mean factor between k and true k", value, f"≤ {MOST_OFF}", mean <= MOST_OFF)]


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
        what, value = f"{name}: mean ARI over {group} sets", f"{ours:.3f} ({len(sets)} sets)"
        rows.append(Row(what, value, f"> {theirs:.3f} ({WARD})", ours > theirs))
        lead = sets[name] - sets[WARD]
        what = f"{name}: smallest lead over {WARD} on {group} sets"
        value = f"{lead.min():+.3f} ({lead.idxmin()}); below −{MOST_BELOW} on {(lead < -MOST_BELOW).sum()} sets"
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
    value = f"{means[closest]:+.3f} ({closest}, {len(margins[closest])} sets)"
    return [Row(f"{name}: mean ARI minus that of the best told nothing", value, "> 0", means[closest] > 0)]
