"""What does not hold and what was not tried is said first."""

from benchmarks.table import Row, markdown
from verification.page import remarks

HELD, MISSED = Row("kills", "50 of 50", "all", True), Row("bombs", "took 20 s", "≤ 10 s", False)
LEFT_OUT = Row("clock", "4 not tried: libfaketime is not installed", "all")


def test_a_limit_that_does_not_hold():
    said = "\n".join(remarks({"a": [HELD], "b": [MISSED]}))
    assert "bombs: took 20 s; wanted: ≤ 10 s" in said
    assert "kills" not in said
    assert "Every limit holds" not in said


def test_what_was_not_tried_is_no_success():
    said = "\n".join(remarks({"a": [HELD, LEFT_OUT]}))
    assert "Every limit that was tried holds." in said
    assert "clock: 4 not tried" in said


def test_all_is_well():
    assert remarks({"a": [HELD]}) == ["Every limit holds."]


def test_cells_with_the_sign_between_cells():
    assert markdown([Row("largest |z|", "a\nb")]).splitlines()[-1].count(" | ") == 3
