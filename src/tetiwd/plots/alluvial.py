"""Lineages through time as an alluvial diagram: positions as numbers; nothing is drawn here.

Heights run from 0 (top) to 1 (bottom). All epochs share one scale of objects, so that growth is visible.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import nan
from typing import TYPE_CHECKING, Any, Literal

from tetiwd.params import check_whole
from tetiwd.plots.alluvial_heights import WEAK_LINK, heights, order_of_lineages, slots_by_epoch
from tetiwd.plots.lineage_facts import NOWHERE, OTHERS, LineageFacts, gathered, lineage_facts, small_lineages

if TYPE_CHECKING:
    from tetiwd.mode_analysis import ModeLineages
    from tetiwd.summarize.lineages import Lineages

MAX_RIBBONS = 4000  # the widest ones; thinner ones would be invisible


@dataclass(frozen=True)
class Block:
    """One cluster; for ``OTHERS``, all small ones of an epoch, for ``NOWHERE``, its unassigned objects."""

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

    A "link" joins the blocks of a lineage at full height, a "flow" is as wide as the objects in it, a "weak" link is an
    alternative to those of the clustering, and a "gap" is a lineage that skips epochs; the last two are thin lines.
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
    def n_unassigned(self) -> int:
        """Objects that belong to no cluster."""
        return sum(block.size for block in self.blocks if block.lineage == NOWHERE)

    @property
    def totals(self) -> tuple[int, ...]:
        """Objects per epoch."""
        totals = [0] * len(self.times)
        for block in self.blocks:
            totals[block.epoch] += block.size
        return tuple(totals)


def alluvial_layout(lineages: "Lineages | ModeLineages", *, max_lineages: int = 40) -> Alluvial:
    """Positions of blocks and ribbons. Lineages beyond the ``max_lineages`` largest share one block per epoch."""
    return lay_out(lineage_facts(lineages), max_lineages=max_lineages)


def lay_out(facts: LineageFacts, *, max_lineages: int = 40) -> Alluvial:
    """Order, heights, ribbons and markers."""
    check_whole("max_lineages", max_lineages, 1)
    n_lineages = len({g for column in facts.sizes for g in column if g >= 0})
    small = small_lineages(facts.sizes, max_lineages)
    n_small = [sum(g in small for g in column) for column in facts.sizes]
    facts = gathered(facts, small)
    slots = slots_by_epoch(facts.sizes, order_of_lineages(facts))
    centres, per_object, gap = heights(slots)
    blocks = {}
    for t, column in enumerate(slots):
        for g, size in column.items():
            if size:
                half = size * per_object / 2
                probability = facts.presence.get((t, g), nan)
                n_clusters = n_small[t] if g == OTHERS else 1
                blocks[t, g] = Block(t, g, size, centres[t][g] - half, centres[t][g] + half, probability, n_clusters)
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
        n_gathered=len(small),
        n_left_out=len(ribbons) - len(shown),
    )


def _link_ribbons(
    facts: LineageFacts, blocks: Mapping[tuple[int, int], Block], centres: list[dict[int, float]]
) -> list[Ribbon]:
    ribbons = []
    for (t, g, later, h), p in facts.links.items():
        here, there = blocks[t, g], blocks[later, h]
        middles = [((block.y0 + block.y1) / 2,) * 2 for block in (here, there)]
        if g != h and p >= WEAK_LINK:
            ribbons.append(Ribbon("weak", t, later, g, h, middles[0], middles[1], p))
        elif g == h and later > t + 1:
            via = tuple(centres[s][g] for s in range(t + 1, later))
            ribbons.append(Ribbon("gap", t, later, g, h, middles[0], middles[1], p, via=via))
        elif g == h:
            ribbons.append(Ribbon("link", t, later, g, h, (here.y0, here.y1), (there.y0, there.y1), p))
    return ribbons


def _flow_ribbons(facts: LineageFacts, blocks: Mapping[tuple[int, int], Block], per_object: float) -> list[Ribbon]:
    """Flows side by side in the middle of a block, in the vertical order of the blocks at their other ends."""
    edges: tuple[dict[Any, tuple[float, float]], dict[Any, tuple[float, float]]] = ({}, {})  # at the start, at the end
    for side in (0, 1):
        flows_at: dict[tuple[int, int], list[tuple[int, int, int]]] = {}
        for t, g, h in sorted(facts.flows, key=lambda flow: blocks[_ends(flow)[1 - side]].y0):
            flows_at.setdefault(_ends((t, g, h))[side], []).append((t, g, h))
        for at, flows in flows_at.items():
            wide = [facts.flows[flow] * per_object for flow in flows]
            top = (blocks[at].y0 + blocks[at].y1 - sum(wide)) / 2
            for flow, y in zip(flows, accumulate(wide, initial=top), strict=False):
                edges[side][flow] = (y, y + facts.flows[flow] * per_object)
    return [
        Ribbon("flow", t, t + 1, g, h, edges[0][t, g, h], edges[1][t, g, h], facts.links.get((t, g, t + 1, h), nan), n)
        for (t, g, h), n in facts.flows.items()
    ]


def _ends(flow: tuple[int, int, int]) -> tuple[tuple[int, int], tuple[int, int]]:
    """Epoch and lineage of the blocks at both ends of a flow."""
    t, g, h = flow
    return (t, g), (t + 1, h)


def _markers(facts: LineageFacts) -> Iterable[Marker]:
    """Events of the clustering itself; the first and the last epoch say nothing about births and deaths."""
    last = len(facts.sizes) - 1
    there: dict[int, list[int]] = {}
    for t, column in enumerate(facts.sizes):
        for g in column:
            if g >= 0:
                there.setdefault(g, []).append(t)
    for g, epochs in sorted(there.items()):
        if epochs[0] > 0:
            yield Marker("born", epochs[0], g, facts.births.get((epochs[0], g), nan))
        for t, later in pairwise(epochs):
            if later > t + 1:
                yield Marker("returned", later, g, facts.links.get((t, g, later, g), nan))
        if epochs[-1] < last:
            yield Marker("died", epochs[-1], g, facts.deaths.get((epochs[-1], g), nan))


def _importance(ribbon: Ribbon) -> float:
    """Links and gaps of the clustering come first, then flows, the widest first."""
    if ribbon.kind == "flow":
        return float(ribbon.n_objects or 0)
    return ribbon.probability if ribbon.kind == "weak" else float("inf")
