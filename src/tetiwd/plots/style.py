"""How figures look: fonts, thin axes, time along the bottom. Figures of other code keep their style."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from math import ceil
from textwrap import wrap
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from tetiwd.plots.colours import BLACK, text_colour
from tetiwd.plots.marks import Marks, as_marks
from tetiwd.plots.text import fitted, named_times, text_width, times_as_text
from tetiwd.summarize.naming import named, names_in

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

INK = BLACK  # text and axes; an SVG in a page takes the colour of the page instead
ON_COLOUR = "#010101"  # black that stays black in a page, for text on a coloured ground
FILL = "#4A78B5"  # amounts that belong to no lineage; smaller ones are paler
SOFT = 0.65  # opacity of text that is less important
HEADLINE = 10.5  # points
SMALL = 8.5  # points, of notes and numbers inside figures
LETTER = 0.48  # mean width of a letter, as a share of the height of its font
TAG = 0.8  # points per unit of text_width: bold letters, 8 points high
PIXEL = 12 / 9  # text_width measures 12-pixel text; axis labels are 9 points high
RC: Any = {
    "font.family": "sans-serif",
    "font.size": 9.0,
    "axes.titlesize": HEADLINE,
    "axes.titleweight": "normal",
    "axes.titlelocation": "left",
    "axes.titlepad": 8.0,
    "axes.titley": 1.0,  # nothing is above the axes that matplotlib would have to look for
    "axes.labelsize": 9.0,
    "axes.labelcolor": INK,
    "axes.edgecolor": INK,
    "axes.facecolor": "white",
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.unicode_minus": True,
    "axes.prop_cycle": "cycler('color', ['#4A78B5'])",
    "axes.grid": False,
    "xtick.labelsize": 9.0,
    "ytick.labelsize": 9.0,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "text.color": INK,
    "text.usetex": False,
    "figure.facecolor": "white",
    "savefig.facecolor": "auto",
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "lines.solid_capstyle": "round",
    "image.interpolation": "none",
    "path.simplify": True,
}
_apart: ContextVar[bool] = ContextVar("apart", default=False)
_width: ContextVar[float | None] = ContextVar("width", default=None)


def styled(plot: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Let a plot function draw in the style of this package without changing the style of other figures."""

    @wraps(plot)
    def in_style(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        from matplotlib import rc_context

        with rc_context(RC), named(names_in(args[0] if args else None)):
            return plot(*args, **kwargs)

    return in_style


@contextmanager
def apart(width: float | None = None) -> Iterator[None]:
    """Make figures without pyplot in here: no window shows them, and nothing has to be closed.

    ``width`` in inches replaces the usual width of figures that fit into it.
    """
    tokens = _apart.set(True), _width.set(width)
    try:
        yield
    finally:
        _apart.reset(tokens[0])
        _width.reset(tokens[1])


def figure_width(usual: float) -> float:
    """The width that :func:`apart` asks for, or the usual one; in inches."""
    return _width.get() or usual


def new_axes(width: float, height: float, rows: int = 1, heights: Sequence[float] = ()) -> Any:
    """Axes of a new figure, an array of them if there are rows, or rows of given relative heights; in inches."""
    if _apart.get():
        from matplotlib.figure import Figure

        from tetiwd.plots.layout import Snug

        figure: Figure = Figure((width, height), layout=Snug())
    else:
        from matplotlib import pyplot

        figure = pyplot.figure(figsize=(width, height), layout="constrained")
    return figure.subplots(len(heights) or rows, 1, height_ratios=heights or None)


def figure_of(axes: Any) -> Any:
    """The figure of axes, or of an array of them."""
    import numpy as np

    return np.asarray(axes, dtype=object).ravel()[0].get_figure(root=True)


def size_of(ax: "Axes") -> tuple[float, float]:
    """Approximate width and height of axes, in points."""
    figure = ax.get_figure(root=True)
    box, inches = ax.get_position(), figure.get_size_inches() if figure is not None else (6.4, 4.8)
    return float(box.width * inches[0] * 72), float(box.height * inches[1] * 72)


def text_on(colour: str) -> str:
    """The colour of text on a coloured ground."""
    ink = text_colour(colour)
    return ON_COLOUR if ink == BLACK else ink


def title(ax: "Axes", text: str, note: str = "", tags: Iterable[str] = ()) -> None:
    """A headline, with a softer line below it, both in several if long; ``tags`` are at the left of the axes."""
    figure, spec = ax.get_figure(root=True), ax.get_subplotspec()
    share = 1.0 if spec is None else len(spec.colspan) / spec.get_gridspec().ncols  # of the width, beside other axes
    room = (figure.get_size_inches()[0] * 72 if figure is not None else 460.0) * share
    left = max(map(text_width, tags), default=0.0) * TAG
    needed, most = text_width(text) * HEADLINE / 12, room - max(15.0, 20 + left if left else 0.0)
    if needed > most:
        text = "\n".join(wrap(text, max(20, int(len(text) * most / needed)), break_long_words=False))
    room -= max(40.0, 20 + left)
    lines = wrap(note, max(20, int(room / (LETTER * SMALL))))
    ax.set_title(text, pad=8 + 12 * len(lines))
    if lines:
        subtitle = soft_text(ax, "\n".join(lines), (0, 1), (0, 7))
        subtitle.set_in_layout(False)  # the padding of the headline reserves its space


def soft_text(
    ax: "Axes", text: str, at: tuple[float, float], offset: tuple[float, float], of: Any = "axes fraction", **look: Any
) -> Any:
    """Small, less important text at an offset in points from a place; ``of`` says what the place is counted in."""
    given: dict[str, Any] = {"fontsize": SMALL, "alpha": SOFT} | look
    return ax.annotate(text, at, offset, xycoords=of, textcoords="offset points", **given)


def time_axis(
    ax: "Axes",
    times: Any,
    extra: str = "",
    margins: tuple[float, float] = (0.5, 0.5),
    *,
    width: float | None = None,
    marks: Marks | None = None,
    places: Sequence[float] | None = None,
) -> float:
    """Label epochs 0, 1, … along the bottom, as many as fit; one more column at the end if ``extra`` names it.

    Margins at the left and at the right are in epochs, the width of the axes is in points, and ``places`` are those of
    the epochs if their steps differ. Shortened labels get the whole time as hover text. Returns the height of the
    labels in points.
    """
    n = len(times)
    at = [float(place) for place in (range(n) if places is None else places)]
    slots = n + bool(extra)
    ax.set_xlim(-margins[0], slots - 1 + margins[1])
    columns = max(1.0, slots - 1 + sum(margins))
    pitch = (width or size_of(ax)[0]) * PIXEL / columns
    names = named_times(times)
    labels = [fitted(time, 150) or name for time, name in zip(times_as_text(times), names, strict=True)]
    widest = max(map(text_width, labels))
    beyond = sum(max(0.0, widest / 2 - margin * pitch) for margin in margins)  # labels at the ends take room as well
    stride = ceil((widest + 10) / max(1.0, pitch - beyond / columns))
    turned = stride > 1 and ceil(n / stride) < 8
    if turned:
        stride = ceil(17 / pitch)
    labelled = list(range(0, n, stride)) if places is None else _apart_by(at, (17 if turned else widest + 10) / pitch)
    if extra:
        needed = 14.0 if turned else (widest + text_width(extra)) / 2 + 8
        labelled = [t for t in labelled if (n - at[t]) * pitch >= needed] + [n]
        labels.append(extra)
        at.append(float(n))
    look: dict[str, Any] = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"} if turned else {}
    ax.set_xticks([at[t] for t in labelled], [labels[t].replace("$", r"\$") for t in labelled], **look)
    ax.tick_params(axis="x", length=0, pad=4)
    for t, text in zip(labelled, ax.get_xticklabels(), strict=True):
        if t < n and labels[t] != names[t]:
            as_marks(marks).mark(text, title=names[t])
    return 10.0 + 0.65 * widest / PIXEL if turned else 14.0


def _apart_by(places: Sequence[float], least: float) -> list[int]:
    """Positions of places of which none is nearer to the one before than this."""
    kept = [0]
    for i, place in enumerate(places):
        if place - places[kept[-1]] >= least:
            kept.append(i)
    return kept


def bare(ax: "Axes", *sides: str) -> None:
    """Axes without these sides, and without the ticks on them."""
    for side in sides:
        ax.spines[side].set_visible(False)
    if "left" in sides:
        ax.tick_params(axis="y", length=0)
    if "bottom" in sides:
        ax.tick_params(axis="x", length=0)


def without_axes(ax: "Axes") -> None:
    """Axes that mean nothing by themselves: no ticks and no sides."""
    ax.set_xticks([])
    ax.set_yticks([])
    bare(ax, "left", "bottom", "top", "right")


def boxes(ax: "Axes", places: list[tuple[float, float, float, float]], fills: list[tuple[str, float]]) -> Any:
    """Rectangles (left, bottom, width, height) in colours with an opacity."""
    return areas(ax, [((x, y), (x + w, y), (x + w, y + h), (x, y + h)) for x, y, w, h in places], fills)


def areas(ax: "Axes", outlines: Sequence[Any], fills: list[tuple[str, float]]) -> Any:
    """Areas in colours with an opacity, as one artist: many would be slow."""
    from matplotlib.collections import PolyCollection

    many = PolyCollection(outlines, facecolors=fills, linewidths=0, clip_on=False)
    return ax.add_collection(many, autolim=False)


def tag(ax: "Axes", x: float, y: float, lineage_text: str, colour: str, **options: Any) -> Any:
    """The number of a lineage on its colour."""
    look = {"boxstyle": "round,pad=0.22,rounding_size=0.35", "fc": colour, "ec": "none"}
    given: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 8, "fontweight": "bold", "zorder": 6} | options
    return ax.text(x, y, lineage_text, color=text_on(colour), bbox=look, **given)
