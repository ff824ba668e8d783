"""The page of results: a summary, then a section for every part, with its own date; what is written by hand stays."""

from benchmarks import machine
from benchmarks.table import HEADER, aligned, folded

TARGET = machine.ROOT / "docs" / "benchmarks.md"
HEADING, BY_HAND = "\n## ", "<!-- written by hand -->"
FOLD = "How, and all numbers"


def write(introduction: str, parts: list[str], name: str, doc: str, where: str, table: str) -> None:
    """Put the table of one part on the page, with how and where it was measured; other sections stay as they are."""
    generated, _, by_hand = TARGET.read_text("utf-8").partition(BY_HAND)
    sections = dict(section.split("\n", 1) for section in generated.split(HEADING)[1:])
    sections[title(name)] = section_of(doc, table, where)
    TARGET.write_text(page_of(introduction, parts, sections, by_hand), encoding="utf-8")


def page_of(introduction: str, parts: list[str], sections: dict[str, str], by_hand: str) -> str:
    """The whole page from its sections by title; those that are no part, such as the summary before, are left out."""
    kept = {title(part): sections[title(part)].strip() for part in parts if title(part) in sections}
    text = [introduction, summary_of(kept), *(f"## {name}\n\n{section}" for name, section in kept.items())]
    return "\n\n".join([*text, BY_HAND]) + by_hand


def section_of(doc: str, table: str, where: str) -> str:
    """What was compared and how many goals are met; how, the table and where it was measured are folded."""
    what, _, how = doc.strip().partition("\n\n")
    return "\n\n".join([what, verdict_of(table), folded(FOLD, *filter(None, [how, table, where]))])


def summary_of(sections: dict[str, str]) -> str:
    """A line per part, and the goals that are missed."""
    rows = [
        [
            f"[{name}](#{name.lower().replace(' ', '-')})",
            section.split("\n\n")[0].replace("\n", " "),
            verdict_of(section),
        ]
        for name, section in sections.items()
    ]
    missed = [cells[:3] for section in sections.values() for cells in rows_of(section) if cells[3] == "no"]
    parts = ["## Summary", aligned(["part", "what", "goals"], rows)]
    if missed:
        short = [[what, measured.split(". ")[0], goal] for what, measured, goal in missed]
        parts += ["**Goals missed:**", aligned(HEADER[:3], short)]
    return "\n\n".join(parts)


def verdict_of(text: str) -> str:
    """How many of the goals in a table are met."""
    rows = rows_of(text)
    held = [cells[3] == "yes" for cells in rows if cells[3] in ("yes", "no")]
    if not held:
        return "Not measured." if rows and all("not measured" in cells[1] for cells in rows) else "There is no goal."
    return (
        f"{sum(held)} of {len(held)} goals met." if len(held) > 1 else f"The goal is {'met' if held[0] else 'missed'}."
    )


def rows_of(text: str) -> list[list[str]]:
    """The rows of the table of measurements in a text, without its header."""
    rows = [[cell.strip() for cell in line.split(" | ")] for line in text.splitlines() if line.startswith("| ")]
    rows = [[cells[0].removeprefix("| "), *cells[1:-1], cells[-1].removesuffix(" |").strip()] for cells in rows]
    return [cells for cells in rows if len(cells) == len(HEADER) and tuple(cells) != HEADER]


def title(part: str) -> str:
    """The heading of a part."""
    return part.replace("_", " ").capitalize()
