"""Pages of results: a summary first, details folded, and other sections stay when one is written again."""

from pathlib import Path

import pytest
from benchmarks import page
from benchmarks.league.ours import ESTIMATES
from benchmarks.league.pages import page_of
from benchmarks.league.records import Record
from benchmarks.table import Row, markdown

INTRODUCTION = "# Benchmarks\n\nHow fast."
TABLE = markdown(
    [Row("a ÷ b", "0.50 (1 ms). Twice.", "≤ 0.40", False), Row("c", "2.00", "≥ 1.00", True), Row("d", "3")]
)


@pytest.fixture
def target(tmp_path, monkeypatch):
    path = tmp_path / "benchmarks.md"
    path.write_text(f"{INTRODUCTION}\n\n{page.BY_HAND}\n\n## Measured once\n\nBy hand.\n", "utf-8")
    monkeypatch.setattr(page, "TARGET", path)
    return path


def written(target: Path, name: str, table: str) -> str:
    page.write(
        INTRODUCTION, ["sweep", "start_up"], name, f"What {name} is.\n\nHow it was\nmeasured.", "On a day.", table
    )
    return target.read_text("utf-8")


def test_the_summary_counts_goals_and_names_those_missed(target):
    text = written(target, "sweep", TABLE)
    summary, details = text.split("\n## Sweep\n")
    assert "| [Sweep](#sweep) | What sweep is. | 1 of 2 goals met. |" in summary
    assert "| a ÷ b | 0.50 (1 ms) | ≤ 0.40 |" in summary
    assert details.index("1 of 2 goals met.") < details.index(":::{dropdown}") < details.index(TABLE)
    assert details.index("On a day.") < details.index("\n:::\n") < details.index("By hand.")


def test_sections_that_are_not_written_stay(target):
    written(target, "start_up", markdown([Row("e", "1", "≤ 2", True)]))
    before = written(target, "sweep", TABLE)
    assert written(target, "sweep", TABLE) == before
    assert "| [Start up](#start-up) | What start_up is. | The goal is met.  |" in before
    assert before.index("## Sweep") < before.index("## Start up") < before.index("By hand.")


def test_the_committed_page_is_what_would_be_written():
    from benchmarks.__main__ import INTRODUCTION as introduction
    from benchmarks.__main__ import PARTS

    text = page.TARGET.read_text("utf-8")
    generated, _, by_hand = text.partition(page.BY_HAND)
    sections = dict(section.split("\n", 1) for section in generated.split(page.HEADING)[1:])
    assert page.page_of(introduction, list(PARTS), sections, by_hand) == text


def record(method, labels, *, ours):
    estimates = dict.fromkeys(ESTIMATES, labels) if ours else {"": labels}
    return Record(
        set="penguins", method=method, seed=0, ours=ours, data="d", truth=[[0, 0, 1, 1]], linked=False,
        labels=estimates, seconds=dict.fromkeys(estimates, 1.0), agree=ours, date="2026-01-01",
    )  # fmt: skip


def test_the_league_begins_with_what_came_out():
    text = page_of([record("ward_k", [[0, 1, 0, 1]], ours=False), record("default", [[0, 0, 1, 1]], ours=True)])
    first, rest = text.split("## Means over sets")
    assert "**tetiwd default, usual**, told nothing: mean adjusted Rand index 1.000 over 1 sets" in first
    assert "- Ward, told k: -0.500" in first
    n_held = rest.count("| yes ")
    assert n_held > 2
    assert f"- {n_held} of {n_held} requirements [hold](#what-must-hold)" in first
    assert rest.count(":::{dropdown}") == 2  # how, and one set
