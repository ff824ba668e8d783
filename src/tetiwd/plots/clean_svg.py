"""SVG of matplotlib made fit for a page: smaller, without styles, and in the colour of the page."""

import base64
import hashlib
import re
from collections.abc import Mapping
from io import BytesIO
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np

from tetiwd.plots.text import FONT

SVG, XLINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}"
NUMBER = re.compile(r"-?\d*\.\d+(?:e-?\d+)?")
PASSED_ON = ("fill", "stroke", "stroke-width", "fill-opacity", "stroke-opacity", "clip-path", "font-size")
ROUNDED = (
    *("x", "y", "width", "height", "viewBox", "transform", "font-size"),
    *("stroke-width", "stroke-dasharray", "opacity", "fill-opacity", "stroke-opacity"),
)
INK = {"#000000": "currentColor", "black": "currentColor"}
EVERYWHERE = {"stroke-linejoin": "round", "stroke-linecap": "butt", "fill": "currentColor"}
Marked = Mapping[str, tuple[str, Mapping[str, str]]]


def cleaned(svg: bytes, marked: Marked, title: str, desc: str) -> str:
    """The picture with hover text and data, named and described."""
    root = ElementTree.fromstring(svg)
    for own in list(root):
        if own.tag == f"{SVG}metadata":
            root.remove(own)
    for own in root.iter():
        own.text = (own.text or "").strip() or None if own.tag != f"{SVG}text" else own.text
        own.tail = None
        _plain_attributes(own)
    _say(root, marked)
    _draw_in_place(root)
    _drop_unseen(root)
    _name_apart(root, hashlib.sha256(svg).hexdigest()[:6])
    _flatten(root)
    _pass_on(root)
    for own in root.iter(f"{SVG}path"):
        own.set("d", _short_path(own.attrib["d"]))
    _frame(root, title, desc)
    ElementTree.register_namespace("", SVG[1:-1])
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _plain_attributes(own: Element) -> None:
    """Styles as attributes, links without name space, numbers with two decimals, ink in the colour of the page."""
    for part in own.attrib.pop("style", "").split(";"):
        name, colon, value = part.partition(":")
        if colon:
            own.set(name.strip(), value.strip())
    for name in [name for name in own.attrib if name.startswith(XLINK)]:
        own.set(name.removeprefix(XLINK), own.attrib.pop(name))
    for name in ("font-family", "stroke-dashoffset", "version"):
        own.attrib.pop(name, None)
    if own.get("text-anchor") == "start":
        del own.attrib["text-anchor"]
    if own.get("transform", "").startswith("rotate(-0 "):
        del own.attrib["transform"]
    if own.get("fill") == "none" or own.get("fill-opacity") == "0":
        own.set("fill", "none")
        own.attrib.pop("fill-opacity", None)
    for name in ("fill", "stroke"):
        if name in own.attrib:
            own.set(name, INK.get(own.attrib[name], own.attrib[name]))
    if own.get("font-size", "").endswith("px"):
        own.set("font-size", own.attrib["font-size"][:-2])
    if own.tag == f"{SVG}image":
        own.set("href", _smaller_png(own.attrib["href"]))
        own.set("image-rendering", "pixelated")
        return  # a small error in its matrix is one of many pixels
    for name in ROUNDED:
        if name in own.attrib:
            own.set(name, _rounded(own.attrib[name]))
    if own.tag == f"{SVG}path" and "id" not in own.attrib and own.get("stroke", "none") == "none":
        for name in [name for name in own.attrib if name.startswith("stroke")]:
            del own.attrib[name]


def _rounded(text: str) -> str:
    def two_decimals(found: re.Match[str]) -> str:
        number = f"{float(found.group()):.2f}".rstrip("0").rstrip(".")
        return "0" if number == "-0" else number

    return NUMBER.sub(two_decimals, text)


def _short_path(d: str) -> str:
    """Steps from point to point in hundredths, which are short numbers and add up without error."""
    x = y = 0  # where the pen is
    short = []
    for letter, rest in re.findall(r"([MLCQz])([^MLCQz]*)", d):
        if letter == "z":
            short.append("z")
            continue
        values = [round(100 * float(own)) for own in rest.split()]
        steps = [value - (y if i % 2 else x) for i, value in enumerate(values)]
        if letter == "M":
            short.append("M" + _joined(values))
        elif letter == "L" and steps == [0, 0] and len(short) > 1:
            continue
        elif letter == "L" and steps[1] == 0:
            short.append("h" + _joined(steps[:1]))
        elif letter == "L" and steps[0] == 0:
            short.append("v" + _joined(steps[1:]))
        else:
            short.append(letter.lower() + _joined(steps))
        x, y = values[-2:]
    return "".join(short)


def _joined(hundredths: list[int]) -> str:
    """Numbers side by side, with a space only where it is needed."""
    text = ""
    for value in hundredths:
        number = f"{abs(value) / 100:.2f}".rstrip("0").rstrip(".")
        number = ("-" if value < 0 else "") + (number.removeprefix("0") or "0")
        text += (" " if text and value >= 0 else "") + number
    return text


def _smaller_png(href: str) -> str:
    """An image of few colours with a palette, which is a fraction of the size."""
    from PIL import Image

    kind, _, data = href.partition(",")
    with Image.open(BytesIO(base64.b64decode(data))) as image:
        pixels = np.asarray(image.convert("RGBA"))
    colours, index = np.unique(pixels.reshape(-1, 4), axis=0, return_inverse=True)
    buffer = BytesIO()
    if len(colours) <= 256:
        small = Image.fromarray(index.reshape(pixels.shape[:2]).astype(np.uint8)).convert("P")
        small.putpalette(colours[:, :3].tobytes())
        small.save(buffer, "PNG", optimize=True, transparency=colours[:, 3].tobytes())
    else:
        Image.fromarray(pixels).save(buffer, "PNG", optimize=True)
    return f"{kind},{base64.b64encode(buffer.getvalue()).decode()}"


def _say(root: Element, marked: Marked) -> None:
    """Hover text and data of everything that is marked."""
    for own in root.iter():
        title, data = marked.get(own.get("id", ""), ("", {}))
        if own.get("id") in marked:
            del own.attrib["id"]
            own.attrib.update(data)
        if title:
            words = Element(f"{SVG}title")
            words.text = title
            _put_first(own, [words])


def _draw_in_place(root: Element) -> None:
    """What is defined for a single use is drawn where it is used."""
    shapes = {own.attrib["id"]: own for own in root.iter(f"{SVG}path") if "id" in own.attrib}
    uses: dict[str, list[Element]] = {}
    for own in root.iter(f"{SVG}use"):
        uses.setdefault(own.attrib["href"].removeprefix("#"), []).append(own)
    for name, found in uses.items():
        if len(found) == 1 and name in shapes:
            own, shape = found[0], shapes[name]
            x, y = float(own.attrib.pop("x", "0")), float(own.attrib.pop("y", "0"))
            del own.attrib["href"]
            own.tag = f"{SVG}path"
            own.attrib.update({key: value for key, value in shape.attrib.items() if key not in ("id", "d")})
            own.set("d", _moved(shape.attrib["d"], x, y))
            shape.attrib.update({"fill": "none"})  # and is dropped with what is not seen
            del shape.attrib["id"]
            shape.attrib.pop("stroke", None)


def _moved(d: str, x: float, y: float) -> str:
    parts = []
    for letter, rest in re.findall(r"([MLCQz])([^MLCQz]*)", d):
        numbers = [float(own) + (y if i % 2 else x) for i, own in enumerate(rest.split())]
        parts.append(letter + " ".join(f"{own:.6f}" for own in numbers))
    return "".join(parts)


def _drop_unseen(parent: Element) -> None:
    """Away with styles, with shapes of no colour, and with groups of nothing."""
    for own in list(parent):
        _drop_unseen(own)
        kind = own.tag.removeprefix(SVG)
        nothing = kind in ("g", "defs") and all(child.tag == f"{SVG}title" for child in own)
        unseen = kind == "path" and "id" not in own.attrib and own.get("fill") == "none" and "stroke" not in own.attrib
        if kind in ("style", "script") or nothing or unseen or own.get("opacity") == "0":
            parent.remove(own)


def _name_apart(root: Element, prefix: str) -> None:
    """Ids that are referred to get short names of this picture's own; the others go."""
    text = [value for own in root.iter() for name, value in own.attrib.items() if name in ("href", "clip-path")]
    used = {found for value in text if not value.startswith("data:") for found in re.findall(r"#([^)]+)", value)}
    names: dict[str, str] = {}
    for own in root.iter():
        old = own.attrib.pop("id", None)
        if old is not None and old in used:
            names[old] = f"t{prefix}-{len(names)}"
            own.set("id", names[old])
    for own in root.iter():
        for name in ("href", "clip-path"):
            value = own.get(name, "")
            if "#" in value and not value.startswith("data:"):
                own.set(name, re.sub(r"#([^)]+)", lambda found: f"#{names[found.group(1)]}", value))


def _flatten(parent: Element) -> None:
    """Groups that do nothing give way to what is in them; a group of one shares its attributes with that one."""
    for own in list(parent):
        _flatten(own)
        if own.tag != f"{SVG}g":
            continue
        inside = [child for child in own if child.tag != f"{SVG}title"]
        if not own.attrib and len(inside) == len(own):
            at = list(parent).index(own)
            parent[at : at + 1] = list(own)
        elif len(inside) == 1 and _can_take(inside[0], own):
            inside[0].attrib.update(own.attrib)
            _put_first(inside[0], [child for child in own if child.tag == f"{SVG}title"])
            parent[list(parent).index(own)] = inside[0]


def _can_take(own: Element, group: Element) -> bool:
    """May an element stand for its group? A clip path means something else where coordinates are moved."""
    moved = "clip-path" in group.attrib and ("transform" in own.attrib or own.tag == f"{SVG}use")
    known = own.attrib.keys() & group.attrib.keys() or any(child.tag == f"{SVG}title" for child in own)
    return own.tag != f"{SVG}defs" and not moved and not known


def _put_first(own: Element, titles: list[Element]) -> None:
    """Hover text before everything else in an element, its text included."""
    if titles:
        titles[-1].tail, own.text = own.text, None
        own[:0] = titles


def _pass_on(parent: Element) -> None:
    """What everything in a group has in common is said once."""
    for own in parent:
        _pass_on(own)
    if parent.tag != f"{SVG}g":
        return
    inside = [child for child in parent if child.tag not in (f"{SVG}title", f"{SVG}defs")]
    for name in PASSED_ON:
        if name == "clip-path" and any("transform" in own.attrib or own.tag == f"{SVG}use" for own in inside):
            continue
        values = {child.get(name) for child in inside}
        if len(inside) > 1 and len(values) == 1 and None not in values and name not in parent.attrib:
            parent.set(name, values.pop() or "")
            for child in inside:
                del child.attrib[name]


def _frame(root: Element, title: str, desc: str) -> None:
    """As wide as the page lets it, with a name and a description."""
    for name in ("width", "height"):
        root.attrib.pop(name, None)
    given = {"role": "img", "aria-label": title, "width": "100%", "font-family": FONT} | EVERYWHERE
    for name, value in given.items():
        root.set(name, value)
    for tag, text in (("desc", desc), ("title", title)):
        words = Element(f"{SVG}{tag}")
        words.text = text
        root.insert(0, words)
