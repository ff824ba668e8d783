"""Lineages through time with matplotlib: the alluvial diagram from the same layout as its SVG."""

from collections.abc import Iterable
from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING, Any

from tetiwd.plots.alluvial import OTHERS, WEAK_LINK, Alluvial, Block, Marker, Ribbon, alluvial_layout
from tetiwd.plots.alluvial_words import block_words, marker_words, ribbon_words
from tetiwd.plots.colours import lineage_colour
from tetiwd.plots.marks import Marks, as_marks
from tetiwd.plots.style import INK, SMALL, SOFT, bare, new_axes, size_of, styled, tag, text_on, time_axis
from tetiwd.plots.text import count, named_times, short, text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tetiwd.summarize.lineages import Lineages

KINDS = ("link", "flow", "gap", "weak")  # back to front


@styled
def plot_lineages(lineages: "Lineages | Alluvial", ax: "Axes | None" = None, *, marks: Marks | None = None) -> "Axes":
    """Clusters as blocks, as high as they have objects; ribbons link them through time, the paler the less certain.

    Parameters
    ----------
    lineages
        Lineages, or what :func:`alluvial_layout` has made of them.
    ax
        Where to draw; None for a figure of its own.
    marks
        Remembers lineages and hover text of what is drawn, for :func:`svg_of`.
    """
    layout = lineages if isinstance(lineages, Alluvial) else alluvial_layout(lineages)
    layout = replace(layout, times=named_times(layout.times))
    n, most = len(layout.times), max(sum(own.epoch == t for own in layout.blocks) for t in range(len(layout.times)))
    if ax is None:
        ax = new_axes(min(12.0, max(6.0, 4.5 + 0.55 * n)), min(8.0, max(3.6, 2.9 + 0.16 * most)))
    _Picture(ax, layout, as_marks(marks)).draw()
    return ax


class _Picture:
    """One diagram on its axes: x is the epoch, y the height in the layout."""

    def __init__(self, ax: "Axes", layout: Alluvial, marks: Marks) -> None:
        self.ax, self.layout, self.marks = ax, layout, marks
        n = len(layout.times)
        wide, high = size_of(ax)
        self.pitch, self.high = wide * 1.05 / max(1, n), high * 0.86  # points; some room goes to labels
        self.half = min(26.0, max(0.15 * self.pitch, 3.0)) / self.pitch if n > 1 else 0.14

    def draw(self) -> None:
        """Everything, back to front."""
        ax, layout = self.ax, self.layout
        where = {(own.epoch, own.lineage): own for own in layout.blocks}
        depth = time_axis(ax, layout.times, margin=self.half + 0.12)
        ax.set_ylim(1.01, -0.01)
        ax.set_yticks([])
        bare(ax, "left", "bottom")
        for own in sorted(layout.ribbons, key=lambda own: (KINDS.index(own.kind), -(own.n_objects or 0))):
            self.ribbon(own)
        for event in layout.markers:
            self.event(event, where[event.epoch, event.lineage])
        for block in layout.blocks:
            self.block(block)
        self.tags()
        self.totals()
        self.key(depth)

    def ribbon(self, own: Ribbon) -> None:
        """From one block to a later one."""
        from matplotlib.patches import PathPatch

        a, b = own.from_epoch + self.half, own.to_epoch - self.half
        p = own.probability if isfinite(own.probability) else 0.5
        colour = lineage_colour(own.from_lineage)
        look: dict[str, Any]
        if own.kind in ("link", "flow"):
            path = _band(a, b, own.start, own.end)
            if own.kind == "flow":
                opacity = 0.5 if own.from_lineage == own.to_lineage else 0.38
            else:
                opacity = 0.03 + 0.15 * p if self.layout.flows else 0.1 + 0.45 * p
            look = {"fc": colour, "alpha": opacity, "lw": 0, "zorder": 1 + KINDS.index(own.kind) / 10}
        else:
            path = self.line(own, a, b)
            weak = own.kind == "weak"
            look = {"fc": "none", "ec": INK if weak else colour, "ls": (0, (1.5, 2)) if weak else (0, (3.5, 2.5))}
            look |= {"lw": 0.9 if weak else 1.6, "alpha": 0.4 + 0.5 * p if weak else 1.0, "zorder": 1.5}
        patch = self.ax.add_patch(PathPatch(path, clip_on=False, **look))
        to_lineage = None if own.to_lineage == own.from_lineage else own.to_lineage
        words = ribbon_words(self.layout, own)
        self.marks.mark(patch, lineage=own.from_lineage, epoch=own.from_epoch, to_lineage=to_lineage, title=words)

    def line(self, own: Ribbon, a: float, b: float) -> Any:
        """A smooth line that runs level through the columns it skips."""
        from matplotlib.path import Path

        x, y = a, own.start[0]
        points, codes = [(x, y)], [Path.MOVETO]
        stops = [*((own.from_epoch + 1 + i, height) for i, height in enumerate(own.via)), (None, own.end[0])]
        for epoch, height in stops:
            to = b if epoch is None else epoch - self.half
            points += [((x + to) / 2, y), ((x + to) / 2, height), (to, height)]
            codes += [Path.CURVE4] * 3
            if epoch is not None:
                points.append((epoch + self.half, height))
                codes.append(Path.LINETO)
                x, y = epoch + self.half, height
        return Path(points, codes)

    def block(self, own: Block) -> None:
        """One cluster, with the number of its lineage and its size where there is room."""
        from matplotlib.patches import Rectangle

        least = min(1.2 / self.high, 0.6 * self.layout.gap)
        extra = max(0.0, least - (own.y1 - own.y0)) / 2
        top, height = own.y0 - extra, own.y1 - own.y0 + 2 * extra
        colour = lineage_colour(own.lineage)
        patch = Rectangle((own.epoch - self.half, top), 2 * self.half, height, fc=colour, lw=0, zorder=3, clip_on=False)
        words = block_words(self.layout, own)
        self.marks.mark(self.ax.add_patch(patch), lineage=own.lineage, epoch=own.epoch, title=words)
        name, size = "…" if own.lineage == OTHERS else str(own.lineage), short(own.size)
        wide, points = 2 * self.half * self.pitch, height * self.high
        if points < 9 or text_width(name) * 8 / 12 * 1.2 > wide - 3:
            return
        x, y = own.epoch, top + height / 2
        look: dict[str, Any] = {"ha": "center", "color": text_on(colour), "zorder": 4}
        below = points >= 24 and text_width(size) * 8 / 12 * 1.1 <= wide - 3
        self.ax.text(x, y, name, va="bottom" if below else "center_baseline", fontsize=8.5, weight="bold", **look)
        if below:
            self.ax.text(x, y, size, va="top", fontsize=8, **look)

    def tags(self) -> None:
        """Where blocks are too narrow for text: the number of a lineage at its first large block, and now and then."""
        again = max(1, round(260 / self.pitch))
        last: dict[int, int] = {}
        for own in self.layout.blocks:
            fits = text_width(str(own.lineage)) * 8 / 12 * 1.2 <= 2 * self.half * self.pitch - 3
            if own.lineage == OTHERS or fits or (own.y1 - own.y0) * self.high < 13:
                continue
            if own.epoch - last.get(own.lineage, -again) >= again:
                last[own.lineage] = own.epoch
                text = tag(self.ax, own.epoch, (own.y0 + own.y1) / 2, str(own.lineage), lineage_colour(own.lineage))
                words = block_words(self.layout, own)
                self.marks.mark(text, lineage=own.lineage, epoch=own.epoch, title=words)

    def event(self, own: Marker, block: Block) -> None:
        """A small wedge that grows into the first block of a lineage, or out of the last one; hollow for a return."""
        from matplotlib.patches import Polygon

        y = (block.y0 + block.y1) / 2
        half = min(4.0, max(1.2, (block.y1 - block.y0) * self.high / 2)) / self.high
        side = 1 if own.kind == "died" else -1
        x = own.epoch + side * (self.half + 0.8 / self.pitch)
        long = side * min(1.4 * half * self.high / self.pitch, 0.3 * (1 - 2 * self.half))
        colour = lineage_colour(own.lineage)
        look: dict[str, Any] = {"fc": "none", "ec": colour, "lw": 1.0} if own.kind == "returned" else {"fc": colour}
        look = {"lw": 0, "zorder": 2, "clip_on": False} | look
        patch = self.ax.add_patch(Polygon([(x, y - half), (x + long, y), (x, y + half)], **look))
        self.marks.mark(patch, lineage=own.lineage, epoch=own.epoch, title=marker_words(self.layout, own))

    def totals(self) -> None:
        """Numbers of objects above the columns, as many as there is room for."""
        numbers = [f"n = {short(total)}" for total in self.layout.totals]
        if max(map(text_width, numbers)) * 0.75 + 6 > self.pitch:
            numbers = [short(total) for total in self.layout.totals]
        every = max(1, -(-int(max(map(text_width, numbers)) * 0.75 + 6) // int(self.pitch + 1)))
        for t in range(0, len(numbers), every):
            self.ax.annotate(
                numbers[t],
                (t, 1),
                (0, 3),
                xycoords=("data", "axes fraction"),
                textcoords="offset points",
                ha="center",
                fontsize=8,
                alpha=SOFT,
            )

    def key(self, depth: float) -> None:
        """Signs that occur, and what they mean, below the picture."""
        from matplotlib.transforms import ScaledTranslation

        signs = list(_signs(self.layout))
        if signs:
            handles, words = zip(*signs, strict=True)
            columns = _columns([text_width(own) * SMALL / 12 + 42 for own in words], size_of(self.ax)[0] * 1.15)
            below = ScaledTranslation(0, -(depth + 8) / 72, self.ax.figure.dpi_scale_trans)
            self.ax.legend(
                handles,
                words,
                loc="upper left",
                bbox_to_anchor=(0, 0),
                bbox_transform=self.ax.transAxes + below,
                ncols=columns,
                fontsize=SMALL,
                handlelength=1.6,
                columnspacing=1.5,
                borderaxespad=0.0,
            )


def _band(a: float, b: float, start: tuple[float, float], end: tuple[float, float]) -> Any:
    from matplotlib.path import Path

    m = (a + b) / 2
    points = [(a, start[0]), (m, start[0]), (m, end[0]), (b, end[0])]
    points += [(b, end[1]), (m, end[1]), (m, start[1]), (a, start[1]), (a, start[0])]
    return Path(points, [Path.MOVETO, *[Path.CURVE4] * 3, Path.LINETO, *[Path.CURVE4] * 3, Path.CLOSEPOLY])


def _columns(widths: list[float], room: float) -> int:
    """The most columns that fit; a column is as wide as the widest in it, and is filled first."""
    for n in range(len(widths), 1, -1):
        rows = -(-len(widths) // n)
        if sum(max(widths[i : i + rows]) for i in range(0, len(widths), rows)) <= room:
            return n
    return 1


def _signs(layout: Alluvial) -> Iterable[tuple[Any, str]]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    kinds = {own.kind for own in layout.ribbons} | {own.kind for own in layout.markers}
    if "flow" in kinds:
        yield Patch(fc=INK, alpha=0.4, lw=0), "objects that go there"
        yield Patch(fc=INK, alpha=0.12, lw=0), "link"
    elif "link" in kinds:
        yield Patch(fc=INK, alpha=0.3, lw=0), "link; the paler, the less certain"
    for kind, marker, face, words in (
        ("born", "<", INK, "new"),
        ("died", ">", INK, "ends"),
        ("returned", "<", "none", "back again"),
    ):
        if kind in kinds:
            yield Line2D([], [], ls="", marker=marker, ms=5, mfc=face, mec=INK, alpha=0.75), words
    if "gap" in kinds:
        yield Line2D([], [], color=INK, lw=1.6, ls=(0, (3.5, 2.5)), alpha=0.7), "skips epochs"
    if "weak" in kinds:
        line = Line2D([], [], color=INK, lw=0.9, ls=(0, (1.5, 2)), alpha=0.7)
        yield line, f"other link, probability {WEAK_LINK:.2f} or more"
    if layout.n_gathered:
        yield Patch(fc=lineage_colour(OTHERS), lw=0), count(layout.n_gathered, "small lineage")
