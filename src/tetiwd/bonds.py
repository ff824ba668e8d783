"""What is known of objects, as the kernels take it, and starts that respect it."""

from collections.abc import Sequence
from functools import cache
from math import inf

import numpy as np

from tetiwd.data.constraints import Ints, Ties
from tetiwd.errors import SettingsError
from tetiwd.kernels import NO_BONDS as NONE
from tetiwd.kernels import Bonds


def bonds_of(ties: Ties | None, n_objects: Sequence[int]) -> list[Bonds]:
    """The bonds within every epoch."""
    if ties is None:
        return [_no_bonds(n) for n in n_objects]
    ends = np.cumsum(n_objects)
    bonds = []
    for t, (end, n) in enumerate(zip(ends, n_objects, strict=True)):
        component = ties.component[end - n : end]
        here = np.unique(component[component >= 0])
        group = np.where(component >= 0, np.searchsorted(here, component), -1)
        number = {int(c): g for g, c in enumerate(here)}
        pairs = [(number[a], number[b], -inf) for a, b in ties.apart.tolist() if a in number and b in number]
        pulled = zip(ties.pulled.tolist(), ties.weights.tolist(), strict=True)
        pairs += [(number[a], number[b], weight) for (a, s, b, r), weight in pulled if s == r == t]
        bonds.append(_bonds(group, pairs))
    return bonds


def bonds_of_lineages(ties: Ties | None) -> Bonds:
    """The bonds of all epochs together, where lineages are the state: groups and pairs of any epochs."""
    if ties is None:
        return NONE
    here = np.unique(ties.component[ties.component >= 0])
    group = np.where(ties.component >= 0, np.searchsorted(here, ties.component), -1)
    number = {int(c): g for g, c in enumerate(here)}
    pairs = [(number[a], number[b], -inf) for a, b in ties.apart.tolist()]
    pulled = zip(ties.pulled.tolist(), ties.weights.tolist(), strict=True)
    pairs += [(number[a], number[b], weight) for (a, _, b, _), weight in pulled]
    return _bonds(group, pairs)


@cache
def _no_bonds(n: int) -> Bonds:
    return _bonds(np.full(n, -1), [])


def _bonds(group: Ints, pairs: list[tuple[int, int, float]]) -> Bonds:
    members = np.argsort(group, kind="stable")[(group < 0).sum() :]
    start = np.searchsorted(group[members], np.arange(group.max(initial=-1) + 2))
    both = sorted([(g, h, w) for g, h, w in pairs] + [(h, g, w) for g, h, w in pairs])
    first = np.searchsorted([g for g, _, _ in both], np.arange(len(start)))
    other = np.array([members[start[h]] for _, h, _ in both], dtype=np.int64)
    weight = np.array([w for _, _, w in both], dtype=float)
    return Bonds(group.astype(np.int64), start.astype(np.int64), members, first.astype(np.int64), other, weight)


def respectful(labels: Ints, bonds: Bonds, limit: float) -> Ints:
    """Clusters of one epoch, or lineages, changed as little as it takes to respect what is known exactly.

    Every group goes where most of its members are and nobody it must not be with; if there is no such cluster, to a new
    one, or to any other if there may not be more.
    """
    labels, placed = labels.copy(), dict[int, int]()
    start, members, other = (np.asarray(array) for array in (bonds.start, bonds.members, bonds.other))
    group, first, weight = (np.asarray(array) for array in (bonds.group, bonds.first, bonds.weight))
    for g in range(bonds.n_groups):
        own = members[start[g] : start[g + 1]]
        rows = slice(first[g], first[g + 1])
        foes = {int(group[i]) for i in other[rows][weight[rows] == -inf]}
        taken = {placed[h] for h in foes if h in placed}
        names, sizes = np.unique(labels[own], return_counts=True)
        wanted = [int(c) for c in names[np.argsort(-sizes, kind="stable")] if c not in taken]
        if not wanted:
            others = sorted(set(labels.tolist()) - taken)
            more = len(set(labels.tolist())) < limit or not others
            wanted = [int(labels.max()) + 1] if more else others
        labels[own] = placed[g] = wanted[0]
    return np.unique(labels, return_inverse=True)[1]


def check_respectful(labels: Sequence[Ints], ties: Ties) -> None:
    """Refuse a start given by the user that breaks what is known."""
    if ties.log_weight(np.concatenate(labels)) == -inf:
        raise SettingsError("the start does not respect the constraints", "give labels that do, or none")
