"""Help for narrow screens: room for sentences in tables, breaks in very long names, none within a number."""

import re

from docutils import nodes
from sphinx.application import Sphinx

LINE = 34  # signs; about a line of a phone
PERCENT = re.compile(r"(?<=\d) (?=%)")
# In tables also "0.70 ± 0.02", "+0.1 to +0.2", "< 4.5", "3 of 12" and "155 s".
TIED = re.compile(
    r"(?<=\d) (?=[%±])|(?<=[±<>≤≥]) (?=[+−]?\d)|(?<=[\d%]) (?=(?:to|of) [+−]?\d)|(?<=[\d%] (?:to|of)) (?=[+−]?\d)"
    r"|(?<=\d) (?=(?:m?s|[kMG]i?B)\b)"
)


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
        tied = TIED if id(text) in in_cells else PERCENT
        if tied.search(text) and not isinstance(text.parent, (nodes.literal, nodes.literal_block)):
            text.parent.replace(text, nodes.Text(tied.sub("\N{NO-BREAK SPACE}", text)))


def setup(app: Sphinx) -> dict[str, bool]:
    """When all references are resolved."""
    app.connect("doctree-resolved", mark)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
