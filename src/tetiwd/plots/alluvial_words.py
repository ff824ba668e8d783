"""What the parts of an alluvial diagram say in words: hover text, and a description for those who do not see it."""

from math import isfinite

from tetiwd.plots.alluvial import OTHERS, Alluvial, Block, Marker, Ribbon
from tetiwd.plots.text import count, probably


def block_words(layout: Alluvial, own: Block) -> str:
    """A cluster, its size, and how often the draws have it."""
    n = count(own.size, "object")
    if own.lineage == OTHERS:
        return f"{count(own.n_clusters, 'small cluster')} at {layout.times[own.epoch]}: {n} in all"
    there = f"; the draws have it with{probably(own.probability)[1:]}" if isfinite(own.probability) else ""
    return f"lineage {own.lineage} at {layout.times[own.epoch]}: {n}{there}"


def ribbon_words(layout: Alluvial, own: Ribbon) -> str:
    """Who goes where, and how certain that is."""
    before, after = layout.times[own.from_epoch], layout.times[own.to_epoch]
    here, there = (f"lineage {g}" if g != OTHERS else "small lineages" for g in (own.from_lineage, own.to_lineage))
    if own.kind == "flow":
        go = "goes" if own.n_objects == 1 else "go"
        stay = "stays" if own.n_objects == 1 else "stay"
        way = f"{stay} in {here}" if here == there else f"{go} from {here} to {there}"
        linked = f"; they are linked{probably(own.probability)}" if isfinite(own.probability) else ""
        return f"{count(own.n_objects or 0, 'object')} {way}, {before} to {after}{linked}"
    if own.kind == "weak":
        return f"{there} at {after} may go on from {here} at {before}{probably(own.probability)}"
    away = f", not there at {count(len(own.via), 'time')} in between" if own.kind == "gap" else ""
    return f"{here} goes on from {before} to {after}{away}{probably(own.probability)}"


def marker_words(layout: Alluvial, own: Marker) -> str:
    """What happens to a lineage."""
    words = {"born": "is new at", "died": "ends after", "returned": "is back at"}[own.kind]
    return f"lineage {own.lineage} {words} {layout.times[own.epoch]}{probably(own.probability)}"


def described(layout: Alluvial) -> str:
    """The picture in words, for those who do not see it."""
    totals, kinds = layout.totals, [own.kind for own in layout.markers]
    last = len(layout.times) - 1
    span = layout.times[0] if last == 0 else f"{layout.times[0]} to {layout.times[last]}"
    few, many = min(totals), max(totals)
    n = count(few, "object") if few == many else f"{few:,} to {many:,} objects"
    words = f"{count(layout.n_lineages, 'lineage')} at {count(last + 1, 'time')}, {span}, with {n} at a time."
    words += " Columns are times, blocks are clusters, as high as they have objects."
    if layout.flows:
        words += " Ribbons are objects that go from one cluster to the next; pale bands are links between clusters."
    elif any(own.kind == "link" for own in layout.ribbons):
        words += " Ribbons link the clusters of a lineage; the paler, the less certain."
    events = [("born", "begin later"), ("died", "end early"), ("returned", "come back after a gap")]
    found = [f"{kinds.count(kind)} {what}" for kind, what in events if kind in kinds]
    if found:
        words += f" Of the lineages, {', '.join(found)}."
    largest = max(layout.blocks, key=lambda own: (own.lineage != OTHERS, own.size))
    words += f" The largest cluster is {block_words(layout, largest)}."
    if layout.n_gathered:
        words += f" The {layout.n_gathered} smallest lineages share the grey blocks."
    if layout.n_left_out:
        words += f" The {layout.n_left_out} narrowest ribbons are left out."
    return words
