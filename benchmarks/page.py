"""The page of results: a section for every part, each with its own date; what is written by hand stays at the end."""

from benchmarks import machine

TARGET = machine.ROOT / "docs" / "benchmarks.md"
HEADING, BY_HAND = "\n## ", "<!-- written by hand -->"


def write(introduction: str, parts: list[str], name: str, doc: str, where: str, table: str) -> None:
    """Put the table of one part on the page, with how and where it was measured; other sections stay as they are."""
    generated, _, by_hand = TARGET.read_text("utf-8").partition(BY_HAND)
    sections = dict(section.split("\n", 1) for section in generated.split(HEADING)[1:])
    sections[title(name)] = f"\n{doc.strip()}\n\n{table}\n\n{where}\n"
    kept = [f"{HEADING}{title(part)}\n{sections[title(part)]}" for part in parts if title(part) in sections]
    TARGET.write_text("".join([introduction, "\n", *kept, "\n", BY_HAND, by_hand]), encoding="utf-8")


def title(part: str) -> str:
    """The heading of a part."""
    return part.replace("_", " ").capitalize()
