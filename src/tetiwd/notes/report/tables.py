"""Tables for the section about notes."""

from math import exp
from typing import TYPE_CHECKING, Any

from tetiwd.notes.findings import lineages_have
from tetiwd.plots.lineage_facts import NOWHERE
from tetiwd.plots.text import clean
from tetiwd.report.rendering import Wording
from tetiwd.report.tables import Cell, Column, Row, Table, at_time, lineage_cell, share, whole
from tetiwd.summarize.clustering import UNASSIGNED

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
    for word in _both(said.words, "certain", MORE_WORDS, LESS_WORDS):
        ratio = exp(word.certain)
        at_least = Cell(f"≥ {ratio:.1f}" if ratio >= 1 else f"≤ {ratio:.2f}", ratio)
        used = Cell("more" if word.certain > 0 else "less")
        shares = (share(word.here), share(word.elsewhere))
        rows.append(_row(word, clean(word.word, LONGEST_WORD), used, *shares, at_least))
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
    for kind in _both(said.distinctions, "difference", MORE_CLUSTERS, LESS_CLUSTERS):
        name = clean(said.clusters[kind.cluster].name, LONGEST_NAME)
        points = map(_points, (kind.difference, kind.lower, kind.upper))
        rows.append(_row(kind, name, share(kind.here), share(kind.elsewhere), *points))
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
        expected = Cell(f"{change.expected:.1f}", float(change.expected))
        counts = (whole(change.n_objects, bool(change.small)), whole(change.of), expected)
        rows.append(Row((*_step(change, wording), *counts), _shown(change.from_lineage)))
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
        name = Cell(clean(str(move.id), LONGEST_ID))
        rows.append(Row((name, *_step(move, wording), whole(move.n_skipped)), _shown(move.from_lineage)))
    caption = f"The first {MOST_MOVERS:,} of {len(table):,}." if len(table) > MOST_MOVERS else ""
    return Table("notes-movers", "Objects that change lineage, by id", caption, columns, tuple(rows), "None.")


def _both(table: Any, sign: str, more: int, less: int) -> list[Any]:
    """Of every lineage the first rows above 0 and the first below, in the order of the table."""
    rows: list[Any] = []
    for _, of_lineage in table.groupby("lineage", sort=False):
        rows += of_lineage[of_lineage[sign] > 0].head(more).itertuples(index=False)
        rows += of_lineage[of_lineage[sign] < 0].head(less).itertuples(index=False)
    return rows


def _row(about: Any, name: str, *cells: Cell) -> Row:
    """A row that begins with its lineage and a name."""
    lineage = int(about.lineage)
    return Row((Cell(lineage, float(lineage)), Cell(name), *cells), lineage)


def _left_out(said: "Findings") -> str:
    """Sentences about the lineages that are left out."""
    small = [lineage for lineage in said.silent if said.members.small[lineage]]
    others = [lineage for lineage in said.silent if not said.members.small[lineage]]
    sentences = []
    for lineages, why in ((small, "fewer than five objects"), (others, "fewer than five others to compare with")):
        if lineages:
            sentences.append(f"{lineages_have(lineages)} {why} and {'are' if len(lineages) > 1 else 'is'} left out.")
    return " ".join(sentences)


def _step(move: Any, wording: Wording) -> tuple[Cell, ...]:
    """Times and lineages of a change."""
    times = (at_time(move.from_time, wording), at_time(move.to_time, wording))
    return (*times, *(lineage_cell(_shown(lineage)) for lineage in (move.from_lineage, move.to_lineage)))


def _shown(lineage: int) -> int:
    """A lineage as the page knows it, where −1 are others."""
    return NOWHERE if lineage == UNASSIGNED else int(lineage)


def _points(value: float) -> Cell:
    return Cell(f"{100 * value:+.0f}".replace("-", "−"), float(value))
