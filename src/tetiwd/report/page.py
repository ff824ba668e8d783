"""A run as one HTML page that needs no network and no other file, for people who do not know the program."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tetiwd.analysis import Analysis
from tetiwd.diagnostics import Diagnostics, diagnose
from tetiwd.errors import RunFolderError, give
from tetiwd.narrative import narrative
from tetiwd.plots.lineages import alluvial_svg
from tetiwd.report.details import details_of
from tetiwd.report.figures import figures
from tetiwd.report.page_tables import explained, tables_of
from tetiwd.report.rendering import (
    N_COLOURS,
    Wording,
    content_security_policy,
    json_for_script,
    render,
    script,
    style_sheet,
    trusted,
)
from tetiwd.report.sections import Section, SectionMaker, make_sections
from tetiwd.report.summary import summary_of
from tetiwd.summarize.naming import named
from tetiwd.writing import write_text

if TYPE_CHECKING:
    from tetiwd.sample import Sample
    from tetiwd.summarize.outcomes import Outcomes


def write_report(
    analysis: Analysis,
    path: str | Path,
    *,
    overwrite: bool = False,
    show_ids: bool = False,
    outcomes: "Outcomes | None" = None,
    sections: Sequence[Section | SectionMaker] = (),
    origin: Sequence[str] = (),
) -> Path:
    """Write the report; an existing file is kept unless ``overwrite`` is True.

    Parameters
    ----------
    analysis
        A sample with its answers.
    path
        A file, or a folder, in which the file is then called report.html.
    show_ids
        True adds a table of all objects with their ids; otherwise no id is in the file.
    outcomes
        Rates by lineage, from :func:`tetiwd.outcomes_by_lineage`, to be shown as well.
    sections
        Sections of other packages, or makers of them (:class:`tetiwd.report.SectionMaker`).
    origin
        Where the data come from and when, for the head of the page; today's date if not given.
    """
    target = check_target(path, overwrite=overwrite)
    page = report_html(analysis, show_ids=show_ids, outcomes=outcomes, sections=sections, origin=origin or (today(),))
    return write_page(target, page)


def today() -> str:
    """The date, as the head of a page has it."""
    return date.today().isoformat()


def write_page(target: Path, page: str) -> Path:
    """Write a page to a file."""
    try:
        write_text(target, page)
    except OSError as error:
        fault = f"cannot write {target} ({error.strerror})"
        raise RunFolderError(fault, "make room, or choose another place") from error
    return target


def check_target(path: str | Path, *, overwrite: bool) -> Path:
    """The file of a report, checked before anything is drawn: it must not exist yet, and its folder must."""
    target = Path(path)
    if target.is_dir():
        target = target / "report.html"
    if target.exists() and not overwrite:
        raise RunFolderError(f"{target} is there already", ["choose another name, or ", give("overwrite", True)])
    if not target.parent.is_dir():
        raise RunFolderError(f"cannot write {target} (there is no folder {target.parent}); choose another place")
    return target


def report_html(
    analysis: Analysis,
    *,
    show_ids: bool = False,
    outcomes: "Outcomes | None" = None,
    sections: Sequence[Section | SectionMaker] = (),
    origin: Sequence[str] = (),
) -> str:
    """The whole page. Ids are on it only if they are asked for."""
    with named(analysis.clustering.names):
        return _page(analysis, show_ids, outcomes, sections, origin)


def _page(
    analysis: Analysis,
    show_ids: bool,
    outcomes: "Outcomes | None",
    sections: Sequence[Section | SectionMaker],
    origin: Sequence[str],
) -> str:
    wording = Wording(analysis.sample.series.times)
    diagnostics = _with_labels(analysis.sample, wording.inline)
    added = make_sections(sections, analysis, show_ids=show_ids)
    tables = tables_of(analysis, diagnostics, wording, outcomes=outcomes, show_ids=show_ids)
    return whole_page(
        origin=[wording.sentence(fact, 120) for fact in origin],
        banners=[section.banner for section in added if section.banner],
        summary=summary_of(analysis, diagnostics, wording),
        figures=figures(analysis, outcomes),
        headings={} if outcomes is None else {"outcomes": wording.sentence(outcomes.name, 60)},
        tables=tables,
        how_it_ran="How well the computation ran",
        sections=added,
        details=details_of(
            analysis.sample, {"Sampling": vars(analysis.sample.settings), "Answers": vars(analysis.settings)}
        ),
    )


def whole_page(*, tables: dict[str, Any], sections: Sequence[Section] = (), **parts: Any) -> str:
    """The page from its parts, with its style and script, and the meanings of all tables."""
    style, code = style_sheet(*(section.style for section in sections)), script()
    return render(
        "report.html",
        policy=content_security_policy(style, code),
        style=trusted(style),
        script=trusted(code),
        trusted=trusted,
        n_colours=N_COLOURS,
        tables=tables,
        object_data=json_for_script(tables["objects"].data) if tables["objects"] else "",
        meanings=explained(tables, [table for section in sections for table in section.tables]),
        sections=sections,
        **parts,
    )


def summary_html(analysis: Analysis) -> str:
    """The most important sentences and the picture, for a notebook."""
    wording = Wording(analysis.sample.series.times)
    told = narrative(analysis, wording.inline)
    verdict = _with_labels(analysis.sample, wording.inline).verdict
    sentences = [*told.findings, *told.run, verdict, *wording.sentences((*told.reasons, *told.remarks))]
    return render("summary.html", sentences=sentences, picture=trusted(alluvial_svg(analysis.lineages)))


def _with_labels(sample: "Sample", labels: Sequence[str]) -> Diagnostics:
    """The diagnostics of a sample with other labels for its times; they are all computed anew if any differs."""
    if all(str(time) == label for time, label in zip(sample.series.times, labels, strict=True)):
        return sample.diagnostics
    return diagnose(sample.draws, labels, sample.settings.seed)
