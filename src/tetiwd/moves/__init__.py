"""The moves of one sweep, one file each. They change the state in place and report what happened."""

from tetiwd.moves.assignments import ASSIGNMENTS, update_assignments
from tetiwd.moves.geometry import GEOMETRY, update_geometry
from tetiwd.moves.lineages import OBJECTS, RELINK, SPLITS
from tetiwd.moves.links import EXCHANGE, LINKS, exchange_links, link_greedily, update_links
from tetiwd.moves.motion import MOTION
from tetiwd.moves.move import Move, Sweep
from tetiwd.moves.scale import SCALES, update_scales
from tetiwd.moves.split_merge import SPLIT_MERGE, update_split_merge
from tetiwd.moves.visits import VISITS

__all__ = [
    "ASSIGNMENTS",
    "EXCHANGE",
    "GEOMETRY",
    "LINKS",
    "MOTION",
    "OBJECTS",
    "RELINK",
    "SCALES",
    "SPLITS",
    "SPLIT_MERGE",
    "VISITS",
    "Move",
    "Sweep",
    "exchange_links",
    "link_greedily",
    "update_assignments",
    "update_geometry",
    "update_links",
    "update_scales",
    "update_split_merge",
]
