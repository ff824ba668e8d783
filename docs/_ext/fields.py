"""Attributes of dataclasses, from the comments beside their fields in the source."""

import inspect
import re
from dataclasses import is_dataclass
from typing import Any

from sphinx.application import Sphinx

FIELD = re.compile(r"    (?P<name>[a-z]\w*): (?P<kind>[^=#]+?)(?: = [^#]*?)?(?:  # (?P<text>.*))?")


def add_attributes(app: Sphinx, what: str, name: str, owner: Any, options: Any, lines: list[str]) -> None:
    """Append a section "Attributes" to the docstring of a class that has none."""
    described = {"Attributes", "Parameters"} & set(lines)
    if what != "class" or described or not is_dataclass(owner):
        return
    body = inspect.getsource(owner).partition("\n    def ")[0].partition("\n    @")[0]
    fields = [found for line in body.splitlines() if (found := FIELD.fullmatch(line))]
    section = ["Attributes", "----------"]
    for field in fields:
        section += [f"{field['name']} : {field['kind'].replace('NDArray[np.int64]', 'Ints').strip(chr(34))}"]
        section += [f"    {field['text'][0].upper()}{field['text'][1:]}."] if field["text"] else []
    at = lines.index("Examples") if "Examples" in lines else len(lines)
    lines[at:at] = ["", *section, ""] if fields else []


def setup(app: Sphinx) -> dict[str, bool]:
    """Before numpydoc reads the docstring."""
    app.connect("autodoc-process-docstring", add_attributes, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
