"""The tables of the page: what is in every cell, how it is sorted, and what the columns mean."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tetiwd.diagnostics import LARGEST_R_HAT, SMALLEST_ESS
from tetiwd.plots.colours import lineage_colour
from tetiwd.report.rendering import Wording, trusted

if TYPE_CHECKING:
    from tetiwd.analysis import Analysis
    from tetiwd.summarize.outcomes import Outcomes

Kind = Literal["text", "number", "time", "lineage", "lineages", "bars"]
PROBABLE = 0.5  # events that are listed
MOST_SIZES = 8  # times whose sizes have a column each; more are drawn as small bars
EVENTS = {
    "born": "appears",
    "died": "is gone",
    "split": "has split",
    "merged": "has merged",
    "returned": "is back",
}


@dataclass(frozen=True)
class Column:
    """Name, meaning in one sentence, and what is in it."""

    name: str
    meaning: str
    kind: Kind = "number"


@dataclass(frozen=True)
class Cell:
    """What is shown, and what sorting goes by (None: the text; NaN: nothing there, always last)."""

    shown: Any
    by: float | None = None
    flag: bool = False  # something to look at


@dataclass(frozen=True)
class Row:
    """Cells, and the lineage they are about."""

    cells: tuple[Cell, ...]
    lineage: int | None = None


@dataclass(frozen=True)
class Table:
    """A table of the page."""

    key: str
    title: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    nothing: str = "None."  # what is said if there are no rows


def lineages_table(analysis: "Analysis", wording: Wording) -> Table:
    """One row per lineage."""
    found = analysis.lineages.table()
    labels = wording.labels
    sizes = found.iloc[:, -len(labels) :].to_numpy()
    columns = [
        Column("Lineage", "Number of the lineage; its colour is the same in all pictures.", "lineage"),
        Column("First", "First time at which it is there.", "time"),
        Column("Last", "Last time at which it is there.", "time"),
        Column("Times", "Number of times at which it is there."),
        Column("Gaps", "How often it is away in between and comes back."),
        Column("Objects", "Members over all times."),
        Column(
            "Links", "How certain it is that the clusters of the lineage go together: mean probability of its links."
        ),
        Column("Weakest link", "The smallest of these probabilities."),
    ]
    if len(labels) <= MOST_SIZES:
        columns += [Column(label, f"Members at {label}.") for label in labels]
    else:
        columns.append(Column("Sizes", f"Members from {labels[0]} to {labels[-1]}, as bars.", "bars"))
    rows = []
    for own, by_time in zip(found.itertuples(index=False), sizes, strict=True):
        cells = [
            Cell(own.lineage, own.lineage),
            _time(own.first, wording),
            _time(own.last, wording),
            _whole(own.n_epochs),
            _whole(own.n_gaps),
            _whole(own.objects),
            probability(own.stability),
            probability(own.weakest_link),
        ]
        if len(labels) <= MOST_SIZES:
            cells += [_whole(size) for size in by_time]
        else:
            cells.append(Cell(bars(by_time, labels, own.lineage, int(sizes.max())), float(by_time.max())))
        rows.append(Row(tuple(cells), own.lineage))
    caption = "A lineage is one cluster followed through time. Choose a row to see its lineage in all pictures."
    return Table("lineages", "Lineages of clusters", caption, tuple(columns), tuple(rows))


def events_table(analysis: "Analysis", wording: Wording) -> Table:
    """What has probably happened to the lineages."""
    columns = (
        Column("Time", "When it is seen first.", "time"),
        Column("Lineage", "The lineage it happens to.", "lineage"),
        Column(
            "Event", "What happens: a lineage appears, is gone, has split or merged, or is back after a gap.", "text"
        ),
        Column("Probability", "How probable that is."),
        Column("With", "Other lineages concerned, the most probable first.", "lineages"),
    )
    rows = []
    for own in analysis.lineages.events(least=PROBABLE).itertuples(index=False):
        others = tuple(lineage for lineage in own.others if lineage != own.lineage)
        cells = (
            _time(own.time, wording),
            Cell(own.lineage, own.lineage),
            Cell(EVENTS[own.event]),
            probability(own.probability),
            Cell(others, float(len(others))),
        )
        rows.append(Row(cells, own.lineage))
    caption = "What has more probably happened than not. Splits, merges and returns are seen only where objects have "
    caption += "ids or distances between times are known."
    nothing = "No event is more probable than not; events.csv in the folder of the run has the others."
    return Table("events", "Events", caption, columns, tuple(rows), nothing)


def forecast_table(analysis: "Analysis", wording: Wording) -> Table | None:
    """Shares expected at the next time, where times are linked."""
    coming = analysis.forecast
    if coming is None:
        return None
    level = f"{coming.level:.0%}"
    columns = (
        Column(
            "Lineage", "A lineage that is there at the last time; or all others, or all new ones together.", "lineage"
        ),
        Column("Now", "Share of the objects at the last time."),
        Column("Expected", "Expected share at the next time."),
        Column("From", f"Lower end of the interval that holds the share with probability {level}."),
        Column("To", f"Upper end of the interval that holds the share with probability {level}."),
        Column("Nobody", "Probability that no object is in it: the lineage ends, or nothing new appears."),
    )
    words = {"other": "others", "new": "new"}
    rows: list[Row] = []
    for own in coming.table().itertuples(index=False):
        lineage = None if own.cluster in words else int(own.cluster)
        name = Cell(own.cluster, own.cluster) if lineage is not None else Cell(words[own.cluster], 1e9 + len(rows))
        shares = (_share(own.now), _share(own.expected), _share(own.lower), _share(own.upper))
        rows.append(Row((name, *shares, probability(own.nobody)), lineage))
    caption = (
        f"Shares among {coming.n_next} objects at the time after {wording.label(coming.time)}. “Others” are clusters "
    )
    caption += "that are too uncertain to be listed, “new” are clusters never seen before."
    return Table("forecast", "What to expect next", caption, columns, tuple(rows))


def numbers_table(analysis: "Analysis", wording: Wording) -> Table:
    """Objects and clusters at every time."""
    level = f"{analysis.settings.level:.0%}"
    columns = (
        Column("Time", "The time.", "time"),
        Column("Objects", "Objects at that time."),
        Column("Clusters", "Clusters in the clustering that is shown."),
        Column("Median", "Median number of clusters over all draws."),
        Column("From", f"Lower end of the interval that holds the number with probability {level}."),
        Column("To", f"Upper end of the interval that holds the number with probability {level}."),
    )
    rows = [
        Row((_time(own.time, wording), *map(_whole, (own.objects, own.clusters, own.median, own.lower, own.upper))))
        for own in analysis.n_clusters().itertuples(index=False)
    ]
    return Table("numbers", "Objects and clusters at every time", "", columns, tuple(rows))


def outcomes_table(outcomes: "Outcomes", wording: Wording) -> Table:
    """How often something happens to the members of every lineage."""
    level = f"{outcomes.level:.0%}"
    columns = (
        Column("Lineage", "The lineage.", "lineage"),
        Column("With", "Members to whom it happened."),
        Column("Members", "Members for whom it is known."),
        Column("Rate", "How often it happens to a member; both chance and uncertain membership count."),
        Column("From", f"Lower end of the interval that holds the rate with probability {level}."),
        Column("To", f"Upper end of the interval that holds the rate with probability {level}."),
        Column("Higher than elsewhere", "Probability that the rate is higher than among all others."),
    )
    rows = []
    for own in outcomes.table().itertuples(index=False):
        counts = (_whole(own.events), _whole(own.members))
        rates = (_share(own.rate), _share(own.lower), _share(own.upper))
        cells = (Cell(own.lineage, own.lineage), *counts, *rates, probability(own.probability_higher_than_rest))
        rows.append(Row(cells, own.lineage))
    return Table("outcomes", "Rates by lineage", f"With {level} intervals.", columns, tuple(rows))


def diagnostics_table(analysis: "Analysis", wording: Wording) -> Table:
    """Convergence of everything that was followed."""
    columns = (
        Column("Quantity", "What is compared between repetitions; k is the number of clusters.", "text"),
        Column("Mean", "Its mean over all draws."),
        Column("R-hat", f"Disagreement of the repetitions: 1 is none, above {LARGEST_R_HAT} is too much."),
        Column("ESS, bulk", f"Independent draws that the draws are worth; at least {SMALLEST_ESS} are wanted."),
        Column("ESS, tail", "The same for the ends of intervals."),
    )
    rows = []
    for own in analysis.sample.diagnostics.quantities:
        name = Cell(wording.sentence(own.name, 120))
        if own.r_hat is None:
            rest = (Cell("constant", 1.0), Cell("–", np.nan), Cell("–", np.nan))
        else:
            apart, thin = own.r_hat > LARGEST_R_HAT, (own.ess_bulk or 0) < SMALLEST_ESS
            r_hat = Cell(f"{own.r_hat:.2f}" if isfinite(own.r_hat) else "infinite", own.r_hat, apart)
            rest = (r_hat, _rounded(own.ess_bulk, thin), _rounded(own.ess_tail))
        rows.append(Row((name, Cell(f"{own.mean:.4g}", own.mean), *rest)))
    caption = "Do the repetitions of the computation (MCMC chains, not lineages) agree? Marked values do not suffice."
    return Table("diagnostics", "Diagnostics", caption, columns, tuple(rows), "There are too few draws to judge.")


def objects_table(analysis: "Analysis", wording: Wording) -> Table:
    """Columns of the table of objects; its rows come from :func:`object_rows`."""
    columns = (
        Column("Id", "Id of the object, or its position among those of its time.", "text"),
        Column("Time", "The time.", "time"),
        Column("Lineage", "The lineage it belongs to.", "lineage"),
        Column("Certainty", "Probability that it belongs there."),
        Column("Next best", "The lineage that comes next, where there is one.", "lineage"),
        Column("Its probability", "Probability of that one."),
    )
    return Table("objects", "Where every object belongs", "The least certain ones come first.", columns, ())


def bars(sizes: "Sequence[int] | np.ndarray[Any, Any]", labels: Sequence[str], lineage: int, largest: int) -> Any:
    """Sizes as small bars, one per time."""
    wide, high = 5, 22
    path = "".join(
        f"M{wide * t + 2} {high}v{-max(1.5, high * int(size) / largest):.1f}" for t, size in enumerate(sizes) if size
    )
    width = wide * len(labels)
    there = [f"{labels[t]}: {size}" for t, size in enumerate(sizes) if size]
    words = f"sizes {min(own for own in sizes if own)} to {max(sizes)}, at {len(there)} of {len(labels)} times"
    return trusted(
        f'<svg class="bars" role="img" aria-label="{words}" width="{width}" height="{high}" '
        f'viewBox="0 0 {width} {high}"><path d="M0 {high - 0.25}H{width}" stroke="currentColor" stroke-opacity="0.3" '
        f'stroke-width="0.5"/><path d="{path}" stroke="{lineage_colour(lineage)}" stroke-width="4"/></svg>'
    )


def meanings(tables: Iterable[Table]) -> list[tuple[str, list[tuple[str, str]]]]:
    """What the columns of every table mean, by table."""
    return [(table.title, [(own.name, own.meaning) for own in table.columns]) for table in tables]


def probability(value: float) -> Cell:
    """A probability with two digits that does not pretend to be 0 or 1."""
    if not isfinite(value):
        return Cell("–", np.nan)
    shown = "<0.01" if 0 < value < 0.005 else ">0.99" if 0.995 <= value < 1 else f"{value:.2f}"
    return Cell(shown, float(value))


def _share(value: float) -> Cell:
    if not isfinite(value):
        return Cell("", np.nan)
    return Cell("<1%" if 0 < value < 0.005 else f"{value:.0%}", float(value))


def _whole(value: Any) -> Cell:
    return Cell(f"{int(value):,}", float(value))


def _rounded(value: float | None, flag: bool = False) -> Cell:
    return Cell("–", np.nan) if value is None or not isfinite(value) else Cell(f"{value:,.0f}", float(value), flag)


def _time(time: Any, wording: Wording) -> Cell:
    return Cell(wording.label(time), float(wording.epoch(time)))
