"""The figures of the catalogue as pictures of the page."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from tetiwd.partitions import evenly_spaced
from tetiwd.plots.catalogue import Figure as Entry
from tetiwd.plots.catalogue import Source, figure_called, figures_for
from tetiwd.plots.marks import Marks, svg_of
from tetiwd.plots.outcomes import plot_outcomes
from tetiwd.plots.style import apart, figure_of
from tetiwd.report.rendering import Wording

if TYPE_CHECKING:
    from tetiwd.analysis import Analysis
    from tetiwd.summarize.outcomes import Outcomes

PAGE, PANEL, PHONE = 11.0, 3.4, 3.8  # inches: width of the page, of one of three panels side by side, of a phone
SMALL, WIDE = 6.7, 5.0  # inches: narrow enough for a caption beside it; too wide for a phone
MOST_TIMES_ON_A_PHONE = 9
MOST_PANELS = 60  # times with a picture of their own; evenly spaced if there are more


@dataclass(frozen=True)
class Panel:
    """One time of a figure that has a picture for every time."""

    epoch: int
    label: str
    svg: str


@dataclass(frozen=True)
class Figure:
    """A figure on the page: one picture, with another one for narrow pages if needed, or one per time."""

    key: str
    title: str
    caption: str
    place: str
    svg: str = ""
    narrow: str = ""
    panels: tuple[Panel, ...] = ()
    look: str = ""  # "small" if the caption fits beside it, "wide" if a phone has to scroll it


def figures(analysis: "Analysis", outcomes: "Outcomes | None" = None) -> list[Figure]:
    """All figures that the analysis allows, in the order of the catalogue."""
    source = Source(analysis, outcomes, analysis.backtest)
    wording = Wording(analysis.sample.series.times)
    return [
        by_time(entry, partial(entry.draw, source), wording)
        if entry.per_time
        else whole(entry, partial(entry.draw, source), len(wording.labels))
        for entry in figures_for(source)
    ]


def outcomes_figure(outcomes: "Outcomes", key: str = "outcomes") -> Figure:
    """Rates of an outcome by lineage, under a key of choice."""
    entry = replace(figure_called("outcomes"), key=key)
    return whole(entry, lambda marks: plot_outcomes(outcomes, marks=marks), n_times=1)


def whole(entry: Entry, draw: Callable[[Marks], Any], n_times: int) -> Figure:
    """A figure with one picture."""
    svg, width = _drawn(draw, entry.title, entry.caption, PAGE if entry.full_width else None)
    narrow = ""
    if width > WIDE and n_times <= MOST_TIMES_ON_A_PHONE:
        narrow = _drawn(draw, entry.title, entry.caption, PHONE)[0]
    look = "small" if width <= SMALL else "" if narrow else "wide"
    return Figure(entry.key, entry.title, entry.caption, entry.place, svg, narrow, look=look)


def by_time(entry: Entry, draw: Callable[[int, Marks], Any], wording: Wording) -> Figure:
    """A figure with a picture for every time."""
    n, caption = len(wording.labels), entry.caption
    epochs = evenly_spaced(n, MOST_PANELS).tolist()
    if len(epochs) < n:
        caption += f" {len(epochs)} of {n} time points are shown."
    panels = []
    for t in epochs:
        label = wording.labels[t]
        svg, _ = _drawn(partial(draw, t), f"{entry.title}, {label}", entry.caption, PANEL)
        panels.append(Panel(t, label, svg))
    return Figure(entry.key, entry.title, caption, entry.place, panels=tuple(panels))


def _drawn(draw: Callable[[Marks], Any], title: str, desc: str, width: float | None) -> tuple[str, float]:
    """SVG of a figure, and its width in inches."""
    marks = Marks()
    with apart(width):
        figure = figure_of(draw(marks))
    return svg_of(figure, marks, title=title, desc=desc), float(figure.get_figwidth())
