"""Lineages through time as an alluvial diagram."""

from dataclasses import replace
from typing import TYPE_CHECKING

from tetiwd.errors import SettingsError
from tetiwd.plots.alluvial import Alluvial, alluvial_layout
from tetiwd.plots.alluvial_picture import AlluvialPicture
from tetiwd.plots.marks import CURRENT_COLOUR, Marks, as_marks, svg_of
from tetiwd.plots.style import apart, figure_of, figure_width, new_axes, size_of, styled
from tetiwd.plots.text import clean, named_times

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tetiwd.mode_analysis import ModeLineages
    from tetiwd.summarize.lineages import Lineages

PIXELS_PER_INCH = 96


@styled
def plot_lineages(
    lineages: "Lineages | ModeLineages | Alluvial", ax: "Axes | None" = None, *, marks: Marks | None = None
) -> "Axes":
    """Clusters as blocks, as high as they have objects, linked through time by ribbons; paler links are less certain.

    Parameters
    ----------
    lineages : Lineages or Alluvial
        Lineages, or their layout from ``tetiwd.plots.alluvial_layout``.
    ax : Axes, optional
        Axes to draw on; None makes a figure.
    marks : Marks, optional
        Remembers lineages and hover text of the parts, for ``tetiwd.plots.svg_of``.

    Returns
    -------
    Axes
        The axes that were drawn on.

    Examples
    --------
    >>> from tetiwd import SamplerSettings, TeTiWD, simulate_separated
    >>> short = SamplerSettings(n_chains=2, n_warmup=50, n_draws=50)
    >>> D = simulate_separated(seed=1).D
    >>> model = TeTiWD(squared=True, dof=100, settings=short, random_state=0).fit(D)
    >>> from tetiwd.plots import plot_lineages
    >>> ax = plot_lineages(model.lineages_)
    """
    layout = lineages if isinstance(lineages, Alluvial) else alluvial_layout(lineages)
    layout = replace(layout, times=named_times(layout.times))
    n = len(layout.times)
    if ax is None:
        most = max(sum(block.epoch == t for block in layout.blocks) for t in range(n))
        width = figure_width(min(12.0, max(6.0, 4.5 + 0.55 * n)))
        ax = new_axes(width, min(8.0, max(3.6, 2.9 + 0.16 * most)))
        points = width * 72 - 10  # nothing but the edge of the figure is beside the axes
    else:
        points = size_of(ax)[0]
    AlluvialPicture(ax, layout, as_marks(marks), points).draw()
    return ax


def alluvial_svg(
    lineages: "Lineages | ModeLineages | Alluvial",
    *,
    width: float = 900,
    height: float | None = None,
    title: str = "Lineages through time",
    ink: str = CURRENT_COLOUR,
) -> str:
    """The diagram of :func:`plot_lineages` as SVG.

    Parameters
    ----------
    lineages
        Lineages, or their layout from :func:`alluvial_layout`.
    width, height
        In pixels; None for a height that suits the number of lineages.
    title
        Name of the picture for people who cannot see it.
    ink
        Colour of text, as for :func:`svg_of`.
    """
    _check_pixels("width", width, 200)
    marks = Marks()
    with apart(width / PIXELS_PER_INCH):
        figure = figure_of(plot_lineages(lineages, marks=marks))
    if height is not None:
        _check_pixels("height", height, 120)
        figure.set_figheight(height / PIXELS_PER_INCH)
    return svg_of(figure, marks, title=clean(title, 200), ink=ink)


def _check_pixels(name: str, value: float, least: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= 20000:
        raise SettingsError(f"{name} must be a number of pixels from {least:g} to 20000, not {value!r}")
