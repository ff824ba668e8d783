"""An alluvial diagram drawn on axes: ribbons, blocks, events, numbers of objects and a key."""

from collections.abc import Iterator
from math import floor, isfinite, log10
from typing import TYPE_CHECKING, Any

import numpy as np

from tetiwd.plots.alluvial import Alluvial, Block, Marker, Ribbon
from tetiwd.plots.alluvial_heights import WEAK_LINK
from tetiwd.plots.alluvial_words import block_words, described, marker_words, ribbon_words
from tetiwd.plots.colours import lineage_colour, lineage_stripes, lineage_tag
from tetiwd.plots.lineage_facts import NOWHERE, OTHERS
from tetiwd.plots.marks import Marks
from tetiwd.plots.style import INK, SMALL, SOFT, bare, size_of, soft_text, tag, text_on, time_axis
from tetiwd.plots.text import count, short, text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KINDS = ("link", "flow", "gap", "weak")  # back to front
STRIPE = 2.2  # points from one stripe to the next
TALLEST_SCALE = 36  # points of the bar that shows the scale
LEFT, RIGHT = 18.0, 6.0  # points beside the outer columns; the scale is at the left
WIDEST_BLOCK = 52.0  # points
MARK = 3.2  # points, half the width of the mark of an event
PALE = 0.4  # opacity of blocks of unassigned objects
NAMES = {OTHERS: "…", NOWHERE: "–"}  # on blocks that are no cluster


class AlluvialPicture:
    """One diagram on its axes: x is the epoch, y the height in the layout."""

    def __init__(self, ax: "Axes", layout: Alluvial, marks: Marks, width: float) -> None:
        self.ax, self.layout, self.marks, self.width = ax, layout, marks, width
        self.high = size_of(ax)[1] * 0.86  # points; labels take some of the height
        n, room = len(layout.times), width - LEFT - RIGHT
        self.pitch = room if n == 1 else max(room / (n - 0.7), (room - WIDEST_BLOCK) / (n - 1))
        self.half = min(WIDEST_BLOCK / 2, max(0.15 * self.pitch, 3.0)) / self.pitch if n > 1 else 0.14

    def draw(self) -> None:
        """Everything, back to front."""
        ax, layout = self.ax, self.layout
        beside = self.half if len(layout.times) > 1 else 0.5  # a lone column does not fill the width
        margins = beside + LEFT / self.pitch, beside + RIGHT / self.pitch
        depth = time_axis(ax, layout.times, margins=margins, width=self.width, marks=self.marks)
        ax.set_ylim(1.01, -0.01)
        ax.set_yticks([])
        bare(ax, "left", "bottom", "top", "right")
        for ribbon in sorted(layout.ribbons, key=lambda ribbon: (KINDS.index(ribbon.kind), -(ribbon.n_objects or 0))):
            self.ribbon(ribbon)
        blocks = {(block.epoch, block.lineage): block for block in layout.blocks}
        for marker in layout.markers:
            self.event(marker, blocks[marker.epoch, marker.lineage])
        for block in layout.blocks:
            self.block(block)
        self.tags()
        self.totals()
        self.scale()
        self.key(depth)
        self.marks.describe(described(layout))

    def add(self, patch: Any) -> Any:
        """A patch inside the axes: thousands of them would slow down the layout, which they do not change."""
        patch.set_in_layout(False)
        return self.ax.add_artist(patch)

    def ribbon(self, ribbon: Ribbon) -> None:
        """From one block to a later one."""
        from matplotlib.patches import PathPatch

        start, end = ribbon.from_epoch + self.half, ribbon.to_epoch - self.half
        p = ribbon.probability if isfinite(ribbon.probability) else 0.5
        colour = lineage_colour(ribbon.from_lineage)
        look: dict[str, Any]
        if ribbon.kind in ("link", "flow"):
            path = _band(start, end, ribbon.start, ribbon.end)
            if ribbon.kind == "flow":
                opacity = 0.5 if ribbon.from_lineage == ribbon.to_lineage else 0.38
            else:
                opacity = 0.03 + 0.15 * p if self.layout.flows else 0.1 + 0.45 * p
            look = {"fc": colour, "alpha": opacity, "lw": 0, "zorder": 1 + KINDS.index(ribbon.kind) / 10}
        else:
            path = self.line(ribbon, start, end)
            weak = ribbon.kind == "weak"
            look = {"fc": "none", "ec": INK if weak else colour, "ls": (0, (1.5, 2)) if weak else (0, (3.5, 2.5))}
            look |= {"lw": 0.9 if weak else 1.6, "alpha": 0.4 + 0.5 * p if weak else 1.0, "zorder": 1.5}
        self.marks.mark(
            self.add(PathPatch(path, clip_on=False, **look)),
            kind=ribbon.kind,
            lineage=ribbon.from_lineage,
            epoch=ribbon.from_epoch,
            to_lineage=None if ribbon.to_lineage == ribbon.from_lineage else ribbon.to_lineage,
            title=ribbon_words(self.layout, ribbon),
        )

    def line(self, ribbon: Ribbon, start: float, end: float) -> Any:
        """A smooth line that runs level through the columns it skips."""
        from matplotlib.path import Path

        x, y = start, ribbon.start[0]
        points, codes = [(x, y)], [Path.MOVETO]
        skipped = enumerate(ribbon.via, start=ribbon.from_epoch + 1)
        for left, right, height in (
            *((epoch - self.half, epoch + self.half, height) for epoch, height in skipped),
            (end, end, ribbon.end[0]),
        ):
            points += [((x + left) / 2, y), ((x + left) / 2, height), (left, height), (right, height)]
            codes += [*[Path.CURVE4] * 3, Path.LINETO]
            x, y = right, height
        return Path(points, codes)

    def block(self, block: Block) -> None:
        """One cluster; lineages that share a hue differ in their stripes."""
        from matplotlib.patches import Rectangle

        least = min(1.2 / self.high, 0.6 * self.layout.gap)  # the smallest blocks are just high enough to be seen
        extra = max(0.0, least - (block.y1 - block.y0)) / 2
        left, top, height = block.epoch - self.half, block.y0 - extra, block.y1 - block.y0 + 2 * extra
        colour, wide = lineage_colour(block.lineage), 2 * self.half * self.pitch
        patch = Rectangle((left, top), 2 * self.half, height, fc=colour, lw=0, zorder=3, clip_on=False)
        patch.set_alpha(PALE if block.lineage == NOWHERE else None)
        self.mark(self.add(patch), block, "block")
        stripes = lineage_stripes(block.lineage) if wide >= 6 and height * self.high >= 4 else 0
        if stripes:
            xs = [left + STRIPE * (k + 1) / self.pitch for k in range(stripes)]
            look: dict[str, Any] = {"color": text_on(colour), "lw": 0.75, "alpha": 0.6, "zorder": 3.5}
            self.mark(self.ax.vlines(xs, top, top + height, clip_on=False, **look), block, "stripes")
        self.block_text(block, top + height / 2, wide - STRIPE * stripes, height * self.high, STRIPE * stripes)

    def block_text(self, block: Block, y: float, wide: float, high: float, inset: float) -> None:
        """The number of the lineage and its size: one above the other, side by side, only the number, or none."""
        name, size = NAMES.get(block.lineage) or lineage_tag(block.lineage), short(block.size)
        name_wide, size_wide = text_width(name) * 8 / 12 * 1.2, text_width(size) * 8 / 12 * 1.1  # points
        if high < 7.5 or name_wide > wide - 3:
            return
        x = block.epoch + inset / 2 / self.pitch
        look: dict[str, Any] = {"color": text_on(lineage_colour(block.lineage)), "zorder": 4}
        first: dict[str, Any] = look | {"fontsize": 8.5, "weight": "bold"}
        if high >= 24 and size_wide <= wide - 3:
            texts = [self.ax.text(x, y, name, ha="center", va="bottom", **first)]
            texts.append(self.ax.text(x, y, size, ha="center", va="top", fontsize=8, **look))
        elif name_wide + size_wide + 4 <= wide - 4:
            split = x + (name_wide - size_wide) / 2 / self.pitch
            texts = [self.ax.text(split - 1.5 / self.pitch, y, name, ha="right", va="center_baseline", **first)]
            place = (split + 1.5 / self.pitch, y)
            texts.append(self.ax.text(*place, size, ha="left", va="center_baseline", fontsize=8, **look))
        else:
            texts = [self.ax.text(x, y, name, ha="center", va="center_baseline", **first)]
        for text in texts:
            text.set_in_layout(False)
            self.mark(text, block, "label")

    def mark(self, artist: Any, block: Block, kind: str) -> None:
        """A part of a block."""
        words = block_words(self.layout, block)
        self.marks.mark(artist, kind=kind, lineage=block.lineage, epoch=block.epoch, title=words)

    def tags(self) -> None:
        """Where blocks are too narrow for text: the number of a lineage at its first large block, and now and then."""
        again = max(1, round(260 / self.pitch))
        last: dict[int, int] = {}
        for block in self.layout.blocks:
            fits = text_width(lineage_tag(block.lineage)) * 8 / 12 * 1.2 <= 2 * self.half * self.pitch - 3
            if block.lineage < 0 or fits or (block.y1 - block.y0) * self.high < 13:
                continue
            if block.epoch - last.get(block.lineage, -again) >= again:
                last[block.lineage] = block.epoch
                y, colour = (block.y0 + block.y1) / 2, lineage_colour(block.lineage)
                self.mark(tag(self.ax, block.epoch, y, lineage_tag(block.lineage), colour), block, "label")

    def event(self, marker: Marker, block: Block) -> None:
        """A dot before the first block of a lineage, a cross after the last one, a ring before a return."""
        from matplotlib.patches import Ellipse, PathPatch
        from matplotlib.path import Path

        y, side = (block.y0 + block.y1) / 2, 1 if marker.kind == "died" else -1
        between = (1 - 2 * self.half) * self.pitch  # points from column to column
        radius = min(MARK, max(1.2, (block.y1 - block.y0) * self.high / 2), 0.2 * between)  # points
        x = marker.epoch + side * (self.half + (radius + min(1.5, 0.1 * between)) / self.pitch)
        dx, dy, colour = radius / self.pitch, radius / self.high, lineage_colour(marker.lineage)
        patch: Any
        if marker.kind == "died":
            ends = [(x - dx, y - dy), (x + dx, y + dy), (x - dx, y + dy), (x + dx, y - dy)]
            cross = Path(ends, [Path.MOVETO, Path.LINETO] * 2)
            patch = PathPatch(cross, fc="none", ec=colour, lw=0.55 * radius, zorder=2, clip_on=False)
        else:
            look: dict[str, Any] = {"fc": colour, "lw": 0}
            look = {"fc": "none", "ec": colour, "lw": 1.2} if marker.kind == "returned" else look
            patch = Ellipse((x, y), 2 * dx, 2 * dy, zorder=2, clip_on=False, **look)
        words = marker_words(self.layout, marker)
        mark: dict[str, Any] = {"kind": marker.kind, "lineage": marker.lineage, "epoch": marker.epoch}
        self.marks.mark(self.add(patch), title=words, **mark)

    def totals(self) -> None:
        """Numbers of objects above the columns, as many as fit."""
        numbers = [f"n = {short(total)}" for total in self.layout.totals]
        if max(map(text_width, numbers)) * 0.75 + 6 > self.pitch:
            numbers = [short(total) for total in self.layout.totals]
        every = max(1, -(-int(max(map(text_width, numbers)) * 0.75 + 6) // int(self.pitch + 1)))
        for t in range(0, len(numbers), every):
            soft_text(self.ax, numbers[t], (t, 1), (0, 3), ("data", "axes fraction"), ha="center", fontsize=8)

    def scale(self) -> None:
        """An upright bar of a round number of objects, left of the first column."""
        per_object = self.layout.per_object
        n = _round_number(TALLEST_SCALE / (per_object * self.high))
        if n:
            x = -self.half - 6 / self.pitch
            self.ax.plot([x, x], [1 - n * per_object, 1], color=INK, lw=2.0, alpha=SOFT, clip_on=False)
            look: dict[str, Any] = {"rotation": 90, "ha": "right", "va": "bottom", "fontsize": 7.5, "alpha": SOFT}
            self.ax.text(x - 2 / self.pitch, 1, f"{short(n)} object" + "s" * (n > 1), **look)

    def key(self, depth: float) -> None:
        """The signs in the picture and their meaning, below it."""
        from matplotlib.legend_handler import HandlerTuple
        from matplotlib.transforms import ScaledTranslation

        signs = list(_signs(self.layout))
        if signs:
            handles, words = zip(*signs, strict=True)
            columns = _columns([text_width(text) * SMALL / 12 + 42 for text in words], self.width)
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
                handler_map={tuple: HandlerTuple(ndivide=None, pad=0.0)},
            )


def _band(left: float, right: float, start: tuple[float, float], end: tuple[float, float]) -> Any:
    from matplotlib.path import Path

    middle = (left + right) / 2
    points = [(left, start[0]), (middle, start[0]), (middle, end[0]), (right, end[0])]
    points += [(right, end[1]), (middle, end[1]), (middle, start[1]), (left, start[1]), (left, start[0])]
    return Path(points, [Path.MOVETO, *[Path.CURVE4] * 3, Path.LINETO, *[Path.CURVE4] * 3, Path.CLOSEPOLY])


def _columns(widths: list[float], room: float) -> int:
    """The most columns that fit; matplotlib spreads texts evenly over them, each as wide as its widest text."""
    fitting = (n for n in range(len(widths), 1, -1) if sum(map(max, np.array_split(widths, n))) <= room)
    return next(fitting, 1)


def _round_number(most: float) -> int:
    """The largest of 1, 2, 5, 10, 20 … up to this; 0 if there is none."""
    if most < 1:
        return 0
    ten = 10 ** floor(log10(most))
    return int(max(digit * ten for digit in (1, 2, 5) if digit * ten <= most))


def _signs(layout: Alluvial) -> Iterator[tuple[Any, str]]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    kinds = {ribbon.kind for ribbon in layout.ribbons} | {marker.kind for marker in layout.markers}
    shown = lineage_colour(min((block.lineage for block in layout.blocks if block.lineage >= 0), default=OTHERS))
    if "flow" in kinds:
        yield Patch(fc=shown, alpha=0.5, lw=0), "objects moving"
        yield Patch(fc=shown, alpha=0.15, lw=0), "link"
    elif "link" in kinds:
        known = any(ribbon.kind == "link" and isfinite(ribbon.probability) for ribbon in layout.ribbons)
        bands = tuple(Patch(fc=shown, alpha=opacity, lw=0) for opacity in ((0.55, 0.2) if known else (0.4,)))
        yield bands, "link (paler: less certain)" if known else "link"
    for kind, shape, face, words in (
        ("born", "o", INK, "appears"),
        ("died", "x", INK, "ends"),
        ("returned", "o", "none", "returns"),
    ):
        if kind in kinds:
            yield Line2D([], [], ls="", marker=shape, ms=5, mfc=face, mec=INK, mew=1.2, alpha=0.75), words
    if "gap" in kinds:
        yield Line2D([], [], color=INK, lw=1.6, ls=(0, (3.5, 2.5)), alpha=0.7), "absent in between"
    if "weak" in kinds:
        line = Line2D([], [], color=INK, lw=0.9, ls=(0, (1.5, 2)), alpha=0.7)
        yield line, f"alternative link, probability {WEAK_LINK:.2f} or more"
    if layout.n_gathered:
        yield Patch(fc=lineage_colour(OTHERS), lw=0), count(layout.n_gathered, "small lineage")
    if layout.n_unassigned:
        yield Patch(fc=lineage_colour(NOWHERE), alpha=PALE, lw=0), "not assigned to a cluster"
