"""Pictures as plain SVG text, without a plotting library."""

from tetiwd.plots.alluvial import Alluvial, alluvial_layout
from tetiwd.plots.alluvial_svg import alluvial_svg
from tetiwd.plots.colours import chain_colour, text_colour

__all__ = ["Alluvial", "alluvial_layout", "alluvial_svg", "chain_colour", "text_colour"]
