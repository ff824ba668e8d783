"""The table of objects that are not assigned to a cluster."""

from typing import TYPE_CHECKING

from tetiwd.plots.lineage_facts import NOWHERE
from tetiwd.report.objects import names_of
from tetiwd.report.rendering import Wording
from tetiwd.report.tables import Table, filled
from tetiwd.summarize.clustering import UNASSIGNED

if TYPE_CHECKING:
    from tetiwd.analysis import Analysis
    from tetiwd.mode_analysis import ModeAnalysis

MOST_SHOWN = 100


def unassigned_table(
    analysis: "Analysis | ModeAnalysis", wording: Wording, *, show_ids: bool, given: str = ""
) -> Table | None:
    """One row per unassigned object, the most certain first; None if there are none. ``given``: see ``object_list``."""
    table = analysis.memberships.table()
    table = table[table.lineage == UNASSIGNED].sort_values("unassigned_probability", ascending=False, kind="stable")
    if table.empty:
        return None
    fields = [
        ("Time", "time", "time", "The time point."),
        ("Probability", "unassigned_probability", "probability", f"Probability that it fits nowhere{given}."),
        ("Nearest", "next_lineage", "lineage", "The lineage it most probably belongs to instead, or else the nearest."),
        ("Its probability", "next_probability", "probability", f"Probability that it belongs to that one{given}."),
    ]
    shown = table.head(MOST_SHOWN).assign(lineage=NOWHERE)
    if show_ids:
        fields.insert(0, ("Id", "name", "text", "Id of the object, or its position among the objects of its time."))
        shown["name"] = names_of(shown)
    n, least = len(analysis.clustering.flat), analysis.settings.min_size
    were, their, each = ("was", "its", "it") if len(table) == 1 else ("were", "their", "each")
    caption = (
        f"{len(table)} of {n} objects {were} not assigned: the lineage that {each} would form has fewer than {least} "
        f"objects at every time. In labels.csv {their} lineage is −1."
    )
    if len(shown) < len(table):
        caption += f" The {MOST_SHOWN} most certain are listed."
    return filled("unassigned", "Objects not assigned to a cluster", caption, fields, shown.to_dict("records"), wording)
