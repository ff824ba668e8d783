"""Short sentences about what is certain and what is not, for the top of the page."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tetiwd.narrative import SURE, listed, named_lineages, plural
from tetiwd.summarize.clustering import UNASSIGNED

if TYPE_CHECKING:
    import pandas as pd

    from tetiwd.analysis import Analysis
    from tetiwd.diagnostics import Diagnostics

SURE_LINK = 0.9  # least probability of every link of a lineage that counts as certain
FROM_SIZES = ", judged by sizes and by distances within times alone; names or distances between times may say otherwise"
MOST_TIMES = 5  # more than these are counted, not listed

TRUST = {
    "good": (
        "The computation can be trusted",
        "It was repeated from different starting points (MCMC chains), and all of them gave the same answer. That says "
        "nothing about how clear the clusters are.",
    ),
    "fair": (
        "The computation should run longer",
        "Nothing contradicts the answer, but its repetitions (MCMC chains) are too short or too few to be sure.",
    ),
    "bad": (
        "The computation has not converged yet",
        "It was repeated from different starting points (MCMC chains), and these did not give the same answer. "
        "Treat everything below as provisional.",
    ),
}


ALONE = {  # what is said instead of one computation
    "fair": "It was run only once (one MCMC chain). Nothing contradicts the answer, but whether other starting points "
    "give the same one is not known.",
    "bad": "It was run only once (one MCMC chain), and its beginning and its end do not give the same answer. Treat "
    "everything below as provisional.",
}
TOO_SHORT = "It has too few draws to be judged. Treat everything below as provisional."


def trust_in_words(diagnostics: "Diagnostics", n_chains: int) -> tuple[str, str, str]:
    """How far the computation can be trusted, a headline and a sentence."""
    level = trust(diagnostics, n_chains)
    title, text = TRUST[level]
    if not diagnostics.quantities:
        return level, title, TOO_SHORT
    return level, title, ALONE[level] if n_chains == 1 else text


def trust(diagnostics: "Diagnostics", n_chains: int) -> str:
    """ "good", "fair" (agreement is not proven yet) or "bad"."""
    if diagnostics.converged and n_chains > 1:
        return "good"
    return "bad" if diagnostics.apart or not diagnostics.quantities else "fair"


def certain_and_not(analysis: "Analysis", labels: Sequence[str]) -> tuple[list[str], list[str]]:
    """Sentences about what is certain and about what is not. ``labels`` are those of the times."""
    certain: list[str] = []
    uncertain: list[str] = []
    for sure, unsure in (_numbers(analysis, labels), _lineages(analysis), _objects(analysis, labels)):
        certain += sure
        uncertain += unsure
    return certain, uncertain


def _numbers(analysis: "Analysis", labels: Sequence[str]) -> tuple[list[str], list[str]]:
    table = analysis.n_clusters()
    counted = " Objects that fit nowhere count as clusters here." if table.unassigned.any() else ""
    fixed = (table.lower == table.upper).to_numpy()
    if fixed.all():
        where = " at every time point" if len(fixed) > 1 else ""
        return [f"The number of clusters{where}.{counted}{_outside(table, labels)}"], []
    open_ones = np.flatnonzero(~fixed).tolist()
    level = f"{analysis.settings.level:.0%} interval"
    ranges = [f"{table.lower[t]} to {table.upper[t]} at {labels[t]}" for t in open_ones]
    if len(open_ones) <= MOST_TIMES:
        unsure = f"How many clusters there are: {', '.join(ranges)} ({level}{'s' * (len(ranges) > 1)})."
    else:
        widest = max(open_ones, key=lambda t: table.upper[t] - table.lower[t])
        where = f"all {len(fixed)}" if not fixed.any() else f"{len(open_ones)} of {len(fixed)}"
        unsure = (
            f"How many clusters there are at {where} times; "
            f"at {labels[widest]}, for example, {table.lower[widest]} to {table.upper[widest]} ({level})."
        )
    unsure += counted + _outside(table, labels)
    named = [labels[t] for t in np.flatnonzero(fixed).tolist()]
    if not named:
        return [], [unsure]
    where = listed(named) if len(named) <= MOST_TIMES else f"{len(named)} of {len(fixed)} times"
    return [f"The number of clusters at {where}."], [unsure]


def _outside(table: "pd.DataFrame", labels: Sequence[str]) -> str:
    """A sentence if the clustering has fewer or more clusters than nearly all draws."""
    below = (table.clusters + table.unassigned < table.lower).to_numpy()
    outside = np.flatnonzero(below | (table.clusters > table.upper).to_numpy()).tolist()
    if not outside:
        return ""
    t = outside[0]
    where = f"at {labels[t]}" + (f" and at {plural(len(outside) - 1, 'other time')}" if len(outside) > 1 else "")
    return (
        f" The clustering shown has {plural(int(table.clusters[t]), 'cluster')} {where}, outside this range: it is "
        "the one nearest to all draws together, not one of them."
    )


def _lineages(analysis: "Analysis") -> tuple[list[str], list[str]]:
    table = analysis.lineages.table().dropna(subset=["weakest_link"])
    sure = table.lineage[table.weakest_link >= SURE_LINK].tolist()
    unsure = table[table.weakest_link < SURE_LINK].sort_values("weakest_link").lineage.tolist()
    every = "every link from one time to the next has probability at least"
    made = analysis.clustering.linked_by
    alone = FROM_SIZES if made is None or made.name == "model" else ""
    return (
        [f"{named_lineages(sure)}: {every} {SURE_LINK}{alone}."] if sure else [],
        [f"{named_lineages(unsure)}: at least one link has a probability below {SURE_LINK}."] if unsure else [],
    )


def _objects(analysis: "Analysis", labels: Sequence[str]) -> tuple[list[str], list[str]]:
    assigned = [labels != UNASSIGNED for labels in analysis.clustering.labels]
    certainty = analysis.memberships.certainty
    by_time = [int((sure[own] < SURE).sum()) for sure, own in zip(certainty, assigned, strict=True)]
    n, unsure = sum(int(own.sum()) for own in assigned), sum(by_time)
    if not n:
        return [], []
    sure = f"The cluster of {n - unsure:,} of {n:,} objects ({(n - unsure) / n:.0%}): probability at least {SURE}."
    if not unsure:
        return [sure], []
    most = int(np.argmax(by_time))
    where = f" ({by_time[most]:,} of them at {labels[most]})" if len(labels) > 1 and unsure > 1 else ""
    return [sure] if unsure < n else [], [
        f"The cluster of {plural(unsure, 'object')}{where}: probability below {SURE}."
    ]
