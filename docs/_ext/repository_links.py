"""Links to files beside ``docs/`` lead to the pages that show them, so that the same link works in a clone and here."""

import os
import re
from pathlib import PurePosixPath

from sphinx.application import Sphinx

PAGE_OF = {"CONTRIBUTING.md": "developers/contributing.md", "CHANGELOG.md": "developers/changes.md"}
LINK = re.compile(r"\]\((?P<up>(?:\.\./)+)(?P<file>[A-Z]+\.md)")


def redirect(app: Sphinx, page: str, source: list[str]) -> None:
    """Rewrite the links of a page before it is read."""
    folder = PurePosixPath(page).parent

    def on_this_site(link: re.Match[str]) -> str:
        out_of_docs = link["up"].count("../") == len(folder.parts) + 1
        if link["file"] not in PAGE_OF or not out_of_docs:
            return link[0]
        return "](" + os.path.relpath(PAGE_OF[link["file"]], folder).replace(os.sep, "/")

    source[0] = LINK.sub(on_this_site, source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Look at every page."""
    app.connect("source-read", redirect)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
