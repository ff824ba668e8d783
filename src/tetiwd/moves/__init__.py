"""The moves of one sweep, one file each. They change the state in place and return what happened."""

from tetiwd.moves.assignments import update_assignments
from tetiwd.moves.geometry import update_geometry
from tetiwd.moves.links import exchange_links, link_greedily, update_links
from tetiwd.moves.scale import update_scales
from tetiwd.moves.split_merge import update_split_merge

__all__ = [
    "exchange_links",
    "link_greedily",
    "update_assignments",
    "update_geometry",
    "update_links",
    "update_scales",
    "update_split_merge",
]
