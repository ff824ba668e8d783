"""Errands: results whatever the executor; workers that fall silent, die or are told to stop."""

import os
import signal
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from tetiwd.data.mapped import open_mapped, save_mapped
from tetiwd.errands import Life, Workers, perform
from tetiwd.errors import DataError, WorkersError


def double(life, number):
    return 2 * number


def fail(life, number):
    raise DataError("is odd", "give an even one")


def wait_to_be_halted(life, seconds=20.0):
    life.show = lambda: {"waiting": True}
    end = time.monotonic() + seconds
    while not life.halted and time.monotonic() < end:
        time.sleep(0.02)
    return "halted" if life.halted else "in vain"


def stop_the_first_time(life, folder):
    """As if the first worker to come by were stopped from outside."""
    try:
        (Path(folder) / "first").touch(exist_ok=False)
    except FileExistsError:
        return os.getpid()
    (Path(folder) / "pid").write_text(str(os.getpid()))
    time.sleep(0.2)
    os.kill(os.getpid(), signal.SIGSTOP)
    return None


def die(life):
    os.kill(os.getpid(), signal.SIGKILL)


def hang(life):
    life._over.set()  # no more signs
    time.sleep(1.5)


@pytest.mark.parametrize("executor", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_results_come_in_the_order_of_the_arguments(executor, tmp_path):
    with executor(2) as pool, Workers(pool, tmp_path).errands("nothing") as errands:
        assert errands.run(double, [(1,), (2,), (3,)]) == [2, 4, 6]
        assert errands.run(double, []) == []
    assert list(tmp_path.iterdir()) == []


def test_what_an_errand_raises_is_raised_as_it_was(tmp_path):
    with (
        ProcessPoolExecutor(1) as pool,
        Workers(pool, tmp_path).errands(None) as errands,
        pytest.raises(DataError, match=r"^is odd; give an even one$"),
    ):
        errands.run(fail, [(1,)])
    assert list(tmp_path.iterdir()) == []


def test_a_killed_process_is_a_clear_error(tmp_path):
    with (
        ProcessPoolExecutor(1) as pool,
        Workers(pool, tmp_path).errands(None) as errands,
        pytest.raises(WorkersError, match=r"a worker was lost .BrokenProcessPool"),
    ):
        errands.run(die, [()])


def test_ctrl_c_halts_what_has_begun_and_what_has_not(tmp_path):
    def interrupt(errands):
        if errands[0].signs:
            raise KeyboardInterrupt

    with ThreadPoolExecutor(1) as pool, errands_in(tmp_path, pool) as errands:
        began = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            errands.run(wait_to_be_halted, [(), ()], interrupt)
        assert errands.halted
        assert time.monotonic() - began < 10


def test_a_halt_keeps_results_and_can_be_taken_back(tmp_path):
    with ThreadPoolExecutor(1) as pool, errands_in(tmp_path, pool) as errands:
        found = errands.run(wait_to_be_halted, [(), ()], lambda all_of_them: all_of_them[0].signs and errands.halt())
        assert found == ["halted", None]  # the second was never begun
        errands.go_on()
        assert errands.run(double, [(4,)]) == [8]


def test_a_worker_that_is_stopped_loses_its_errand_to_another(tmp_path):
    with ProcessPoolExecutor(2) as pool:
        with Workers(pool, tmp_path, silence=1.5).errands(None) as errands:
            (helper,) = errands.run(stop_the_first_time, [(str(tmp_path),)])
        stopped = int((tmp_path / "pid").read_text())
        os.kill(stopped, signal.SIGCONT)
    assert helper not in (None, stopped)


def test_no_sign_of_anybody_is_an_error_with_a_remedy(tmp_path):
    with (
        ThreadPoolExecutor(1) as pool,
        Workers(pool, tmp_path, silence=0.5).errands(None) as errands,
        pytest.raises(WorkersError, match=r"no worker has shown a sign of life for 0 seconds|fallen silent"),
    ):
        errands.run(hang, [()])


def test_a_worker_without_the_folder_says_so(tmp_path):
    outcome = perform(str(tmp_path / "not-here"), 0, 1, double, 1)
    with pytest.raises(
        WorkersError, match=r"a worker does not find .*not-here; work in a folder that all machines have"
    ):
        raise outcome.error


def test_what_a_killed_process_left_is_removed(tmp_path):
    left = tmp_path / ".tetiwd-jobs-old"
    left.mkdir()
    with ThreadPoolExecutor(1) as pool, Workers(pool).errands(None, tmp_path) as errands:
        assert not left.exists()
        assert errands.folder.parent == tmp_path


def test_arrays_are_mapped_and_not_pickled(tmp_path):
    matrix = np.arange(10_000.0).reshape(100, 100)
    save_mapped(tmp_path, {"matrix": matrix, "none": np.empty(0), "number": 3})
    found = open_mapped(tmp_path)
    np.testing.assert_array_equal(found["matrix"], matrix)
    assert found["number"] == 3
    assert not found["matrix"].flags.writeable
    (tmp_path / "array-0").write_bytes(bytes(matrix.nbytes))  # seen through the map
    assert not found["matrix"].any()
    assert (tmp_path / "contents.pickle").stat().st_size < 2000


def test_one_who_comes_back_sees_that_somebody_else_is_at_it(tmp_path):
    with Life(tmp_path, 0, 1) as late:
        assert not late.halted
        with Life(tmp_path, 0, 1) as other:
            late._looked -= 60  # as if it had been stopped
            assert late.replaced
            assert not other.halted


def test_signs_do_not_outlive_the_errand(tmp_path):
    before = threading.active_count()
    assert perform(str(tmp_path), 0, 1, double, 21).value == 42
    assert threading.active_count() == before


def errands_in(folder, pool):
    return Workers(pool, folder).errands(None)
