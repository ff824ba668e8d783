"""The table of objects with their ids: all rows as data, the first ones as HTML."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tetiwd.plots.lineage_facts import NOWHERE
from tetiwd.plots.text import clean
from tetiwd.report.rendering import Wording
from tetiwd.report.tables import Cell, Table, filled
from tetiwd.summarize.clustering import UNASSIGNED

if TYPE_CHECKING:
    import pandas as pd

    from tetiwd.analysis import Analysis
    from tetiwd.mode_analysis import ModeAnalysis

SHOWN_AT_ONCE = 200
MOST_OBJECTS = 20_000  # in the file; more make it slow to open
LONGEST_ID = 60
NO_SECOND = dict.fromkeys(("next_lineage", "next_probability"), Cell("", float("nan")))


@dataclass(frozen=True)
class ObjectList:
    """The table with its first rows, and all rows for the script."""

    table: Table
    data: dict[str, Any]
    n_objects: int


def object_list(analysis: "Analysis | ModeAnalysis", wording: Wording, *, given: str = "") -> ObjectList:
    """All objects, the least certain first; ``given`` says what their probabilities depend on."""
    fields = (
        ("Id", "name", "text", "Id of the object, or its position among the objects of its time."),
        ("Time", "time", "time", "The time point."),
        ("Lineage", "lineage", "lineage", "Its lineage, if it is assigned to one."),
        ("Certainty", "certainty", "probability", f"Probability that it belongs there, or nowhere{given}."),
        ("Next best", "next_lineage", "lineage", "The second most probable lineage, if any."),
        ("Its probability", "next_probability", "probability", f"Probability that it belongs to that one{given}."),
    )
    table = analysis.memberships.table().sort_values("certainty", kind="stable")
    kept = table.head(MOST_OBJECTS).round({"certainty": 3, "next_probability": 3})
    kept["name"] = names_of(kept)
    kept["lineage"] = kept["lineage"].replace(UNASSIGNED, NOWHERE)  # −1 are others on this page
    records = kept[[source for _, source, _, _ in fields]].to_dict("records")
    data = [list((record | {"time": wording.epoch(record["time"])}).values()) for record in records]
    for_script = {"times": list(wording.labels), "rows": data, "most": SHOWN_AT_ONCE, "all": len(table)}
    for_script["names"] = {str(g): known.name for g, known in analysis.clustering.names.items()}
    shown = [record if record["next_probability"] else record | NO_SECOND for record in records[:SHOWN_AT_ONCE]]
    title, caption = "Where every object belongs", "The least certain objects come first."
    return ObjectList(filled("objects", title, caption, fields, shown, wording), for_script, len(table))


def names_of(table: "pd.DataFrame") -> list[str]:
    """Ids of objects, or their positions where ids are not known."""
    return [clean(str(name), LONGEST_ID) for name in table["id" if "id" in table.columns else "object"]]
