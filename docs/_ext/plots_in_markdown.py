"""Matplotlib's ``plot`` directive in Markdown: what it would insert as reStructuredText is read as such."""

from typing import Any

from docutils import nodes
from matplotlib.sphinxext.plot_directive import PlotDirective
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


class _Collecting:
    """A state machine that keeps the lines to insert."""

    def __init__(self, machine: Any):
        self._machine = machine
        self.lines: list[str] = []

    def insert_input(self, lines: list[str], source: str) -> None:
        self.lines += lines

    def __getattr__(self, name: str) -> Any:
        return getattr(self._machine, name)


class MarkdownPlot(PlotDirective, SphinxDirective):
    """The directive ``{plot}``."""

    def run(self) -> list[nodes.Node]:
        """Nodes of the figure."""
        self.arguments = [path.removeprefix("/") for path in self.arguments]  # paths begin at the docs root
        machine = self.state_machine
        self.state_machine = _Collecting(machine)
        try:
            errors = super().run()
            lines = self.state_machine.lines
        finally:
            self.state_machine = machine
        return errors + self.parse_text_to_nodes("\n".join(["````{eval-rst}", *lines, "````"]))


def setup(app: Sphinx) -> dict[str, bool]:
    """Take the place of matplotlib's directive."""
    app.add_directive("plot", MarkdownPlot, override=True)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
