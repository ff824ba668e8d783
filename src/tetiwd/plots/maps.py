"""A map of the objects of one time, coloured by lineage."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data.sampling import sample_objects
from tetiwd.narrative import SURE
from tetiwd.plots.colours import lineage_colour, lineage_tag
from tetiwd.plots.lineage_facts import NOWHERE
from tetiwd.plots.marks import Marks, as_marks
from tetiwd.plots.style import figure_width, new_axes, size_of, styled, tag, title
from tetiwd.plots.text import count, label, named_times
from tetiwd.summarize.clustering import UNASSIGNED
from tetiwd.summarize.coclustering import check_epoch
from tetiwd.summarize.naming import lineage_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tetiwd.analysis import Analysis
    from tetiwd.mode_analysis import ModeAnalysis

Floats = NDArray[np.float64]
MOST_POINTS = 1500
MOST_TAGS = 25  # the largest lineages have their number on the map
HALF_TAG = 6.5  # points; a number stays inside the map
APART = (17.0, 13.0)  # points between the middles of two numbers
HIDDEN = (8.5, 8.0)  # points from the middle of a number: dots nearer than this would be hidden, in part or whole
DIRECTIONS = [(0, 1), (1, 0), (0, -1), (-1, 0), (0.7, 0.7), (0.7, -0.7), (-0.7, -0.7), (-0.7, 0.7)]
AROUND = [(0.0, 0.0)] + [(r * x, r * y) for r in (14, 19, 24) for x, y in DIRECTIONS]


@styled
def plot_map(
    analysis: "Analysis | ModeAnalysis",
    t: int,
    ax: "Axes | None" = None,
    *,
    marks: Marks | None = None,
) -> "Axes":
    """Objects of a time as points, coloured by lineage; hollow where the cluster of an object is uncertain, grey
    crosses where it has none.

    All times have the same limits. Of more than 1500 objects, 1500 are drawn, always the same ones.

    Parameters
    ----------
    analysis : Analysis
        A sample with its answers, or a mode.
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
    >>> from tetiwd.plots import plot_map
    >>> ax = plot_map(model.analysis_, t=0)
    """
    t, remember = check_epoch(t, len(analysis.clustering.times)), as_marks(marks)
    maps = analysis.object_maps
    points, labels, certainty = maps[t], analysis.clustering.labels[t], analysis.memberships.certainty[t]
    x, y, half, rise = _window(maps)
    if ax is None:
        width = figure_width(5.4)
        ax = new_axes(width, 0.65 + (width - 0.2) * rise / half)
    _show_window(ax, x, y, half, rise)
    shown = np.zeros(len(points), dtype=bool)
    shown[sample_objects(len(points), MOST_POINTS)] = True
    time = named_times(analysis.clustering.times)[t]
    size = 4.6 if shown.sum() <= 300 else 3.6 if shown.sum() <= 800 else 2.8
    lineages = analysis.clustering.lineages_at(t)
    sizes = analysis.clustering.sizes[t, lineages]
    words = {
        int(g): f"{lineage_words(int(g))} at {time}: {count(int(n), 'object')}"
        for g, n in zip(lineages, sizes, strict=True)
    }
    unassigned = labels == UNASSIGNED
    nowhere = points[unassigned & shown]
    if len(nowhere):
        look: dict[str, Any] = {"mec": lineage_colour(NOWHERE), "mew": 1.3}
        (line,) = ax.plot(nowhere[:, 0], nowhere[:, 1], ls="", marker="x", ms=size, clip_on=False, **look)
        hover = f"not assigned to a cluster at {time}: {count(int(unassigned.sum()), 'object')}"
        remember.mark(line, lineage=NOWHERE, epoch=t, title=hover)
    for g, hover in words.items():
        colour = lineage_colour(g)
        for sure in (True, False):
            dots = points[(labels == g) & shown & ((certainty >= SURE) == sure)]
            if len(dots):
                look = {"mfc": colour if sure else "none", "mec": colour, "mew": 0.4 if sure else 1.0}
                (line,) = ax.plot(dots[:, 0], dots[:, 1], ls="", marker="o", ms=size, alpha=0.85, clip_on=False, **look)
                doubt = "" if sure else "; hollow ones are uncertain"
                remember.mark(line, lineage=g, epoch=t, title=hover + doubt)
    for g, text in _tags(ax, points[shown], labels[shown], lineages[np.argsort(-sizes, kind="stable")][:MOST_TAGS]):
        remember.mark(text, lineage=g, epoch=t, title=words[g])
    note = "close: similar"
    if len(nowhere):
        note += " · ×: unassigned"
    if (certainty[shown & ~unassigned] < SURE).any():
        what = "membership given the others" if analysis.clustering.found_by == "mode" else "certainty"
        note += f" · hollow: {what} below {SURE:.2f}"
    if not shown.all():
        note = f"{shown.sum():,} of {len(shown):,} objects · {note}"
    title(ax, f"Objects at {label(time)}", note)
    return ax


def _window(maps: Sequence[Floats]) -> tuple[float, float, float, float]:
    """Centre, half width and half height of a window around the objects of all times."""
    everything = np.concatenate(maps)
    low, high = everything.min(axis=0), everything.max(axis=0)
    half = float((high - low).max()) / 2 * 1.06 or 1.0
    rise = min(half, max(float(high[1] - low[1]) / 2 * 1.06 + 0.04 * half, 0.45 * half))
    x, y = (low + high) / 2
    return float(x), float(y), half, rise


def _show_window(ax: "Axes", x: float, y: float, half: float, rise: float) -> None:
    """Limits without ticks: the axes have no meaning of their own."""
    ax.set_xlim(x - half, x + half)
    ax.set_ylim(y - rise, y + rise)
    ax.set_aspect("equal", anchor="NW")
    ax.set_xticks([])
    ax.set_yticks([])
    for side in ax.spines.values():
        side.set_visible(True)
        side.set_alpha(0.3)


def _tags(ax: "Axes", points: Floats, labels: NDArray[Any], lineages: NDArray[Any]) -> list[tuple[int, Any]]:
    """Numbers of lineages near their medians, where they hide the fewest dots and do not cover each other."""
    tags: list[tuple[int, Any]] = []
    per_point = (ax.get_xlim()[1] - ax.get_xlim()[0]) / size_of(ax)[0]
    low, high = np.array([ax.get_xlim(), ax.get_ylim()]).T / per_point
    dots = points / per_point
    placed: list[Floats] = []
    for g in lineages.tolist():
        members = dots[labels == g]
        if not len(members):  # none of them is drawn
            continue
        places = np.clip(np.median(members, axis=0) + np.array(AROUND), low + HALF_TAG, high - HALF_TAG)
        free = [place for place in places if all((np.abs(place - other) > APART).any() for other in placed)]
        if free:
            best = min(free, key=lambda place: int((np.abs(dots - place) < HIDDEN).all(axis=1).sum()))
            placed.append(best)
            x, y = (best * per_point).tolist()
            tags.append((g, tag(ax, x, y, lineage_tag(g), lineage_colour(g))))
    return tags
