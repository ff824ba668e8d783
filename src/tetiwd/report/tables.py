"""The tables of the page: cells, how they are sorted, and the meaning of the columns."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tetiwd.diagnostics import LARGEST_R_HAT, SMALLEST_ESS, shown_r_hat, whole_draws
from tetiwd.plots.colours import lineage_colour
from tetiwd.plots.lineage_facts import NOWHERE
from tetiwd.report.rendering import Wording, trusted

if TYPE_CHECKING:
    import pandas as pd

    from tetiwd.analysis import Analysis
    from tetiwd.diagnostics import Diagnostics
    from tetiwd.mode_analysis import ModeAnalysis
    from tetiwd.summarize.outcomes import Outcomes

Kind = Literal["text", "number", "time", "lineage", "lineages", "bars"]
Field = tuple[str, str, str, str]  # name of a column, source of its values, their format, meaning of the column
PROBABLE = 0.5  # least probability of events that are listed
MOST_SIZES = 8  # times whose sizes have a column each; with more, sizes are small bars
KINDS: dict[str, Kind] = {kind: kind for kind in ("text", "time", "lineage", "lineages", "bars")}
WORDS = {-1: ("others", 1e9), "other": ("others", 1e9), "new": ("new", 1e9 + 1), NOWHERE: ("unassigned", 1e9 + 2)}
EVENTS = {
    "born": "appears",
    "died": "is gone",
    "split": "has split",
    "merged": "has merged",
    "returned": "is back",
}
QUANTITIES = (
    "; log_joint: log joint density; k: number of clusters; entropy: of their sizes; pairs: share of pairs of objects "
    "in one cluster or lineage; others: settings."
)


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


def filled(
    key: str,
    title: str,
    caption: str,
    fields: Iterable[Field],
    records: Iterable[Mapping[str, Any]],
    wording: Wording,
    **options: str,
) -> Table:
    """A table with a column per field and a row per record, which is about its "lineage" if it has one.

    Values of a record are shown as the field says; cells are taken as they are.
    """
    formats = FORMATS | {"time": lambda time: at_time(time, wording)}
    fields = tuple(fields)
    columns = tuple(Column(name, meaning, KINDS.get(how, "number")) for name, _, how, meaning in fields)
    rows = []
    for record in records:
        values = [(record[source], formats[how]) for _, source, how, _ in fields]
        lineage = record.get("lineage")
        cells = tuple(value if isinstance(value, Cell) else show(value) for value, show in values)
        rows.append(Row(cells, lineage if isinstance(lineage, int) else None))
    return Table(key, title, caption, columns, tuple(rows), **options)


def lineages_table(analysis: "Analysis | ModeAnalysis", wording: Wording) -> Table:
    """One row per lineage."""
    table, labels, times = analysis.lineages.table(), wording.labels, analysis.clustering.times
    fields = [
        ("Lineage", "lineage", "lineage", "Number of the lineage; it has the same colour in all pictures."),
        ("First", "first", "time", "Its first time point."),
        ("Last", "last", "time", "Its last time point."),
        ("Times", "n_epochs", "whole", "Number of time points at which it is present."),
        ("Gaps", "n_gaps", "whole", "How often it disappears and returns."),
        ("Objects", "objects", "whole", "Members over all time points."),
        ("Links", "stability", "probability", "Mean posterior probability of its links between consecutive times."),
        ("Weakest link", "weakest_link", "probability", "The smallest of these probabilities."),
    ]
    fields = [field for field in fields if field[1] in table]
    if len(labels) <= MOST_SIZES:
        in_numbers = zip(labels, times, strict=True)
        fields += [(label, f"size at {time}", "whole", f"Members at {label}.") for label, time in in_numbers]
    else:
        fields.append(("Sizes", "sizes", "bars", f"Members from {labels[0]} to {labels[-1]} as bars."))
        sizes = table.iloc[:, -len(labels) :].to_numpy()
        table["sizes"] = [
            Cell(bars(by_time, labels, g, int(sizes.max())), float(by_time.max())) for g, by_time in enumerate(sizes)
        ]
    caption = "A lineage is one cluster followed through time. Select a row to highlight its lineage in all pictures."
    return filled("lineages", "Lineages of clusters", caption, fields, table.to_dict("records"), wording)


def events_table(events: "pd.DataFrame", wording: Wording) -> Table:
    """Events in the lives of the lineages, with their probabilities where these are known."""
    known = "probability" in events
    fields = [
        ("Time", "time", "time", "The first time point at which it is seen."),
        ("Lineage", "lineage", "lineage", "The lineage it happens to."),
        ("Event", "event", "text", "A lineage appears, is gone, has split or merged, or is back after a gap."),
        ("Probability", "probability", "probability", "Posterior probability of the event."),
        ("With", "others", "lineages", "Other lineages involved, the most probable first."),
    ]
    fields = [field for field in fields if field[1] in events]
    records = events.to_dict("records")
    for record in records:
        record["event"] = EVENTS[record["event"]]
        record["others"] = tuple(lineage for lineage in record["others"] if lineage != record["lineage"])
    caption = "Splits, merges and returns can be seen only if objects have ids or distances between times are known."
    nothing = "No events."
    if known:
        caption = f"Events with a posterior probability of at least {PROBABLE}. {caption}"
        nothing = "No event is more probable than not; events.csv in the run folder lists all events."
    return filled("events", "Events", caption, fields, records, wording, nothing=nothing)


def forecast_table(analysis: "Analysis", wording: Wording) -> Table | None:
    """Forecast shares at the next time; None if times are not linked."""
    coming = analysis.forecast
    if coming is None:
        return None
    level = f"{coming.level:.0%}"
    fields = (
        ("Lineage", "lineage", "lineage", "A lineage of the last time point; or all others, or all new ones together."),
        ("Now", "now", "share", "Share of objects at the last time point."),
        ("Expected", "expected", "share", "Expected share at the next time point."),
        ("Lower", "lower", "share", f"Lower end of the {level} prediction interval of the share."),
        ("Upper", "upper", "share", f"Upper end of the {level} prediction interval of the share."),
        ("Empty", "nobody", "probability", "Probability that it has no objects: it ends, or nothing new appears."),
    )
    records = coming.table().rename(columns={"cluster": "lineage"}).to_dict("records")
    if not coming.others_matter:
        records = [record for record in records if record["lineage"] != "other"]
    caption = (
        f"Shares among {coming.n_next} objects at the time point after {wording.label(coming.time)}. “Others” are "
        "clusters too uncertain or too small to be listed, “new” are clusters never seen before."
    )
    return filled("forecast", "What to expect next", caption, fields, records, wording)


def numbers_table(analysis: "Analysis", wording: Wording) -> Table:
    """Objects and clusters at every time."""
    level = f"{analysis.settings.level:.0%}"
    fields = (
        ("Time", "time", "time", "The time point."),
        ("Objects", "objects", "whole", "Objects at that time."),
        ("Clusters", "clusters", "whole", "Clusters in the point estimate."),
        ("Unassigned", "unassigned", "whole", "Objects in none of these clusters."),
        ("Median", "median", "whole", "Posterior median of the number of clusters, however small."),
        ("Lower", "lower", "whole", f"Lower end of the {level} credible interval."),
        ("Upper", "upper", "whole", f"Upper end of the {level} credible interval."),
    )
    records = analysis.n_clusters().to_dict("records")
    return filled("numbers", "Objects and clusters at every time", "", fields, records, wording, fold="The numbers")


def outcomes_table(outcomes: "Outcomes", wording: Wording) -> Table:
    """How often an outcome happens to the members of every lineage."""
    level, higher = f"{outcomes.level:.0%}", "Probability that the rate is higher than in all other lineages together."
    fields = (
        ("Lineage", "lineage", "lineage", "The lineage."),
        ("With", "events", "whole", "Members with the outcome."),
        ("Members", "members", "whole", "Members whose outcome is known."),
        ("Rate", "rate", "share", "Posterior mean of the rate; it allows for chance and for uncertain membership."),
        ("Lower", "lower", "share", f"Lower end of the {level} credible interval."),
        ("Upper", "upper", "share", f"Upper end of the {level} credible interval."),
        ("Higher than elsewhere", "probability_higher_than_rest", "probability", higher),
    )
    records = outcomes.table().to_dict("records")
    return filled("outcomes", "Rates by lineage", f"With {level} credible intervals.", fields, records, wording)


def diagnostics_table(diagnostics: "Diagnostics", n_chains: int) -> Table:
    """Convergence of all monitored quantities."""
    alone = n_chains == 1
    compared = "the beginning and the end of the one MCMC chain" if alone else "MCMC chains"
    between = "the beginning and the end of the chain" if alone else "chains"
    columns = (
        Column("Quantity", f"The quantity that is compared between {compared}{QUANTITIES}", "text"),
        Column("Mean", "Its mean over all draws."),
        Column("R-hat", f"Disagreement between {between}: 1 is none, above {LARGEST_R_HAT} is too much."),
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
            r_hat = Cell(shown_r_hat(quantity.r_hat) if isfinite(quantity.r_hat) else "infinite", quantity.r_hat, apart)
            rest = (r_hat, _rounded(quantity.ess_bulk, thin), _rounded(quantity.ess_tail))
        rows.append(Row((Cell(quantity.name), Cell(f"{quantity.mean:.4g}", quantity.mean), *rest)))
    if alone:
        asked = "The computation was run only once (one MCMC chain). Do its beginning and its end agree?"
    else:
        asked = "Do the repetitions of the computation (MCMC chains) agree?"
    caption = f"{asked} Marked values are not good enough."
    return Table("diagnostics", "Diagnostics", caption, columns, tuple(rows), "There are too few draws to judge.")


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


def probability(value: float) -> Cell:
    """A probability with two digits that does not pretend to be 0 or 1."""
    if not isfinite(value):
        return Cell("–", np.nan)
    shown = "<0.01" if 0 < value < 0.005 else ">0.99" if 0.995 <= value < 1 else f"{value:.2f}"
    return Cell(shown, float(value))


def share(value: float) -> Cell:
    """A share in per cent."""
    if not isfinite(value):
        return Cell("", np.nan)
    return Cell("<1%" if 0 < value < 0.005 else f"{value:.0%}", float(value))


def whole(value: Any, flag: bool = False) -> Cell:
    """A whole number."""
    return Cell(f"{int(value):,}", float(value), flag)


def at_time(time: Any, wording: Wording) -> Cell:
    """A time point, sorted by its place in time."""
    return Cell(wording.label(time), float(wording.epoch(time)))


def _rounded(value: float | None, flag: bool = False) -> Cell:
    return Cell("–", np.nan) if value is None or not isfinite(value) else Cell(whole_draws(value), float(value), flag)


def lineage_cell(value: Any) -> Cell:
    """The number of a lineage, or a word for several or none; words come last."""
    return Cell(*WORDS[value]) if value in WORDS else Cell(value, value)


FORMATS: dict[str, Callable[[Any], Cell]] = {
    "text": Cell,
    "lineage": lineage_cell,
    "lineages": lambda lineages: Cell(lineages, float(len(lineages))),
    "bars": Cell,
    "number": Cell,
    "whole": whole,
    "share": share,
    "probability": probability,
}
