"""Tables about the lives of lineages: who grows, who came from where, what marks them, which objects are typical."""

from math import floor, isfinite, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from tetiwd.plots.text import clean, count
from tetiwd.report.objects import names_of
from tetiwd.report.rendering import Wording
from tetiwd.report.tables import Cell, Table, filled
from tetiwd.summarize.markers import FALSE_DISCOVERIES

if TYPE_CHECKING:
    from tetiwd.analysis import Analysis

MOST_ROWS = 200
MOST_MARKERS = 10  # of a lineage
LEAST_EXPECTED = 0.5  # objects of a passage that is listed
LONGEST_NAME = 60
LINEAGE = ("Lineage", "lineage", "lineage", "The lineage.")


def growth_table(analysis: "Analysis", wording: Wording) -> Table | None:
    """Growth rates; None if there is one time only."""
    if analysis.sample.series.n_epochs == 1 or not analysis.clustering.n_lineages:
        return None
    growth = analysis.growth
    level = f"{growth.level:.0%}"
    fields = (
        LINEAGE,
        ("First", "first", "time", "Its first time point."),
        ("Last", "last", "time", "Its last time point."),
        ("Now", "share_now", "share", "Its share of the objects at the last time point of all."),
        ("Rate", "rate", "number", "Growth of the log odds of its share per time step, while it is present."),
        ("Lower", "lower", "number", f"Lower end of the {level} credible interval."),
        ("Upper", "upper", "number", f"Upper end of the {level} credible interval."),
        ("Growing", "probability_growing", "probability", "Probability that its share grows."),
        ("Emerging", "status", "text", "Whether it is new, large enough and growing with high probability."),
    )
    records = growth.table().to_dict("records")
    for record in records:
        new, known = bool(record["new"]), isfinite(record["rate"])
        record["status"] = "yes" if record["emerges"] else "too new to say" if new and not known else ""
        record["probability_growing"] = floor(100 * record["probability_growing"]) / 100 if known else nan  # 0.9 is 0.9
        for name in ("rate", "lower", "upper"):
            record[name] = signed(record[name])
    caption = (
        "Growth is relative to all others. A lineage emerges if it was first seen at one of the last "
        f"{growth.recent} times but not at the first, has at least {growth.least_share:.0%} of the objects now, and "
        f"grows with probability {growth.probability:g} or more. A lineage present at only one time has no rate."
    )
    return filled("growth", "Who grows", caption, fields, records, wording)


def transitions_table(analysis: "Analysis", wording: Wording) -> Table | None:
    """Passages between lineages over all times; None if they are not known."""
    found = analysis.transitions
    if found is None:
        return None
    level = f"{analysis.settings.level:.0%}"
    fields = [
        ("From", "lineage", "lineage", "The lineage they were in before."),
        ("To", "to_lineage", "lineage", "The lineage they are in afterwards."),
        ("Objects", "objects", "whole", "Objects that make this transition, in the point estimate."),
        (
            "Go there",
            "goes",
            "share",
            "Of the objects of the first lineage that are seen again, the share that go there.",
        ),
        ("Lower", "goes_lower", "share", f"Lower end of the {level} credible interval."),
        ("Upper", "goes_upper", "share", f"Upper end of the {level} credible interval."),
        ("Came from", "came", "share", "Of the objects of the second lineage, the share that came from the first."),
        ("Lower", "came_lower", "share", f"Lower end of the {level} credible interval."),
        ("Upper", "came_upper", "share", f"Upper end of the {level} credible interval."),
    ]
    if found.by == "places":
        fields = [field for field in fields if not field[1].startswith("goes")]
    table = found.over_all_times()
    table = table[(table.expected >= LEAST_EXPECTED) & (table.objects > 0)].rename(columns={"from_lineage": "lineage"})
    shown = table.sort_values("expected", ascending=False, kind="stable").head(MOST_ROWS)
    how = {
        "ids": "Objects that return, from one appearance to the next, over all times.",
        "places": "No object is known to return: each is taken to come from the lineage of the previous time whose "
        "mean is nearest to it.",
    }[found.by]
    caption = f"{how} transitions.csv in the run folder has every step."
    return filled("transitions", "Who came from where", caption, fields, shown.to_dict("records"), wording)


def markers_table(analysis: "Analysis", wording: Wording) -> Table | None:
    """The strongest markers of every lineage; None if features are not known."""
    found = analysis.markers
    if found is None:
        return None
    fields = (
        LINEAGE,
        ("Feature", "feature", "text", "Name of the feature."),
        ("Here", "here", "number", "Mean of the members, in units of the data."),
        ("Elsewhere", "elsewhere", "number", "Mean of all others."),
        ("Difference", "difference", "number", "Difference within times, in standard deviations within lineages."),
        ("AUC", "auc", "probability", "Probability that a member has a larger value than another object of its time."),
        ("q", "q", "number", "False discovery rate, tested on clusters found without the feature."),
    )
    listed = found.found()
    shown = listed.groupby("lineage", sort=False).head(MOST_MARKERS).head(MOST_ROWS)
    records = shown.to_dict("records")
    for record in records:
        record["feature"] = clean(str(record["feature"]), LONGEST_NAME)
        record["difference"], record["q"] = signed(record["difference"]), q_cell(record["q"])
        record["here"], record["elsewhere"] = number(record["here"]), number(record["elsewhere"])
    of = f"{count(found.n_compared, 'feature')}"
    if found.n_compared < found.n_features:
        of += f" that vary most, of {found.n_features:,}"
    caption = (
        f"Features in which a lineage differs from the other objects of the same times, at a false discovery rate of "
        f"{FALSE_DISCOVERIES:.0%}: the strongest {MOST_MARKERS} of a lineage, from {of}. Clusters were found with "
        "these features, so each is tested on clusters that were assigned without it; markers.csv lists all."
    )
    nothing = (
        f"No feature marks a lineage at a false discovery rate of {FALSE_DISCOVERIES:.0%}; markers.csv has effects."
    )
    return filled("markers", "What marks a lineage", caption, fields, records, wording, nothing=nothing)


def prototypes_table(analysis: "Analysis", wording: Wording, *, show_ids: bool) -> Table | None:
    """The most typical object of every lineage at its last time."""
    if not analysis.clustering.n_lineages:
        return None
    table = analysis.prototypes.groupby("lineage", sort=True).tail(1).head(MOST_ROWS).copy()
    fields = [
        LINEAGE,
        ("Time", "time", "time", "The last time point of the lineage."),
        ("Members", "members", "whole", "Members at that time."),
        ("To members", "to_members", "number", "Mean squared distance of the prototype to the other members."),
        (
            "To others",
            "to_others",
            "number",
            "Mean squared distance of the prototype to all other objects of the time.",
        ),
    ]
    where = "prototypes.csv in the run folder names them, for every time."
    if show_ids:
        fields.insert(2, ("Id", "name", "text", "Id of the prototype, or its position among the objects of its time."))
        table["name"] = names_of(table)
        where = "prototypes.csv in the run folder has those of every time."
    records = table.to_dict("records")
    for record in records:
        record["to_members"], record["to_others"] = number(record["to_members"]), number(record["to_others"])
    caption = f"The prototype is the member that is nearest to the others on average. {where}"
    return filled("prototypes", "Prototypes", caption, fields, records, wording)


def number(value: Any) -> Cell:
    """A number with a few digits."""
    return Cell(f"{value:.4g}".replace("-", "−"), float(value)) if isfinite(value) else Cell("–", np.nan)


def signed(value: Any) -> Cell:
    """A number with its sign and two decimals."""
    return Cell(f"{value:+.2f}".replace("-", "−"), float(value)) if isfinite(value) else Cell("–", np.nan)


def q_cell(value: Any) -> Cell:
    """A q value, with few digits."""
    if not isfinite(value):
        return Cell("–", np.nan)
    return Cell("<0.001" if value < 0.001 else f"{value:.3f}", float(value))
