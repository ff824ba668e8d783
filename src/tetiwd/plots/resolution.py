"""Clusters at several degrees of freedom, from coarse to fine: how they divide, and how good every step is."""

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.plots.colours import lineage_colour
from tetiwd.plots.marks import Marks, a_mark, as_marks
from tetiwd.plots.style import FILL, INK, areas, bare, boxes, figure_width, new_axes, styled, title

if TYPE_CHECKING:
    from tetiwd.resolution import ResolutionPath

HALF = 0.1  # of the width of a column, in steps
GAP = 0.012  # between clusters, as a share of the height
BEND = np.linspace(0, 1, 13)
EASE = BEND**2 * (3 - 2 * BEND)
FAINT = 0.35


@styled
def plot_resolution(path: "ResolutionPath", *, labels: NDArray[Any] | None = None, marks: Marks | None = None) -> Any:
    """Two panels: clusters of every step as blocks with ribbons to the next step, and the score below.

    Parameters
    ----------
    path : ResolutionPath
        Steps from coarse to fine.
    labels : array_like of int, shape (N,), optional
        A lineage for every object of all epochs, which give blocks their colours; those of the chosen step by default.
    marks : Marks, optional
        Remembers hover text of the parts, for ``tetiwd.plots.svg_of``.

    Returns
    -------
    ndarray of Axes
        The two axes.

    Examples
    --------
    >>> import numpy as np
    >>> from tetiwd import DistanceSeries, resolution_path
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(40, 3)) + 6 * np.repeat([0, 1], 20)[:, None]
    >>> path = resolution_path(DistanceSeries.from_features(X, time=np.zeros(40)))
    >>> from tetiwd.plots import plot_resolution
    >>> axes = plot_resolution(path)
    """
    remember, table = as_marks(marks), path.table()
    tree, score = axes = new_axes(figure_width(7.5), 4.8, heights=(2.6, 1))
    if labels is None:
        colours = np.concatenate(path.best.labels)
    else:
        colours = np.asarray(labels) if path.part is None else np.asarray(labels)[path.part.places]
    flat = [np.unique(np.concatenate(step.labels), return_inverse=True)[1] for step in path.steps]
    places = _stacked(flat)
    _draw_flows(tree, flat, places, colours)
    _draw_blocks(tree, path, flat, places, colours, remember)
    steps = np.arange(len(path.steps))
    tree.set(xlim=(-0.5, len(steps) - 0.5), ylim=(1.0 + GAP * max(map(np.ptp, flat)), 0))
    tree.set_xticks(steps, [f"{k:.1f}" for k in table.clusters])
    tree.set_yticks([])
    tree.set(xlabel="clusters at a time", ylabel="objects")
    bare(tree, "left", "bottom", "top")
    _draw_scores(score, path, table, remember)
    some = "" if path.part is None else f" · {len(colours):,} of {sum(path.part.n_objects):,} objects"
    title(tree, "From coarse to fine", f"frame: the value taken{some}")
    remember.describe(
        "; ".join(
            f"dof {row.dof:.3g}: {row.clusters:.1f} clusters, score {row.score:.3f}" for row in table.itertuples()
        )
    )
    return axes


def _stacked(flat: list[NDArray[np.int64]]) -> list[NDArray[np.float64]]:
    """Upper edge of every cluster of every step: the large ones first, then each below what it comes from."""
    n = len(flat[0])
    position = np.zeros(n)
    places: list[NDArray[np.float64]] = []
    for labels in flat:
        sizes = np.bincount(labels)
        along = np.bincount(labels, weights=position) / sizes if places else -sizes.astype(float)
        order = np.lexsort((-sizes, along))
        top = np.empty(len(sizes))
        top[order] = np.concatenate([[0], np.cumsum(sizes[order] / n + GAP)[:-1]])
        places.append(top)
        position = top[labels] + sizes[labels] / n / 2
    return places


def _draw_flows(
    ax: Any, flat: list[NDArray[np.int64]], places: list[NDArray[np.float64]], colours: NDArray[Any]
) -> None:
    """Ribbons from the clusters of a step to those of the next."""
    n, outlines, fills = len(colours), [], []
    for i, (here, there) in enumerate(pairwise(flat)):
        shared = np.zeros((here.max() + 1, there.max() + 1), dtype=np.int64)
        np.add.at(shared, (here, there), 1)
        starts, ends = places[i].copy(), places[i + 1].copy()
        x = i + HALF + BEND * (1 - 2 * HALF)
        for a in np.argsort(places[i]):
            for b in np.argsort(places[i + 1]):
                wide = shared[a, b] / n
                if not wide:
                    continue
                upper = starts[a] + EASE * (ends[b] - starts[a])
                starts[a], ends[b] = starts[a] + wide, ends[b] + wide
                outlines.append([*zip(x, upper, strict=True), *zip(x[::-1], upper[::-1] + wide, strict=True)])
                fills.append((lineage_colour(_main(colours[(here == a) & (there == b)])), FAINT))
    areas(ax, outlines, fills)


def _draw_blocks(
    ax: Any,
    path: "ResolutionPath",
    flat: list[NDArray[np.int64]],
    places: list[NDArray[np.float64]],
    colours: NDArray[Any],
    marks: Marks,
) -> None:
    from matplotlib.patches import Rectangle

    n, where, fills, words = len(colours), [], [], []
    for i, (labels, tops) in enumerate(zip(flat, places, strict=True)):
        for cluster, top in enumerate(tops):
            members = labels == cluster
            where.append((i - HALF, top, 2 * HALF, members.sum() / n))
            fills.append((lineage_colour(_main(colours[members])), 1.0))
            dof = float(np.median(path.steps[i].dof))
            words.append(a_mark(f"{members.sum()} of {n} objects, dof {dof:.3g}"))
    marks.mark_each(boxes(ax, where, fills), words)
    lowest = max(top + np.mean(flat[path.chosen] == c) for c, top in enumerate(places[path.chosen]))
    frame = (path.chosen - 2 * HALF, -GAP), 4 * HALF, lowest + 2 * GAP
    ax.add_patch(Rectangle(*frame, fill=False, ec=INK, lw=1.0, clip_on=False))


def _draw_scores(ax: Any, path: "ResolutionPath", table: Any, marks: Marks) -> None:
    steps = np.arange(len(table))
    ax.plot(steps, table.score, color=FILL, lw=1.4)
    dots = ax.plot(steps, table.score, ls="", marker="o", ms=5, color=FILL)[0]
    words = [
        a_mark(
            f"dof {row.dof:.3g}: score {row.score:.3f}; separation {row.separation:.2f}, agreement {row.agreement:.2f}"
        )
        for row in table.itertuples()
    ]
    marks.mark_each(dots, words)
    ax.plot(path.chosen, table.score[path.chosen], marker="o", ms=10, mfc="none", mec=INK, mew=1.0)
    ax.set(xlim=(-0.5, len(steps) - 0.5), ylim=(min(0.0, table.score.min()), 1.25 * max(table.score.max(), 0.01)))
    ax.set_xticks(steps, [f"{dof:.3g}" for dof in table.dof])
    ax.set(xlabel="degrees of freedom: coarse to fine", ylabel="score")
    bare(ax, "top", "right")


def _main(lineages: NDArray[Any]) -> int:
    """The lineage that most objects have."""
    values, counts = np.unique(lineages, return_counts=True)
    return int(values[counts.argmax()])
