"""Help for narrow screens: room for sentences in tables, breaks in long names, none in numbers or options."""

import re
from collections.abc import Iterator

from docutils import nodes
from sphinx.application import Sphinx

LINE = 34  # signs; about a line of a phone
PERCENT = re.compile(r"(?<=\d) (?=%)")
# In tables also "0.70 ± 0.02", "+0.1 to +0.2", "< 4.5", "3 of 12" and "155 s".
TIED = re.compile(
    r"(?<=\d) (?=[%±])|(?<=[±<>≤≥]) (?=[+−]?\d)|(?<=[\d%]) (?=(?:to|of) [+−]?\d)|(?<=[\d%] (?:to|of)) (?=[+−]?\d)"
    r"|(?<=\d) (?=(?:m?s|[kMG]i?B)\b)|(?<= −) (?=\d)"
)
# Browsers end lines at hyphens and dashes, but not within --fast, R-hat, 2014-08-05 and 34–37.
WHOLE = re.compile(
    r"(?<![\w-])--[a-z][\w-]*|\bR-hat\b|\bTe-(?:TiWD|Gauss)\b|\b\d{4}-(?:\d{4}|[\dX]{2}(?:-[\dX]{2})?)\b"
    r"|\d+(?:[.,]\d+)*–\d+(?:[.,]\d+)*"
)
AS_IT_IS = (nodes.literal, nodes.FixedTextElement, nodes.math, nodes.raw)


def mark(app: Sphinx, document: nodes.document, name: str) -> None:
    """Give the class ``long`` to cells with more text than a line holds, and to code with such a word."""
    for body in document.findall(nodes.tbody):
        for cell in body.findall(nodes.entry):
            if len(cell.astext()) > LINE:
                cell["classes"].append("long")
    for code in document.findall(nodes.literal):
        if any(len(word) > LINE for word in code.astext().split()):
            code["classes"].append("long")
    in_cells = {id(text) for cell in document.findall(nodes.entry) for text in cell.findall(nodes.Text)}
    for text in list(document.findall(nodes.Text)):
        if isinstance(text.parent, AS_IT_IS):
            continue
        tied = (TIED if id(text) in in_cells else PERCENT).sub("\N{NO-BREAK SPACE}", text)
        parts = list(whole(tied))
        if parts != [text]:
            text.parent.replace(text, parts)


def whole(text: str) -> Iterator[nodes.Node]:
    """The text, with the class ``whole`` around what has to stay on one line."""
    end = 0
    for found in WHOLE.finditer(text):
        yield nodes.Text(text[end : found.start()])
        yield nodes.inline("", found[0], classes=["whole"])
        end = found.end()
    yield nodes.Text(text[end:])


def setup(app: Sphinx) -> dict[str, bool]:
    """When all references are resolved."""
    app.connect("doctree-resolved", mark)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
