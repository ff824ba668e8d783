"""The posterior similarity matrix of one time as a heat map, in the order of the point estimate."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.partitions import Partitions, evenly_spaced
from tetiwd.plots.colours import lineage_colour, lineage_tag
from tetiwd.plots.marks import Marks, as_marks
from tetiwd.plots.style import FILL, figure_width, new_axes, size_of, styled, tag, title, without_axes
from tetiwd.plots.text import count, label, named_times
from tetiwd.summarize.clustering import UNASSIGNED
from tetiwd.summarize.coclustering import check_epoch, coclustering
from tetiwd.summarize.naming import lineage_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tetiwd.analysis import Analysis

Ints = NDArray[np.int64]
MOST_OBJECTS = 400  # more are thinned
N_SHADES = 32  # enough for the eye, and few make a small file


@styled
def plot_coclustering(analysis: "Analysis", t: int, ax: "Axes | None" = None, *, marks: Marks | None = None) -> "Axes":
    """Posterior similarity matrix of a time: the darker, the more probable it is that two objects are together.

    Objects are in order of their lineages, uncertain ones last within a cluster, unassigned ones at the end; squares
    are the clusters of the point estimate. Of more than 400 objects, 400 evenly spaced ones in that order are shown.

    Parameters
    ----------
    analysis : Analysis
        A sample with its answers.
    t : int
        Epoch, counted from 0.
    ax : Axes, optional
        Axes to draw on; None makes a figure.
    marks : Marks, optional
        Remembers lineages and hover text of the parts, for ``tetiwd.plots.svg_of``.

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
    >>> from tetiwd.plots import plot_coclustering
    >>> ax = plot_coclustering(model.analysis_, t=0)
    """
    from matplotlib.patches import Rectangle

    t, remember = check_epoch(t, analysis.sample.series.n_epochs), as_marks(marks)
    order = objects_in_order(analysis, t)
    labels = analysis.clustering.labels[t]
    n, chosen = len(order), order[evenly_spaced(len(order), MOST_OBJECTS)]
    if ax is None:
        side = figure_width(4.9)
        ax = new_axes(side, side)
    ax.imshow(shades(probabilities(analysis, t, chosen)), interpolation="none", aspect="equal")
    time, sizes = named_times(analysis.sample.series.times)[t], analysis.clustering.sizes[t]
    ordered = labels[chosen]
    lineages, first, shown = np.unique(ordered[ordered != UNASSIGNED], return_index=True, return_counts=True)
    certainty = analysis.memberships.certainty[t]
    needed, placed = 13 / size_of(ax)[1] * len(chosen), list[float]()  # numbers of lineages must not overlap
    for i in np.argsort(-shown, kind="stable").tolist():
        g, start, wide = int(lineages[i]), float(first[i]), float(shown[i])
        look: dict[str, Any] = {"fc": "none", "ec": lineage_colour(g), "lw": 1.6 if wide > 3 else 0.9}
        sure = certainty[labels == g].mean()
        words = f"{lineage_words(g)} at {time}: {count(int(sizes[g]), 'object')}, certainty {sure:.2f}"
        square = ax.add_patch(Rectangle((start - 0.5, start - 0.5), wide, wide, **look))
        remember.mark(square, lineage=g, epoch=t, title=words)
        middle = start + wide / 2 - 0.5
        if all(abs(middle - other) >= needed for other in placed):
            placed.append(middle)
            place = {"transform": ax.get_yaxis_transform(), "ha": "right"}
            remember.mark(
                tag(ax, -0.015, middle, lineage_tag(g), lineage_colour(g), **place), lineage=g, epoch=t, title=words
            )
    ax.set_anchor("NW")
    without_axes(ax)
    note = "stronger: more often together · squares: clusters"
    if len(chosen) < n:
        note = f"{len(chosen):,} of {n:,} objects · {note}"
    title(ax, f"Together at {label(time)}", note, map(lineage_tag, lineages.tolist()))
    return ax


def objects_in_order(analysis: "Analysis", t: int) -> Ints:
    """Objects of an epoch by lineage, the most certain first; unassigned ones last."""
    labels = analysis.clustering.labels[t]
    return np.lexsort((-analysis.memberships.certainty[t], labels, labels == UNASSIGNED))


def probabilities(analysis: "Analysis", t: int, chosen: Ints) -> NDArray[np.float64]:
    """Posterior similarity of some objects of an epoch, in the given order."""
    whole = analysis.sample.partitions
    return coclustering(Partitions(whole.at(t)[:, chosen], (len(chosen),), (whole.times[t],)), 0)


def shades(p: NDArray[Any]) -> NDArray[np.float64]:
    """Probabilities as an image: one colour, the more transparent the smaller."""
    from matplotlib.colors import to_rgb

    image = np.empty((*p.shape, 4))
    image[..., :3] = to_rgb(FILL)
    image[..., 3] = np.round(p * N_SHADES) / N_SHADES
    return image
