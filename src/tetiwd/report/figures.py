"""The figures of the page: which there are, in which order, and what each shows in one plain sentence."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from tetiwd import plots
from tetiwd.plots.marks import Marks, svg_of
from tetiwd.plots.style import apart, new_axes
from tetiwd.report.rendering import Wording

if TYPE_CHECKING:
    from tetiwd.analysis import Analysis
    from tetiwd.summarize.outcomes import Outcomes

PIXELS = 96 / 72  # of a page, per unit of matplotlib's pictures
WIDTH, NARROW = 1060, 360  # pixels of the first picture, on a screen and on a phone
MOST_TIMES_ON_A_PHONE = 9  # columns of a picture that is as narrow as that
SMALL, WIDE = 640, 700  # pixels: a picture with its caption beside it; one that is scrolled on a phone
PHONE = 3.8  # inches, width of other pictures there
PANEL = 3.4  # inches, side of a picture of one time; three stand side by side
MOST_CLUSTERS_IN_A_PANEL = 7  # whose distances can be read in it
MOST_PANELS = 60  # times with a picture of their own; evenly spaced if there are more


@dataclass(frozen=True)
class Panel:
    """One time of a figure that has a picture for every time."""

    epoch: int
    label: str
    svg: str


@dataclass(frozen=True)
class Figure:
    """A picture (or one per time), its title, and one sentence about it."""

    key: str
    title: str
    caption: str
    svg: str = ""
    folded: bool = False
    panels: tuple[Panel, ...] = ()
    narrow: str = ""  # the same picture for narrow pages

    @property
    def look(self) -> str:
        """ "small" if there is room for the caption beside it, "wide" if a phone has to scroll it."""
        width = _width(self.svg) if self.svg else 0.0
        return "small" if 0 < width <= SMALL else "wide" if width > WIDE and not self.narrow else ""


def figures(analysis: "Analysis", outcomes: "Outcomes | None" = None) -> list[Figure]:
    """All figures, in the order of the page."""
    return list(_figures(analysis, outcomes, Wording(analysis.sample.series.times)))


def _figures(analysis: "Analysis", outcomes: "Outcomes | None", wording: Wording) -> Iterator[Figure]:
    """One after the other."""
    few = len(wording.labels) <= MOST_TIMES_ON_A_PHONE
    yield _alluvial(analysis, few)
    yield _one(
        "n_clusters",
        "Number of clusters",
        "How many clusters there are at every time: the stronger the colour, the more probable the number; the line "
        "covers what is probable, and the diamond is the number in the picture above.",
        lambda marks: plots.plot_n_clusters(analysis, marks=marks),
    )
    maps = plots.object_maps(analysis)
    yield _by_time(
        "map",
        "Where the objects are",
        "Every dot is an object in the colour of its lineage, and the closer two dots, the more alike the objects; "
        "hollow dots belong to their cluster less certainly.",
        wording,
        lambda t, marks: _without_margins(plots.plot_map(analysis, t, new_axes(PANEL, PANEL), maps=maps, marks=marks)),
    )
    yield _one(
        "sizes",
        "Sizes and what to expect",
        "The share of the objects that every lineage has at every time, and at the right end the share to expect next; "
        "an upright bar is what would have been expected from the time before."
        if analysis.forecast is not None
        else "The share of the objects that every lineage has at every time.",
        lambda marks: plots.plot_sizes(analysis, backtest=analysis.backtest, marks=marks),
        partial(_sizes_on_a_phone, analysis) if few else None,
    )
    yield _by_time(
        "coclustering",
        "Who belongs together",
        "Every row and every column is an object: the stronger the colour where they meet, the more certain that the "
        "two are in one cluster.",
        wording,
        lambda t, marks: plots.plot_coclustering(analysis, t, new_axes(PANEL, PANEL), marks=marks),
    )
    if any(len(draws.geometry) for draws in analysis.sample.draws):
        yield _by_time(
            "geometry",
            "How far clusters are apart",
            "Every number is a distance between two clusters in the unit of the data: below the diagonal as the model "
            "has it, above as it was measured.",
            wording,
            partial(_geometry, analysis),
        )
    if outcomes is not None:
        yield outcomes_figure(outcomes)
    if analysis.sample.diagnostics.quantities:
        yield _one(
            "traces",
            "Traces",
            "What the repetitions of the computation did from draw to draw: they should look alike, and like noise.",
            lambda marks: plots.plot_traces(analysis, marks=marks)[0],
            folded=True,
        )


def outcomes_figure(outcomes: "Outcomes", key: str = "outcomes") -> Figure:
    """Rates of an outcome."""
    return _one(
        key,
        "Outcomes by lineage",
        "How often it happens in every lineage: the dot is the best guess, and the line covers what is probable.",
        lambda marks: plots.plot_outcomes(outcomes, marks=marks),
    )


def _alluvial(analysis: "Analysis", few: bool) -> Figure:
    layout = plots.alluvial_layout(analysis.lineages)
    caption = (
        "Every column is a time, every block a cluster, as high as it has objects; a ribbon leads to the same cluster "
        "at the next time, and the paler it is, the less certain that is."
    )
    picture = plots.alluvial_svg(layout, width=WIDTH)
    narrow = plots.alluvial_svg(layout, width=NARROW) if few else ""
    return Figure("alluvial", "Lineages of clusters through time", caption, picture, narrow=narrow)


def _sizes_on_a_phone(analysis: "Analysis", marks: Marks) -> Any:
    height = 1.5 + 0.5 * min(12, analysis.clustering.n_lineages + 2)
    return plots.plot_sizes(analysis, new_axes(PHONE, height), backtest=analysis.backtest, marks=marks)


def _geometry(analysis: "Analysis", t: int, marks: Marks) -> Any:
    few = analysis.clustering.n_clusters[t] <= MOST_CLUSTERS_IN_A_PANEL
    return plots.plot_geometry(analysis, t, new_axes(PANEL, PANEL) if few else None, marks=marks)


def _one(
    key: str,
    title: str,
    caption: str,
    draw: Callable[[Marks], Any],
    draw_narrow: Callable[[Marks], Any] | None = None,
    *,
    folded: bool = False,
) -> Figure:
    narrow = _svg(draw_narrow, title, caption) if draw_narrow else ""
    return Figure(key, title, caption, _svg(draw, title, caption), folded, narrow=narrow)


def _by_time(key: str, title: str, caption: str, wording: Wording, draw: Callable[[int, Marks], Any]) -> Figure:
    n = len(wording.labels)
    epochs = np.unique(np.linspace(0, n - 1, min(n, MOST_PANELS)).round().astype(int)).tolist()
    if len(epochs) < n:
        caption += f" {len(epochs)} of {n} times are shown."
    panels = []
    for t in epochs:
        label = wording.labels[t]
        panels.append(Panel(t, label, _svg(partial(draw, t), f"{title}, {label}", caption)))
    return Figure(key, title, caption, panels=tuple(panels))


def _svg(draw: Callable[[Marks], Any], title: str, desc: str) -> str:
    """A picture of matplotlib with its size in pixels, so that it is not blown up to the width of the page."""
    marks = Marks()
    with apart():
        svg = svg_of(draw(marks).get_figure(), marks, title=title, desc=desc)
    return svg.replace(' width="100%"', f' width="{_width(svg):.0f}"', 1)


def _without_margins(axes: Any) -> Any:
    """The same map in a figure that is as high as the map is."""
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    axes.get_figure().set_size_inches(PANEL, (PANEL - 0.2) * (high - low) / (right - left) + 0.65)
    return axes


def _width(svg: str) -> float:
    """Width of a picture in pixels."""
    root = svg[: svg.index(">")]
    found = re.search(r'\bwidth="([\d.]+)"', root)
    if found:
        return float(found.group(1))
    box = re.search(r'viewBox="[\d.]+ [\d.]+ ([\d.]+) [\d.]+"', root)
    return float(box.group(1)) * PIXELS if box else 0.0
