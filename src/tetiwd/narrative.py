"""The findings of a run, in sentences that need no statistics to read."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from tetiwd.errors import plural as plural
from tetiwd.summarize.clustering import UNASSIGNED
from tetiwd.summarize.naming import lineage_name, lineage_words, named

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tetiwd.analysis import Analysis
    from tetiwd.data import DistanceSeries
    from tetiwd.mode_analysis import ModeAnalysis
    from tetiwd.sample import Sample
    from tetiwd.summarize.clustering import Clustering

SURE = 0.7  # an object with less than this for its cluster counts as uncertain, and so does a link
HOW_LINKED = {
    "objects": "Clusters of consecutive times are linked if they share most of their objects.",
    "place": "Clusters of consecutive times are linked if they are in the same place.",
    "model": "Clusters of consecutive times are linked by the model alone, which sees only cluster sizes and the "
    "distances between clusters; ids or distances between times would tell more.",
    "lineages": "Clusters of consecutive times are linked by the model, which follows the places of lineages.",
}
ENDS = {  # of a run without a fixed length
    "agreed": "Sampling ended when the MCMC chains agreed",
    "apart": "Sampling ended before the MCMC chains agreed: they were so far apart that the whole budget of draws "
    "would not have been enough. It can be continued with a larger budget. It ended",
    "draws": "Sampling ended before the MCMC chains agreed, because the budget of draws was used up. It can be "
    "continued with a larger budget. It ended",
    "minutes": "Sampling ended because its time was up; it can be continued. It ended",
}
MOST_NAMED = 6  # lineages that a sentence lists one by one


@dataclass(frozen=True)
class Narrative:
    """Sentences by what they are about."""

    findings: tuple[str, ...]  # the first one is an overview
    run: tuple[str, ...]  # about the run itself
    verdict: str
    reasons: tuple[str, ...]  # for the model that was chosen
    remarks: tuple[str, ...]  # what went wrong

    @property
    def sentences(self) -> list[str]:
        """All of them."""
        return [*self.findings, *self.run, self.verdict, *self.reasons, *self.remarks]


def narrate(analysis: "Analysis") -> list[str]:
    """A few sentences: lineages and their lives, how certain they are, what comes next, and whether to trust it all."""
    return narrative(analysis).sentences


def narrative(analysis: "Analysis", times: Sequence[str] | None = None) -> Narrative:
    """The same sentences, sorted. ``times`` replaces the labels of the times in the findings."""
    with named(analysis.clustering.names):
        return _told(analysis, times)


def _told(analysis: "Analysis", times: Sequence[str] | None) -> Narrative:
    sample = analysis.sample
    labels = sample.series.times if times is None else times
    return Narrative(
        findings=(
            _overview(sample.series, analysis.clustering, labels),
            *_unassigned(analysis),
            *_lives(analysis.clustering, analysis.alignment.present, labels, _loosely_linked(analysis)),
            *_certainty(analysis),
            *_links(analysis, labels),
            *_motion(analysis),
            *analysis.growth.sentences(),
            *_next(analysis),
        ),
        run=_run(sample),
        verdict=sample.diagnostics.verdict,
        reasons=tuple(sample.reasons),
        remarks=tuple(sample.remarks),
    )


def narrate_mode(analysis: "ModeAnalysis", times: Sequence[str] | None = None) -> list[str]:
    """What the mode says, without a word about uncertainty; the first sentence is an overview."""
    series, clustering = analysis.mode.series, analysis.clustering
    labels = series.times if times is None else times
    made = clustering.linked_by
    linked = [HOW_LINKED["model" if made is None else made.name]] if len(labels) > 1 else []
    membership = certainty_of_members(analysis)
    doubtful = int((membership < SURE).sum())
    would_stay = f"With all other objects fixed, {doubtful} of {plural(len(membership), 'object')} would be in "
    return [
        _overview(series, clustering, labels),
        *_unassigned(analysis),
        *_lives(clustering, analysis.present, labels),
        *([f"{would_stay}their cluster with a probability below {SURE}."] if len(membership) else []),
        *linked,
    ]


def quick_look(analysis: "ModeAnalysis") -> str:
    """What a mode is and what it is not."""
    within = "" if analysis.seconds is None else f" in {analysis.seconds:.0f} s" if analysis.seconds >= 1 else " in 1 s"
    return (
        f"A quick look: the most probable clustering found{within} from {plural(len(analysis.mode.starts), 'start')}. "
        "Its probabilities are too high, because they take everything else as known."
    )


def listed(names: Sequence[Any]) -> str:
    """ "1", "1 and 2", "1, 2 and 3", "1, 2, 3 and 7 more"."""
    shown = [str(name) for name in names[:MOST_NAMED]]
    if len(names) > MOST_NAMED + 1:
        return f"{', '.join(shown)} and {len(names) - MOST_NAMED} more"
    shown = [str(name) for name in names]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _run(sample: "Sample") -> tuple[str, ...]:
    """Why sampling ended, unless it had the length that was asked for."""
    if sample.ended == "fixed":
        return ()
    if not sample.complete:
        return ("The run was stopped early; it can be continued.",)
    n, first = min(map(len, sample.draws)) + sample.n_discarded, sample.n_discarded
    unused = f"; the first {first} are not used" if first else ""
    return (f"{ENDS[sample.ended]} after {n} draws per chain{unused}.", *_wanted(sample, n))


def _wanted(sample: "Sample", n: int) -> list[str]:
    """How long a run would have to be."""
    wanted = sample.diagnostics.draws_wanted(n)
    if sample.ended not in ("apart", "draws") or not n < wanted < inf:
        return []
    return [f"At this pace the chains would need about {float(f'{wanted:.1g}'):,.0f} draws each to agree."]


def _overview(series: "DistanceSeries", clustering: "Clustering", times: Sequence[Any]) -> str:
    n, T = sum(series.n_objects), series.n_epochs
    known = _n_known(series.ids)
    who = f"{n:,} observations of {known:,} objects" if 0 < known < n else f"{n:,} objects"
    if T == 1:
        return f"{who} at one time form {plural(len(clustering.lineages), 'cluster')}."
    k = clustering.n_clusters
    clusters = plural(k[0], "cluster") if min(k) == max(k) else f"{min(k)} to {max(k)} clusters"
    return (
        f"{who} at {T} times ({times[0]} to {times[-1]}) form {clusters} at a time, "
        f"{plural(len(clustering.lineages), 'lineage')} in all."
    )


def _loosely_linked(analysis: "Analysis") -> list[int]:
    """Lineages with an uncertain link."""
    table = analysis.lineages.table()
    return [int(g) for g in table.lineage[table.weakest_link < SURE]]


def _lives(
    clustering: "Clustering", present: "NDArray[np.bool_]", times: Sequence[Any], loose: Sequence[int] = ()
) -> list[str]:
    T = len(present)
    if T == 1:
        return []
    alone = clustering.sizes.sum(axis=0) == 1  # an object that fits nowhere
    first, last = present.argmax(axis=0), T - 1 - present[::-1].argmax(axis=0)
    first[alone], last[alone] = 0, T - 1  # its birth and death are not mentioned
    sentences = []
    if alone.any():
        n = int(alone.sum())
        single = "are single objects that fit" if n > 1 else "is a single object that fits"
        sentences.append(f"{n} of the lineages {single} nowhere.")
    there = np.flatnonzero(present.all(axis=0))
    whole, loosely = there[~np.isin(there, loose)], there[np.isin(there, loose)]
    if len(whole):
        sentences.append(f"{named_lineages(whole)} {'are' if len(whole) > 1 else 'is'} present at all times.")
    if len(loosely):
        verb, one = ("are", "at least one link of each") if len(loosely) > 1 else ("is", "at least one of its links")
        doubt = f"{one} is uncertain (below {SURE})"
        sentences.append(f"{named_lineages(loosely)} {verb} shown at all times, but {doubt}.")
    for t in range(1, T):
        born = np.flatnonzero(first == t)
        if len(born):
            sentences.append(f"{named_lineages(born)} {'appear' if len(born) > 1 else 'appears'} at {times[t]}.")
        ended = np.flatnonzero(last == t - 1)
        if len(ended):
            sentences.append(f"{named_lineages(ended)} {'end' if len(ended) > 1 else 'ends'} after {times[t - 1]}.")
    gaps = np.flatnonzero([(np.diff(np.flatnonzero(epochs)) > 1).any() for epochs in present.T])
    if len(gaps):
        verbs = ("skip", "return") if len(gaps) > 1 else ("skips", "returns")
        sentences.append(f"{named_lineages(gaps)} {verbs[0]} one or more times and {verbs[1]}.")
    if len(sentences) > 9:
        n_born, n_ended = int((first > 0).sum()), int((last < T - 1).sum())
        sentences = sentences[: int(alone.any()) + int(len(whole) > 0) + int(len(loosely) > 0)]
        sentences.append(f"{n_born} of the lineages appear after {times[0]}, and {n_ended} end before {times[-1]}.")
    return sentences


def certainty_of_members(analysis: "Analysis | ModeAnalysis") -> "NDArray[np.float64]":
    """Probabilities of their cluster of all objects that have one."""
    return np.concatenate(analysis.memberships.certainty)[analysis.clustering.flat != UNASSIGNED]


def _certainty(analysis: "Analysis") -> list[str]:
    certainty = certainty_of_members(analysis)
    if not len(certainty):
        return []
    unsure = int((certainty < SURE).sum())
    what = "observation" if _returns(analysis) else "object"
    few = f"{plural(unsure, what)} ({unsure / len(certainty):.0%})" if unsure else "none"
    mean = f"{certainty.mean():.2f} on average"
    return [f"An {what} belongs to its cluster with probability {mean}; for {few} it is below {SURE}."]


def _n_known(ids: Sequence[Any] | None) -> int:
    """Different objects, as far as ids are known; where none returns there are as many as observations."""
    return len({id for at_time in ids or () for id in at_time.tolist()})


def _returns(analysis: "Analysis | ModeAnalysis") -> bool:
    """Is any object there more than once?"""
    return 0 < _n_known(analysis.memberships.alignment.partitions.ids) < len(analysis.clustering.flat)


def _unassigned(analysis: "Analysis | ModeAnalysis") -> list[str]:
    """How many objects fit nowhere, with the probability of that."""
    chosen = analysis.clustering.flat == UNASSIGNED
    n = int(chosen.sum())
    if not n:
        return []
    probability = f"{np.concatenate(analysis.memberships.unassigned)[chosen].mean():.2f}"
    what = "observation" if _returns(analysis) else "object"
    if n == 1:
        return [f"1 {what} was not assigned to a cluster: it fits nowhere with probability {probability}."]
    return [f"{n} {what}s were not assigned to a cluster: they fit nowhere with probability {probability} on average."]


def _links(analysis: "Analysis", times: Sequence[Any]) -> list[str]:
    links = analysis.lineages.links()
    shown = links[links.in_clustering].dropna(subset=["probability"])
    if shown.empty:
        return []
    weakest = shown.loc[shown.probability.idxmin()]
    made = analysis.clustering.linked_by
    label = dict(zip(analysis.sample.series.times, times, strict=True))
    return [
        HOW_LINKED["model" if made is None else made.name],
        f"Links between consecutive times have probability {_shown(shown.probability.mean())} on "
        f"average; the weakest is that of {lineage_words(weakest.lineage)} from {label[weakest.source[1]]} to "
        f"{label[weakest.target[1]]} ({_shown(weakest.probability)}).",
    ]


def _shown(probability: float) -> str:
    """A probability as in the tables: 1 only where it is 1."""
    return ">0.99" if 0.995 <= probability < 1 else f"{probability:.2f}"


def _motion(analysis: "Analysis") -> list[str]:
    from tetiwd.summarize.motion import lineage_motion

    sample = analysis.sample
    if not sample.hyperparameters.moves or sample.series.n_epochs == 1:
        return []
    level = analysis.settings.level
    moved, *more = lineage_motion(sample, level=level).sentences()
    return [
        f"{moved} Lengths are in the unit of plain distances; the range is a {level:.0%} interval.",
        *more,
        "The clusters shown were chosen for all times at once."
        if analysis.clustering.found_by == "joint search"
        else "The clusters shown were chosen time by time, then linked into lineages.",
    ]


def _next(analysis: "Analysis") -> list[str]:
    coming = analysis.forecast
    if coming is None:
        return []
    return [f"With probability {coming.new_cluster:.2f}, a new cluster (perhaps one object) appears at the next time."]


def named_lineages(which: Any) -> str:
    """ "Lineage 1", "Lineages 1 and 2"."""
    return f"Lineage{'s' if len(which) > 1 else ''} {listed([lineage_name(int(lineage)) for lineage in which])}"
