"""All tables of the page, by their place."""

from typing import TYPE_CHECKING, Any

from tetiwd.report import lives, tables
from tetiwd.report.details import checks_table
from tetiwd.report.objects import object_list
from tetiwd.report.rendering import Wording
from tetiwd.report.tables import Table
from tetiwd.report.unassigned import unassigned_table

if TYPE_CHECKING:
    from tetiwd.analysis import Analysis
    from tetiwd.diagnostics import Diagnostics
    from tetiwd.summarize.outcomes import Outcomes


def tables_of(
    analysis: "Analysis",
    diagnostics: "Diagnostics",
    wording: Wording,
    *,
    outcomes: "Outcomes | None",
    show_ids: bool,
) -> dict[str, Any]:
    """The section of tables, tables below a figure by its key, the objects, and tables of the details."""
    forecast = tables.forecast_table(analysis, wording)
    events = analysis.lineages.events(least=tables.PROBABLE)
    unassigned = unassigned_table(analysis, wording, show_ids=show_ids)
    main = [
        tables.lineages_table(analysis, wording),
        lives.markers_table(analysis, wording),
        lives.prototypes_table(analysis, wording, show_ids=show_ids),
        unassigned,
        tables.events_table(events, wording),
        lives.transitions_table(analysis, wording),
        lives.growth_table(analysis, wording),
        forecast,
    ]
    below_figure = {"n_clusters": tables.numbers_table(analysis, wording)}
    if outcomes is not None:
        below_figure["outcomes"] = tables.outcomes_table(outcomes, wording)
    return {
        "main": [table for table in main if table is not None],
        "below_figure": below_figure,
        "objects": object_list(analysis, wording) if show_ids else None,
        "diagnostics": tables.diagnostics_table(diagnostics, len(analysis.sample.draws)),
        "checks": checks_table(analysis.sample, wording),
    }


def explained(shown: dict[str, Any], added: list[Table]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Meanings of the columns of all tables of the page, those of added sections included."""
    objects = [shown["objects"].table] if shown["objects"] else []
    all_tables = [
        *shown["main"],
        *shown["below_figure"].values(),
        *added,
        *objects,
        shown["diagnostics"],
        shown["checks"],
    ]
    return [(table.title, [(column.name, column.meaning) for column in table.columns]) for table in all_tables]
