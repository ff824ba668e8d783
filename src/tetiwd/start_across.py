"""A start that respects what is known across time: every component that spans epochs has a lineage of its own."""

from collections.abc import Sequence
from math import inf

import numpy as np

from tetiwd.data.constraints import Ints, Ties
from tetiwd.errors import DataError, give

Places = list[dict[int, int]]  # by epoch: the cluster of every component that has a lineage there


def linked_start(labels: Sequence[Ints], ties: Ties, times: Sequence[object]) -> tuple[list[Ints], Places]:
    """Clusters changed as little as it takes, and those to be linked from epoch to epoch, by component.

    If that is not enough, all components are put into clusters of their own.
    """
    start = np.cumsum([0, *map(len, labels)])
    for alone in (False, True):
        found, places = [], Places()
        for t, own in enumerate(labels):
            component = ties.component[start[t] : start[t + 1]]
            epoch = _Epoch(own, component, _lasting(ties, t), ties.apart, alone=alone)
            epoch.settle(times[t])
            found.append(epoch.labels)
            places.append(epoch.taken)
        if ties.log_weight(np.concatenate(_lineages(found, places))) > -inf:
            break
    else:
        raise DataError("no clusters were found that respect all constraints", "give fewer, or other ones")
    return found, places


def _lasting(ties: Ties, t: int) -> list[int]:
    """Components that are known at t, or both before and after, and at several epochs in all."""
    lasting = []
    for c in range(int(ties.component.max(initial=-1)) + 1):
        epochs = ties.epoch[ties.component == c]
        if len(epochs) and epochs.min() < epochs.max() and epochs.min() <= t <= epochs.max():
            lasting.append(c)
    return lasting


def _lineages(labels: list[Ints], places: Places) -> list[Ints]:
    """Numbers of lineages if only clusters of lasting components are linked: the component's, others beyond those."""
    beyond, lineages = 1 + max((c for here in places for c in here), default=-1), []
    for own, here in zip(labels, places, strict=True):
        number = {label: beyond + i for i, label in enumerate(np.unique(own).tolist())}
        beyond += len(number)
        number |= {label: c for c, label in here.items()}
        lineages.append(np.array([number[label] for label in own.tolist()]))
    return lineages


class _Epoch:
    """The clusters of one epoch while components are given theirs."""

    def __init__(self, labels: Ints, component: Ints, lasting: list[int], apart: Ints, *, alone: bool) -> None:
        self.labels, self.component, self.lasting = labels.copy(), component, lasting
        self.apart, self.alone = apart, alone
        self.taken: dict[int, int] = {}  # cluster of every lasting component
        self.settled: dict[int, int] = {}  # cluster of every component

    def settle(self, time: object) -> None:
        """Every component into its cluster: those with objects here, those that only pass, then the others."""
        here = set(self.component[self.component >= 0].tolist())
        for c in sorted(here & set(self.lasting)):
            self._put(c, set(self.taken.values()))
            self.taken[c] = self.settled[c]
        for c in sorted(set(self.lasting) - here):
            self.taken[c] = self._carried(time)
        for c in sorted(here - set(self.lasting)):
            foes = {int(other) for pair in self.apart.tolist() if c in pair for other in pair if other != c}
            self._put(c, {label for other, label in (self.settled | self.taken).items() if other in foes})
        names, self.labels = np.unique(self.labels, return_inverse=True)
        self.taken = {c: int(np.searchsorted(names, label)) for c, label in self.taken.items()}

    def _put(self, c: int, closed: set[int]) -> None:
        """A component goes where most of it is, if that is open, otherwise to a cluster of its own."""
        own = self.component == c
        names, sizes = np.unique(self.labels[own], return_counts=True)
        open_to_it = [int(name) for name in names[np.argsort(-sizes, kind="stable")] if name not in closed]
        label = self._new() if self.alone or not open_to_it else open_to_it[0]
        self.labels[own] = self.settled[c] = label

    def _carried(self, time: object) -> int:
        """A cluster of free objects for a lineage that must pass here: one that is there, or one object of another."""
        names, sizes = np.unique(self.labels, return_counts=True)
        taken = set(self.taken.values())
        bound = set(self.labels[self.component >= 0].tolist())
        for name in names[np.argsort(-sizes, kind="stable")].tolist():
            if not self.alone and name not in taken | bound:
                return int(name)
        size = dict(zip(names.tolist(), sizes.tolist(), strict=True))
        for i in np.flatnonzero(self.component < 0):
            if size[int(self.labels[i])] > 1:
                self.labels[i] = self._new()
                return int(self.labels[i])
        raise DataError(
            f"a lineage that is known before and after {time} needs an object there, and there are not enough",
            ["leave out a constraint across that time, or ", give("geometry", "moving"), ": its lineages may pause"],
        )

    def _new(self) -> int:
        return int(self.labels.max()) + 1
