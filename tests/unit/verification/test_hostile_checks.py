"""The checks of a hostile world can fail: a wrong answer, a crash, a hang or a foreign error makes a row not hold."""

import os
import signal
import time

import pytest
from verification import commands, sandbox
from verification.checks import corruption, fuzzing, hostile, kills
from verification.commands import Ended

from tetiwd.errors import DataError

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="children are copies of this process")
REFUSAL = "Error: run: results.nc cannot be read; write it again with tetiwd resume\n"


def held(rows):
    return [row.held for row in rows]


def test_a_kill_that_changes_the_answer():
    def found(outcome):
        cases = [{"outcome": one, "done": ["resume 0: "], "missed": 0} for one in (kills.SAME, outcome)]
        return {"sampling, from 0": {"phase": "sampling", "cases": cases}}

    assert held(kills.rows(found(kills.SAME))) == [True]
    for outcome in ("another answer", "no way out works", "never hit", "hangs", "traceback"):
        (row,) = kills.rows(found(outcome))
        assert not row.held
        assert outcome in row.value


@pytest.mark.parametrize(
    ("ended", "outcome"),
    [
        (Ended(0, ""), corruption.SAME),
        (Ended(6, REFUSAL), corruption.REFUSED),
        (Ended(3, REFUSAL), "exit code 3"),
        (Ended(6, "something else\n"), "exit code 6"),
        (Ended(1, "Error: KeyError: this is a bug\n"), "exit code 1"),
        (Ended(-11, ""), "exit code -11"),
        (Ended(6, "Traceback (most recent call last):\n"), "traceback"),
        (Ended(None, ""), "hangs"),
    ],
)
def test_ends_of_commands_on_damaged_files(ended, outcome):
    found = corruption.judged(ended, "a", "a", 6)
    assert found.startswith(outcome)
    cases = [{"what": "results.nc: cut off", "outcome": found}]
    assert held(corruption.rows({"results": {"kind": "results", "cases": cases}})) == [found in corruption.GOOD]


def test_another_answer_from_damaged_files():
    assert corruption.judged(Ended(0, ""), "b", "a", 6) == "another answer"
    assert corruption.worst([corruption.SAME, "another answer", corruption.REFUSED]) == "another answer"


def raising(error):
    def read(known):
        raise error

    return read


@pytest.mark.parametrize(
    ("read", "outcome", "holds"),
    [
        (lambda known: None, fuzzing.READ, True),
        (raising(DataError("x")), fuzzing.REFUSED, True),
        (raising(KeyError("x")), "KeyError", False),
        (raising(MemoryError()), "MemoryError", False),
    ],
)
def test_inputs_that_are_read_refused_or_neither(read, outcome, holds):
    found, took, grown = fuzzing.tried(read, None)
    assert found.startswith(outcome)
    counts = {"read": int(found == fuzzing.READ), "refused": int(found == fuzzing.REFUSED)}
    faults = {} if holds else {"0": found}
    one = {"name": "npy", "faults": faults, "seconds": took, "mebibytes": grown} | counts
    assert held(fuzzing.rows({"npy, from 0": one})) == [holds]


def test_what_was_not_tried_does_not_count_as_held():
    guided = {"name": "npy", "guided": True, "inputs": None, "faults": {}}
    (row,) = fuzzing.rows({"npy, guided": guided})
    assert row.held is None
    assert "not tried" in row.value
    (row,) = hostile.rows({"clock: -10y": {"group": "clock", "outcome": None, "reason": "no libfaketime"}})
    assert row.held is None
    assert "no libfaketime" in row.value


@pytest.mark.parametrize(
    ("ended", "fine"),
    [
        (Ended(0, ""), True),
        (Ended(6, "Error: no room\n"), True),
        (Ended(6, ""), False),
        (Ended(5, "Error: no memory\n"), False),
        (Ended(1, "Error: a bug\n"), False),
        (Ended(-signal.SIGSEGV, ""), False),
        (Ended(None, ""), False),
    ],
)
def test_ends_of_commands_in_a_hostile_world(ended, fine):
    wrong = hostile.judged(ended, 6)
    assert (wrong is None) == fine
    one = {"group": "clock", "outcome": wrong or kills.SAME}
    assert held(hostile.rows({"clock: x": one})) == [fine]


def crash(say):
    say("before")
    os.kill(os.getpid(), signal.SIGKILL)


def hang(say):
    say("before")
    time.sleep(60)


def fill(say):
    say("before")
    say(len(bytearray(1 << 31)))


@pytest.mark.parametrize(("function", "fault"), [(crash, "crash (-9)"), (hang, "hangs"), (fill, "crash (1)")])
def test_a_child_that_does_not_end_well(function, fault):
    ended = sandbox.in_child(function, seconds=2.0, mebibytes=100)
    assert (ended.said, ended.fault) == (["before"], fault)


def test_a_child_that_ends_well():
    assert sandbox.in_child(lambda say: [say(1), say([2])], seconds=20.0, mebibytes=100) == sandbox.Ended(
        [1, [2]], None
    )


def test_answers_differ_when_a_table_does(tmp_path):
    import h5py

    with h5py.File(tmp_path / "results.nc", "w") as file:
        file["posterior/labels"] = [1, 2, 3]
    for name in commands.TABLES:
        (tmp_path / name).write_text("a\n1\n")
    first = commands.answer_of(tmp_path)
    (tmp_path / "labels.csv").write_text("a\n2\n")
    second = commands.answer_of(tmp_path)
    with h5py.File(tmp_path / "results.nc", "r+") as file:
        file["posterior/labels"][0] = 7
    assert len({first, second, commands.answer_of(tmp_path)}) == 3
