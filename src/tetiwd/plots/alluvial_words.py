"""Hover text for the parts of an alluvial diagram, and a description for people who cannot see it."""

from math import isfinite

from tetiwd.plots.alluvial import Alluvial, Block, Marker, Ribbon
from tetiwd.plots.lineage_facts import NOWHERE, OTHERS
from tetiwd.plots.text import count, probably
from tetiwd.summarize.naming import lineage_words

EVENTS = {"born": "appears at", "died": "ends after", "returned": "returns at"}
NO_LINEAGE = {OTHERS: "small lineages", NOWHERE: "no cluster"}
SUMMARY = (("born", "begin later"), ("died", "end early"), ("returned", "return after a gap"))


def block_words(layout: Alluvial, block: Block) -> str:
    """A cluster, its size, and how often the draws have it."""
    time, n = layout.times[block.epoch], count(block.size, "object")
    if block.lineage == OTHERS:
        return f"{count(block.n_clusters, 'small cluster')} at {time}: {n} in all"
    if block.lineage == NOWHERE:
        return f"not assigned to a cluster at {time}: {n}"
    present = f"; present with{probably(block.probability)[1:]}" if isfinite(block.probability) else ""
    return f"{lineage_words(block.lineage)} at {time}: {n}{present}"


def ribbon_words(layout: Alluvial, ribbon: Ribbon) -> str:
    """Which clusters a ribbon joins, how many objects it carries, and how certain it is."""
    before, after = layout.times[ribbon.from_epoch], layout.times[ribbon.to_epoch]
    source, target = (NO_LINEAGE.get(g) or lineage_words(g) for g in (ribbon.from_lineage, ribbon.to_lineage))
    if ribbon.kind == "flow":
        one = ribbon.n_objects == 1
        if source == target:
            way = f"{'stays' if one else 'stay'} in {source}"
        else:
            way = f"{'moves' if one else 'move'} from {source} to {target}"
        linked = f"; link{probably(ribbon.probability)[1:]}" if isfinite(ribbon.probability) else ""
        return f"{count(ribbon.n_objects or 0, 'object')} {way}, {before} to {after}{linked}"
    if ribbon.kind == "weak":
        return f"{target} at {after} may continue {source} at {before}{probably(ribbon.probability)}"
    absent = f", absent at {count(len(ribbon.via), 'time')} in between" if ribbon.kind == "gap" else ""
    return f"{source} continues from {before} to {after}{absent}{probably(ribbon.probability)}"


def marker_words(layout: Alluvial, marker: Marker) -> str:
    """An event in the life of a lineage."""
    event = f"{EVENTS[marker.kind]} {layout.times[marker.epoch]}{probably(marker.probability)}"
    return f"{lineage_words(marker.lineage)} {event}"


def described(layout: Alluvial) -> str:
    """The whole picture in words."""
    totals, kinds = layout.totals, [marker.kind for marker in layout.markers]
    last = len(layout.times) - 1
    span = layout.times[0] if last == 0 else f"{layout.times[0]} to {layout.times[last]}"
    few, many = min(totals), max(totals)
    n = count(few, "object") if few == many else f"{few:,} to {many:,} objects"
    words = [f"{count(layout.n_lineages, 'lineage')} at {count(last + 1, 'time')}, {span}, with {n} at a time."]
    if layout.flows:
        words.append("Ribbons are objects that move between clusters; pale bands are links between clusters.")
    events = [f"{kinds.count(kind)} {verb}" for kind, verb in SUMMARY if kind in kinds]
    if events:
        words.append(f"Of the lineages, {', '.join(events)}.")
    largest = max(layout.blocks, key=lambda block: (block.lineage >= 0, block.size))
    if largest.lineage >= 0:
        words.append(f"The largest cluster is {block_words(layout, largest)}.")
    if layout.n_unassigned:
        words.append(f"Pale grey blocks are {count(layout.n_unassigned, 'object')} not assigned to a cluster.")
    if layout.n_gathered:
        words.append(f"The {layout.n_gathered} smallest lineages share the grey blocks.")
    if layout.n_left_out:
        words.append(f"The {layout.n_left_out} narrowest ribbons are left out.")
    return " ".join(words)
