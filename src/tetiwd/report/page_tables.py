"""All tables of the page, by their place."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tetiwd.report import tables
from tetiwd.report.details import checks_table
from tetiwd.report.objects import ObjectList, object_list
from tetiwd.report.rendering import Wording
from tetiwd.report.tables import Table

if TYPE_CHECKING:
    from tetiwd.analysis import Analysis
    from tetiwd.summarize.diagnostics import Diagnostics
    from tetiwd.summarize.outcomes import Outcomes


@dataclass(frozen=True)
class PageTables:
    """The section of tables, tables below a figure by its key, the objects, and tables of the details."""

    main: list[Table]
    below_figure: dict[str, Table]
    objects: ObjectList | None
    diagnostics: Table
    checks: Table

    def explained(self, added: list[Table]) -> list[tuple[str, list[tuple[str, str]]]]:
        """Meanings of the columns of all tables, those of added sections included."""
        objects = [self.objects.table] if self.objects else []
        return tables.meanings(
            [*self.main, *self.below_figure.values(), *added, *objects, self.diagnostics, self.checks]
        )


def tables_of(
    analysis: "Analysis",
    diagnostics: "Diagnostics",
    wording: Wording,
    *,
    outcomes: "Outcomes | None",
    show_ids: bool,
) -> PageTables:
    """The tables of an analysis."""
    forecast = tables.forecast_table(analysis, wording)
    main = [tables.lineages_table(analysis, wording), tables.events_table(analysis, wording)]
    below_figure = {"n_clusters": tables.numbers_table(analysis, wording)}
    if outcomes is not None:
        below_figure["outcomes"] = tables.outcomes_table(outcomes, wording)
    return PageTables(
        main=main if forecast is None else [*main, forecast],
        below_figure=below_figure,
        objects=object_list(analysis, wording) if show_ids else None,
        diagnostics=tables.diagnostics_table(diagnostics),
        checks=checks_table(analysis, wording),
    )
