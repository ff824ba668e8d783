"""docs/verification.md: one table of everything, then a section for every check, with figures."""

from benchmarks import machine
from benchmarks.league.records import Code
from benchmarks.table import Row, markdown

from verification.checks import CHECKS
from verification.records import Records

TARGET = machine.ROOT / "docs" / "verification.md"
IMAGES = machine.ROOT / "docs" / "images" / "verification"
INTRODUCTION = """\
# Verification

`make verify` tries to prove the package wrong, in many ways. It takes up to three hours with two processes, goes on
where it was interrupted, and wrote this page: every number is from one run. What holds is not proven, but it has been
tried."""


def write(code: Code, rows: dict[str, list[Row]], records: Records) -> None:
    """The whole page and its figures."""
    hours = sum(records.seconds.values()) / 3600
    counted = [row for own in rows.values() for row in own if row.held is not None]
    missed = sum(not row.held for row in counted)
    verdict = f"{len(counted)} lines have a limit; " + ("all hold." if not missed else f"**{missed} do not hold.**")
    parts = [INTRODUCTION, f"{verdict} {where(code)} {hours:.1f} hours of jobs in all."]
    for name, own in rows.items():
        check = CHECKS[name]
        summary = check.summary(records.of(name)) if check.summary else ""
        parts += [f"## {check.title}", check.explanation, summary, figure_of(name, records), markdown(own)]
    TARGET.write_text("\n\n".join(part for part in parts if part) + "\n", encoding="utf-8")


def where(code: Code) -> str:
    """Commit, machine and versions."""
    commit = f"{code.commit}{' with uncommitted changes' if code.changed else ''}"
    return f"Version {code.version}, commit {commit}: {machine.equipment()}."


def figure_of(name: str, records: Records) -> str:
    """Draw the figure of a check, if it has one; the line that shows it."""
    check = CHECKS[name]
    if check.plot is None:
        return ""
    import matplotlib as mpl

    mpl.use("agg")
    IMAGES.mkdir(parents=True, exist_ok=True)
    file = IMAGES / f"{name.replace('_', '-')}.svg"
    with mpl.rc_context({"svg.hashsalt": name, "font.size": 8}):
        check.plot(records.of(name)).savefig(file, metadata={"Date": None})
    return f"![{check.title}](images/verification/{file.name})"
