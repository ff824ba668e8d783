"""Vertical order and heights of an alluvial diagram.

Lineages keep one order from top to bottom at all epochs, and their blocks stay level where there is room.
"""

from collections.abc import Mapping

import numpy as np

from tetiwd.plots.lineage_facts import NOWHERE, OTHERS, LineageFacts

WEAK_LINK = 0.2  # least probability of a link outside the clustering that is shown
GAP, ALL_GAPS = 0.025, 0.3  # largest gap between blocks; largest share of the height for all gaps of a column
SWEEPS = 24  # over the epochs, to level the blocks of every lineage


def order_of_lineages(facts: LineageFacts) -> list[int]:
    """Lineages from top to bottom: in order of birth, then moved so that ribbons between lineages are short."""
    first: dict[int, int] = {}
    for t, column in enumerate(facts.sizes):
        for g in column:
            first.setdefault(g, t)
    order = sorted((g for g in first if g >= 0), key=lambda g: (first[g], g))
    row = {g: i for i, g in enumerate(order)}
    pull = np.zeros((len(order), len(order)))
    for (t, g, later, h), p in facts.links.items():
        if g != h and p >= WEAK_LINK:
            pull[row[g], row[h]] += p * min(facts.sizes[t][g], facts.sizes[later][h])
    for (_, g, h), n in facts.flows.items():
        if g != h and min(g, h) >= 0:
            pull[row[g], row[h]] += n
    pull += pull.T
    rank = list(range(len(order)))
    for i in [*range(len(order))] * 2:
        rank = _sift(rank, i, pull)
    return [order[i] for i in rank] + [g for g in (OTHERS, NOWHERE) if g in first]


def _sift(rank: list[int], i: int, pull: np.ndarray) -> list[int]:
    """Move one lineage to the place where the summed length of all ribbons between lineages is smallest."""
    if not pull[i].any():
        return rank
    here = rank.index(i)
    others = rank[:here] + rank[here + 1 :]
    mine, rest = pull[i, others], pull[np.ix_(others, others)]
    places = np.arange(len(others))
    cost = []
    for p in range(len(others) + 1):
        away = np.where(places < p, p - places, places - p + 1)
        cost.append(float(mine @ away + rest[:p, p:].sum()))
    best = min(range(len(cost)), key=lambda p: (round(cost[p], 9), abs(p - here)))
    return [*others[:best], i, *others[best:]]


def slots_by_epoch(sizes: tuple[Mapping[int, int], ...], order: list[int]) -> list[dict[int, int]]:
    """Per epoch, lineages from top to bottom with their sizes; skipped epochs have a slot of size 0."""
    there = {g: [t for t, column in enumerate(sizes) if g in column] for g in order}
    return [
        {g: column.get(g, 0) for g in order if g in column or (g >= 0 and there[g][0] < t < there[g][-1])}
        for t, column in enumerate(sizes)
    ]


def heights(slots: list[dict[int, int]]) -> tuple[list[dict[int, float]], float, float]:
    """Centre of every slot, the height of one object, and the gap between slots."""
    gap = min(GAP, ALL_GAPS / max(1, max(map(len, slots)) - 1))
    per_object = min((1 - gap * (len(column) - 1)) / max(1, sum(column.values())) for column in slots)
    centres: list[dict[int, float]] = [{} for _ in slots]
    epochs = list(range(len(slots)))
    for sweep in range(SWEEPS):
        for t in epochs if sweep % 2 == 0 else epochs[::-1]:
            centres[t] = _level(slots[t], centres, t, per_object, gap)
    return centres, per_object, gap


def _level(
    column: dict[int, int], centres: list[dict[int, float]], t: int, per_object: float, gap: float
) -> dict[int, float]:
    """Slots of one epoch as close as possible to those of the same lineages before and after.

    Least squares with a fixed order and least distances: without the distances it is a monotone regression.
    """
    from scipy.optimize import isotonic_regression

    below, offsets = 0.0, []
    for size in column.values():
        offsets.append(below + size * per_object / 2)
        below += size * per_object + gap
    room = max(0.0, 1 - (below - gap))  # height that the stack leaves free
    wanted, weights = [], []
    for (g, size), offset in zip(column.items(), offsets, strict=True):
        near = [centres[s][g] for s in (t - 1, t + 1) if 0 <= s < len(centres) and g in centres[s]]
        weights.append(size * per_object + gap if near else gap / 100)  # a lone block goes where others leave room
        wanted.append(sum(near) / len(near) - offset if near else centres[t].get(g, offset + room / 2) - offset)
    shifts = np.clip(isotonic_regression(wanted, weights=weights).x, 0.0, room).tolist()
    return {g: offset + shift for g, offset, shift in zip(column, offsets, shifts, strict=True)}
