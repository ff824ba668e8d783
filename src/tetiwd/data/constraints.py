"""What is known beforehand: pairs of objects that belong together or apart, and labels of some objects."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, isfinite, isnan
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tetiwd.errors import DataError, Setting

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Constraints:
    """What is known of some objects before they are clustered.

    An object is given by its id, which means every time at which it is present, or by a pair ``(time, id)``. Where ids
    are unknown, an object is ``(time, row)``, with rows of a time counted from 0.

    Parameters
    ----------
    must_link : sequence of pairs
        Pairs of objects that are in one cluster. Two ids are so at every time at which both are present; two pairs
        ``(time, id)`` of different times are in one lineage. A third entry is the weight of the pair.
    cannot_link : sequence of pairs
        Pairs that are never in one cluster, or lineage.
    labels : mapping
        Known labels of some objects. Those with equal labels are in one cluster, those with different labels are not.
    lineages : bool
        True if equal labels at different times also mean one lineage, and different ones different lineages. False if
        labels say nothing across time.
    weight : float
        Weight of all pairs without one. ``inf`` holds a pair exactly. A number w makes it a preference: being together
        multiplies the posterior by exp(w), or exp(−w) for ``cannot_link``. Labels always hold exactly.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]] * 2)
    >>> year = np.repeat([2020, 2021], 6)
    >>> from tetiwd import Constraints, TeTiWD
    >>> known = Constraints(must_link=[("a", "d")], labels={(2020, "b"): "control"})
    >>> model = TeTiWD(mode="fast", dof=1, constraints=known).fit(X, time=year, ids=list("abcdef") * 2)
    >>> bool(model.labels_[0] == model.labels_[3])
    True
    """

    must_link: Sequence[Any] = ()
    cannot_link: Sequence[Any] = ()
    labels: Mapping[Any, Hashable] = field(default_factory=dict)
    lineages: bool = False
    weight: float = inf


@dataclass(frozen=True, eq=False)
class Ties:
    """Constraints by the place of objects in a series, epoch after epoch.

    Parameters
    ----------
    epoch
        (N,) epoch of every object.
    component
        (N,) which objects belong together: equal numbers from 0, −1 for objects of which nothing is known.
    apart
        (Q, 2) components that are never together.
    pulled, weights
        (P, 4) component and epoch of one end and of the other, and (P,) what the log posterior gains if the two ends
        are together.
    """

    epoch: Ints
    component: Ints
    apart: Ints
    pulled: Ints
    weights: Floats

    @property
    def across(self) -> bool:
        """True if anything is known across time."""
        spans = len(np.unique(np.column_stack([self.epoch, self.component])[self.component >= 0], axis=0))
        if spans > len(np.unique(self.component[self.component >= 0])):
            return True
        home = np.full(self.component.max(initial=-1) + 1, -1)
        home[self.component[self.component >= 0]] = self.epoch[self.component >= 0]
        return bool(
            (home[self.apart[:, 0]] != home[self.apart[:, 1]]).any() or (self.pulled[:, 1] != self.pulled[:, 3]).any()
        )

    def restricted(self, places: Ints) -> Self:
        """What is known of some of the objects."""
        epoch, component = self.epoch[places], self.component[places]
        left = set(zip(component.tolist(), epoch.tolist(), strict=True))
        known = np.isin(self.apart, component).all(axis=1)
        here = np.array([(a, s) in left and (b, t) in left for a, s, b, t in self.pulled.tolist()], dtype=bool)
        return type(self)(epoch, component, self.apart[known], self.pulled[here], self.weights[here])

    def log_weight(self, lineage: Ints) -> float:
        """What is added to the log posterior if objects are in these lineages: −inf if anything is broken."""
        bound = self.component >= 0
        n = int(self.component.max(initial=-1)) + 1
        of_component = np.full(n, -1)
        of_component[self.component[bound]] = lineage[bound]
        if (of_component[self.component[bound]] != lineage[bound]).any():
            return -inf
        if (of_component[self.apart[:, 0]] == of_component[self.apart[:, 1]]).any():
            return -inf
        together = of_component[self.pulled[:, 0]] == of_component[self.pulled[:, 2]]
        return float(self.weights[together].sum())


def resolve(
    constraints: Constraints, times: Sequence[Any], ids: Sequence[NDArray[Any]] | None, n_objects: Sequence[int]
) -> Ties:
    """Find the objects of constraints in a series, and what follows from all of them together."""
    objects = _Objects(times, ids, n_objects)
    links = _Links(objects)
    for kind, pairs in (("must_link", constraints.must_link), ("cannot_link", constraints.cannot_link)):
        for pair in pairs:
            links.add(kind, *_checked(pair, kind, constraints.weight))
    labelled = _labelled(constraints.labels, objects)
    key = (lambda place, label: label) if constraints.lineages else (lambda place, label: (objects.epoch[place], label))
    first: dict[Any, int] = {}
    for place, label in labelled.items():
        links.join(first.setdefault(key(place, label), place), place)
    representatives = list(first.values())
    for i, place in enumerate(representatives):
        for other in representatives[:i]:
            if constraints.lineages or objects.epoch[place] == objects.epoch[other]:
                links.forbid(other, place)
    return links.ties()


def _checked(pair: Any, kind: str, weight: float) -> tuple[Any, Any, float]:
    """Two objects and the weight of a pair."""
    if isinstance(pair, str) or not isinstance(pair, Iterable) or len(given := tuple(pair)) not in (2, 3):
        raise DataError([Setting(kind), f" has {pair!r}"], "give pairs of objects, or pairs with a weight")
    if len(given) == 2:
        given = (*given, weight)
    try:
        w = float(given[2])
    except (TypeError, ValueError):
        w = float("nan")
    if isnan(w) or w <= 0:
        raise DataError([Setting(kind), f" has the weight {given[2]!r}"], "weights are positive numbers, or inf")
    return given[0], given[1], w


def _labelled(labels: Mapping[Any, Hashable], objects: "_Objects") -> dict[int, Hashable]:
    """The label of every object that has one; those of one time count more than those of all times."""
    found: dict[int, tuple[Hashable, bool]] = {}
    for name, label in labels.items():
        exact = objects.is_timed(name)
        for place in objects.find(name):
            if place not in found or exact or not found[place][1]:
                found[place] = (label, exact)
    return {place: label for place, (label, _) in found.items()}


class _Objects:
    """Where objects are in a series."""

    def __init__(self, times: Sequence[Any], ids: Sequence[NDArray[Any]] | None, n_objects: Sequence[int]) -> None:
        self.times, self.n_objects, self.known = list(times), list(n_objects), ids is not None
        self.epoch = np.repeat(np.arange(len(n_objects)), n_objects)
        start = np.concatenate([[0], np.cumsum(n_objects)])
        self.start = start
        self.names: list[Any] = [None] * int(start[-1])
        self.places: dict[Any, list[int]] = {}
        for t, n in enumerate(n_objects):
            names = list(range(n)) if ids is None else ids[t].tolist()
            for i, name in enumerate(names):
                self.names[start[t] + i] = name
                self.places.setdefault(name, []).append(int(start[t]) + i)
        self.by_text = {str(name): places for name, places in self.places.items()}

    def is_timed(self, name: Any) -> bool:
        """True for a pair (time, id)."""
        return isinstance(name, tuple) and len(name) == 2 and self._epoch_of(name[0]) is not None

    def _epoch_of(self, time: Any) -> int | None:
        for t, own in enumerate(self.times):
            if time == own or str(time) == str(own):
                return t
        return None

    def find(self, name: Any) -> list[int]:
        """All places of an object."""
        time = None
        if self.is_timed(name):
            time, name = self._epoch_of(name[0]), name[1]
        elif not self.known:
            raise DataError(f"the object {name!r} of a constraint has no time", "ids are unknown: give (time, row)")
        places = self.places.get(name) if isinstance(name, Hashable) else None
        places = self.by_text.get(str(name), []) if places is None else places
        found = [place for place in places if time is None or self.epoch[place] == time]
        if not found:
            at = "" if time is None else f" at {self.times[time]}"
            raise DataError(f"there is no object {name!r}{at}, which a constraint names")
        return found

    def told(self, place: int) -> str:
        """An object for people."""
        return f"{self.names[place]!r} at {self.times[self.epoch[place]]}"


class _Links:
    """Objects that belong together (disjoint sets), and pairs that do not."""

    def __init__(self, objects: _Objects) -> None:
        self.objects = objects
        self.parent = list(range(len(objects.names)))
        self.forbidden: list[tuple[int, int]] = []
        self.soft: list[tuple[int, int, float]] = []
        self.touched: set[int] = set()

    def add(self, kind: str, one: Any, other: Any, weight: float) -> None:
        """A pair of objects: at every time at which both are there, or across time if both have theirs."""
        places, others = self.objects.find(one), self.objects.find(other)
        epoch = self.objects.epoch
        pairs = [(i, j) for i in places for j in others if epoch[i] == epoch[j]]
        if self.objects.is_timed(one) and self.objects.is_timed(other):
            pairs = [(places[0], others[0])]
        if not pairs:
            raise DataError(
                f"{one!r} and {other!r} are never present at the same time",
                "give (time, id) for both if they belong together, or apart, across time",
            )
        for i, j in pairs:
            if i == j:
                raise DataError(f"a constraint pairs {self.objects.told(i)} with itself")
            if isfinite(weight):
                self.soft.append((i, j, weight if kind == "must_link" else -weight))
                self.touched |= {i, j}
            elif kind == "must_link":
                self.join(i, j)
            else:
                self.forbid(i, j)

    def root(self, i: int) -> int:
        """The object that stands for all that belong together with i."""
        while self.parent[i] != i:
            self.parent[i] = self.parent[self.parent[i]]
            i = self.parent[i]
        return i

    def join(self, i: int, j: int) -> None:
        """Two objects belong together."""
        self.touched |= {i, j}
        self.parent[self.root(j)] = self.root(i)

    def forbid(self, i: int, j: int) -> None:
        """Two objects do not."""
        self.touched |= {i, j}
        self.forbidden.append((i, j))

    def ties(self) -> Ties:
        """All of it, if there is no contradiction."""
        epoch = self.objects.epoch
        number: dict[int, int] = {}
        component = np.full(len(epoch), -1)
        for i in sorted(self.touched):
            component[i] = number.setdefault(self.root(i), len(number))
        for i, j in self.forbidden:
            if component[i] == component[j]:
                raise DataError(
                    f"the constraints contradict each other: {self.objects.told(i)} and {self.objects.told(j)} "
                    "must be together by what is said of them and others, and must not be together"
                )
        apart = {tuple(sorted((int(component[i]), int(component[j])))) for i, j in self.forbidden}
        pulls: dict[tuple[int, int, int, int], float] = {}
        for i, j, weight in self.soft:
            ends = sorted([(int(component[i]), int(epoch[i])), (int(component[j]), int(epoch[j]))])
            if ends[0][0] != ends[1][0]:  # otherwise they are together anyway
                pulls[*ends[0], *ends[1]] = pulls.get((*ends[0], *ends[1]), 0.0) + weight
        return Ties(
            epoch,
            component,
            np.array(sorted(apart), dtype=np.int64).reshape(-1, 2),
            np.array(list(pulls), dtype=np.int64).reshape(-1, 4),
            np.array(list(pulls.values()), dtype=float),
        )
