"""Figures of an analysis, drawn with matplotlib; as SVG they can be put into a page.

Matplotlib is loaded when the first figure is drawn.
"""

from tetiwd.plots.alluvial import Alluvial, alluvial_layout
from tetiwd.plots.catalogue import FIGURES, Figure, Source
from tetiwd.plots.coclustering import plot_coclustering
from tetiwd.plots.colours import lineage_colour, text_colour
from tetiwd.plots.geometry import plot_geometry
from tetiwd.plots.lineages import alluvial_svg, plot_lineages
from tetiwd.plots.maps import plot_map
from tetiwd.plots.marks import Marks, svg_of
from tetiwd.plots.motion import plot_motion
from tetiwd.plots.n_clusters import plot_n_clusters
from tetiwd.plots.outcomes import plot_outcomes
from tetiwd.plots.resolution import plot_resolution
from tetiwd.plots.saving import save_figures
from tetiwd.plots.sizes import plot_sizes
from tetiwd.plots.traces import plot_traces

__all__ = [
    "FIGURES",
    "Alluvial",
    "Figure",
    "Marks",
    "Source",
    "alluvial_layout",
    "alluvial_svg",
    "lineage_colour",
    "plot_coclustering",
    "plot_geometry",
    "plot_lineages",
    "plot_map",
    "plot_motion",
    "plot_n_clusters",
    "plot_outcomes",
    "plot_resolution",
    "plot_sizes",
    "plot_traces",
    "save_figures",
    "svg_of",
    "text_colour",
]
