"""The table of objects with their ids: all rows as data, the first ones as HTML."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tetiwd.plots.text import clean
from tetiwd.report.rendering import Wording
from tetiwd.report.tables import Cell, Row, Table, objects_table, probability

if TYPE_CHECKING:
    from tetiwd.analysis import Analysis

SHOWN_AT_ONCE = 200
MOST_OBJECTS = 20_000  # in the file; more make it slow to open
LONGEST_ID = 60


@dataclass(frozen=True)
class ObjectList:
    """The table with its first rows, and all rows for the script."""

    table: Table
    data: dict[str, Any]
    n_objects: int


def object_list(analysis: "Analysis", wording: Wording) -> ObjectList:
    """All objects, the least certain first."""
    table = analysis.memberships.table().sort_values("certainty", kind="stable")
    name = "id" if "id" in table.columns else "object"
    kept = table.head(MOST_OBJECTS)
    data = [
        [
            clean(str(id_), LONGEST_ID),
            wording.epoch(time),
            int(lineage),
            round(float(certainty), 3),
            int(following),
            round(float(p), 3),
        ]
        for id_, time, lineage, certainty, following, p in zip(
            kept[name], kept.time, kept.lineage, kept.certainty, kept.next_lineage, kept.next_probability, strict=True
        )
    ]
    rows = tuple(_row(values, wording) for values in data[:SHOWN_AT_ONCE])
    for_script = {"times": list(wording.labels), "rows": data, "most": SHOWN_AT_ONCE, "all": len(table)}
    return ObjectList(replace(objects_table(analysis, wording), rows=rows), for_script, len(table))


def _row(values: list[Any], wording: Wording) -> Row:
    name, t, lineage, certainty, following, p = values
    nothing = Cell("", float("nan"))
    others = (
        (Cell(following, following) if following >= 0 else Cell("others", 1e9), probability(p))
        if p > 0
        else (nothing, nothing)
    )
    return Row(
        (Cell(name), Cell(wording.labels[t], float(t)), Cell(lineage, lineage), probability(certainty), *others),
        lineage,
    )
