"""The number of clusters at every time: its posterior distribution and the point estimate."""

from typing import TYPE_CHECKING

import numpy as np

from tetiwd.plots.marks import Marks, a_mark, as_marks
from tetiwd.plots.style import FILL, INK, bare, boxes, figure_width, new_axes, styled, time_axis, title
from tetiwd.plots.text import named_times
from tetiwd.plots.time_scale import NOT_TO_SCALE, places_of, scale_note

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tetiwd.analysis import Analysis

LEAST = 0.005  # probabilities below this are not drawn


@styled
def plot_n_clusters(analysis: "Analysis", ax: "Axes | None" = None, *, marks: Marks | None = None) -> "Axes":
    """Posterior of the number of clusters at every time: the darker a cell, the more probable the number.

    A vertical line is the central credible interval (``analysis.settings.level``), a diamond the point estimate. The
    posterior counts clusters of any size, the point estimate those that are large enough.

    Parameters
    ----------
    analysis : Analysis
        A sample with its answers.
    ax : Axes, optional
        Axes to draw on; None makes a figure.
    marks : Marks, optional
        Remembers hover text of the parts, for ``tetiwd.plots.svg_of``.

    Returns
    -------
    Axes
        The axes that were drawn on.

    Examples
    --------
    >>> from tetiwd import SamplerSettings, TeTiWD, simulate_separated
    >>> short = SamplerSettings(n_chains=2, n_warmup=50, n_draws=50)
    >>> D = simulate_separated(seed=1).D
    >>> model = TeTiWD(squared=True, dof=100, settings=short, random_state=0).fit(D)
    >>> from tetiwd.plots import plot_n_clusters
    >>> ax = plot_n_clusters(model.analysis_)
    """
    from matplotlib.ticker import MaxNLocator

    remember, table = as_marks(marks), analysis.n_clusters()
    times = named_times(analysis.sample.series.times)
    drawn = np.concatenate([draws.n_clusters for draws in analysis.sample.draws if len(draws)])
    if ax is None:
        ax = new_axes(figure_width(min(11.0, max(4.5, 3.5 + 0.3 * len(times)))), 3.4)
    places = places_of(analysis.sample.series.times)
    half, cells = 0.36 * float(np.diff(places).min(initial=1.0)), list[tuple[int, int, float]]()
    for t, column in enumerate(drawn.T):
        values, counts = np.unique(column, return_counts=True)
        shares = (counts / len(drawn)).tolist()
        cells += [(t, k, p) for k, p in zip(values.tolist(), shares, strict=True) if p >= LEAST]
    most = max((p for _, _, p in cells), default=1.0)
    outlines = [(float(places[t]) - half, k - 0.44, 2 * half, 0.88) for t, k, _ in cells]
    about = [a_mark(f"{k} cluster{'s' * (k != 1)} at {times[t]}: probability {p:.2f}", epoch=t) for t, k, p in cells]
    remember.mark_each(boxes(ax, outlines, [(FILL, 0.07 + 0.88 * p / most) for _, _, p in cells]), about)
    lower, upper, estimate = table.lower.to_numpy(), table.upper.to_numpy(), table.clusters.to_numpy()
    ax.vlines(places, lower - 0.12, upper + 0.12, color=INK, lw=0.9, alpha=0.55)
    size = 5.5 if len(times) <= 25 else 4.0
    ax.plot(places, estimate, ls="", marker="D", ms=size, mfc="#FFFFFF", mec="#010101", mew=1.0)
    time_axis(ax, analysis.sample.series.times, margins=(0.7, 0.7), marks=remember, places=places.tolist())
    numbers = [*(k for _, k, _ in cells), *estimate.tolist()]
    ax.set_ylim(min(numbers) - 0.7, max(numbers) + 0.7)
    ax.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=8, min_n_ticks=1))
    ax.set_ylabel("clusters")
    bare(ax, "top", "right")
    note = f"stronger: more probable · line: {analysis.settings.level:.0%} interval · diamond: estimate"
    if scale_note(analysis.sample.series.times, places):
        note += f" · {NOT_TO_SCALE}"
    title(ax, "Number of clusters", note)
    return ax
