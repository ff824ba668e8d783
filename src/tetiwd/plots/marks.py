"""Hover text and lineages for the parts of a figure, and the figure as clean SVG for a page."""

import warnings
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any, TypeVar

from tetiwd.plots.clean_svg import cleaned
from tetiwd.plots.text import clean

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Artist = TypeVar("Artist")
LONGEST_TITLE = 300  # characters


@dataclass(frozen=True)
class Mark:
    """What one part of a figure is."""

    title: str
    data: dict[str, str]  # attributes of the SVG: data-lineage, data-epoch, data-to-lineage


class Marks:
    """Remembers what parts of one figure are, under the names that its SVG gives them."""

    def __init__(self) -> None:
        self.by_name: dict[str, Mark] = {}

    def mark(
        self,
        artist: Artist,
        *,
        title: str = "",
        lineage: int | None = None,
        epoch: int | None = None,
        to_lineage: int | None = None,
    ) -> Artist:
        """Give an artist of matplotlib hover text, and a lineage (and epoch) that a page can find; returns the artist."""
        name = f"mark-{len(self.by_name)}"
        given = {"data-lineage": lineage, "data-epoch": epoch, "data-to-lineage": to_lineage}
        data = {key: str(int(value)) for key, value in given.items() if value is not None}
        self.by_name[name] = Mark(clean(title, LONGEST_TITLE), data)
        artist.set_gid(name)  # type: ignore[attr-defined]
        return artist


class NoMarks(Marks):
    """Remembers nothing and leaves artists as they are."""

    def mark(self, artist: Artist, **_: Any) -> Artist:
        """The artist."""
        return artist


def as_marks(marks: Marks | None) -> Marks:
    """The marks, or something that takes them and forgets them."""
    return NoMarks() if marks is None else marks


def svg_of(figure: "Figure", marks: Marks | None = None, *, title: str, desc: str) -> str:
    """A figure as one SVG element that stands alone as a file and inline in a page.

    Marked parts carry ``data-lineage`` and the like, and their hover text. Nothing in it runs, loads anything or changes
    the page around it: no scripts, styles or links. Text and axes take the colour of the page (currentColor), the
    background is that of the page. Ids are only for what the picture itself refers to, and differ between pictures. The
    same figure gives the same text every time. Co-clustering and other images inside are PNG as ``data:`` addresses;
    a Content-Security-Policy must allow these (``img-src data:``).

    Parameters
    ----------
    figure
        A figure of matplotlib.
    marks
        What was marked while it was drawn.
    title, desc
        Name and description for those who do not see the picture.
    """
    from matplotlib import rc_context

    buffer = BytesIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "tetiwd", "svg.image_inline": True}), quiet():
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    found = {} if marks is None else {name: (own.title, own.data) for name, own in marks.by_name.items()}
    return cleaned(buffer.getvalue(), found, clean(title, LONGEST_TITLE), clean(desc, 4000))


class quiet(warnings.catch_warnings):
    """No warning about letters that the font lacks; a page has other fonts, and a box is shown elsewhere."""

    def __enter__(self) -> Any:
        found = super().__enter__()
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        return found
