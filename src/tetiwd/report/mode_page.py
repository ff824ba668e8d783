"""The page of a mode: one clustering as pictures and tables, and in the first place that it is not a posterior."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tetiwd.mode import HEEDED
from tetiwd.narrative import SURE, narrate_mode, quick_look
from tetiwd.plots.catalogue import Figure as Entry
from tetiwd.plots.catalogue import figure_called
from tetiwd.plots.lineages import alluvial_svg, plot_lineages
from tetiwd.plots.maps import plot_map
from tetiwd.report.details import checks_table, details_of
from tetiwd.report.figures import Figure, by_time, whole
from tetiwd.report.objects import object_list
from tetiwd.report.page import check_target, today, whole_page, write_page
from tetiwd.report.rendering import Wording, render, trusted
from tetiwd.report.summary import chips
from tetiwd.report.tables import Table, events_table, filled, lineages_table
from tetiwd.report.unassigned import unassigned_table

if TYPE_CHECKING:
    from tetiwd.mode_analysis import ModeAnalysis

TITLE = "A quick look, not a posterior"
WHAT_IT_IS = (
    "This is one clustering: the most probable one that a few short runs have found. Others may be nearly as probable, "
    "and may differ in how many clusters there are. A quick look cannot say how certain any of this is."
)
HOW_TO_GO_ON = "For probabilities, intervals, forecasts and a check of the computation, run: tetiwd resume RUN"
GIVEN = ", with all other objects fixed"
CAPTIONS = {
    "lineages": "Every column is a time point and every block a cluster, its height the number of objects; a ribbon "
    "leads to the same cluster at the next time point.",
    "map": "Every dot is an object in the colour of its lineage, and the closer two dots, the more similar the objects "
    f"(classical scaling of the distances); hollow dots would be in their cluster with a probability below {SURE:.2f}"
    f"{GIVEN}; grey crosses are in none.",
}


def write_mode_report(
    analysis: "ModeAnalysis",
    path: str | Path,
    *,
    overwrite: bool = False,
    show_ids: bool = False,
    origin: Sequence[str] = (),
) -> Path:
    """Write the page; see :func:`tetiwd.report.write_report` for the parameters."""
    target = check_target(path, overwrite=overwrite)
    return write_page(target, mode_html(analysis, show_ids=show_ids, origin=origin or (today(),)))


def mode_html(analysis: "ModeAnalysis", *, show_ids: bool = False, origin: Sequence[str] = ()) -> str:
    """The whole page. Ids are on it only if they are asked for."""
    wording = Wording(analysis.mode.series.times)
    lineages, events = lineages_table(analysis, wording), events_table(analysis.lineages.events(), wording)
    unassigned = unassigned_table(analysis, wording, show_ids=show_ids, given=GIVEN)
    told = narrate_mode(analysis, wording.inline)
    summary = {
        "span": tuple(dict.fromkeys((wording.labels[0], wording.labels[-1]))),
        "lead": told[0],
        "findings": told[1:],
        "certain": [],
        "uncertain": [],
        "trust": "fair",
        "trust_title": TITLE,
        "trust_text": WHAT_IT_IS,
        "verdict": "",
        "about_run": [HOW_TO_GO_ON],
        "reasons": wording.sentences(analysis.mode.reasons),
        "remarks": [],
        "chips": chips(analysis, wording),
    }
    return whole_page(
        origin=[wording.sentence(fact, 120) for fact in origin],
        banners=[quick_look(analysis)],
        summary=summary,
        figures=_figures(analysis, wording),
        headings={},
        tables={
            "main": [table for table in (lineages, unassigned, events) if table is not None],
            "below_figure": {},
            "objects": object_list(analysis, wording, given=GIVEN) if show_ids else None,
            "diagnostics": _starts_table(analysis, wording),
            "checks": checks_table(analysis.mode, wording),
        },
        how_it_ran="What each start found",
        details=details_of(analysis.mode, {"Search": _heeded(analysis)}),
    )


def mode_summary_html(analysis: "ModeAnalysis") -> str:
    """The most important sentences and the picture, for a notebook."""
    sentences = [quick_look(analysis), *narrate_mode(analysis, Wording(analysis.mode.series.times).inline)]
    return render("summary.html", sentences=sentences, picture=trusted(alluvial_svg(analysis.lineages)))


def _figures(analysis: "ModeAnalysis", wording: Wording) -> list[Figure]:
    def drawn(key: str, draw: Callable[..., Any]) -> Entry:
        return replace(figure_called(key), caption=CAPTIONS[key], draw=draw)

    lineages = drawn("lineages", lambda marks: plot_lineages(analysis.lineages, marks=marks))
    maps = drawn("map", lambda t, marks: plot_map(analysis, t, marks=marks))
    return [whole(lineages, lineages.draw, len(wording.labels)), by_time(maps, maps.draw, wording)]


def _starts_table(analysis: "ModeAnalysis", wording: Wording) -> Table:
    fields = (
        ("Start", "start", "whole", "Each start begins with a different number of clusters."),
        ("Clusters", "clusters", "whole", "Clusters found, all time points together, single objects included."),
        ("Log joint", "log_joint", "text", "Log of the joint density that it reached: the larger, the more probable."),
        ("Chosen", "chosen", "text", "The most probable one is what this page shows."),
    )
    records = analysis.starts().to_dict("records")
    for record in records:
        record |= {"log_joint": f"{record['log_joint']:.1f}", "chosen": "yes" if record["chosen"] else ""}
    caption = "If starts have found very different numbers of clusters, a longer run may find something else again."
    return filled("starts", "Starts", caption, fields, records, wording)


def _heeded(analysis: "ModeAnalysis") -> dict[str, Any]:
    """The settings that had an effect."""
    given = vars(analysis.mode.settings) | vars(analysis.settings)
    return {name: value for name, value in given.items() if name in HEEDED}
