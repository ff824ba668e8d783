"""docs/verification.md: what holds and what does not, then a section for every check, with figures."""

from benchmarks import machine
from benchmarks.league.records import Code
from benchmarks.table import Row, aligned, markdown

from verification.checks import CHECKS
from verification.records import Records

TARGET = machine.ROOT / "docs" / "verification.md"
IMAGES = machine.ROOT / "docs" / "images" / "verification"
INTRODUCTION = """\
# Verification

`make verify` tries to prove the package wrong in many ways and writes this page. It takes less than three hours with
two processes, and continues where it was interrupted (`verification/records/` has what was found for a state of the
code); "jobs done" says how far it has come. Checks with a star depend on the sampler and the answers only, and need not
be repeated before one of these changes. A check that passes is no proof, but it could have failed: planted bugs show
that."""
NOT_TRIED = "not tried"  # in a row about something that this machine cannot do


def write(code: Code, rows: dict[str, list[Row]], records: Records) -> None:
    """The whole page and its figures."""
    parts = [INTRODUCTION, where(code, records), overview(rows, records), *remarks(rows)]
    for name, own in rows.items():
        check = CHECKS[name]
        found = records.of(name, check.jobs(False))
        summary = check.summary(found) if check.summary and found else ""
        parts += [f"## {check.title}", check.explanation, summary, figure_of(name, records), markdown(own)]
    TARGET.write_text("\n\n".join(part for part in parts if part) + "\n", encoding="utf-8")


def where(code: Code, records: Records) -> str:
    """Commit, machine and versions."""
    commit = f"{code.commit}{' with uncommitted changes' if code.changed else ''}"
    hours = sum(records.seconds(name, check.jobs(False)) for name, check in CHECKS.items()) / 3600
    return (
        f"All numbers are from version {code.version} at commit {commit}, or, where there is a star, from that or an "
        f"earlier commit with the same sampler and answers; {hours:.1f} hours of processor time on this machine: "
        f"{machine.equipment()}."
    )


def overview(rows: dict[str, list[Row]], records: Records) -> str:
    """A line for every check: how many of its limits hold, and what it took."""
    lines = []
    for name, own in rows.items():
        held = [row.held for row in own if row.held is not None]
        jobs = CHECKS[name].jobs(False)
        done = f"{len(records.of(name, jobs))} of {len(jobs)}"
        verdict = f"{sum(held)} of {len(held)}" if held else "–"
        lines.append(
            (
                CHECKS[name].title + "*" * CHECKS[name].inner,
                done,
                verdict,
                f"{records.seconds(name, jobs) / 60:.1f} min",
            )
        )
    return aligned(("check", "jobs done", "limits that hold", "processor time"), lines)


def remarks(rows: dict[str, list[Row]]) -> list[str]:
    """What does not hold and what was not tried, ahead of everything else."""
    every = [row for own in rows.values() for row in own]
    missed = [f"- {row.name}: {row.value}; wanted: {row.goal}" for row in every if row.held is False]
    left_out = [f"- {row.name}: {row.value}" for row in every if NOT_TRIED in row.value]
    well = "Every limit that was tried holds." if left_out else "Every limit holds."
    parts = ["## What does not hold", "\n".join(missed)] if missed else [well]
    return parts + (["## What was not tried", "\n".join(left_out)] if left_out else [])


def figure_of(name: str, records: Records) -> str:
    """Draw the figure of a check, if it has one; the line that shows it."""
    check = CHECKS[name]
    found = records.of(name, check.jobs(False))
    if check.plot is None or not found:
        return ""
    import matplotlib as mpl

    mpl.use("agg")
    IMAGES.mkdir(parents=True, exist_ok=True)
    file = IMAGES / f"{name.replace('_', '-')}.svg"
    with mpl.rc_context({"svg.hashsalt": name, "font.size": 8}):
        check.plot(found).savefig(file, metadata={"Date": None})
    return f"![{check.title}](images/verification/{file.name})"
