"""An alluvial diagram as one SVG element: plain text that stands alone as a file and inline in a page.

Nothing in it runs, loads anything or changes the page around it: no scripts, styles, ids or references. Text takes the
colour of the page (currentColor). Every block and ribbon carries its lineage as ``data-lineage``, so pages can light it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import ceil, cos, floor, isfinite, log10, radians, sin
from re import fullmatch
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from tetiwd.errors import SettingsError
from tetiwd.plots.alluvial import OTHERS, WEAK_LINK, Alluvial, Block, Marker, Ribbon, alluvial_layout
from tetiwd.plots.alluvial_words import block_words, described, marker_words, ribbon_words
from tetiwd.plots.colours import lineage_colour, lineage_stripes, text_colour
from tetiwd.plots.text import FONT, clean, count, fitted, named_times, short, text_width

if TYPE_CHECKING:
    from tetiwd.summarize.lineages import Lineages

__all__ = ["alluvial_svg", "clean"]

ANGLE = 40  # degrees by which long labels are turned
LINE = 16  # height of a line of small text


def alluvial_svg(
    lineages: "Lineages | Alluvial",
    *,
    width: float = 900,
    height: float | None = None,
    title: str | None = None,
    ink: str = "currentColor",
) -> str:
    """Draw lineages through time.

    Parameters
    ----------
    lineages
        Lineages, or what :func:`alluvial_layout` has made of them.
    width, height
        In pixels; None for a height that suits the number of lineages.
    title
        Shown above the picture.
    ink
        Colour of text and axes, "currentColor" or "#RRGGBB". A picture that is loaded as a file does not know the
        colour of the page around it; "#777777" can be read on white and on black.
    """
    layout = lineages if isinstance(lineages, Alluvial) else alluvial_layout(lineages)
    layout = replace(layout, times=named_times(layout.times))
    _check_length("width", width, 200)
    if height is not None:
        _check_length("height", height, 120)
    if ink != "currentColor" and not (isinstance(ink, str) and fullmatch("#[0-9A-Fa-f]{6}", ink)):
        raise SettingsError(f'ink must be "currentColor" or a colour such as "#777777", not {ink!r}')
    frame = _frame(layout, float(width), height, title, ink)
    where = {(own.epoch, own.lineage): own for own in layout.blocks}
    name = clean(title or "", 200) or "Lineages through time"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="tetiwd-alluvial" role="img" aria-label={quoteattr(name)} '
        f'width="{_n(frame.width)}" height="{_n(frame.height)}" viewBox="0 0 {_n(frame.width)} {_n(frame.height)}" '
        f'font-family="{FONT}" font-size="12" fill="{ink}">',
        _leaf("title", name),
        _leaf("desc", described(layout)),
        *_headline(frame, title),
        *_group("axis", _axis(frame)),
        *_group("ribbons", (_ribbon(frame, own) for own in _back_to_front(layout.ribbons))),
        *_group("markers", (_marker(frame, own, where[own.epoch, own.lineage]) for own in layout.markers)),
        *_group("blocks", (_block(frame, own) for own in layout.blocks)),
        *_group("tags", _tags(frame)),
        *_group("key", _key(frame)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


@dataclass(frozen=True)
class Frame:
    """Where columns and heights are on the paper."""

    layout: Alluvial
    width: float
    height: float
    left: float  # middle of the first column
    pitch: float  # from one column to the next
    block: float  # width of a block
    top: float
    bottom: float
    labels: tuple[str, ...]
    turned: bool
    stride: int  # every so many columns have a label
    keys: tuple[tuple[str, str], ...]
    ink: str

    @property
    def soft(self) -> str:
        """Opacity of text that is less important; a fixed colour has no contrast to spare."""
        return "0.7" if self.ink == "currentColor" else "1"

    def x(self, epoch: int) -> float:
        """Middle of a column."""
        return self.left + epoch * self.pitch

    def y(self, height: float) -> float:
        """A height of the layout on the paper."""
        return self.top + height * (self.bottom - self.top)


def _frame(layout: Alluvial, width: float, height: float | None, title: str | None, ink: str) -> Frame:
    n = len(layout.times)
    labels = tuple(fitted(time, width / 4) for time in layout.times)
    widest = max(map(text_width, labels))
    side = max(24.0, widest / 2 + 4, 5 + max(text_width(f"n = {short(total)}") for total in layout.totals) / 2)
    pitch = (width - 2 * side) / max(1, n - 1)
    stride = ceil((widest + 10) / pitch)
    turned = stride > 1 and ceil(n / stride) < 8
    left = right = side
    if turned:
        left, right = max(24.0, 1.1 * widest * cos(radians(ANGLE)) + 4), 28.0
        pitch = (width - left - right) / max(1, n - 1)
        stride = ceil(16 / pitch)
    block = min(52.0, max(0.28 * pitch, 5.0), 0.6 * pitch) if n > 1 else min(240.0, width / 3)
    left, right = max(left, block / 2 + 10), max(right, block / 2 + 10)
    pitch = (width - left - right) / max(1, n - 1)
    keys = tuple(_keys(layout))
    under = (widest * sin(radians(ANGLE)) + 26 if turned else 32) + LINE * len(_lines(keys, width)) + 10
    top = 26.0 + (26 if title else 0)
    if height is None:
        most = max(sum(own.epoch == t for own in layout.blocks) for t in range(n))
        height = top + under + min(640, max(240, 190 + 12 * most))
    bottom = max(top + 40, height - under)
    middle = width / 2 if n == 1 else left
    return Frame(layout, width, bottom + under, middle, pitch, block, top, bottom, labels, turned, stride, keys, ink)


def _headline(frame: Frame, title: str | None) -> Iterator[str]:
    shown = clean(title or "", int(frame.width / 9))
    if shown:
        yield f'<text x="10" y="22" font-size="15" font-weight="600">{escape(shown)}</text>'


def _axis(frame: Frame) -> Iterator[str]:
    """Times below, numbers of objects above, a faint line through every column."""
    totals = frame.layout.totals
    numbers = [f"n = {short(total)}" for total in totals]
    every = frame.stride if frame.turned else 1
    if max(map(text_width, numbers)) * 10 / 12 + 8 > frame.pitch * every:
        numbers = [short(total) for total in totals]
        every = max(every, ceil((max(map(text_width, numbers)) * 10 / 12 + 6) / frame.pitch))
    if not frame.turned:
        every = ceil(every / frame.stride) * frame.stride
    for t, label in enumerate(frame.labels):
        x = _n(frame.x(t))
        yield (
            f'<path d="M{x} {_n(frame.top - 6)}V{_n(frame.bottom + 6)}" stroke="{frame.ink}" stroke-opacity="0.12"/>'
        )
        if t % every == 0:
            look = f'y="{_n(frame.top - 11)}" font-size="10" fill-opacity="{frame.soft}" text-anchor="middle"'
            yield f'<text x="{x}" {look}>{numbers[t]}</text>'
        if t % frame.stride == 0:
            hover = _leaf("title", frame.layout.times[t])
            if frame.turned:
                y = _n(frame.bottom + 16)
                place = f'x="{x}" y="{y}" text-anchor="end" transform="rotate(-{ANGLE} {x} {y})"'
            else:
                place = f'x="{x}" y="{_n(frame.bottom + 21)}" text-anchor="middle"'
            yield f"<text {place}>{hover}{escape(label)}</text>"


def _back_to_front(ribbons: Iterable[Ribbon]) -> list[Ribbon]:
    """Faint bands first, then flows from wide to narrow, lines on top."""
    kinds = ("link", "flow", "gap", "weak")
    return sorted(ribbons, key=lambda own: (kinds.index(own.kind), -(own.n_objects or 0)))


def _ribbon(frame: Frame, own: Ribbon) -> str:
    colour = lineage_colour(own.from_lineage)
    p = own.probability if isfinite(own.probability) else 0.5
    a, b = frame.x(own.from_epoch) + frame.block / 2, frame.x(own.to_epoch) - frame.block / 2
    if own.kind in ("link", "flow"):
        (top, low), (top_end, low_end) = map(frame.y, own.start), map(frame.y, own.end)
        m = (a + b) / 2
        path = (
            f"M{_n(a)} {_n(top)}C{_n(m)} {_n(top)} {_n(m)} {_n(top_end)} {_n(b)} {_n(top_end)}"
            f"V{_n(low_end)}C{_n(m)} {_n(low_end)} {_n(m)} {_n(low)} {_n(a)} {_n(low)}Z"
        )
        if own.kind == "flow":
            opacity = 0.5 if own.from_lineage == own.to_lineage else 0.38
        else:
            opacity = (0.03 + 0.15 * p) if frame.layout.flows else (0.1 + 0.45 * p)
        look = f'fill="{colour}" fill-opacity="{_n(opacity)}"'
    else:
        path = _line(frame, own, a, b)
        if own.kind == "gap":
            look = f'fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="5 4"'
        else:
            look = (
                f'fill="none" stroke="{frame.ink}" stroke-opacity="{_n(0.4 + 0.5 * p)}" '
                'stroke-width="1.2" stroke-dasharray="2 3"'
            )
    to = "" if own.to_lineage == own.from_lineage else f' data-to-lineage="{own.to_lineage}"'
    return (
        f'<path class="tetiwd-{own.kind}" data-lineage="{own.from_lineage}"{to} d="{path}" {look}>'
        f"{_leaf('title', ribbon_words(frame.layout, own))}</path>"
    )


def _line(frame: Frame, own: Ribbon, a: float, b: float) -> str:
    """A smooth line that runs level through the columns it skips."""
    x, y = a, frame.y(own.start[0])
    path = f"M{_n(x)} {_n(y)}"
    for step, height in enumerate(own.via, start=own.from_epoch + 1):
        path += _curve(x, y, frame.x(step) - frame.block / 2, frame.y(height))
        x, y = frame.x(step) + frame.block / 2, frame.y(height)
        path += f"H{_n(x)}"
    return path + _curve(x, y, b, frame.y(own.end[0]))


def _curve(x: float, y: float, to_x: float, to_y: float) -> str:
    m = _n((x + to_x) / 2)
    return f"C{m} {_n(y)} {m} {_n(to_y)} {_n(to_x)} {_n(to_y)}"


def _edges(frame: Frame, own: Block) -> tuple[float, float]:
    """Upper and lower edge on the paper; the smallest blocks are made just high enough to be seen."""
    top, bottom = frame.y(own.y0), frame.y(own.y1)
    least = min(1.6, 0.6 * frame.layout.gap * (frame.bottom - frame.top))
    missing = max(0.0, least - (bottom - top)) / 2
    return top - missing, bottom + missing


def _block(frame: Frame, own: Block) -> str:
    top, bottom = _edges(frame, own)
    left, height = frame.x(own.epoch) - frame.block / 2, bottom - top
    colour = lineage_colour(own.lineage)
    on_it = text_colour(colour)
    stripes = lineage_stripes(own.lineage) if frame.block >= 8 and height >= 5 else 0
    parts = [
        f'<g class="tetiwd-block" data-lineage="{own.lineage}" data-epoch="{own.epoch}">',
        _leaf("title", block_words(frame.layout, own)),
        f'<rect x="{_n(left)}" y="{_n(top)}" width="{_n(frame.block)}" height="{_n(height)}" '
        f'rx="{_n(min(2, height / 4))}" fill="{colour}"/>',
    ]
    if stripes:
        lines = "".join(f"M{_n(left + 3 * (k + 1) - 0.5)} {_n(top)}V{_n(bottom)}" for k in range(stripes))
        parts.append(f'<path d="{lines}" stroke="{on_it}" stroke-opacity="0.6"/>')
    parts += _block_text(own, left + 3 * stripes, top, frame.block - 3 * stripes, height)
    return "".join(parts) + "</g>"


def _block_text(own: Block, left: float, top: float, width: float, height: float) -> Iterator[str]:
    """The number of the lineage and its size: one above the other, or side by side, or only the first, or none."""
    name, size = "…" if own.lineage == OTHERS else str(own.lineage), short(own.size)
    wide, also = text_width(name) * 11 / 12 * 1.1, text_width(size) * 10 / 12  # the first is bold
    if height < 11 or wide > width - 4:
        return
    x, y = left + width / 2, top + height / 2 + 4
    colour = text_colour(lineage_colour(own.lineage))
    below, beside = height >= 28 and also <= width - 4, wide + also + 5 <= width - 6
    anchor, first, second = "middle", (x, y), None
    if below:
        first, second = (x, y - 6), (x, y + 6)
    elif beside:
        split = x + (wide - also) / 2
        first, second, anchor = (split - 2.5, y), (split + 2.5, y), "end"
    look = f'fill="{colour}" text-anchor'
    bold = 'font-size="11" font-weight="700"'
    yield f'<text x="{_n(first[0])}" y="{_n(first[1])}" {bold} {look}="{anchor}">{name}</text>'
    if second:
        anchor = "middle" if below else "start"
        yield f'<text x="{_n(second[0])}" y="{_n(second[1])}" font-size="10" {look}="{anchor}">{size}</text>'


def _tags(frame: Frame) -> Iterator[str]:
    """Where blocks are too narrow for text: the number of a lineage at its first large block, and again now and then."""
    again = ceil(320 / frame.pitch)
    last: dict[int, int] = {}
    for own in frame.layout.blocks:
        top, bottom = _edges(frame, own)
        room = frame.block - 3 * lineage_stripes(own.lineage) * (frame.block >= 8)
        if own.lineage == OTHERS or bottom - top < 16 or text_width(str(own.lineage)) * 11 / 12 <= room - 4:
            continue
        if own.epoch - last.get(own.lineage, -again) < again:
            continue
        last[own.lineage] = own.epoch
        x, y, wide = frame.x(own.epoch), (top + bottom) / 2, text_width(str(own.lineage)) + 6
        colour = lineage_colour(own.lineage)
        yield (
            f'<g class="tetiwd-tag" data-lineage="{own.lineage}">{_leaf("title", block_words(frame.layout, own))}'
            f'<rect x="{_n(x - wide / 2)}" y="{_n(y - 7.5)}" width="{_n(wide)}" height="15" rx="4" fill="{colour}"/>'
            f'<text x="{_n(x)}" y="{_n(y + 4)}" font-size="11" font-weight="700" text-anchor="middle" '
            f'fill="{text_colour(colour)}">{own.lineage}</text></g>'
        )


def _marker(frame: Frame, own: Marker, block: Block) -> str:
    """A small wedge that grows into the first block of a lineage, or out of the last one; hollow for a return."""
    top, bottom = _edges(frame, block)
    y, half = (top + bottom) / 2, min(5.0, max(1.5, (bottom - top) / 2))
    side = 1 if own.kind == "died" else -1
    x = frame.x(own.epoch) + side * (frame.block / 2 + 1)
    long = min(1.4 * half, 0.3 * (frame.pitch - frame.block))
    hover = marker_words(frame.layout, own)
    return (
        f'<path class="tetiwd-{own.kind}" data-lineage="{own.lineage}" d="{_wedge(x, y, side * long, half)}" '
        f"{_wedge_look(own.kind, lineage_colour(own.lineage))}>{_leaf('title', hover)}</path>"
    )


def _wedge(x: float, y: float, long: float, half: float) -> str:
    return f"M{_n(x)} {_n(y - half)}L{_n(x + long)} {_n(y)}L{_n(x)} {_n(y + half)}Z"


def _wedge_look(kind: str, colour: str) -> str:
    return f'fill="none" stroke="{colour}" stroke-width="1.2"' if kind == "returned" else f'fill="{colour}"'


def _keys(layout: Alluvial) -> Iterator[tuple[str, str]]:
    """Signs that occur, and what they mean."""
    kinds = {own.kind for own in layout.ribbons} | {own.kind for own in layout.markers}
    if "flow" in kinds:
        yield "flow", "objects that go there"
        yield "band", "link"
    elif "link" in kinds:
        yield "link", "link; the paler, the less certain"
    for kind, words in (
        ("born", "new"),
        ("died", "ends"),
        ("returned", "back again"),
        ("gap", "skips epochs"),
        ("weak", f"other link, probability {WEAK_LINK:.2f} or more"),
    ):
        if kind in kinds:
            yield kind, words
    if layout.n_gathered:
        yield "others", count(layout.n_gathered, "small lineage")
    yield "scale", "500k objects"  # or another number; as wide as it gets


def _lines(keys: Iterable[tuple[str, str]], width: float) -> list[list[tuple[str, str, float]]]:
    """Signs with their places from the left, in as many lines as are needed."""
    lines: list[list[tuple[str, str, float]]] = [[]]
    x = 10.0
    for kind, words in keys:
        wide = 24 + text_width(words) * 11 / 12 + 18
        if x > 10 and x + wide > width:
            lines.append([])
            x = 10.0
        lines[-1].append((kind, words, x))
        x += wide
    return lines


def _key(frame: Frame) -> Iterator[str]:
    lines = _lines(frame.keys, frame.width)
    per_object = frame.layout.per_object * (frame.bottom - frame.top)
    n = _round_number(14 / per_object)
    for row, line in enumerate(lines):
        y = frame.height - 12 - LINE * (len(lines) - 1 - row)
        for kind, words, x in line:
            if kind != "scale":
                sign = _sign(frame.ink, kind, x, y - 4)
            elif n:
                place = f'x="{_n(x + 8)}" y="{_n(y - 4 - n * per_object / 2)}" width="8"'
                sign = f'<rect {place} height="{_n(n * per_object)}" fill-opacity="0.6"/>'
                words = f"{short(n)} object" + "s" * (n > 1)
            else:
                continue
            yield f'{sign}<text x="{_n(x + 24)}" y="{_n(y)}" font-size="11" fill-opacity="{frame.soft}">{words}</text>'


def _sign(ink: str, kind: str, x: float, y: float) -> str:
    """The small picture in front of an explanation."""
    if kind in ("flow", "link", "band", "others"):
        colour = lineage_colour(OTHERS) if kind == "others" else ink
        opacity = {"others": "1", "flow": "0.4", "link": "0.3", "band": "0.12"}[kind]
        place = f'x="{_n(x)}" y="{_n(y - 5)}" width="18" height="10"'
        return f'<rect {place} fill="{colour}" fill-opacity="{opacity}"/>'
    if kind in ("gap", "weak"):
        dashes = 'stroke-width="2" stroke-dasharray="5 4"' if kind == "gap" else 'stroke-dasharray="2 3"'
        return f'<path d="M{_n(x)} {_n(y)}h18" fill="none" stroke="{ink}" stroke-opacity="0.7" {dashes}/>'
    side = 1 if kind == "died" else -1
    return f'<path d="{_wedge(x + 9 - 3 * side, y, 7 * side, 5)}" {_wedge_look(kind, ink)} opacity="0.75"/>'


def _round_number(most: float) -> int:
    """The largest of 1, 2, 5, 10, 20 … that is not above; 0 if none is."""
    if most < 1:
        return 0
    ten = 10 ** floor(log10(most))
    return int(max(digit * ten for digit in (1, 2, 5) if digit * ten <= most))


def _n(value: float) -> str:
    """A number with at most two decimals."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _leaf(name: str, text: str) -> str:
    return f"<{name}>{escape(text)}</{name}>"


def _group(name: str, parts: Iterable[str]) -> Iterator[str]:
    inside = list(parts)
    if inside:
        yield f'<g class="tetiwd-{name}">'
        yield from inside
        yield "</g>"


def _check_length(name: str, value: float, least: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= 20000:
        raise SettingsError(f"{name} must be a number of pixels from {least:g} to 20000, not {value!r}")
