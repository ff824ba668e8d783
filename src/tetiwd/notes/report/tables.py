"""The tables of what notes say."""

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
HERE = Column("Here", "Share of the lineage’s objects, window by window, whose notes have it.")
ELSEWHERE = Column("Elsewhere", "The same share of all other objects.")


def words_table(found: "Findings") -> Table:
    """Words that a lineage uses more often than others, and less often."""
    columns = (
        LINEAGE,
        Column("Word", "A word of the notes; with “not” where the notes deny it.", "text"),
        Column("Used", "More or less often than elsewhere.", "text"),
        HERE,
        ELSEWHERE,
        Column(
            "Odds ratio",
            f"The odds here over those elsewhere: the end of the {found.level:.0%} interval that is nearer to 1.",
        ),
    )
    rows = []
    for lineage in found.words.lineage.unique().tolist():
        own = found.words[found.words.lineage == lineage]
        for word in _both(own, own.certain, MORE_WORDS, LESS_WORDS):
            ratio = exp(word.certain)
            at_least = Cell(f"≥ {ratio:.1f}" if ratio >= 1 else f"≤ {ratio:.2f}", ratio)
            used = Cell("more" if word.certain > 0 else "less")
            shares = (_share(word.here), _share(word.elsewhere))
            rows.append(
                Row((_lineage(lineage), Cell(clean(word.word, LONGEST_WORD)), used, *shares, at_least), lineage)
            )
    caption = "Only differences that are more than chance, the most certain first. " + _left_out(found)
    nothing = "No word tells the lineages apart with certainty, or too few objects use it. " + _left_out(found)
    return Table("notes-words", "Words by lineage", caption.strip(), columns, tuple(rows), nothing.strip())


def clusters_table(found: "Findings") -> Table:
    """Clusters of sentences that distinguish a lineage."""
    level = f"{found.level:.0%}"
    columns = (
        LINEAGE,
        Column("Sentences about", "The most typical words of a cluster of similar sentences.", "text"),
        HERE,
        ELSEWHERE,
        Column("Difference", "That of the two shares, in percentage points; both chance and membership count."),
        Column("From", f"Lower end of the interval that holds the difference with probability {level}."),
        Column("To", f"Upper end of the interval that holds the difference with probability {level}."),
    )
    rows = []
    for lineage in found.distinctions.lineage.unique().tolist():
        own = found.distinctions[found.distinctions.lineage == lineage]
        for one in _both(own, own.difference, MORE_CLUSTERS, LESS_CLUSTERS):
            name = Cell(clean(found.clusters[one.cluster].name, LONGEST_NAME))
            shares = (_share(one.here), _share(one.elsewhere))
            rows.append(
                Row((_lineage(lineage), name, *shares, *map(_points, (one.difference, one.lower, one.upper))), lineage)
            )
    caption = "Kinds of sentences that the notes of a lineage have more or less often than all others. "
    caption += _left_out(found)
    nothing = "No kind of sentence tells the lineages apart with certainty. " + _left_out(found)
    return Table(
        "notes-clusters", "Sentences that distinguish a lineage", caption.strip(), columns, tuple(rows), nothing.strip()
    )


def changes_table(found: "Findings", wording: Wording) -> Table:
    """How many objects go from one lineage to another."""
    columns = (
        Column("From", "The window before.", "time"),
        Column("To", "The window after.", "time"),
        Column("Leave", "The lineage they leave.", "lineage"),
        Column("Join", "The lineage they join.", "lineage"),
        Column("Objects", "How many do."),
        Column("Of", "Objects of the lineage they leave that are there in both windows."),
        Column("Expected", "The mean number over all draws: how certain that is."),
    )
    rows = []
    for own in found.changes.table.itertuples(index=False):
        times = (_time(own.from_time, wording), _time(own.to_time, wording))
        n = Cell(f"{own.n_objects:,}", float(own.n_objects), bool(own.small))
        counts = (n, Cell(f"{own.of:,}", float(own.of)), Cell(f"{own.expected:.1f}", float(own.expected)))
        rows.append(Row((*times, _lineage(own.from_lineage), _lineage(own.to_lineage), *counts), own.from_lineage))
    caption = "From one window to the next. Marked numbers are of fewer than five objects."
    nothing = "No object changes its lineage from one window to the next."
    return Table("notes-changes", "Objects that change their lineage", caption, columns, tuple(rows), nothing)


def movers_table(notes: "NotesSeries", found: "Findings", wording: Wording) -> Table:
    """The objects that change their lineage, with their ids."""
    from tetiwd.notes.changes import changes_by_id

    columns = (
        Column("Id", "Id of the object.", "text"),
        Column("From", "The window before.", "time"),
        Column("To", "The window in which it is seen next.", "time"),
        Column("Leaves", "The lineage it leaves.", "lineage"),
        Column("Joins", "The lineage it joins.", "lineage"),
        Column("Skipped", "Windows in between in which it has no notes."),
    )
    table = changes_by_id(notes, found.members)
    rows = []
    for own in table.head(MOST_MOVERS).itertuples(index=False):
        times = (_time(own.from_time, wording), _time(own.to_time, wording))
        lineages = (_lineage(own.from_lineage), _lineage(own.to_lineage))
        skipped = Cell(f"{own.n_skipped}", float(own.n_skipped))
        rows.append(Row((Cell(clean(str(own.id), LONGEST_ID)), *times, *lineages, skipped), int(own.from_lineage)))
    caption = f"The first {MOST_MOVERS:,} of {len(table):,}." if len(table) > MOST_MOVERS else ""
    return Table("notes-movers", "Who changes the lineage", caption, columns, tuple(rows), "Nobody.")


def _both(table: Any, sign: Any, more: int, less: int) -> list[Any]:
    """The first rows above 0 and the first below, in the order of the table."""
    return [
        *table[sign > 0].head(more).itertuples(index=False),
        *table[sign < 0].head(less).itertuples(index=False),
    ]


def _left_out(found: "Findings") -> str:
    """Which lineages nothing is said about."""
    small = [lineage for lineage in found.silent if found.members.small[lineage]]
    others = [lineage for lineage in found.silent if not found.members.small[lineage]]
    said = []
    for lineages, why in ((small, "fewer than five objects"), (others, "fewer than five others to compare with")):
        has, is_ = ("have", "are") if len(lineages) > 1 else ("has", "is")
        if lineages:
            said.append(f"{_named(lineages)} {has} {why} and {is_} left out.")
    return " ".join(said)


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
