"""Checks by simulation: their jobs and rows fit together, and nothing found is no success."""

import pytest
from verification.checks import CHECKS, enumeration


@pytest.mark.parametrize("name", CHECKS)
def test_nothing_holds_where_nothing_was_found(name):
    assert not any(row.held for row in CHECKS[name].rows({}))


@pytest.mark.parametrize("more", [{}, {"most": 2}, {"moving": True}], ids=["linked", "at most two", "moving centres"])
def test_enumeration(more):
    (row,) = enumeration.rows({"2 + 2": enumeration.run([2, 2], 400, **more)})
    assert row.value.endswith("15 states")
    assert row.held


def test_a_state_that_cannot_be_is_a_failure():
    found = enumeration.run([2, 2], 400)
    (row,) = enumeration.rows({"2 + 2": found | {"forbidden": 1}})
    assert row.held is False
