"""A figure drawn once by the renderer of pages, which also measures its texts."""

from typing import Any

from matplotlib.backend_bases import FigureCanvasBase

from tetiwd.plots.page_renderer import Marked, PageRenderer


class PageCanvas(FigureCanvasBase):
    """Lets the layout of a figure measure texts with the renderer that draws them."""

    def __init__(self, figure: Any, marked: Marked, ink: str) -> None:
        super().__init__(figure)
        width, height = 72 * figure.get_size_inches()
        self.renderer = PageRenderer(width, height, marked, ink)

    def get_renderer(self) -> PageRenderer:
        """The renderer."""
        return self.renderer


def drawn(figure: Any, marked: Marked, ink: str) -> PageRenderer:
    """A figure on a transparent ground; afterwards it is as it was."""
    canvas, dpi = figure.canvas, figure.dpi
    grounds = [own.patch for own in (figure, *figure.subfigs, *figure.axes)]
    shown = [ground.get_visible() for ground in grounds]
    try:
        renderer = PageCanvas(figure, marked, ink).get_renderer()
        figure.dpi = 72
        for ground in grounds:
            ground.set_visible(False)
        figure.draw(renderer)
    finally:
        figure.dpi = dpi
        figure.set_canvas(canvas)
        for ground, visible in zip(grounds, shown, strict=True):
            ground.set_visible(visible)
    return renderer
