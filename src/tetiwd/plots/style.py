"""How figures look: fonts, thin axes, time along the bottom; nothing is changed for other figures of a program."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from math import ceil
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from tetiwd.plots.colours import BLACK, text_colour
from tetiwd.plots.text import fitted, text_width, times_as_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

INK = BLACK  # text and axes; an SVG in a page takes the colour of the page instead
ON_COLOUR = "#010101"  # black that stays black in a page, for text on a coloured ground
FILL = "#4A78B5"  # amounts that belong to no lineage; drawn the paler, the smaller
SOFT = 0.65  # opacity of text that is less important
SMALL = 8.5  # points, of notes and numbers inside figures
PIXEL = 12 / 9  # text_width measures text 12 pixels high; labels of axes are 9 points high
RC: Any = {
    "font.family": "sans-serif",
    "font.size": 9.0,
    "axes.titlesize": 10.5,
    "axes.titleweight": "normal",
    "axes.titlelocation": "left",
    "axes.titlepad": 8.0,
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


def styled(plot: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """A plot function that draws in the style of this package and leaves that of everybody else alone."""

    @wraps(plot)
    def in_style(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        from matplotlib import rc_context

        with rc_context(RC):
            return plot(*args, **kwargs)

    return in_style


@contextmanager
def apart() -> Iterator[None]:
    """In here, figures are made without pyplot: they are on no screen, and there is nothing to close."""
    token = _apart.set(True)
    try:
        yield
    finally:
        _apart.reset(token)


def new_axes(width: float, height: float, rows: int = 1) -> Any:
    """Axes of a new figure, an array of them if there are rows; sizes are in inches."""
    if _apart.get():
        from matplotlib.figure import Figure

        figure: Figure = Figure((width, height), layout="constrained")
    else:
        from matplotlib import pyplot

        figure = pyplot.figure(figsize=(width, height), layout="constrained")
    return figure.subplots(rows, 1)


def size_of(ax: "Axes") -> tuple[float, float]:
    """About how wide and high axes are, in points."""
    figure = ax.get_figure(root=True)
    box, inches = ax.get_position(), figure.get_size_inches() if figure is not None else (6.4, 4.8)
    return float(box.width * inches[0] * 72), float(box.height * inches[1] * 72)


def text_on(colour: str) -> str:
    """The colour of text on a coloured ground."""
    found = text_colour(colour)
    return ON_COLOUR if found == BLACK else found


def title(ax: "Axes", text: str, note: str = "") -> None:
    """A headline, with a softer line below it, or several if it is long."""
    figure = ax.get_figure(root=True)
    room = (figure.get_size_inches()[0] * 72 if figure is not None else 460.0) - 40
    lines = _broken(note, room * 12 / SMALL)
    ax.set_title(text, pad=8 + 12 * len(lines))
    if lines:
        written = ax.annotate(
            "\n".join(lines),
            (0, 1),
            (0, 7),
            xycoords="axes fraction",
            textcoords="offset points",
            fontsize=SMALL,
            alpha=SOFT,
        )
        written.set_in_layout(False)  # the headline keeps the room for it


def _broken(text: str, width: float) -> list[str]:
    """Text in lines of at most about this width."""
    lines: list[str] = []
    for word in text.split():
        if lines and text_width(f"{lines[-1]} {word}") <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def time_axis(ax: "Axes", times: Any, extra: str = "", margin: float = 0.5) -> float:
    """Epochs 0, 1, … along the bottom with their times, as many as there is room for; one more if it has a name.

    Returns how high the labels are, in points.
    """
    n = len(times)
    slots = n + bool(extra)
    ax.set_xlim(-margin, slots - 1 + margin)
    pitch = size_of(ax)[0] * PIXEL / max(1.0, slots - 1 + 2 * margin)
    labels = [fitted(time, 150).replace("$", r"\$") or f"epoch {t}" for t, time in enumerate(times_as_text(times))]
    widest = max(map(text_width, labels))
    stride = ceil((widest + 10) / pitch)
    turned = stride > 1 and ceil(n / stride) < 8
    if turned:
        stride = ceil(17 / pitch)
    where = list(range(0, n, stride))
    if extra:
        needed = 14.0 if turned else (widest + text_width(extra)) / 2 + 8
        where = [t for t in where if (n - t) * pitch >= needed] + [n]
        labels.append(extra)
    look: dict[str, Any] = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"} if turned else {}
    ax.set_xticks(where, [labels[t] for t in where], **look)
    ax.tick_params(axis="x", length=0, pad=4)
    return 10.0 + 0.65 * widest / PIXEL if turned else 14.0


def bare(ax: "Axes", *sides: str) -> None:
    """Axes without these sides, and without the ticks on them."""
    for side in sides:
        ax.spines[side].set_visible(False)
    if "left" in sides:
        ax.tick_params(axis="y", length=0)
    if "bottom" in sides:
        ax.tick_params(axis="x", length=0)


def tag(ax: "Axes", x: float, y: float, lineage_text: str, colour: str, **options: Any) -> Any:
    """The number of a lineage on its colour."""
    look = {"boxstyle": "round,pad=0.22,rounding_size=0.35", "fc": colour, "ec": "none"}
    given: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 8, "fontweight": "bold", "zorder": 6} | options
    return ax.text(x, y, lineage_text, color=text_on(colour), bbox=look, **given)
