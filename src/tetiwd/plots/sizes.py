"""Shares of the lineages over time, and the forecast for the next time."""

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.plots.colours import lineage_colour, lineage_tag
from tetiwd.plots.marks import Marks, a_mark, as_marks
from tetiwd.plots.style import (
    INK,
    areas,
    bare,
    figure_width,
    new_axes,
    size_of,
    soft_text,
    styled,
    tag,
    time_axis,
    title,
)
from tetiwd.plots.text import named_times
from tetiwd.plots.time_scale import NOT_TO_SCALE, places_of, scale_note
from tetiwd.summarize.forecast import Forecast
from tetiwd.summarize.naming import lineage_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tetiwd.analysis import Analysis
    from tetiwd.backtesting import Backtest

Floats = NDArray[np.float64]
MOST_LANES = 10  # lineages with a lane of their own
SMALL_LINEAGE = 0.01  # lineages below this share of all objects have none if there are many
LEAST_LANE = 15  # points
STEPS = (0.02, 0.05, 0.1, 0.2, 0.25, 0.5)
MANY_DOTS = 120
NO_LINEAGE = {-1: "small lineages and unassigned objects", None: "new clusters"}


@dataclass(frozen=True)
class Lane:
    """One lineage, or several together: shares at every epoch, NaN where it is absent, and at the next time."""

    name: str
    colour: str
    lineage: int | None
    share: Floats  # (T,) in the clustering
    lower: Floats  # (T,) of the draws
    upper: Floats
    next: Floats = field(default_factory=lambda: np.empty(0))  # 5 %, 25 %, mean, 75 %, 95 %, say; empty for none

    @property
    def height(self) -> float:
        """The largest number in it."""
        everything = np.concatenate([self.share, self.upper, self.next])
        return float(np.nanmax(everything, initial=0.0))


@styled
def plot_sizes(
    analysis: "Analysis",
    ax: "Axes | None" = None,
    *,
    backtest: "Backtest | None" = None,
    marks: Marks | None = None,
) -> "Axes":
    """Share of every lineage over time in a lane of its own: line, credible interval, and a forecast as a fan.

    All lanes have one scale. Small lineages share a lane with unassigned objects and the clusters that only some draws
    have. With a backtest, upright bars show the forecast of each time from the time before, and a cross marks shares
    outside of it.

    Parameters
    ----------
    analysis : Analysis
        A sample with its answers.
    ax : Axes, optional
        Axes to draw on; None makes a figure.
    backtest : Backtest, optional
        From :func:`tetiwd.backtest`.
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
    >>> from tetiwd.plots import plot_sizes
    >>> ax = plot_sizes(model.analysis_)
    """
    lanes, times = lanes_of(analysis), analysis.sample.series.times
    if ax is None:
        width = figure_width(min(10.0, max(6.4, 4.6 + 0.25 * len(times))))
        ax = new_axes(width, min(8.0, 1.5 + 0.5 * len(lanes)))
    forecast, remember = analysis.forecast, as_marks(marks)
    margin = 0.25 if len(times) > 1 else 0.5
    places = places_of(times)
    time_axis(ax, times, "next" if forecast else "", (margin, margin), marks=remember, places=places.tolist())
    _Lanes(ax, lanes, named_times(times), places, remember, backtest).draw()
    note = f"band: {analysis.settings.level:.0%} credible interval"
    if forecast:
        note += f" · fan: forecast, {forecast.level:.0%} interval"
    if backtest is not None:
        note += " · bar: past forecast, × outside"
    if scale_note(times, places):
        note += f" · {NOT_TO_SCALE}"
    title(ax, "Share of objects by lineage", note, [lane.name for lane in lanes])
    return ax


def lanes_of(analysis: "Analysis") -> list[Lane]:
    """One lane per lineage in order of their numbers, then small ones together, then new ones."""
    alignment, level, forecast = analysis.alignment, analysis.settings.level, analysis.forecast
    n = np.array(alignment.partitions.n_objects, dtype=float)
    counts = analysis.clustering.sizes
    drawn = alignment.sizes()  # (S, T, n_lineages + 1)
    ranked = np.argsort(-counts.sum(axis=0), kind="stable")
    kept = [g for g in ranked[:MOST_LANES].tolist() if counts[:, g].sum() >= SMALL_LINEAGE * n.sum()] or (
        ranked[:1].tolist()
    )
    rest = [g for g in analysis.clustering.lineages.tolist() if g not in kept]
    if len(rest) == 1 and len(kept) < MOST_LANES:
        kept, rest = kept + rest, []
    lanes = []
    tail = (1 - level) / 2
    groups = [(lineage_tag(g), lineage_colour(g), g, [g]) for g in sorted(kept)]
    unlisted = drawn[:, :, -1].mean() / n.mean() >= SMALL_LINEAGE / 2
    if rest or unlisted or (forecast is not None and forecast.others_matter):
        groups.append(("others", lineage_colour(-1), -1, [*rest, alignment.n_lineages]))
    for name, colour, lineage, members in groups:
        sizes = drawn[:, :, members].sum(axis=2)
        lower, upper = np.quantile(sizes, [tail, 1 - tail], axis=0, method="closest_observation") / n
        listed = [g for g in members if g < alignment.n_lineages]
        unassigned = 0 if lineage >= 0 else np.array(analysis.clustering.n_unassigned)
        share = (counts[:, listed].sum(axis=1) + unassigned) / n
        absent = (share == 0) if lineage >= 0 else np.zeros(len(n), dtype=bool)
        nothing = np.where(absent, np.nan, 0.0)
        coming = _next(forecast, members, tail, unlisted=lineage < 0)
        lanes.append(Lane(name, colour, lineage, share + nothing, lower + nothing, upper + nothing, coming))
    if forecast is not None:
        none = np.full(len(n), np.nan)
        lanes.append(Lane("new", INK, None, none, none, none, _quantiles(forecast, [len(forecast.lineages) + 1], tail)))
    return lanes


def _next(forecast: Forecast | None, members: list[int], tail: float, *, unlisted: bool) -> Floats:
    """What is expected of some lineages at the next time, with everything that is not listed or without it."""
    if forecast is None:
        return np.empty(0)
    columns = [i for i, g in enumerate(forecast.lineages.tolist()) if g in members]
    if unlisted:
        columns.append(len(forecast.lineages))
    return _quantiles(forecast, columns, tail) if columns else np.empty(0)


def _quantiles(forecast: Forecast, columns: list[int], tail: float) -> Floats:
    share = forecast.counts[:, columns].sum(axis=1) / forecast.n_next
    low, near, far, high = np.quantile(share, [tail, 0.25, 0.75, 1 - tail], method="inverted_cdf").tolist()
    return np.array([low, near, float(forecast.expected[columns].sum()), far, high])


class _Lanes:
    """Lanes below one another on one scale."""

    def __init__(
        self,
        ax: "Axes",
        lanes: list[Lane],
        times: tuple[str, ...],
        places: Floats,
        marks: Marks,
        backtest: "Backtest | None",
    ) -> None:
        self.ax, self.lanes, self.times, self.places, self.marks = ax, lanes, times, places, marks
        self.areas, self.fills, self.about = list[Floats](), list[tuple[str, float]](), list[Any]()
        self.cases = [] if backtest is None else backtest.cases
        most = {lane.lineage: lane.height for lane in lanes}
        for case in self.cases:
            most[case.cluster] = max(most.get(case.cluster, 0.0), case.upper, case.observed)
        heights = np.array([most[lane.lineage] for lane in lanes])
        points = size_of(ax)[1] * 0.85
        least = min(1.0, LEAST_LANE * len(lanes) / points) * max(heights.sum(), 1e-9) / len(lanes)
        self.heights = np.maximum(heights, least) + 0.25 * least
        self.base = -np.cumsum(self.heights)  # lower edge of every lane
        self.per_share = points / self.heights.sum()

    def draw(self) -> None:
        """All lanes with their names."""
        ax = self.ax
        ax.set_ylim(self.base[-1] - 0.02 * self.heights.sum(), 0)
        ax.set_yticks([])
        bare(ax, "left", "bottom", "top", "right")
        self.scale()
        for lane, base in zip(self.lanes, self.base.tolist(), strict=True):
            ax.axhline(base, color=INK, lw=0.6, alpha=0.25, zorder=0, clip_on=False)
            words = self.words(lane)
            for artist in [*self.past(lane, base), *self.fan(lane, base)]:
                self.marks.mark(artist, lineage=lane.lineage, title=words)
            self.about += [a_mark(words, lineage=lane.lineage)] * (len(self.areas) - len(self.about))
            self.dots(lane, base)
            self.name(lane, base, words)
        if self.areas:
            self.marks.mark_each(areas(ax, self.areas, self.fills), self.about)
        self.checks()

    def past(self, lane: Lane, base: float) -> list[Any]:
        """Line and band, or an upright line where a lineage is there at one time only."""
        artists: list[Any] = []
        for run in _runs(np.isfinite(lane.share)):
            x = self.places[run]
            if len(x) == 1:
                edges = base + lane.lower[run][0], base + lane.upper[run][0]
                artists.append(self.ax.vlines(x, *edges, color=lane.colour, lw=4, alpha=0.35))
                artists += self.ax.plot(x, base + lane.share[run], ls="", marker="o", ms=3.2, color=lane.colour)
                continue
            self.area(x, np.full(len(x), base), base + lane.share[run], lane.colour, 0.13)
            self.area(x, base + lane.lower[run], base + lane.upper[run], lane.colour, 0.35)
            artists += self.ax.plot(x, base + lane.share[run], color=lane.colour, lw=1.6, clip_on=False)
        return artists

    def fan(self, lane: Lane, base: float) -> list[Any]:
        """From the last share to the interval of the next."""
        if not len(lane.next):
            return []
        T = len(lane.share)
        start = lane.share[-1] if np.isfinite(lane.share[-1]) else 0.0
        low, near, mean, far, high = base + lane.next
        x = np.array([T - 1, T])
        for lower, upper, opacity in ((low, high, 0.16), (near, far, 0.22)):
            self.area(x, np.array([base + start, lower]), np.array([base + start, upper]), lane.colour, opacity)
        return self.ax.plot(x, [base + start, mean], color=lane.colour, lw=1.3, ls=(0, (3, 2)), clip_on=False)

    def area(self, x: NDArray[Any], lower: Floats, upper: Floats, colour: str, opacity: float) -> None:
        """Remember the area between two lines."""
        self.areas.append(np.column_stack([np.append(x, x[::-1]), np.append(lower, upper[::-1])]))
        self.fills.append((colour, opacity))

    def dots(self, lane: Lane, base: float) -> None:
        """A dot for every time that tells its numbers, unless there are too many."""
        there, about = np.flatnonzero(np.isfinite(lane.share)), []
        if not len(there) or len(self.lanes) * len(self.times) > MANY_DOTS:
            return
        for t in there.tolist():
            words = f"{self.title(lane)} at {self.times[t]}: {_percent(lane.share[t])}"
            words += f" ({_percent(lane.lower[t])} to {_percent(lane.upper[t])})"
            about.append(a_mark(words, lineage=lane.lineage, epoch=t))
        look: dict[str, Any] = {"ls": "", "marker": "o", "ms": 4.2, "color": lane.colour, "clip_on": False}
        (dots,) = self.ax.plot(self.places[there], base + lane.share[there], **look)
        self.marks.mark_each(dots, about)

    def name(self, lane: Lane, base: float, words: str) -> None:
        """The lineage at the left, the forecast in numbers at the right."""
        place = self.ax.get_yaxis_transform()
        y = base + 2.5 / self.per_share
        if lane.lineage is None:
            soft_text(self.ax, lane.name, (-0.012, y), (0, 0), place, ha="right", va="bottom", alpha=1.0)
        else:
            text = tag(self.ax, -0.012, y, lane.name, lane.colour, transform=place, ha="right", va="bottom")
            self.marks.mark(text, lineage=lane.lineage, title=words)
        if len(lane.next):
            low, _, mean, _, high = lane.next * 100
            soft_text(self.ax, f"{mean:.0f} % ({low:.0f}–{high:.0f})", (1.0, y), (0, 0), place, va="bottom")

    def scale(self) -> None:
        """One upright bar of a round share at the left of the highest lane."""
        i = int(self.heights.argmax())
        step = max((s for s in STEPS if s <= 0.8 * self.heights[i]), default=STEPS[0])
        x, base = self.ax.get_xlim()[0], float(self.base[i])
        self.ax.plot([x, x], [base, base + step], color=INK, lw=1.4, solid_capstyle="butt", clip_on=False)
        soft_text(self.ax, _percent(step), (x, base + step), (-4, 0), "data", ha="right", va="top", fontsize=8)

    def checks(self) -> None:
        """What was forecast for each time from the one before, if that is known."""
        where = {lane.lineage: base for lane, base in zip(self.lanes, self.base.tolist(), strict=True)}
        for case in self.cases:
            if case.cluster in where:
                base = where[case.cluster]
                x = self.places[case.epoch] - 0.08
                (bar,) = self.ax.plot(
                    [x, x], [base + case.lower, base + case.upper], color=INK, lw=1.0, alpha=0.6, zorder=4
                )
                words = f"{lineage_words(case.cluster)} at {self.times[case.epoch]}: {_percent(case.observed)}, "
                words += f"forecast {_percent(case.lower)} to {_percent(case.upper)}"
                self.marks.mark(bar, lineage=case.cluster, epoch=case.epoch, title=words)
                if not case.inside:
                    self.ax.plot([x], [base + case.observed], ls="", marker="x", ms=4.5, mew=1.2, color=INK, zorder=5)

    def title(self, lane: Lane) -> str:
        """What a lane is called in words."""
        if lane.lineage is None or lane.lineage < 0:
            return NO_LINEAGE[lane.lineage]
        return lineage_words(lane.lineage)

    def words(self, lane: Lane) -> str:
        """A lane in one line."""
        there = np.flatnonzero(np.isfinite(lane.share)).tolist()
        parts = [f"{_percent(lane.share[t])} at {self.times[t]}" for t in dict.fromkeys((*there[:1], *there[-1:]))]
        if len(lane.next):
            low, _, mean, _, high = lane.next
            parts.append(f"next {_percent(mean)} ({_percent(low)} to {_percent(high)})")
        return f"{self.title(lane)}: {', '.join(parts)}"


def _runs(there: NDArray[np.bool_]) -> list[slice]:
    """Stretches of epochs without a gap."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], there, [False]]).astype(int)))
    return [slice(int(a), int(b)) for a, b in list(pairwise(edges.tolist()))[::2]]


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
