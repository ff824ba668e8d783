"""One table for everything that is measured: a row says what, how much, what was wanted, and whether that holds."""

from collections.abc import Sequence
from dataclasses import dataclass

HEADER = ("what", "measured", "goal", "held?")


@dataclass(frozen=True)
class Row:
    """One measurement; ``held`` is None where there is no goal, or where it could not be measured."""

    name: str
    value: str
    goal: str = "–"
    held: bool | None = None

    @property
    def cells(self) -> tuple[str, str, str, str]:
        """The row as text."""
        return self.name, self.value, self.goal, {True: "yes", False: "no", None: "–"}[self.held]


def at_most(name: str, value: float, goal: float, unit: str = "", note: str = "") -> Row:
    """A row whose value should not exceed its goal."""
    return Row(name, f"{number(value)}{unit}{note}", f"≤ {number(goal)}{unit}", value <= goal)


def at_least(name: str, value: float, goal: float, unit: str = "", note: str = "") -> Row:
    """A row whose value should not fall below its goal."""
    return Row(name, f"{number(value)}{unit}{note}", f"≥ {number(goal)}{unit}", value >= goal)


def number(value: float) -> str:
    """A number with sensible digits."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def markdown(rows: Sequence[Row]) -> str:
    """The table of measurements."""
    return aligned(HEADER, [[cell.replace("|", r"\|").replace("\n", " ") for cell in row.cells] for row in rows])


def aligned(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown, with columns aligned so that it also reads well as plain text."""
    lines = [header, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    text = ["| " + " | ".join(map(str.ljust, cells, widths)) + " |" for cells in lines]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([text[0], rule, *text[1:]])


def folded(title: str, *parts: str) -> str:
    """Parts of a page that are shown when their title is clicked."""
    return "\n\n".join([f":::{{dropdown}} {title}", *parts, ":::"])
