"""Resolution: how fine clusters are. The same model at several degrees of freedom, from coarse clusters to fine ones.

A path has one step for each value of ``dof``, with the clustering that short runs find there. What the degrees of
freedom are to distances, resolution is to communities in a graph. Steps are compared by the merit of their clusters
(:mod:`tetiwd.merit`), which no model makes; the steps next to it count a little, so that clusters which last over
several values are preferred to a lucky one. On a tree every clade consists of smaller ones that are just as well apart,
so there the coarsest clusters that are as good as any are taken.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.merit import Merit, adjusted_rand

if TYPE_CHECKING:
    import pandas as pd

Ints = NDArray[np.int64]
NEXT_TO_IT = 0.25  # weight of the steps before and after, relative to that of a step
AS_GOOD = 0.95  # share of the best score that is no worse; short runs are not more precise
AS_GOOD_ON_A_TREE = 0.9  # share of a merit that is no worse on a tree
LEAST_MERIT = 0.02  # below it clusters overlap so much that the score says nothing
RIVAL = 0.9  # share of the best score that is nearly as good
ALIKE = 0.8  # adjusted Rand index of clusterings that hardly differ
FACTOR_OF_TWO = 0.15  # how far from half or double the nearest step may be, as a difference of logarithms
SAME_ANSWER = 0.85  # adjusted Rand index of clusterings that tell much the same


@dataclass(frozen=True, eq=False)
class Step:
    """One value of the degrees of freedom, and the clustering found with it."""

    dof: tuple[float, ...]  # one per epoch
    labels: tuple[Ints, ...]  # T × (n_t,); equal labels at different epochs are one lineage
    merit: Merit
    certainty: float  # mean adjusted Rand index of the draws with this clustering
    stability: float = nan  # the same of draws from some of the objects; NaN if that was not tried

    @property
    def n_clusters(self) -> float:
        """Clusters of an epoch, on average."""
        return float(np.mean([len(np.unique(labels)) for labels in self.labels]))

    @property
    def persistence(self) -> float:
        """Share of objects after the first epoch whose lineage was there an epoch before; NaN if there is one epoch."""
        stayed = [np.isin(now, before) for before, now in pairwise(self.labels)]
        return float(np.mean(np.concatenate(stayed))) if stayed else nan

    def likeness(self, other: "Step") -> float:
        """Adjusted Rand index of two clusterings, the mean over epochs weighted by their numbers of objects."""
        indices = [adjusted_rand(a, b) for a, b in zip(self.labels, other.labels, strict=True)]
        return float(np.average(indices, weights=[len(labels) for labels in self.labels]))


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The step that was taken, and those with half and twice its degrees of freedom, if they were tried."""

    taken: Step
    half: Step | None
    double: Step | None

    def sentences(self, there: str = "There") -> list[str]:
        """What half and twice the value would change."""
        near = {"half the dof": self.half, "twice the dof": self.double}
        likeness = {words: self.taken.likeness(step) for words, step in near.items() if step is not None}
        parts = [
            f"{words} gave {step.n_clusters:.1f} (adjusted Rand index with these {likeness[words]:.2f})"
            for words, step in near.items()
            if step is not None
        ]
        if not parts:
            return []
        others = [words for words, alike in likeness.items() if alike < SAME_ANSWER]
        told = f"{there} were {self.taken.n_clusters:.1f} clusters at a time; {', '.join(parts)}."
        return [f"{told} So {' or '.join(others)} would give another answer." if others else told]


@dataclass(frozen=True, eq=False)
class Part:
    """Some of the objects of every epoch, where there are too many to try out."""

    rows: tuple[Ints, ...]  # T × places among the objects of an epoch, in increasing order
    n_objects: tuple[int, ...]  # of all at every epoch

    @property
    def places(self) -> Ints:
        """Where these objects are among those of all epochs side by side."""
        first = np.concatenate([[0], np.cumsum(self.n_objects)[:-1]])
        return np.concatenate([start + rows for start, rows in zip(first, self.rows, strict=True)])

    def __str__(self) -> str:
        at_a_time = f", at most {max(map(len, self.rows)):,} of a time" if len(self.rows) > 1 else ""
        return f"{sum(map(len, self.rows)):,} of the {sum(self.n_objects):,} objects, drawn at random{at_a_time}"


@dataclass(frozen=True, eq=False)
class ResolutionPath:
    """Clusterings from coarse to fine, and the one to take; made by :func:`tetiwd.resolution_path`.

    Examples
    --------
    >>> import numpy as np
    >>> from tetiwd import DistanceSeries, resolution_path
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(40, 3)) + 6 * np.repeat([0, 1], 20)[:, None]
    >>> path = resolution_path(DistanceSeries.from_features(X, time=np.zeros(40)))
    >>> path.best.n_clusters
    2.0
    """

    steps: tuple[Step, ...]  # from coarse to fine
    usual: int  # which step has the estimate from moments; taken if no score speaks for another one
    taken: int | None = None  # which step a run took, if that is known from a file
    part: Part | None = None  # the objects that were tried, and that labels are about; None for all
    of_tree: bool = False  # whether the distances come from a tree

    @cached_property
    def scores(self) -> NDArray[np.float64]:
        """Merit of every step, averaged with that of the steps next to it; 0 beyond the ends. On a tree, the merit."""
        merits = np.array([step.merit.product for step in self.steps])
        if self.of_tree:
            return merits
        around = np.pad(merits, 1)
        return (merits + NEXT_TO_IT * (around[:-2] + around[2:])) / (1 + 2 * NEXT_TO_IT)

    @property
    def eligible(self) -> NDArray[np.float64]:
        """Scores of steps up to the estimate. Finer ones would score well on a single cloud, too, cut into pieces."""
        return self.scores[: self.usual + 1]

    @property
    def informative(self) -> bool:
        """False if clusters overlap so much everywhere that the score says nothing."""
        return bool(self.eligible.max() >= LEAST_MERIT)

    @property
    def chosen(self) -> int:
        """Which step to take: of those with the best scores, or as good, the one nearest to the estimate; on a tree,
        the coarsest."""
        if self.taken is not None:
            return self.taken
        if not self.informative:
            return self.usual
        most = self.eligible.max()
        if self.of_tree:
            return int(np.flatnonzero(self.eligible >= AS_GOOD_ON_A_TREE * most)[0])
        return int(np.flatnonzero(self.eligible >= AS_GOOD * most)[-1])

    @property
    def best(self) -> Step:
        """The step to take."""
        return self.steps[self.chosen]

    @property
    def rivals(self) -> list[int]:
        """Steps that are nearly as good and have other clusters."""
        near = np.flatnonzero(self.eligible >= RIVAL * self.scores[self.chosen]).tolist()
        return [i for i in near if self.best.likeness(self.steps[i]) < ALIKE]

    def table(self) -> "pd.DataFrame":
        """All steps.

        Returns
        -------
        DataFrame
            One row per step: degrees of freedom, clusters, merit and its parts, score, certainty of the draws,
            stability if some objects are left out, persistence over time, and likeness to other steps.
        """
        import pandas as pd

        steps = self.steps
        columns: dict[str, Any] = {
            "dof": [float(np.median(step.dof)) for step in steps],
            "clusters": [step.n_clusters for step in steps],
            "separation": [step.merit.separation for step in steps],
            "agreement": [step.merit.agreement for step in steps],
            "score": self.scores,
            "certainty": [step.certainty for step in steps],
            "stability": [step.stability for step in steps],
            "persistence": [step.persistence for step in steps],
            "like_chosen": [step.likeness(self.best) for step in steps],
            "like_next": [*(a.likeness(b) for a, b in pairwise(steps)), nan],
            "chosen": [i == self.chosen for i in range(len(steps))],
        }
        return pd.DataFrame(columns)

    def sentences(self, neighbours: Neighbours | None = None) -> tuple[str, ...]:
        """The path in words.

        Parameters
        ----------
        neighbours : Neighbours, optional
            What half and twice the value give with the model that a run uses, if that is not the model of the path.

        Returns
        -------
        tuple of str
            Which value was taken and why, what another one would change, and how sure the choice is.
        """
        there = "There" if self.part is None else "In the sample there"
        changes = (neighbours or self.neighbours).sentences(there)
        return (self._choice(), *self._about_the_part(), *changes, *self._doubt())

    @property
    def neighbours(self) -> Neighbours:
        """The step taken, with the steps nearest to half and twice its value."""
        return Neighbours(self.best, self._near(0.5), self._near(2.0))

    def _choice(self) -> str:
        tried = f"{len(self.steps)} values from {_dof(self.steps[0])} to {_dof(self.steps[-1])}"
        if not self.informative:
            return (
                f"Degrees of freedom (dof) say how fine clusters are. With each of {tried}, clusters overlap too much "
                f"to tell which is best; {_dof(self.best)} is an estimate from the spread of the distances."
            )
        return (
            f"Degrees of freedom (dof) say how fine clusters are. In short runs {tried} were tried. "
            f"Of those up to {_dof(self.steps[self.usual])}, an estimate from the spread of the distances, "
            f"{_dof(self.best)} gave clusters as good as any: apart from each other, with neighbours together. "
            f"{self._why_no_larger_value()}"
        )

    def _why_no_larger_value(self) -> str:
        if self.of_tree:
            return (
                "Finer clusters can be as good, because the distances are nearly those of a tree, where every clade "
                "consists of smaller ones; so the coarsest of the good ones were taken."
            )
        return "Larger values are not taken: they cut even a single cloud into pieces."

    def _about_the_part(self) -> list[str]:
        if self.part is None:
            return []
        return [
            f"All of this was tried on a sample: {self.part}. Where clusters do not have the shape that the model "
            "expects, more objects make more of them; so with the same dof the run may find finer clusters than the "
            "sample has."
        ]

    def _doubt(self) -> list[str]:
        if not self.informative:
            return []
        if not self.rivals:
            return ["No other value came close with different clusters."]
        others = " and ".join(f"{_dof(self.steps[i])} ({self.steps[i].n_clusters:.1f} clusters)" for i in self.rivals)
        return [f"The choice is open: {others} came close with different clusters."]

    def _near(self, factor: float) -> Step | None:
        """The step with so many times the degrees of freedom of the best one, roughly."""
        logs = np.log([np.median(step.dof) for step in self.steps])
        away = np.abs(logs - logs[self.chosen] - np.log(factor))
        return self.steps[int(away.argmin())] if away.min() < FACTOR_OF_TWO else None


def _dof(step: Step) -> str:
    return f"{float(np.median(step.dof)):.3g}"
