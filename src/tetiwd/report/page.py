"""A run as one HTML page that needs no network and no other file, for people who do not know the program."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tetiwd.analysis import Analysis
from tetiwd.errors import RunFolderError
from tetiwd.io.writing import write_text
from tetiwd.plots.alluvial_svg import alluvial_svg
from tetiwd.report import details, tables
from tetiwd.report.certainty import TRUST, certain_and_not, trust
from tetiwd.report.figures import figures
from tetiwd.report.objects import object_list
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
from tetiwd.summarize.narrative import narrate, verdict_sentence

if TYPE_CHECKING:
    from tetiwd.summarize.outcomes import Outcomes


def write_report(
    analysis: Analysis,
    path: str | Path,
    *,
    overwrite: bool = False,
    show_ids: bool = False,
    outcomes: "Outcomes | None" = None,
    sections: Sequence[Section | SectionMaker] = (),
) -> Path:
    """Write the report; a file that is there is left alone unless ``overwrite`` is asked for.

    Parameters
    ----------
    analysis
        What was drawn, and the answers.
    path
        A file, or a folder, in which the file is then called report.html.
    show_ids
        True adds a table of all objects with their ids; otherwise no id is in the file.
    outcomes
        Rates by lineage, from :func:`tetiwd.outcomes_by_lineage`, to be shown as well.
    sections
        Sections of other packages, such as :class:`tetiwd.notes.report.NotesReport`.
    """
    target = check_target(path, overwrite=overwrite)
    page = report_html(analysis, show_ids=show_ids, outcomes=outcomes, sections=sections)
    try:
        write_text(target, page)
    except OSError as error:
        raise RunFolderError(f"cannot write {target} ({error.strerror}); choose another place") from error
    return target


def check_target(path: str | Path, *, overwrite: bool) -> Path:
    """The file that a report goes to; refused before anything is drawn if it is there, or its folder is not."""
    target = Path(path)
    if target.is_dir():
        target = target / "report.html"
    if target.exists() and not overwrite:
        raise RunFolderError(f"{target} is there already; choose another name, or overwrite it")
    if not target.parent.is_dir():
        raise RunFolderError(f"cannot write {target} (there is no folder {target.parent}); choose another place")
    return target


def report_html(
    analysis: Analysis,
    *,
    show_ids: bool = False,
    outcomes: "Outcomes | None" = None,
    sections: Sequence[Section | SectionMaker] = (),
) -> str:
    """The whole page. Ids are on it only if they are asked for."""
    from tetiwd.io.run_folder import versions

    sample = analysis.sample
    wording = Wording(sample.series.times)
    added = make_sections(sections, analysis, show_ids=show_ids)
    style, code = style_sheet(*(section.style for section in added)), script()
    found, about_the_run = _sentences(analysis)
    certain, uncertain = certain_and_not(analysis, wording.labels)
    listed = [tables.lineages_table(analysis, wording), tables.events_table(analysis, wording)]
    coming = tables.forecast_table(analysis, wording)
    if coming is not None:
        listed.append(coming)
    results = tables.outcomes_table(outcomes, wording) if outcomes is not None else None
    numbers, diagnosed = tables.numbers_table(analysis, wording), tables.diagnostics_table(analysis, wording)
    checks = details.checks_table(analysis, wording)
    objects = object_list(analysis, wording) if show_ids else None
    explained = [
        *listed,
        *([results] if results else []),
        *(table for section in added for table in section.tables),
        numbers,
        *([objects.table] if objects else []),
        diagnosed,
        checks,
    ]
    return render(
        "report.html",
        policy=content_security_policy(style, code),
        style=trusted(style),
        script=trusted(code),
        span=_span(wording.labels),
        lead=wording.sentence(found[0]),
        found=wording.sentences(found[1:]),
        certain=wording.sentences(certain),
        uncertain=wording.sentences(uncertain),
        trust=trust(sample.diagnostics, len(sample.draws)),
        trust_words=TRUST,
        verdict=wording.sentence(verdict_sentence(sample.diagnostics.verdict)),
        about_the_run=wording.sentences(about_the_run),
        remarks=wording.sentences(sample.remarks),
        chips=_chips(analysis, wording),
        n_colours=N_COLOURS,
        figures={own.key: own for own in figures(analysis, outcomes)},
        trusted=trusted,
        tables=listed,
        numbers=numbers,
        outcomes=results,
        outcome_name=wording.sentence(outcomes.name, 60) if outcomes is not None else "",
        sections=added,
        objects=objects,
        object_data=json_for_script(objects.data) if objects else "",
        diagnostics=diagnosed,
        checks=checks,
        facts=details.data_facts(analysis),
        settings=details.settings_of(analysis),
        versions=versions(),
        citation=details.CITATION,
        meanings=tables.meanings(explained),
    )


def summary_html(analysis: Analysis) -> str:
    """The most important sentences and the picture, for a notebook."""
    sentences = Wording(analysis.sample.series.times).sentences(narrate(analysis))
    return render("summary.html", sentences=sentences, picture=trusted(alluvial_svg(analysis.lineages)))


def _sentences(analysis: Analysis) -> tuple[list[str], list[str]]:
    """Sentences about what was found, and about the run; the verdict and remarks have a place of their own."""
    elsewhere = {verdict_sentence(analysis.sample.diagnostics.verdict), *analysis.sample.remarks}
    sentences = [own for own in narrate(analysis) if own not in elsewhere]
    about_the_run = [own for own in sentences if own.startswith("The run ")]
    return [own for own in sentences if own not in about_the_run], about_the_run


def _span(labels: tuple[str, ...]) -> tuple[str, ...]:
    return (labels[0], labels[-1]) if len(labels) > 1 else (labels[0],)


def _chips(analysis: Analysis, wording: Wording) -> list[tuple[int, str]]:
    """Every lineage with a sentence about it."""
    chips = []
    for own in analysis.lineages.table().itertuples(index=False):
        first, last = wording.label(own.first), wording.label(own.last)
        when = f"at {first} only" if first == last else f"from {first} to {last}"
        n = "1 object" if own.objects == 1 else f"{own.objects:,} objects"
        sure = f", links {own.stability:.2f} probable on average" if own.stability == own.stability else ""
        chips.append((int(own.lineage), f"Lineage {own.lineage}: {n}, {when}{sure}"))
    return chips
