"""Sizes, links and flows of lineages as plain numbers, for pictures of them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import nan
from typing import TYPE_CHECKING

from tetiwd.plots.text import epoch_numbers, times_as_text
from tetiwd.summarize.lineages import Lineages

if TYPE_CHECKING:
    from tetiwd.mode_analysis import ModeLineages

OTHERS = -1  # small lineages that share one block
NOWHERE = -2  # unassigned objects


@dataclass(frozen=True)
class LineageFacts:
    """Everything that a picture of lineages shows. Epochs and lineages are numbers; unknown probabilities are NaN."""

    times: tuple[str, ...]
    sizes: tuple[Mapping[int, int], ...]  # per epoch: objects of every lineage, and NOWHERE
    links: Mapping[tuple[int, int, int, int], float] = field(default_factory=dict)  # (epoch, lineage, epoch, lineage)
    flows: Mapping[tuple[int, int, int], int] = field(default_factory=dict)  # (epoch, from, to lineage): objects
    presence: Mapping[tuple[int, int], float] = field(default_factory=dict)  # (epoch, lineage): share of draws with it
    births: Mapping[tuple[int, int], float] = field(default_factory=dict)  # (epoch, lineage): it is new there
    deaths: Mapping[tuple[int, int], float] = field(default_factory=dict)  # (epoch, lineage): it is the last time


def lineage_facts(lineages: "Lineages | ModeLineages") -> LineageFacts:
    """The tables about lineages, with numbers of epochs for times. Ids are left out."""
    if not isinstance(lineages, Lineages):
        return without_probabilities(lineage_facts(lineages.whole))
    alignment, links, flows = lineages.alignment, lineages.links(), lineages.flows()
    times = list(alignment.partitions.times)
    epoch = epoch_numbers(times)
    presence = (alignment.counterpart >= 0).mean(axis=0)
    sizes = [{g: n for g, n in enumerate(row) if n} for row in alignment.clustering.sizes.tolist()]
    linked, moved = {}, {}
    births: dict[tuple[int, int], float] = {}
    deaths: dict[tuple[int, int], float] = {}
    for (g, t), (h, later), p in zip(links.source, links.target, links.probability, strict=True):
        linked[epoch[t], g, epoch[later], h] = float(p)
    for t, skipped, g, h, n in zip(
        flows.from_time, flows.n_skipped, flows.from_lineage, flows.to_lineage, flows.n_objects, strict=True
    ):
        if skipped == 0 and n > 0:
            moved[epoch[t], int(g) if g >= 0 else NOWHERE, int(h) if h >= 0 else NOWHERE] = int(n)
    for t in range(1, len(sizes)):
        born = lineages.linked_by.born(alignment, t).mean(axis=0)
        died = lineages.linked_by.died(alignment, t).mean(axis=0)
        births |= {(t, g): float(born[g]) for g in sizes[t]}
        deaths |= {(t - 1, g): float(died[g]) for g in sizes[t - 1]}
    nowhere = [{NOWHERE: n} if n else {} for n in alignment.clustering.n_unassigned]
    return LineageFacts(
        times=times_as_text(times),
        sizes=tuple(column | rest for column, rest in zip(sizes, nowhere, strict=True)),
        links=linked,
        flows=moved,
        presence={(t, g): float(presence[t, g]) for t, column in enumerate(sizes) for g in column},
        births=births,
        deaths=deaths,
    )


def without_probabilities(facts: LineageFacts) -> LineageFacts:
    """The same as facts of one clustering, about which nothing more is known."""
    links = {ends: nan for ends in facts.links if ends[1] == ends[3]}
    return replace(facts, links=links, presence={}, births={}, deaths={})


def small_lineages(sizes: Iterable[Mapping[int, int]], max_lineages: int) -> set[int]:
    """All lineages but the ``max_lineages`` largest."""
    total: dict[int, int] = {}
    for column in sizes:
        for g, size in column.items():
            total[g] = total.get(g, 0) + size
    total.pop(NOWHERE, None)
    return set(sorted(total, key=lambda g: (-total[g], g))[max_lineages:])


def gathered(facts: LineageFacts, small: set[int]) -> LineageFacts:
    """The same facts with small lineages as one."""
    if not small:
        return facts
    sizes: list[dict[int, int]] = []
    for column in facts.sizes:
        kept = {g: size for g, size in column.items() if g not in small}
        rest = sum(column.values()) - sum(kept.values())
        sizes.append(kept | ({OTHERS: rest} if rest else {}))
    flows: dict[tuple[int, int, int], int] = {}
    for (t, g, h), n in facts.flows.items():
        ends = (t, OTHERS if g in small else g, OTHERS if h in small else h)
        flows[ends] = flows.get(ends, 0) + n
    links = {ends: p for ends, p in facts.links.items() if not {ends[1], ends[3]} & small}
    return replace(facts, sizes=tuple(sizes), links=links, flows=flows)
