"""Chains that run elsewhere: the same draws, whoever runs them and whatever happens to the workers."""

import os
import signal
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from runs import MODEL, SETTINGS, digest, small_series
from tetiwd import CheckpointError, SamplerSettings, Workers, WorkersError, cluster, resolution_path, run_chains
from tetiwd.cluster import dask_workers, executor_of
from tetiwd.data import DistanceSeries

AUTOMATIC = SamplerSettings(n_chains=3, n_warmup=20, max_draws=160, n_anneal=5, seed=1)
LONG = SamplerSettings(n_chains=3, n_warmup=50, n_draws=1500, n_anneal=5, seed=1)


@pytest.fixture(scope="module")
def expected():
    return {settings: run_chains(small_series(), MODEL, settings) for settings in (SETTINGS, AUTOMATIC)}


def assert_same(found, expected):
    assert digest(found) == digest(expected)
    assert found.ended == expected.ended
    assert found.n_discarded == expected.n_discarded
    assert [one.log_joint for one in found.frozen] == [one.log_joint for one in expected.frozen]
    for one, other in zip(found.frozen, expected.frozen, strict=True):
        assert all(map(np.array_equal, one.labels, other.labels))


@pytest.mark.parametrize("settings", [SETTINGS, AUTOMATIC], ids=["fixed", "automatic"])
@pytest.mark.parametrize("executor", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_draws_do_not_depend_on_the_executor(executor, settings, expected):
    with executor(2) as pool:
        assert_same(run_chains(small_series(), MODEL, settings, executor=pool), expected[settings])


def test_draws_of_three_dask_workers(expected, tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with dask_workers(n_local=3) as client:
        for settings in (SETTINGS, AUTOMATIC):
            found = run_chains(small_series(), MODEL, settings, executor=executor_of(client))
            assert_same(found, expected[settings])
    assert list(tmp_path.iterdir()) == []


def test_features_and_functions_stay_at_home(expected):
    rng = np.random.default_rng(0)
    series = DistanceSeries.from_features(
        rng.normal(size=(24, 2)), time=np.repeat([0, 1], 12), metric=lambda x, y: abs(x - y).sum(), squared=True
    )
    settings = replace(SETTINGS, n_draws=5)
    with ProcessPoolExecutor(2) as pool:
        assert_same(run_chains(series, MODEL, settings, executor=pool), run_chains(series, MODEL, settings))


def test_a_run_goes_on_with_another_executor(expected, tmp_path):
    few = replace(SETTINGS, n_draws=10)
    with ProcessPoolExecutor(2) as pool:
        run_chains(small_series(), MODEL, few, checkpoint=tmp_path, executor=pool)
        with pytest.raises(CheckpointError, match="already holds checkpoints"):
            run_chains(small_series(), MODEL, few, checkpoint=tmp_path, executor=pool)
    here = run_chains(small_series(), MODEL, SETTINGS, checkpoint=tmp_path, resume=True)
    assert digest(here) == digest(expected[SETTINGS])
    assert not list(tmp_path.glob(".*"))


def test_a_stop_keeps_what_was_drawn(tmp_path):
    series, seen = small_series(), []

    def stop_at_ten(where):
        seen.append([one.n_done for one in where])
        return min(seen[-1]) > 60

    with ThreadPoolExecutor(3) as pool:
        found = run_chains(series, MODEL, LONG, checkpoint=tmp_path, executor=pool, progress=stop_at_ten)
    assert found.ended == "stopped"
    assert all(0 < len(draws) < 1500 for draws in found.draws)
    again = run_chains(series, MODEL, replace(LONG, n_draws=20), checkpoint=tmp_path, resume=True)
    assert digest(again) == digest(run_chains(series, MODEL, replace(LONG, n_draws=20)))


def test_a_full_disk_is_told_of(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tetiwd.checkpoint.write_checkpoint", full)
    with ThreadPoolExecutor(1) as pool, pytest.raises(CheckpointError, match=r"chain 1 are not in .*No space left"):
        run_chains(small_series(), MODEL, SETTINGS, executor=pool)


def test_the_resolution_path_has_the_same_door():
    series = small_series((20, 20))
    settings = SamplerSettings(n_warmup=4)
    expected = resolution_path(series, MODEL, settings, subsample=True)
    with ProcessPoolExecutor(2) as pool:
        found = resolution_path(series, MODEL, settings, subsample=True, executor=pool)
    assert found.table().equals(expected.table())
    assert found.chosen == expected.chosen


@pytest.mark.slow
@pytest.mark.parametrize(
    ("after", "n", "how"),
    [
        (1, 1, signal.SIGKILL),
        (0, 1, signal.SIGKILL),
        (1, 3, signal.SIGKILL),
        (1, 1, signal.SIGSTOP),
        (0, 1, signal.SIGSTOP),
    ],
    ids=["killed busy", "killed idle", "all killed", "stopped busy", "stopped idle"],
)
def test_workers_may_come_and_go(after, n, how, tmp_path, monkeypatch):
    assert_survives(lambda pids: [os.kill(pid, how) for pid in pids[:n]], tmp_path, monkeypatch, after)


@pytest.mark.slow
def test_the_last_worker_is_lost(tmp_path, monkeypatch):
    """Without a nanny that replaces it there is an error, and the run goes on from its checkpoints."""
    distributed = pytest.importorskip("distributed")
    import subprocess
    import sys

    series = small_series((40, 40, 40))
    with distributed.LocalCluster(
        n_workers=0, host="127.0.0.1", dashboard_address=None, silence_logs=50, local_directory=str(tmp_path)
    ) as scheduler:
        command = [sys.executable, "-m", "dask", "worker", scheduler.scheduler_address, "--no-nanny", "--nthreads", "1"]
        worker = subprocess.Popen(
            [*command, "--host", "127.0.0.1", "--local-directory", str(tmp_path)], stderr=subprocess.DEVNULL
        )
        try:
            with dask_workers(scheduler.scheduler_address) as client:
                threading.Thread(target=kill_after_checkpoint, args=(worker, tmp_path / "c")).start()
                lost = Workers(executor_of(client), silence=4)
                with pytest.raises(WorkersError, match="no worker has shown a sign of life for 4 seconds"):
                    run_chains(series, MODEL, LONG, checkpoint=tmp_path / "c", checkpoint_seconds=0.2, executor=lost)
        finally:
            worker.kill()
            worker.wait()
    assert not list(tmp_path.glob("c/.tetiwd*"))
    found = run_chains(series, MODEL, LONG, checkpoint=tmp_path / "c", resume=True)
    assert_same(found, run_chains(series, MODEL, LONG))


def kill_after_checkpoint(worker, folder):
    while worker.poll() is None and not list(folder.glob("*.checkpoint")):
        time.sleep(0.05)
    worker.kill()


def assert_survives(harm, tmp_path, monkeypatch, after):
    """The draws are what they would be if nothing had happened to the workers, and nothing of them is left."""
    pytest.importorskip("distributed")
    import psutil

    monkeypatch.setattr(cluster, "SECONDS_OF_SILENCE", 3.0)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    series = small_series((40, 40, 40))
    children = {child.pid for child in psutil.Process().children(recursive=True)}
    with dask_workers(n_local=3) as client:
        pids = list(client.run(os.getpid).values())
        if after:
            threading.Timer(after, harm, [pids]).start()
        else:
            harm(pids)
        found = run_chains(series, MODEL, LONG, executor=Workers(executor_of(client), silence=20))
        assert not all(psutil.pid_exists(pid) and psutil.Process(pid).status() != "stopped" for pid in pids)
    assert_same(found, run_chains(series, MODEL, LONG))
    time.sleep(0.2)
    left = [child for child in psutil.Process().children(recursive=True) if child.pid not in children]
    assert [child for child in left if "resource_tracker" not in " ".join(child.cmdline())] == []
    assert list(tmp_path.iterdir()) == []
