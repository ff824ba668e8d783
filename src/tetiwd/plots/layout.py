"""Room for the texts around axes, measured once.

matplotlib's constrained layout measures twice, and also what is drawn inside the axes.
"""

from typing import Any

import numpy as np
from matplotlib.layout_engine import LayoutEngine

PAD = 3 / 72  # inches around everything


class Snug(LayoutEngine):
    """Axes below one another, in the proportions of their grid, as large as the texts around them allow."""

    _adjust_compatible = False
    _colorbar_gridspec = False

    def execute(self, fig: Any) -> None:
        """Measure the texts and place the axes."""
        renderer, size, n = fig._get_renderer(), fig.bbox.size, len(fig.axes)
        pad = PAD * fig.dpi / size
        margins = np.zeros((n, 2, 2))  # of every axes: left and bottom, right and top, as shares of the figure
        for i, ax in enumerate(fig.axes):
            texts = [own for own in (*ax.texts, ax.get_legend()) if own is not None and own.get_in_layout()]
            outer = ax.get_tightbbox(renderer, bbox_extra_artists=texts, for_layout_only=True)
            if outer is not None:
                inner = ax.get_position(original=True)
                margins[i] = inner.min - outer.min / size, outer.max / size - inner.max
        margins = np.maximum(margins + pad, 0.0)
        (left, _), (right, _) = margins.max(axis=0)
        below, above = margins[:, 0, 1], margins[:, 1, 1]
        ratios = fig.axes[0].get_gridspec().get_height_ratios()
        ratios = np.asarray(ratios, dtype=float) if len(ratios) == n else np.ones(n)
        width, heights = 1 - left - right, (1 - below.sum() - above.sum()) * ratios / ratios.sum()
        if width <= 0 or heights.min() <= 0:  # no room for more than texts
            return
        for i, ax in enumerate(fig.axes):
            top = 1 - above[: i + 1].sum() - below[:i].sum() - heights[:i].sum()
            ax.set_position((left, top - heights[i], width, heights[i]), which="original")
