"""How far lineages move: the posterior of a step, between staying and jumping anywhere."""

from typing import TYPE_CHECKING

import numpy as np

from tetiwd.plots.marks import Marks, as_marks
from tetiwd.plots.style import FILL, INK, bare, figure_width, new_axes, styled, title
from tetiwd.summarize.motion import lineage_motion

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tetiwd.analysis import Analysis

N_BINS = 40


@styled
def plot_motion(analysis: "Analysis", ax: "Axes | None" = None, *, marks: Marks | None = None) -> "Axes":
    """Posterior of the step from one time to the next, relative to the distance between two lineages (moving centres).

    Parameters
    ----------
    analysis : Analysis
        A sample of the model of moving centres, with its answers.
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
    >>> from tetiwd import DistanceSeries, SamplerSettings, TeTiWD, simulate_separated
    >>> from tetiwd.plots import plot_motion
    >>> data = simulate_separated(seed=1)
    >>> series = DistanceSeries.from_distances(data.D, squared=True, cross=data.cross)
    >>> short = SamplerSettings(n_chains=2, n_warmup=50, n_draws=50)
    >>> model = TeTiWD(geometry="moving", dof=100, settings=short, random_state=0).fit(series)
    >>> ax = plot_motion(model.analysis_)
    """
    found = lineage_motion(analysis.sample, level=analysis.settings.level)
    if ax is None:
        ax = new_axes(figure_width(5.5), 2.6)
    counts, edges = np.histogram(found.relative_step, bins=N_BINS, range=(0, 1))
    for height, left, right in zip(counts / len(found.rho), edges, edges[1:], strict=False):
        if height:
            bar = ax.bar(left, height, right - left, align="edge", color=FILL)[0]
            as_marks(marks).mark(bar, title=f"step of {left:.3f} to {right:.3f}: probability {height:.2f}")
    lower, upper = found.interval(found.relative_step)
    ax.plot([lower, upper], [0, 0], color=INK, lw=3, solid_capstyle="butt", clip_on=False)
    ax.set(xlim=(0, 1), xlabel="step relative to the distance between lineages", ylabel="probability")
    ax.set_xticks([0, 0.5, 1], ["0\nthey stay (pooled)", "0.5", "1\nthey jump (static)"])
    bare(ax, "top", "right")
    title(ax, "How lineages move")
    return ax
