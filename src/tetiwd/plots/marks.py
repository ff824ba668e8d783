"""Hover text and lineages for the parts of a figure, and the figure as clean SVG for a page."""

import warnings
from collections.abc import Sequence
from re import fullmatch
from typing import TYPE_CHECKING, Any, TypeVar

from tetiwd.errors import SettingsError
from tetiwd.plots.text import clean

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tetiwd.plots.page_renderer import Mark

Artist = TypeVar("Artist")
CURRENT_COLOUR = "currentColor"
LONGEST_TITLE = 300  # characters


class Marks:
    """Remembers what the parts of one figure show, under the ids that they get in its SVG."""

    def __init__(self) -> None:
        self.by_id: dict[str, Mark | list[Mark]] = {}  # a list for the parts of a collection
        self.description = ""

    def mark(
        self,
        artist: Artist,
        *,
        title: str = "",
        kind: str | None = None,
        lineage: int | None = None,
        epoch: int | None = None,
        to_lineage: int | None = None,
    ) -> Artist:
        """Give an artist of matplotlib hover text, and data that a page can find it by; returns the artist."""
        return self._remember(artist, a_mark(title, kind, lineage, epoch, to_lineage))

    def mark_each(self, artist: Artist, marks: "Sequence[Mark]") -> Artist:
        """The same for the parts of a collection, or for the dots of a line, in their order; see :func:`a_mark`."""
        return self._remember(artist, list(marks))

    def _remember(self, artist: Artist, mark: "Mark | list[Mark]") -> Artist:
        name = f"mark-{len(self.by_id)}"
        self.by_id[name] = mark
        artist.set_gid(name)  # type: ignore[attr-defined]
        return artist

    def describe(self, text: str) -> None:
        """Say what the whole figure shows, for people who cannot see it."""
        self.description = text


class NoMarks(Marks):
    """Remembers nothing and leaves artists as they are."""

    def _remember(self, artist: Artist, mark: "Mark | list[Mark]") -> Artist:
        return artist


def a_mark(
    title: str = "",
    kind: str | None = None,
    lineage: int | None = None,
    epoch: int | None = None,
    to_lineage: int | None = None,
) -> "Mark":
    """Hover text and data of one part of a picture."""
    numbers = {"data-lineage": lineage, "data-epoch": epoch, "data-to-lineage": to_lineage}
    data = {key: str(int(value)) for key, value in numbers.items() if value is not None}
    if kind is not None:
        data["data-kind"] = kind
    return clean(title, LONGEST_TITLE), data


def as_marks(marks: Marks | None) -> Marks:
    """The marks, or an object that accepts them and forgets them."""
    return NoMarks() if marks is None else marks


def svg_of(
    figure: "Figure", marks: Marks | None = None, *, title: str, desc: str = "", ink: str = CURRENT_COLOUR
) -> str:
    """A figure as one SVG element that works as a file of its own and inside a page.

    Marked parts carry ``data-lineage`` and the like, and their hover text. Nothing in it runs, loads anything or
    changes the page around it: no scripts, styles or links. The background is transparent. Ids are only for references
    inside the picture, and differ between pictures. The same figure gives the same text every time. Images are PNG as
    ``data:`` addresses; a Content-Security-Policy must allow these (``img-src data:``).

    Parameters
    ----------
    figure
        A figure of matplotlib.
    marks
        The marks that were set while it was drawn.
    title, desc
        Name and description for people who cannot see the picture; the description of the marks is added.
    ink
        Colour of text and axes, "currentColor" or "#RRGGBB". A picture that is loaded as a file does not know the
        colour of the page around it; "#777777" can be read on white and on black.
    """
    from tetiwd.plots.page_canvas import drawn

    if ink != CURRENT_COLOUR and not (isinstance(ink, str) and fullmatch("#[0-9A-Fa-f]{6}", ink)):
        raise SettingsError(f'ink must be "currentColor" or a colour such as "#777777", not {ink!r}')
    marks = as_marks(marks)
    with quiet():
        renderer = drawn(figure, marks.by_id, ink)
    return renderer.picture(clean(title, LONGEST_TITLE), clean(f"{desc} {marks.description}", 4000))


class quiet(warnings.catch_warnings):
    """No warning about letters that the font lacks: a page has other fonts, and files show a box."""

    def __enter__(self) -> Any:
        log = super().__enter__()
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        return log
