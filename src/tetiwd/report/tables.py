"""The tables of the page: cells, how they are sorted, and the meaning of the columns."""

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
    from tetiwd.diagnostics import Diagnostics
    from tetiwd.summarize.outcomes import Outcomes

Kind = Literal["text", "number", "time", "lineage", "lineages", "bars"]
PROBABLE = 0.5  # least probability of events that are listed
MOST_SIZES = 8  # times whose sizes have a column each; with more, sizes are small bars
EVENTS = {
    "born": "appears",
    "died": "is gone",
    "split": "has split",
    "merged": "has merged",
    "returned": "is back",
}


@dataclass(frozen=True)
class Column:
    """Name, meaning in one sentence, and kind of content."""

    name: str
    meaning: str
    kind: Kind = "number"


@dataclass(frozen=True)
class Cell:
    """Text or markup, and the value that it is sorted by (None: the text; NaN: an empty cell, always last)."""

    shown: Any
    by: float | None = None
    flag: bool = False  # deserves a look


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
    nothing: str = "None."  # text if there are no rows
    fold: str = ""  # folded under these words, if there are any


def lineages_table(analysis: "Analysis", wording: Wording) -> Table:
    """One row per lineage."""
    table = analysis.lineages.table()
    labels = wording.labels
    sizes = table.iloc[:, -len(labels) :].to_numpy()
    columns = [
        Column("Lineage", "Number of the lineage; it has the same colour in all pictures.", "lineage"),
        Column("First", "Its first time point.", "time"),
        Column("Last", "Its last time point.", "time"),
        Column("Times", "Number of time points at which it is present."),
        Column("Gaps", "How often it disappears and returns."),
        Column("Objects", "Members over all time points."),
        Column("Links", "Mean posterior probability of the links between its clusters at consecutive times."),
        Column("Weakest link", "The smallest of these probabilities."),
    ]
    if len(labels) <= MOST_SIZES:
        columns += [Column(label, f"Members at {label}.") for label in labels]
    else:
        columns.append(Column("Sizes", f"Members from {labels[0]} to {labels[-1]} as bars.", "bars"))
    rows = []
    for row, by_time in zip(table.itertuples(index=False), sizes, strict=True):
        cells = [
            Cell(row.lineage, row.lineage),
            at_time(row.first, wording),
            at_time(row.last, wording),
            whole(row.n_epochs),
            whole(row.n_gaps),
            whole(row.objects),
            probability(row.stability),
            probability(row.weakest_link),
        ]
        if len(labels) <= MOST_SIZES:
            cells += [whole(size) for size in by_time]
        else:
            cells.append(Cell(bars(by_time, labels, row.lineage, int(sizes.max())), float(by_time.max())))
        rows.append(Row(tuple(cells), row.lineage))
    caption = "A lineage is one cluster followed through time. Select a row to highlight its lineage in all pictures."
    return Table("lineages", "Lineages of clusters", caption, tuple(columns), tuple(rows))


def events_table(analysis: "Analysis", wording: Wording) -> Table:
    """Probable events in the lives of the lineages."""
    columns = (
        Column("Time", "The first time point at which it is seen.", "time"),
        Column("Lineage", "The lineage it happens to.", "lineage"),
        Column("Event", "A lineage appears, is gone, has split or merged, or is back after a gap.", "text"),
        Column("Probability", "Posterior probability of the event."),
        Column("With", "Other lineages involved, the most probable first.", "lineages"),
    )
    rows = []
    for row in analysis.lineages.events(least=PROBABLE).itertuples(index=False):
        others = tuple(lineage for lineage in row.others if lineage != row.lineage)
        cells = (
            at_time(row.time, wording),
            Cell(row.lineage, row.lineage),
            Cell(EVENTS[row.event]),
            probability(row.probability),
            Cell(others, float(len(others))),
        )
        rows.append(Row(cells, row.lineage))
    caption = (
        "Events with a posterior probability of at least 0.5. Splits, merges and returns can be seen only if objects "
    )
    caption += "have ids or distances between times are known."
    nothing = "No event is more probable than not; events.csv in the run folder lists all events."
    return Table("events", "Events", caption, columns, tuple(rows), nothing)


def forecast_table(analysis: "Analysis", wording: Wording) -> Table | None:
    """Forecast shares at the next time; None if times are not linked."""
    coming = analysis.forecast
    if coming is None:
        return None
    level = f"{coming.level:.0%}"
    columns = (
        Column("Lineage", "A lineage of the last time point; or all others, or all new ones together.", "lineage"),
        Column("Now", "Share of objects at the last time point."),
        Column("Expected", "Expected share at the next time point."),
        Column("Lower", f"Lower end of the {level} prediction interval of the share."),
        Column("Upper", f"Upper end of the {level} prediction interval of the share."),
        Column("Empty", "Probability that it has no objects: the lineage ends, or nothing new appears."),
    )
    words = {"other": "others", "new": "new"}
    rows: list[Row] = []
    for row in coming.table().itertuples(index=False):
        lineage = None if row.cluster in words else int(row.cluster)
        name = Cell(row.cluster, row.cluster) if lineage is not None else Cell(words[row.cluster], 1e9 + len(rows))
        shares = (share(row.now), share(row.expected), share(row.lower), share(row.upper))
        rows.append(Row((name, *shares, probability(row.nobody)), lineage))
    caption = (
        f"Shares among {coming.n_next} objects at the time point after {wording.label(coming.time)}. “Others” are "
    )
    caption += "clusters too uncertain to be listed, “new” are clusters never seen before."
    return Table("forecast", "What to expect next", caption, columns, tuple(rows))


def numbers_table(analysis: "Analysis", wording: Wording) -> Table:
    """Objects and clusters at every time."""
    level = f"{analysis.settings.level:.0%}"
    columns = (
        Column("Time", "The time point.", "time"),
        Column("Objects", "Objects at that time."),
        Column("Clusters", "Clusters in the point estimate."),
        Column("Median", "Posterior median of the number of clusters."),
        Column("Lower", f"Lower end of the {level} credible interval."),
        Column("Upper", f"Upper end of the {level} credible interval."),
    )
    rows = [
        Row((at_time(row.time, wording), *map(whole, (row.objects, row.clusters, row.median, row.lower, row.upper))))
        for row in analysis.n_clusters().itertuples(index=False)
    ]
    return Table("numbers", "Objects and clusters at every time", "", columns, tuple(rows), fold="The numbers")


def outcomes_table(outcomes: "Outcomes", wording: Wording) -> Table:
    """How often an outcome happens to the members of every lineage."""
    level = f"{outcomes.level:.0%}"
    columns = (
        Column("Lineage", "The lineage.", "lineage"),
        Column("With", "Members with the outcome."),
        Column("Members", "Members whose outcome is known."),
        Column("Rate", "Posterior mean of the rate; it allows for chance and for uncertain membership."),
        Column("Lower", f"Lower end of the {level} credible interval."),
        Column("Upper", f"Upper end of the {level} credible interval."),
        Column("Higher than elsewhere", "Probability that the rate is higher than in all other lineages together."),
    )
    rows = []
    for row in outcomes.table().itertuples(index=False):
        counts = (whole(row.events), whole(row.members))
        rates = (share(row.rate), share(row.lower), share(row.upper))
        cells = (Cell(row.lineage, row.lineage), *counts, *rates, probability(row.probability_higher_than_rest))
        rows.append(Row(cells, row.lineage))
    return Table("outcomes", "Rates by lineage", f"With {level} credible intervals.", columns, tuple(rows))


def diagnostics_table(diagnostics: "Diagnostics") -> Table:
    """Convergence of all monitored quantities."""
    columns = (
        Column("Quantity", "The quantity that is compared between MCMC chains; k is the number of clusters.", "text"),
        Column("Mean", "Its mean over all draws."),
        Column("R-hat", f"Disagreement between chains: 1 is none, above {LARGEST_R_HAT} is too much."),
        Column(
            "ESS, bulk", f"Effective sample size: equivalent independent draws; at least {SMALLEST_ESS} are needed."
        ),
        Column("ESS, tail", "Effective sample size for the ends of intervals."),
    )
    rows = []
    for quantity in diagnostics.quantities:
        if quantity.r_hat is None:
            rest = (Cell("constant", 1.0), Cell("–", np.nan), Cell("–", np.nan))
        else:
            apart, thin = quantity.r_hat > LARGEST_R_HAT, (quantity.ess_bulk or 0) < SMALLEST_ESS
            r_hat = Cell(f"{quantity.r_hat:.2f}" if isfinite(quantity.r_hat) else "infinite", quantity.r_hat, apart)
            rest = (r_hat, _rounded(quantity.ess_bulk, thin), _rounded(quantity.ess_tail))
        rows.append(Row((Cell(quantity.name), Cell(f"{quantity.mean:.4g}", quantity.mean), *rest)))
    caption = "Do the repetitions of the computation (MCMC chains) agree? Marked values are not good enough."
    return Table("diagnostics", "Diagnostics", caption, columns, tuple(rows), "There are too few draws to judge.")


def objects_table(analysis: "Analysis", wording: Wording) -> Table:
    """Columns of the table of objects; its rows come from :func:`object_rows`."""
    columns = (
        Column("Id", "Id of the object, or its position among the objects of its time.", "text"),
        Column("Time", "The time point.", "time"),
        Column("Lineage", "Its lineage in the point estimate.", "lineage"),
        Column("Certainty", "Probability that it belongs there."),
        Column("Next best", "The second most probable lineage, if any.", "lineage"),
        Column("Its probability", "Probability that it belongs to that one."),
    )
    return Table("objects", "Where every object belongs", "The least certain objects come first.", columns, ())


def bars(sizes: "Sequence[int] | np.ndarray[Any, Any]", labels: Sequence[str], lineage: int, largest: int) -> Any:
    """Sizes as small bars, one per time."""
    wide, high = 5, 22
    path = "".join(
        f"M{wide * t + 2} {high}v{-max(1.5, high * int(size) / largest):.1f}" for t, size in enumerate(sizes) if size
    )
    width = wide * len(labels)
    there = [f"{labels[t]}: {size}" for t, size in enumerate(sizes) if size]
    words = f"sizes {min(size for size in sizes if size)} to {max(sizes)}, at {len(there)} of {len(labels)} times"
    return trusted(
        f'<svg class="bars" role="img" aria-label="{words}" width="{width}" height="{high}" '
        f'viewBox="0 0 {width} {high}"><path d="M0 {high - 0.25}H{width}" stroke="currentColor" stroke-opacity="0.3" '
        f'stroke-width="0.5"/><path d="{path}" stroke="{lineage_colour(lineage)}" stroke-width="4"/></svg>'
    )


def meanings(tables: Iterable[Table]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Meanings of the columns, by table."""
    return [(table.title, [(column.name, column.meaning) for column in table.columns]) for table in tables]


def probability(value: float) -> Cell:
    """A probability with two digits that does not pretend to be 0 or 1."""
    if not isfinite(value):
        return Cell("–", np.nan)
    shown = "<0.01" if 0 < value < 0.005 else ">0.99" if 0.995 <= value < 1 else f"{value:.2f}"
    return Cell(shown, float(value))


def share(value: float) -> Cell:
    """A share in percent; empty where there is none."""
    if not isfinite(value):
        return Cell("", np.nan)
    return Cell("<1%" if 0 < value < 0.005 else f"{value:.0%}", float(value))


def whole(value: Any, flag: bool = False) -> Cell:
    """A whole number."""
    return Cell(f"{int(value):,}", float(value), flag)


def _rounded(value: float | None, flag: bool = False) -> Cell:
    return Cell("–", np.nan) if value is None or not isfinite(value) else Cell(f"{value:,.0f}", float(value), flag)


def at_time(time: Any, wording: Wording) -> Cell:
    """The label of a time, sorted by time."""
    return Cell(wording.label(time), float(wording.epoch(time)))
