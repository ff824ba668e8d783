"""Lineages through time as an alluvial diagram: where everything is, in numbers; nothing is drawn here.

Heights run from 0 (top) to 1 (bottom). All epochs share one scale of objects, so that growth is seen. Lineages keep one
order from top to bottom at all epochs, and where there is room their blocks stay level.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from math import nan
from typing import TYPE_CHECKING, Literal

import numpy as np

from tetiwd.errors import SettingsError
from tetiwd.plots.text import times_as_text

if TYPE_CHECKING:
    from tetiwd.summarize.lineages import Lineages

OTHERS = -1  # the small lineages that share one block
WEAK_LINK = 0.2  # alternatives to the links of the clustering are shown from this probability on
MAX_RIBBONS = 4000  # the widest ones; thinner ones would not be seen anyway
GAP, ALL_GAPS = 0.025, 0.3  # largest gap between blocks; largest share of the height that all of a column take
SWEEPS = 24  # over the epochs, to bring blocks of a lineage level


@dataclass(frozen=True)
class LineageFacts:
    """What the picture is made of. Epochs and lineages are numbers; a probability that nobody knows is NaN."""

    times: tuple[str, ...]
    sizes: tuple[Mapping[int, int], ...]  # per epoch: objects of every lineage
    links: Mapping[tuple[int, int, int, int], float] = field(default_factory=dict)  # (epoch, lineage, epoch, lineage)
    flows: Mapping[tuple[int, int, int], int] = field(
        default_factory=dict
    )  # (epoch, lineage, lineage at the next): objects
    presence: Mapping[tuple[int, int], float] = field(default_factory=dict)  # (epoch, lineage): share of draws with it
    births: Mapping[tuple[int, int], float] = field(default_factory=dict)  # (epoch, lineage): it is new there
    deaths: Mapping[tuple[int, int], float] = field(default_factory=dict)  # (epoch, lineage): it is the last time


@dataclass(frozen=True)
class Block:
    """One cluster; for ``OTHERS``, all small ones of an epoch."""

    epoch: int
    lineage: int
    size: int
    y0: float
    y1: float
    probability: float = nan  # that it is there
    n_clusters: int = 1


@dataclass(frozen=True)
class Ribbon:
    """From a cluster to a later one.

    A "link" joins the blocks of a lineage at full height, a "flow" is as wide as the objects that go there, "weak" is an
    alternative to a link of the clustering and "gap" a lineage that skips epochs; the last two are lines without width.
    """

    kind: Literal["link", "flow", "weak", "gap"]
    from_epoch: int
    to_epoch: int
    from_lineage: int
    to_lineage: int
    start: tuple[float, float]  # upper and lower edge at the earlier cluster
    end: tuple[float, float]
    probability: float = nan  # of the link
    n_objects: int | None = None
    via: tuple[float, ...] = ()  # heights at the epochs that are skipped


@dataclass(frozen=True)
class Marker:
    """A lineage begins ("born"), ends ("died") or comes back after a gap ("returned") at its block of an epoch."""

    kind: Literal["born", "died", "returned"]
    epoch: int
    lineage: int
    probability: float = nan


@dataclass(frozen=True)
class Alluvial:
    """The whole picture."""

    times: tuple[str, ...]
    blocks: tuple[Block, ...]
    ribbons: tuple[Ribbon, ...]
    markers: tuple[Marker, ...]
    per_object: float  # height of one object
    gap: float  # least distance of blocks
    n_lineages: int
    n_gathered: int = 0  # lineages that share a block
    n_left_out: int = 0  # ribbons that are too many to show

    @property
    def flows(self) -> bool:
        """Do ribbons show where objects go?"""
        return any(ribbon.kind == "flow" for ribbon in self.ribbons)

    @property
    def totals(self) -> tuple[int, ...]:
        """Objects per epoch."""
        totals = [0] * len(self.times)
        for block in self.blocks:
            totals[block.epoch] += block.size
        return tuple(totals)


def alluvial_layout(lineages: "Lineages", *, max_lineages: int = 40) -> Alluvial:
    """Where blocks and ribbons go. Lineages beyond the ``max_lineages`` largest share one block per epoch."""
    return lay_out(lineage_facts(lineages), max_lineages=max_lineages)


def lineage_facts(lineages: "Lineages") -> LineageFacts:
    """What the tables about lineages say, in numbers of epochs and lineages. Ids are left behind."""
    import pandas as pd

    alignment, links, flows = lineages.alignment, lineages.links(), lineages.flows()
    times = list(alignment.partitions.times)
    as_in_tables = pd.Series(times)  # where dates of numpy become those of pandas
    epoch = {time: t for own in (times, as_in_tables) for t, time in enumerate(own)}
    there = (alignment.counterpart >= 0).mean(axis=0)
    sizes = []
    for own in alignment.clustering.labels:
        lineage, count = np.unique(own, return_counts=True)
        sizes.append(dict(zip(lineage.tolist(), count.tolist(), strict=True)))
    linked, moved = {}, {}
    births: dict[tuple[int, int], float] = {}
    deaths: dict[tuple[int, int], float] = {}
    for (g, t), (h, later), p in zip(links.source, links.target, links.probability, strict=True):
        linked[epoch[t], g, epoch[later], h] = float(p)
    for t, skipped, g, h, n in zip(
        flows.from_time, flows.n_skipped, flows.from_lineage, flows.to_lineage, flows.n_objects, strict=True
    ):
        if skipped == 0 and n > 0:
            moved[epoch[t], int(g), int(h)] = int(n)
    for t in range(1, len(sizes)):
        born = lineages.linked_by.born(alignment, t).mean(axis=0)
        died = lineages.linked_by.died(alignment, t).mean(axis=0)
        births |= {(t, g): float(born[g]) for g in sizes[t]}
        deaths |= {(t - 1, g): float(died[g]) for g in sizes[t - 1]}
    return LineageFacts(
        times=times_as_text(times),
        sizes=tuple(sizes),
        links=linked,
        flows=moved,
        presence={(t, g): float(there[t, g]) for t, own in enumerate(sizes) for g in own},
        births=births,
        deaths=deaths,
    )


def lay_out(facts: LineageFacts, *, max_lineages: int = 40) -> Alluvial:
    """Order, heights, ribbons and markers of what is known about lineages."""
    if not isinstance(max_lineages, int) or isinstance(max_lineages, bool) or max_lineages < 1:
        raise SettingsError(f"max_lineages must be a whole number of at least 1, not {max_lineages!r}")
    n_lineages = len({g for own in facts.sizes for g in own})
    gathered = _small_lineages(facts.sizes, max_lineages)
    clusters = [sum(g in gathered for g in own) for own in facts.sizes]
    facts = _gather(facts, gathered)
    slots = _slots(facts.sizes, _order(facts))
    centres, per_object, gap = _heights(slots)
    blocks = {}
    for t, column in enumerate(slots):
        for g, size in column.items():
            if size:
                half = size * per_object / 2
                known = facts.presence.get((t, g), nan)
                n_clusters = clusters[t] if g == OTHERS else 1
                blocks[t, g] = Block(t, g, size, centres[t][g] - half, centres[t][g] + half, known, n_clusters)
    flows = _flow_ribbons(facts, blocks, per_object)
    ribbons = [*_link_ribbons(facts, blocks, centres), *flows]
    shown = sorted(range(len(ribbons)), key=lambda i: (-_importance(ribbons[i]), i))[:MAX_RIBBONS]
    return Alluvial(
        times=facts.times,
        blocks=tuple(blocks.values()),
        ribbons=tuple(ribbons[i] for i in sorted(shown)),
        markers=tuple(_markers(facts)),
        per_object=per_object,
        gap=gap,
        n_lineages=n_lineages,
        n_gathered=len(gathered),
        n_left_out=len(ribbons) - len(shown),
    )


def _small_lineages(sizes: Iterable[Mapping[int, int]], max_lineages: int) -> set[int]:
    total: dict[int, int] = {}
    for own in sizes:
        for g, size in own.items():
            total[g] = total.get(g, 0) + size
    return set(sorted(total, key=lambda g: (-total[g], g))[max_lineages:])


def _gather(facts: LineageFacts, gathered: set[int]) -> LineageFacts:
    """The same facts with small lineages as one."""
    if not gathered:
        return facts
    sizes: list[dict[int, int]] = []
    for own in facts.sizes:
        kept = {g: size for g, size in own.items() if g not in gathered}
        rest = sum(own.values()) - sum(kept.values())
        sizes.append(kept | ({OTHERS: rest} if rest else {}))
    flows: dict[tuple[int, int, int], int] = {}
    for (t, g, h), n in facts.flows.items():
        where = (t, OTHERS if g in gathered else g, OTHERS if h in gathered else h)
        flows[where] = flows.get(where, 0) + n
    links = {where: p for where, p in facts.links.items() if not {where[1], where[3]} & gathered}
    return LineageFacts(facts.times, tuple(sizes), links, flows, facts.presence, facts.births, facts.deaths)


def _order(facts: LineageFacts) -> list[int]:
    """Lineages from top to bottom: in order of birth, then moved so that what crosses others is short."""
    first: dict[int, int] = {}
    for t, own in enumerate(facts.sizes):
        for g in own:
            first.setdefault(g, t)
    order = sorted(first.keys() - {OTHERS}, key=lambda g: (first[g], g))
    where = {g: i for i, g in enumerate(order)}
    pull = np.zeros((len(order), len(order)))
    for (t, g, later, h), p in facts.links.items():
        if g != h and p >= WEAK_LINK:
            pull[where[g], where[h]] += p * min(facts.sizes[t][g], facts.sizes[later][h])
    for (_, g, h), n in facts.flows.items():
        if g != h and OTHERS not in (g, h):
            pull[where[g], where[h]] += n
    pull += pull.T
    rank = list(range(len(order)))
    for i in [*range(len(order))] * 2:
        rank = _sift(rank, i, pull)
    return [order[i] for i in rank] + [OTHERS] * (OTHERS in first)


def _sift(rank: list[int], i: int, pull: np.ndarray) -> list[int]:
    """Put one lineage where the summed length of everything that crosses between lineages is smallest."""
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


def _slots(sizes: tuple[Mapping[int, int], ...], order: list[int]) -> list[dict[int, int]]:
    """Per epoch, lineages from top to bottom and their sizes; a lineage that skips epochs has slots of size 0 there."""
    there = {g: [t for t, own in enumerate(sizes) if g in own] for g in order}
    return [
        {g: own.get(g, 0) for g in order if g in own or (g != OTHERS and there[g][0] < t < there[g][-1])}
        for t, own in enumerate(sizes)
    ]


def _heights(slots: list[dict[int, int]]) -> tuple[list[dict[int, float]], float, float]:
    """Centre of every slot, the height of one object, and the gap between slots."""
    gap = min(GAP, ALL_GAPS / max(1, max(map(len, slots)) - 1))
    per_object = min((1 - gap * (len(own) - 1)) / max(1, sum(own.values())) for own in slots)
    centres: list[dict[int, float]] = [{} for _ in slots]
    epochs = list(range(len(slots)))
    for sweep in range(SWEEPS):
        for t in epochs if sweep % 2 == 0 else epochs[::-1]:
            centres[t] = _level(slots[t], centres, t, per_object, gap)
    return centres, per_object, gap


def _level(
    column: dict[int, int], centres: list[dict[int, float]], t: int, per_object: float, gap: float
) -> dict[int, float]:
    """Slots of one epoch as near as they can be to those of their lineages before and after.

    Least squares under an order with least distances: subtract the distances, then it is a monotone regression.
    """
    below, offsets = 0.0, []
    for size in column.values():
        offsets.append(below + size * per_object / 2)
        below += size * per_object + gap
    room = max(0.0, 1 - (below - gap))  # what the stack leaves free
    pools: list[tuple[float, float, int]] = []  # (weighted mean, weight, slots)
    for (g, size), offset in zip(column.items(), offsets, strict=True):
        near = [centres[s][g] for s in (t - 1, t + 1) if 0 <= s < len(centres) and g in centres[s]]
        weight = size * per_object + gap if near else gap / 100  # who stands alone goes where others leave room
        wanted = sum(near) / len(near) - offset if near else centres[t].get(g, offset + room / 2) - offset
        pools.append((wanted, weight, 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (a, u, m), (b, v, n) = pools[-2:]
            pools[-2:] = [((a * u + b * v) / (u + v), u + v, m + n)]
    shifts = [min(max(mean, 0.0), room) for mean, _, n in pools for _ in range(n)]
    return {g: offset + shift for g, offset, shift in zip(column, offsets, shifts, strict=True)}


def _link_ribbons(
    facts: LineageFacts, blocks: Mapping[tuple[int, int], Block], centres: list[dict[int, float]]
) -> list[Ribbon]:
    ribbons = []
    for (t, g, later, h), p in facts.links.items():
        here, there = blocks[t, g], blocks[later, h]
        middles = [((own.y0 + own.y1) / 2,) * 2 for own in (here, there)]
        if g != h and p >= WEAK_LINK:
            ribbons.append(Ribbon("weak", t, later, g, h, middles[0], middles[1], p))
        elif g == h and later > t + 1:
            via = tuple(centres[s][g] for s in range(t + 1, later))
            ribbons.append(Ribbon("gap", t, later, g, h, middles[0], middles[1], p, via=via))
        elif g == h:
            ribbons.append(Ribbon("link", t, later, g, h, (here.y0, here.y1), (there.y0, there.y1), p))
    return ribbons


def _flow_ribbons(facts: LineageFacts, blocks: Mapping[tuple[int, int], Block], per_object: float) -> list[Ribbon]:
    """Flows side by side: those that go up leave at the top, those that go down at the bottom."""
    out: dict[tuple[int, int], list[tuple[int, int]]] = {}  # (epoch, lineage): lineage at the other end, objects
    into: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for (t, g, h), n in facts.flows.items():
        out.setdefault((t, g), []).append((h, n))
        into.setdefault((t + 1, h), []).append((g, n))
    starts, ends = {}, {}
    for (t, g), flows in out.items():
        for h, edges in _side_by_side(blocks, (t, g), t + 1, flows, per_object).items():
            starts[t, g, h] = edges
    for (t, h), flows in into.items():
        for g, edges in _side_by_side(blocks, (t, h), t - 1, flows, per_object).items():
            ends[t - 1, g, h] = edges
    return [
        Ribbon("flow", t, t + 1, g, h, starts[t, g, h], ends[t, g, h], facts.links.get((t, g, t + 1, h), nan), n)
        for (t, g, h), n in facts.flows.items()
    ]


def _side_by_side(
    blocks: Mapping[tuple[int, int], Block], own: tuple[int, int], t: int, flows: list[tuple[int, int]], scale: float
) -> dict[int, tuple[float, float]]:
    """Edges of the flows at one side of a block; those of its own lineage stay in the middle of what is left."""
    block, edges = blocks[own], {}
    flows = sorted(flows, key=lambda flow: blocks[t, flow[0]].y0)
    level = next((i for i, (h, _) in enumerate(flows) if h == own[1]), None)
    rank = blocks[t, own[1]].y0 if level is not None else (block.y0 + block.y1) / 2
    above = [(h, n) for h, n in flows if h != own[1] and blocks[t, h].y0 < rank]
    below = [(h, n) for h, n in flows if h != own[1] and blocks[t, h].y0 >= rank]
    top, bottom = block.y0, block.y1
    for h, n in above:
        edges[h] = (top, top + n * scale)
        top += n * scale
    for h, n in reversed(below):
        edges[h] = (bottom - n * scale, bottom)
        bottom -= n * scale
    if level is not None:
        half, middle = flows[level][1] * scale / 2, (top + bottom) / 2
        edges[own[1]] = (middle - half, middle + half)
    return edges


def _markers(facts: LineageFacts) -> Iterable[Marker]:
    """Of the clustering itself; the first and the last epoch say nothing about births and deaths."""
    last = len(facts.sizes) - 1
    there: dict[int, list[int]] = {}
    for t, own in enumerate(facts.sizes):
        for g in own:
            there.setdefault(g, []).append(t)
    there.pop(OTHERS, None)
    for g, epochs in sorted(there.items()):
        if epochs[0] > 0:
            yield Marker("born", epochs[0], g, facts.births.get((epochs[0], g), nan))
        for t, later in pairwise(epochs):
            if later > t + 1:
                yield Marker("returned", later, g, facts.links.get((t, g, later, g), nan))
        if epochs[-1] < last:
            yield Marker("died", epochs[-1], g, facts.deaths.get((epochs[-1], g), nan))


def _importance(ribbon: Ribbon) -> float:
    """Links and gaps of the clustering come before flows, the wider ones first."""
    if ribbon.kind == "flow":
        return float(ribbon.n_objects or 0)
    return ribbon.probability if ribbon.kind == "weak" else float("inf")
