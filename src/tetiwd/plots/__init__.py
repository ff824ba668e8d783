"""Pictures: an alluvial diagram as plain SVG text, and figures of matplotlib that become SVG for a page.

Matplotlib is loaded when the first figure is drawn.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tetiwd.plots.alluvial import Alluvial, alluvial_layout
from tetiwd.plots.alluvial_svg import alluvial_svg
from tetiwd.plots.colours import lineage_colour, text_colour

if TYPE_CHECKING:
    from tetiwd.plots.coclustering import plot_coclustering
    from tetiwd.plots.geometry import plot_geometry
    from tetiwd.plots.layout import object_maps
    from tetiwd.plots.lineages import plot_lineages
    from tetiwd.plots.maps import plot_map
    from tetiwd.plots.marks import Marks, svg_of
    from tetiwd.plots.n_clusters import plot_n_clusters
    from tetiwd.plots.outcomes import plot_outcomes
    from tetiwd.plots.saving import save_figures
    from tetiwd.plots.sizes import plot_sizes
    from tetiwd.plots.traces import plot_traces

_WHERE = {
    "Marks": "marks",
    "object_maps": "layout",
    "plot_lineages": "lineages",
    "plot_coclustering": "coclustering",
    "plot_geometry": "geometry",
    "plot_map": "maps",
    "plot_n_clusters": "n_clusters",
    "plot_outcomes": "outcomes",
    "plot_sizes": "sizes",
    "plot_traces": "traces",
    "save_figures": "saving",
    "svg_of": "marks",
}

__all__ = [
    "Alluvial",
    "Marks",
    "alluvial_layout",
    "alluvial_svg",
    "lineage_colour",
    "object_maps",
    "plot_coclustering",
    "plot_geometry",
    "plot_lineages",
    "plot_map",
    "plot_n_clusters",
    "plot_outcomes",
    "plot_sizes",
    "plot_traces",
    "save_figures",
    "svg_of",
    "text_colour",
]


def __getattr__(name: str) -> Any:
    """Find a function in its file when it is first asked for."""
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
