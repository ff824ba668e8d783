"""SVG of matplotlib made fit for a page: attributes instead of styles, ids of its own, the ink of the page."""

import hashlib
import re
from collections.abc import Mapping
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from tetiwd.plots.text import FONT

SVG, XLINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}"
CURRENT_COLOUR = "currentColor"
BLACK = ("#000000", "black")
PIXELS_PER_POINT = 96 / 72
DECIMALS = re.compile(r"-?\d*\.\d+(?:e-?\d+)?")
REFERENCE = re.compile(r"#([^)]+)")
USELESS = ("font-family", "stroke-dashoffset", "version")  # attributes that say nothing new
Marked = Mapping[str, tuple[str, Mapping[str, str]]]  # id → hover text, attributes


def cleaned(svg: bytes, marked: Marked, *, title: str, desc: str, ink: str = CURRENT_COLOUR) -> str:
    """The picture with hover text and data, a name and a description."""
    root = ElementTree.fromstring(svg)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{SVG}metadata", f"{SVG}style"):
                parent.remove(child)
    for element in root.iter():
        _use_attributes(element)
        _use_ink(element, ink)
        _round_numbers(element)
        element.tail = None
        if not (element.text or "").strip():
            element.text = None
    _add_marks(root, marked)
    _rename_ids(root, hashlib.sha256(svg).hexdigest()[:6])
    _add_frame(root, title, desc, ink)
    ElementTree.register_namespace("", SVG[1:-1])
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _use_attributes(element: Element) -> None:
    """Styles as attributes, which a Content-Security-Policy does not forbid; links without a name space."""
    for declaration in element.attrib.pop("style", "").split(";"):
        name, colon, value = declaration.partition(":")
        if colon:
            element.set(name.strip(), value.strip().removesuffix("px"))
    for name in [name for name in element.attrib if name.startswith(XLINK)]:
        element.set(name.removeprefix(XLINK), element.attrib.pop(name))
    for name in USELESS:
        element.attrib.pop(name, None)
    if element.tag == f"{SVG}image":
        element.set("image-rendering", "pixelated")


def _use_ink(element: Element, ink: str) -> None:
    """Black becomes ink. A fixed ink has no contrast to spare, so text is not made paler with it."""
    for name in ("fill", "stroke"):
        if element.get(name) in BLACK:
            element.set(name, ink)
    if ink != CURRENT_COLOUR and element.tag == f"{SVG}text":
        element.attrib.pop("opacity", None)


def _round_numbers(element: Element) -> None:
    """Two decimals are finer than a pixel; only images, whose matrix is a factor per pixel, keep all."""
    if element.tag == f"{SVG}image":
        return
    for name, value in element.attrib.items():
        if name not in ("id", "href", "clip-path", "fill", "stroke"):
            element.set(name, DECIMALS.sub(_two_decimals, " ".join(value.split())))


def _two_decimals(number: re.Match[str]) -> str:
    text = f"{float(number.group()):.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _add_marks(root: Element, marked: Marked) -> None:
    """Hover text and data of every marked element."""
    for element in list(root.iter()):
        name = element.get("id", "")
        if name in marked:
            hover, data = marked[name]
            del element.attrib["id"]
            element.attrib.update(data)
            if hover:
                _put_first(element, "title", hover)


def _rename_ids(root: Element, prefix: str) -> None:
    """Ids that are referred to get names that no other picture has; all others go."""
    references = [
        (element, name) for element in root.iter() for name in ("href", "clip-path") if name in element.attrib
    ]
    references = [(element, name) for element, name in references if not element.attrib[name].startswith("data:")]
    used = {id_ for element, name in references for id_ in REFERENCE.findall(element.attrib[name])}
    names: dict[str, str] = {}
    for element in root.iter():
        old = element.attrib.pop("id", "")
        if old in used:
            names[old] = f"t{prefix}-{len(names)}"
            element.set("id", names[old])
    for element, name in references:
        element.set(name, REFERENCE.sub(lambda match: f"#{names[match[1]]}", element.attrib[name]))


def _add_frame(root: Element, title: str, desc: str, ink: str) -> None:
    """Size in pixels, a name, a description, and what holds for every part."""
    for name in ("width", "height"):
        root.set(name, f"{float(root.attrib[name].removesuffix('pt')) * PIXELS_PER_POINT:.0f}")
    root.attrib.update({"role": "img", "aria-label": title, "font-family": FONT, "fill": ink})
    root.attrib.update({"stroke-linejoin": "round", "stroke-linecap": "butt"})
    _put_first(root, "desc", desc)
    _put_first(root, "title", title)


def _put_first(element: Element, tag: str, text: str) -> None:
    """Text in an element of its own before everything else, the text of the element included."""
    child = Element(f"{SVG}{tag}")
    child.text = text
    child.tail, element.text = element.text, None
    element.insert(0, child)
