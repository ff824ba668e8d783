"""A renderer of matplotlib that writes SVG fit for a page: no styles, ids of its own, the ink of the page.

It draws once and writes the final text at once. matplotlib's own renderer would draw every figure twice, and what it
writes would have to be read and changed again.
"""

from base64 import b64encode
from collections.abc import Iterator, Mapping
from functools import lru_cache
from hashlib import sha256
from html import escape
from io import BytesIO
from math import cos, radians, sin
from typing import Any

from matplotlib import _path
from matplotlib.backend_bases import RendererBase
from matplotlib.font_manager import weight_dict
from matplotlib.textpath import text_to_path
from matplotlib.transforms import Affine2D

from tetiwd.plots.text import FONT

PIXELS_PER_POINT = 96 / 72
IMAGE_DPI = 100  # of images that matplotlib has to resample
DECIMALS = 2  # finer than a pixel
COMMANDS = [b"M", b"L", b"Q", b"C", b"z"]
ANCHORS = {"left": "start", "center": "middle", "right": "end"}
CAPS = {"projecting": "square", "round": "round"}
PREFIX = "\0"  # of ids, until the whole picture is known
Look = dict[str, str]
Mark = tuple[str, dict[str, str]]  # hover text, attributes
Marked = Mapping[str, Mark | list[Mark]]  # name of an artist → its mark, or one for each of its parts


class PageRenderer(RendererBase):
    """Draws one figure, in points; y runs down."""

    def __init__(self, width: float, height: float, marked: Marked, ink: str) -> None:
        super().__init__()
        self.width, self.height, self.marked, self.ink = width, height, marked, ink
        self.parts: list[str] = []
        self.ids: dict[Any, str] = {}  # what is referred to → its id
        self.clips: list[str] = []
        self.open: list[bool] = []  # groups that matplotlib has opened: is there an element for it?
        self.each: Iterator[Mark] | None = None  # marks of the next parts of a collection
        self.flip = Affine2D().scale(1, -1).translate(0, height)

    def picture(self, title: str, desc: str) -> str:
        """All that was drawn as one element, with a name, a description, and what holds for every part."""
        wide, high = (_number(side) for side in (self.width, self.height))
        frame = {
            "xmlns": "http://www.w3.org/2000/svg",
            "width": f"{self.width * PIXELS_PER_POINT:.0f}",
            "height": f"{self.height * PIXELS_PER_POINT:.0f}",
            "viewBox": f"0 0 {wide} {high}",
            "role": "img",
            "aria-label": escape(title),
            "font-family": FONT,
            "fill": self.ink,
            "stroke-linejoin": "round",
            "stroke-linecap": "butt",
        }
        clips = f"<defs>{''.join(self.clips)}</defs>" if self.clips else ""
        about = f"<title>{escape(title)}</title><desc>{escape(desc)}</desc>"
        text = f"<svg{_attributes(frame)}>{about}{''.join(self.parts)}{clips}</svg>\n"
        return text.replace(PREFIX, f"t{sha256(text.encode()).hexdigest()[:6]}-")

    def open_group(self, s: str, gid: str | None = None) -> None:
        """A group of the page if it is marked; others are not needed."""
        mark = self.marked.get(gid or "")
        self.each = iter(mark) if isinstance(mark, list) else None
        self.open.append(isinstance(mark, tuple))
        if isinstance(mark, tuple):
            self.parts.append(_marked(mark))

    def close_group(self, s: str) -> None:
        """The end of a group."""
        self.each = None
        if self.open.pop():
            self.parts.append("</g>")

    def add(self, element: str) -> None:
        """Write an element; one of several in a marked collection has a mark of its own."""
        mark = next(self.each, None) if self.each is not None else None
        self.parts.append(element if mark is None else f"{_marked(mark)}{element}</g>")

    def draw_path(self, gc: Any, path: Any, transform: Any, rgbFace: Any = None) -> None:
        """A path."""
        line_only = rgbFace is None
        clip = (0.0, 0.0, self.width, self.height) if line_only else None
        d = _path_text(path, transform + self.flip, clip, path.should_simplify and line_only)
        self.add(f'<path d="{d}"{_attributes(self.clip(gc) | self.look(gc, rgbFace))}/>')

    def draw_markers(
        self, gc: Any, marker_path: Any, marker_trans: Any, path: Any, trans: Any, rgbFace: Any = None
    ) -> None:
        """The same small path at many places."""
        d = _path_text(marker_path, marker_trans + Affine2D().scale(1, -1), None, False)
        shape = f'd="{d}"{_attributes(self.look(gc, rgbFace))}'
        if shape not in self.ids:
            self.parts.append(f'<defs><path id="{self.new_id(shape)}" {shape}/></defs>')
        link, clip = f'<use href="#{self.ids[shape]}"', self.clip(gc)
        if clip:
            self.parts.append(f"<g{_attributes(clip)}>")
        for points, _ in path.iter_segments(trans + self.flip, simplify=False):
            x, y = points[-2:].tolist()
            self.add(f'{link} x="{_number(x)}" y="{_number(y)}"/>')
        if clip:
            self.parts.append("</g>")

    def draw_image(self, gc: Any, x: float, y: float, im: Any, transform: Any = None) -> None:
        """An image as PNG in the file; its matrix is a factor per pixel and keeps all decimals."""
        from PIL import Image

        high, wide = im.shape[:2]
        if not high or not wide:
            return
        per_pixel = 1 / self.get_image_magnification()
        place = Affine2D().scale(per_pixel) if transform is None else Affine2D().scale(1 / wide, 1 / high) + transform
        (a, c, e), (b, d, f), _ = (place + Affine2D().translate(x, y) + self.flip).get_matrix().tolist()
        file = BytesIO()
        Image.fromarray(im).save(file, format="png")
        look = {
            "width": str(wide),
            "height": str(high),
            "image-rendering": "pixelated",
            "transform": f"matrix({' '.join(f'{value:.9g}' for value in (a, b, c, d, e, f))})",
            "href": f"data:image/png;base64,{b64encode(file.getvalue()).decode('ascii')}",
        }
        if transform is not None and gc.get_alpha() != 1:
            look["opacity"] = _number(gc.get_alpha())
        self.open_group("image", gc.get_gid())
        self.add(f"<g{_attributes(self.clip(gc))}><image{_attributes(look)}/></g>")
        self.close_group("image")

    def draw_text(
        self, gc: Any, x: float, y: float, s: str, prop: Any, angle: float, ismath: Any = False, mtext: Any = None
    ) -> None:
        """Text, in the font of the page; mathematics as paths."""
        if ismath:
            super().draw_text(gc, x, y, s, prop, angle, ismath, mtext)
            return
        weight, colour = weight_dict.get(prop.get_weight(), prop.get_weight()), gc.get_rgb()
        look = {"font-size": _number(prop.get_size())}
        look |= {"font-weight": str(weight)} if weight != 400 else {}
        look |= {"font-style": prop.get_style()} if prop.get_style() != "normal" else {}
        look |= self.fill(colour)
        alpha = gc.get_alpha() if gc.get_forced_alpha() else colour[3]
        if alpha != 1 and not self.ink.startswith("#"):  # a fixed ink has no contrast to spare
            look["opacity"] = _number(alpha)
        if mtext is not None and (angle == 0 or mtext.get_rotation_mode() == "anchor"):
            x, y = self.anchored(mtext, x, y, angle)
            look["text-anchor"] = ANCHORS[mtext.get_horizontalalignment()]
        where = {"x": _number(x), "y": _number(y)}
        where |= {"transform": f"rotate({_number(-angle)} {where['x']} {where['y']})"} if angle else {}
        element = f"<text{_attributes(where | look)}>{escape(s, quote=False)}</text>"
        clip = self.clip(gc)
        self.add(f"<g{_attributes(clip)}>{element}</g>" if clip else element)

    def anchored(self, mtext: Any, x: float, y: float, angle: float) -> tuple[float, float]:
        """Where text is anchored, as high as matplotlib has put it: its width depends on the font of the page."""
        to_x, to_y = mtext.get_transform().transform(mtext.get_unitless_position()).tolist()
        to_y = self.height - to_y
        right, up = sin(radians(angle)), cos(radians(angle))
        offset = right * (x - to_x) + up * (y - to_y)
        return to_x + offset * right, to_y + offset * up

    def look(self, gc: Any, face: Any) -> Look:
        """Colours and lines as attributes."""
        look: Look = {"fill": "none"} if face is None else self.fill(face)
        whole = gc.get_forced_alpha()  # one opacity for the area and its edge
        if face is not None and len(face) == 4 and face[3] != 1 and not whole:
            look["fill-opacity"] = _number(face[3])
        if whole and gc.get_alpha() != 1:
            look["opacity"] = _number(gc.get_alpha())
        width = gc.get_linewidth()
        if not width:
            return look
        line, dashes = gc.get_rgb(), gc.get_dashes()[1]
        look["stroke"] = self.colour(line)
        look |= {"stroke-opacity": _number(line[3])} if line[3] != 1 and not whole else {}
        look |= {"stroke-width": _number(width)} if width != 1 else {}
        look |= {"stroke-dasharray": ",".join(map(_number, dashes))} if dashes is not None else {}
        look |= {"stroke-linejoin": gc.get_joinstyle()} if gc.get_joinstyle() != "round" else {}
        look |= {"stroke-linecap": CAPS[gc.get_capstyle()]} if gc.get_capstyle() != "butt" else {}
        return look

    def fill(self, face: Any) -> Look:
        """The colour of an area or of text; ink is what the whole picture has."""
        colour = self.colour(face)
        return {} if colour == self.ink else {"fill": colour}

    def colour(self, rgb: Any) -> str:
        """A colour as "#rrggbb"; black becomes ink."""
        text = "#" + "".join(f"{round(255 * float(value)):02x}" for value in rgb[:3])
        return self.ink if text == "#000000" else text

    def clip(self, gc: Any) -> Look:
        """A reference to the area that is shown, if it is limited."""
        box, (path, transform) = gc.get_clip_rectangle(), gc.get_clip_path()
        if path is not None:
            shape = f'<path d="{_path_text(path, transform + self.flip, None, False)}"/>'
        elif box is not None:
            corner = {"x": box.x0, "y": self.height - box.y1, "width": box.width, "height": box.height}
            shape = f"<rect{_attributes({name: _number(value) for name, value in corner.items()})}/>"
        else:
            return {}
        if shape not in self.ids:
            self.clips.append(f'<clipPath id="{self.new_id(shape)}">{shape}</clipPath>')
        return {"clip-path": f"url(#{self.ids[shape]})"}

    def new_id(self, shape: str) -> str:
        """An id that no other picture has."""
        self.ids[shape] = f"{PREFIX}{len(self.ids)}"
        return self.ids[shape]

    def option_image_nocomposite(self) -> bool:
        """Images stay apart."""
        return True

    def option_scale_image(self) -> bool:
        """Browsers scale images."""
        return True

    def get_image_magnification(self) -> float:
        """Pixels per point."""
        return IMAGE_DPI / 72

    def flipy(self) -> bool:
        """Y runs down."""
        return True

    def get_canvas_width_height(self) -> tuple[float, float]:
        """The size of the picture."""
        return self.width, self.height

    def get_text_width_height_descent(self, s: str, prop: Any, ismath: Any) -> tuple[float, float, float]:
        """The size of text, in matplotlib's font."""
        return _text_size(s, prop, ismath)


@lru_cache(4096)
def _text_size(s: str, prop: Any, ismath: Any) -> tuple[float, float, float]:
    """Kept, since pictures of one page have many texts in common."""
    size: tuple[float, float, float] = text_to_path.get_text_width_height_descent(s, prop, ismath)
    return size


def _path_text(path: Any, transform: Any, clip: Any, simplify: bool) -> str:
    to_text: Any = _path.convert_to_string  # type: ignore[attr-defined]  # what matplotlib's own renderer uses
    text: bytes = to_text(path, transform, clip, simplify, None, DECIMALS, COMMANDS, False)
    return text.decode("ascii").strip().replace(" \n", " ")


def _number(value: float) -> str:
    text = f"{value:.{DECIMALS}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _attributes(values: Mapping[str, str]) -> str:
    return "".join(f' {name}="{value}"' for name, value in values.items())


def _marked(mark: Mark) -> str:
    """The start of a group with hover text and data."""
    hover, data = mark
    return f"<g{_attributes(data)}>" + (f"<title>{escape(hover, quote=False)}</title>" if hover else "")
