"""Distances between the clusters of one time: by the model's geometry A_t, and as measured."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data.feature_distances import among
from tetiwd.plots.colours import lineage_colour, lineage_tag
from tetiwd.plots.marks import Marks, a_mark, as_marks
from tetiwd.plots.style import FILL, boxes, figure_width, new_axes, styled, tag, title, without_axes
from tetiwd.plots.text import label, named_times
from tetiwd.summarize.alignment import match
from tetiwd.summarize.clustering import UNASSIGNED
from tetiwd.summarize.coclustering import check_epoch
from tetiwd.summarize.naming import lineage_words
from tetiwd.summarize.new_object import draws_with_geometry
from tetiwd.summarize.tracking import distances_of_means

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tetiwd.analysis import Analysis

Floats = NDArray[np.float64]
MOST_DRAWS = 400
MOST_CLUSTERS = 24  # the largest ones are shown
MOST_IN_ANY_WIDTH = 7  # whose numbers can be read in a small picture, too
DARKEST = 0.62  # text on it can be read in pages of any colour


@styled
def plot_geometry(analysis: "Analysis", t: int, ax: "Axes | None" = None, *, marks: Marks | None = None) -> "Axes":
    """Distances between cluster centres, in units of the distances of the data (not squared).

    Below the diagonal they come from A_t of the draws; above it they are measured between the objects of the point
    estimate. Where the data say little about the geometry, the model shrinks distances. Of more than 24 clusters the
    largest are shown.

    Parameters
    ----------
    analysis : Analysis
        A sample with its answers; its draws must have kept A (``SamplerSettings.geometry_every``).
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
    >>> from tetiwd.plots import plot_geometry
    >>> ax = plot_geometry(model.analysis_, t=0)
    """
    t, remember = check_epoch(t, analysis.sample.series.n_epochs), as_marks(marks)
    lineages, model, share = cluster_distances(analysis, t)
    measured = measured_distances(analysis, t)
    n_all, sizes = len(lineages), analysis.clustering.sizes[t]
    kept = np.sort(np.argsort(-sizes[lineages], kind="stable")[:MOST_CLUSTERS])
    lineages, both = lineages[kept], np.ix_(kept, kept)
    distance = np.where(np.tri(len(kept), k=-1, dtype=bool), model[both], measured[both])
    share, k, time = share[both], len(lineages), named_times(analysis.sample.series.times)[t]
    if ax is None:
        ax = _axes_for(k)
    seen = distance[~np.eye(k, dtype=bool) & np.isfinite(distance)]
    largest = float(seen.max(initial=0.0)) or 1.0
    cells = [(i, j) for i in range(k) for j in range(k) if i != j and np.isfinite(distance[i, j])]
    about = []
    for i, j in cells:
        g, h = lineages[i], lineages[j]
        pair = f"{lineage_words(min(g, h))} and {lineage_words(max(g, h))}"
        words = f"{pair} at {time}: {_number(distance[i, j], largest)} apart"
        words += " as measured" if j > i else " in the model"
        if j < i and share[i, j] < 0.995:
            words += f", in the draws that have both ({share[i, j]:.0%})"
        about.append(a_mark(words, lineage=g, epoch=t, to_lineage=h))
    if cells:
        remember.mark_each(_squares(ax, cells, distance, largest), about)
    for i, g in enumerate(lineages.tolist()):
        tag(ax, i, i, lineage_tag(g), lineage_colour(g), fontsize=8.5 if k <= 16 else 7).set_in_layout(False)
    ax.set_xlim(-0.5, max(k, 1) - 0.5)
    ax.set_ylim(max(k, 1) - 0.5, -0.5)
    ax.set_aspect("equal", anchor="NW")
    without_axes(ax)
    note = f"below: model · above: measured · within one: {_number(within_clusters(analysis), largest)}"
    if k < n_all:
        note = f"the {k} largest of {n_all} clusters · {note}"
    if k <= 1:
        note = "there is only one cluster" if k else "there is no cluster"
    title(ax, f"Distances between clusters at {label(time)}", note)
    return ax


def _axes_for(k: int) -> "Axes":
    """Axes on which the distances of k clusters can be read."""
    side = min(7.5, max(3.2, 1.6 + 0.42 * k))
    width = max(side + 0.2, 4.2)
    if k <= MOST_IN_ANY_WIDTH and figure_width(width) != width:
        width = side = figure_width(width)
    axes: Axes = new_axes(width, side)
    return axes


def _squares(ax: "Axes", cells: list[tuple[int, int]], distance: Floats, largest: float) -> Any:
    """Squares in rows and columns, with the distance in numbers if there is room."""
    k = len(distance)
    if k <= 16:
        look: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 8.5 if k <= 10 else 6.5}
        for i, j in cells:
            ax.text(j, i, _number(distance[i, j], largest), **look).set_in_layout(False)
    opacity = [0.04 + (DARKEST - 0.04) * distance[cell] / largest for cell in cells]
    return boxes(ax, [(j - 0.48, i - 0.48, 0.96, 0.96) for i, j in cells], [(FILL, alpha) for alpha in opacity])


def cluster_distances(analysis: "Analysis", t: int) -> tuple[NDArray[np.int64], Floats, Floats]:
    """Lineages at an epoch, the root mean squared distance between every two of their centres over draws that have both
    (NaN if none has), and the share of draws that do.
    """
    sample, estimate = analysis.sample, analysis.clustering.labels[t]
    kept = draws_with_geometry(sample, MOST_DRAWS)
    labels = np.array([draws.labels_at(t)[i] for draws, i in kept])
    matched = match(estimate, labels)[0]
    lineages = analysis.clustering.lineages_at(t)
    total, count = np.zeros((len(lineages), len(lineages))), np.zeros((len(lineages), len(lineages)))
    first = [np.unique(drawn, return_index=True)[1] for drawn in labels]  # rows of A are in order of the labels
    for s, (draws, i) in enumerate(kept):
        A, words = draws.geometry[i // draws.geometry_every][t], matched[s, first[s]]
        rows = np.flatnonzero(words >= 0)
        there = np.searchsorted(lineages, words[rows])
        where, lengths = (there[:, None], there), np.diagonal(A)[rows]
        total[where] += lengths[:, None] + lengths - 2 * A[rows[:, None], rows]
        count[where] += 1
    mean = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
    return lineages, np.sqrt(np.maximum(mean, 0.0)), count / len(kept)


def measured_distances(analysis: "Analysis", t: int) -> Floats:
    """Distances between cluster means in order of lineages, less the average contribution of chance."""
    D, labels = analysis.sample.series.to_distances().D[t], analysis.clustering.labels[t]
    if analysis.clustering.n_unassigned[t]:
        assigned = np.flatnonzero(labels != UNASSIGNED)
        D, labels = among(D, assigned), labels[assigned]
    _, slot, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    noise = within_clusters(analysis) ** 2 / 2 / sizes  # variance within a cluster by its size
    squared = distances_of_means(D, slot, sizes)[0] - noise - noise[:, None]
    np.fill_diagonal(squared, 0.0)
    return np.sqrt(np.maximum(squared, 0.0))


def _number(value: float, largest: float) -> str:
    """A distance with as many decimals as give the largest one two or three digits."""
    decimals = max(0, 1 - int(np.floor(np.log10(largest))))
    return f"{value:.{min(decimals, 6)}f}"


def within_clusters(analysis: "Analysis") -> float:
    """Root mean squared distance between two objects of one cluster, from the posterior mean of 2α."""
    alpha = np.concatenate([draws.alpha for draws in analysis.sample.draws if len(draws)])
    return float(np.sqrt(2 * alpha.mean()))
