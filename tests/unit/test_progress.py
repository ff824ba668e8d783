"""Progress bars say where chains are and how long it will take."""

from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console

from runs import MODEL, SETTINGS, small_series
from tetiwd import run_chains
from tetiwd.pace import Progress
from tetiwd.progress import Bars, ProgressBar, StepBar, in_words

HERE = Progress(
    chain=0,
    n_done=30,
    n_sweeps=80,
    warming_up=True,
    n_clusters=(3, 5, 4),
    log_joint=-1.0,
    seconds_left=125.0,
    seconds_per_sweep=0.02,
)


def test_bars_show_sweeps_clusters_and_time():
    screen = StringIO()
    with ProgressBar(Console(file=screen, force_terminal=True, width=120)) as bar:
        assert bar([HERE]) is None  # True would stop the chains
        bar([replace(HERE, n_done=80, warming_up=False, n_clusters=(4, 4, 5), seconds_left=0.0, done=True)])
    shown = screen.getvalue()
    assert "chain 1" in shown
    assert "80/80" in shown
    assert "done" in shown
    assert "warming up, 50 sweeps/s, clusters 3 5 4, log joint -1" in shown
    assert "50 sweeps/s, clusters 4 4 5, log joint -1" in shown
    assert "drawing" not in shown  # it is done


@pytest.mark.parametrize(
    ("seconds", "n_done", "done", "words"),
    [
        (None, 0, False, "waiting"),
        (None, 1, False, "…"),
        (0.0, 5, False, "freezing a partition"),
        (0.0, 5, True, "done"),
        (125.0, 5, False, "2:05 left"),
        (0.3, 5, False, "0:01 left"),
        (7_260.0, 5, False, "2 h 01 min left"),
    ],
)
def test_time_left_in_words(seconds, n_done, done, words):
    assert in_words(replace(HERE, seconds_left=seconds, n_done=n_done, done=done)) == words


def test_a_file_gets_a_line_per_chain_when_it_is_done_and_not_twice():
    screen = StringIO()
    bar = ProgressBar(Console(file=screen, force_terminal=False, width=60))
    for _ in range(3):
        bar([replace(HERE, n_done=80, done=True, seconds_left=0.0), replace(HERE, chain=1)])
    lines = screen.getvalue().splitlines()
    assert [line.split(":")[0] for line in lines] == ["chain 1", "chain 2"]


def test_true_shows_bars(capfd):
    run_chains(small_series(), MODEL, replace(SETTINGS, n_warmup=5, n_draws=5, anneal=None), progress=True)
    assert "15/15" in capfd.readouterr().err


@pytest.mark.parametrize("on_terminal", [True, False])
def test_steps_are_shown_with_the_time_left(on_terminal, monkeypatch):
    now = [100.0]
    monkeypatch.setattr("tetiwd.progress.time.monotonic", lambda: now[0])
    screen = StringIO()
    with StepBar("control", Console(file=screen, force_terminal=on_terminal, width=80)) as bar:
        for n_done, seconds in ((0, 0.0), (1, 60.0), (2, 61.0), (10, 70.0)):
            now[0] = 100.0 + seconds
            bar(n_done, 10)
            bar._bars.refresh()
    shown = screen.getvalue()
    if on_terminal:
        assert "10/10" in shown
        assert "done" in shown
    else:
        assert shown.splitlines() == ["control: 0/10, starting", "control: 1/10, 9:00 left", "control: 10/10, done"]


def test_nobody_reads_any_more():
    class Broken(StringIO):
        n_tried = 0

        def write(self, text):
            self.n_tried += 1
            raise BrokenPipeError

    pipe = Broken()
    bars = Bars(console=Console(file=pipe, force_terminal=False))
    bars.print("one")
    bars.print("two")
    assert pipe.n_tried == 1
