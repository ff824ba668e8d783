"""Tables for the section about notes."""

from math import exp
from typing import TYPE_CHECKING, Any

from tetiwd.plots.text import clean
from tetiwd.report.rendering import Wording
from tetiwd.report.tables import Cell, Column, Row, Table
from tetiwd.summarize.narrative import listed

if TYPE_CHECKING:
    from tetiwd.notes.findings import Findings
    from tetiwd.notes.pipeline import NotesSeries

MORE_WORDS, LESS_WORDS = 12, 6  # of a lineage
MORE_CLUSTERS, LESS_CLUSTERS = 6, 3
MOST_MOVERS = 1000  # rows with ids
LONGEST_WORD, LONGEST_NAME, LONGEST_ID = 40, 80, 60
LINEAGE = Column("Lineage", "The lineage.", "lineage")
HERE = Column("Here", "Share of the lineage’s objects, window by window, whose notes contain it.")
ELSEWHERE = Column("Elsewhere", "The same share of all other objects.")


def words_table(said: "Findings") -> Table:
    """Words that a lineage uses more often than others, and less often."""
    columns = (
        LINEAGE,
        Column("Word", "A word of the notes; with “not” where the notes negate it.", "text"),
        Column("Used", "More or less often than elsewhere.", "text"),
        HERE,
        ELSEWHERE,
        Column(
            "Odds ratio",
            f"Odds here divided by odds elsewhere; shown is the end of the {said.level:.0%} interval nearer to 1.",
        ),
    )
    rows = []
    for lineage in said.words.lineage.unique().tolist():
        of_lineage = said.words[said.words.lineage == lineage]
        for word in _both(of_lineage, of_lineage.certain, MORE_WORDS, LESS_WORDS):
            ratio = exp(word.certain)
            at_least = Cell(f"≥ {ratio:.1f}" if ratio >= 1 else f"≤ {ratio:.2f}", ratio)
            used = Cell("more" if word.certain > 0 else "less")
            shares = (_share(word.here), _share(word.elsewhere))
            rows.append(
                Row((_lineage(lineage), Cell(clean(word.word, LONGEST_WORD)), used, *shares, at_least), lineage)
            )
    caption = "Only significant differences, the most certain first. " + _left_out(said)
    nothing = "No word distinguishes the lineages reliably, or too few objects use it. " + _left_out(said)
    return Table("notes-words", "Words by lineage", caption.strip(), columns, tuple(rows), nothing.strip())


def clusters_table(said: "Findings") -> Table:
    """Clusters of sentences that distinguish a lineage."""
    level = f"{said.level:.0%}"
    columns = (
        LINEAGE,
        Column("Sentences about", "The most typical words of a cluster of similar sentences.", "text"),
        HERE,
        ELSEWHERE,
        Column(
            "Difference", "Difference of the shares in percentage points; the interval includes uncertain membership."
        ),
        Column("From", f"Lower end of the {level} credible interval."),
        Column("To", f"Upper end of the {level} credible interval."),
    )
    rows = []
    for lineage in said.distinctions.lineage.unique().tolist():
        of_lineage = said.distinctions[said.distinctions.lineage == lineage]
        for kind in _both(of_lineage, of_lineage.difference, MORE_CLUSTERS, LESS_CLUSTERS):
            name = Cell(clean(said.clusters[kind.cluster].name, LONGEST_NAME))
            shares = (_share(kind.here), _share(kind.elsewhere))
            points = map(_points, (kind.difference, kind.lower, kind.upper))
            rows.append(Row((_lineage(lineage), name, *shares, *points), lineage))
    caption = "Kinds of sentences that are more or less frequent in the notes of a lineage than elsewhere. "
    caption += _left_out(said)
    nothing = "No kind of sentence distinguishes the lineages reliably. " + _left_out(said)
    return Table(
        "notes-clusters", "Sentences that distinguish a lineage", caption.strip(), columns, tuple(rows), nothing.strip()
    )


def changes_table(said: "Findings", wording: Wording) -> Table:
    """Numbers of objects that move from one lineage to another."""
    columns = (
        Column("From", "The window before.", "time"),
        Column("To", "The window after.", "time"),
        Column("Leave", "The lineage they leave.", "lineage"),
        Column("Join", "The lineage they join.", "lineage"),
        Column("Objects", "Number of objects that do."),
        Column("Of", "Objects of the lineage they leave that are present in both windows."),
        Column("Expected", "Posterior mean of the number of objects."),
    )
    rows = []
    for change in said.changes.table.itertuples(index=False):
        times = (_time(change.from_time, wording), _time(change.to_time, wording))
        n = Cell(f"{change.n_objects:,}", float(change.n_objects), bool(change.small))
        counts = (n, Cell(f"{change.of:,}", float(change.of)), Cell(f"{change.expected:.1f}", float(change.expected)))
        lineages = (_lineage(change.from_lineage), _lineage(change.to_lineage))
        rows.append(Row((*times, *lineages, *counts), change.from_lineage))
    caption = "From one window to the next. Numbers below five are marked."
    nothing = "No object changes lineage from one window to the next."
    return Table("notes-changes", "Objects that change lineage", caption, columns, tuple(rows), nothing)


def movers_table(notes: "NotesSeries", said: "Findings", wording: Wording) -> Table:
    """Objects that change lineage, with their ids."""
    from tetiwd.notes.changes import changes_by_id

    columns = (
        Column("Id", "Id of the object.", "text"),
        Column("From", "The window before.", "time"),
        Column("To", "The next window with notes of it.", "time"),
        Column("Leaves", "The lineage it leaves.", "lineage"),
        Column("Joins", "The lineage it joins.", "lineage"),
        Column("Skipped", "Windows in between without notes of it."),
    )
    table = changes_by_id(notes, said.members)
    rows = []
    for move in table.head(MOST_MOVERS).itertuples(index=False):
        times = (_time(move.from_time, wording), _time(move.to_time, wording))
        lineages = (_lineage(move.from_lineage), _lineage(move.to_lineage))
        skipped = Cell(f"{move.n_skipped}", float(move.n_skipped))
        rows.append(Row((Cell(clean(str(move.id), LONGEST_ID)), *times, *lineages, skipped), int(move.from_lineage)))
    caption = f"The first {MOST_MOVERS:,} of {len(table):,}." if len(table) > MOST_MOVERS else ""
    return Table("notes-movers", "Objects that change lineage, by id", caption, columns, tuple(rows), "None.")


def _both(table: Any, sign: Any, more: int, less: int) -> list[Any]:
    """The first rows above 0 and the first below, in the order of the table."""
    return [
        *table[sign > 0].head(more).itertuples(index=False),
        *table[sign < 0].head(less).itertuples(index=False),
    ]


def _left_out(said: "Findings") -> str:
    """Sentences about the lineages that are left out."""
    small = [lineage for lineage in said.silent if said.members.small[lineage]]
    others = [lineage for lineage in said.silent if not said.members.small[lineage]]
    sentences = []
    for lineages, why in ((small, "fewer than five objects"), (others, "fewer than five others to compare with")):
        has, is_ = ("have", "are") if len(lineages) > 1 else ("has", "is")
        if lineages:
            sentences.append(f"{_named(lineages)} {has} {why} and {is_} left out.")
    return " ".join(sentences)


def _named(lineages: list[int]) -> str:
    return f"Lineage{'s' if len(lineages) > 1 else ''} {listed(lineages)}"


def _lineage(lineage: int) -> Cell:
    return Cell(int(lineage), float(lineage))


def _time(time: Any, wording: Wording) -> Cell:
    return Cell(wording.label(time), float(wording.epoch(time)))


def _share(value: float) -> Cell:
    return Cell("<1%" if 0 < value < 0.005 else f"{value:.0%}", float(value))


def _points(value: float) -> Cell:
    return Cell(f"{100 * value:+.0f}".replace("-", "−"), float(value))
