"""Hosts in the processes of a real Dask cluster on this machine, which are killed, stopped and lost."""

import logging
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from dataclasses import replace

import numpy as np
import pytest

from runs import MODEL, digest
from spread_runs import SETTINGS, ended, files_of, hash_of, spread_chain
from tetiwd import DataError, WorkersError, run_chains
from tetiwd.hosts import DaskWorkers, open_series
from tetiwd.sampler import Chain

distributed = pytest.importorskip("distributed")
psutil = pytest.importorskip("psutil")
pytestmark = pytest.mark.filterwarnings("default")  # those of Dask are not ours

SHORT = replace(SETTINGS, n_warmup=20, n_draws=5, n_chains=1, anneal=None)
ONE = replace(SETTINGS, n_chains=1, anneal=None)


@contextmanager
def local_cluster(n_workers=3):
    """A client of so many processes, and their nannies; nothing of them is left afterwards."""
    with (
        distributed.LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            memory_limit=None,
            silence_logs=logging.CRITICAL,
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        try:
            yield client, cluster
        finally:
            for nanny in cluster.workers.values():
                with suppress(Exception):
                    os.kill(nanny.pid, signal.SIGCONT)


@pytest.fixture(scope="module")
def cluster():
    with local_cluster() as both:
        yield both


def n_hosts(client):
    """Hosts that workers have, once they have had time to let them go."""
    for _ in range(50):
        n = sum(client.run(lambda dask_worker: len(dask_worker.state.actors)).values())
        if n == 0:
            break
        time.sleep(0.1)
    return n


class Saboteur(DaskWorkers):
    """Workers one of which gets a signal while it is busy with a method, so many times after so many calls."""

    def __init__(self, client, cluster, method, after=(), signal_number=signal.SIGKILL, silence_seconds=10.0):
        super().__init__(client, silence_seconds=silence_seconds)
        self.cluster, self.method, self.after, self.signal = cluster, method, set(after), signal_number
        self.n_calls, self.hit, self.victim = 0, [], None

    def ask(self, calls):
        self.victim = None
        if calls[0].method == self.method:
            self.n_calls += 1
            if self.n_calls in self.after:
                self.victim = calls[-1].host.address  # the others are done, or will be
        return super().ask(calls)

    def _wait(self, result, address):
        if self.victim is not None:  # all calls are on their way
            os.kill(pid_of(self.cluster, self.victim), self.signal)
            self.hit.append(self.victim)
            self.victim = None
        return super()._wait(result, address)


def pid_of(cluster, address):
    """The process of a worker: a child of the cluster's, or one of those that were started one by one."""
    if isinstance(cluster, dict):
        return cluster[address]
    return next(nanny.pid for nanny in cluster.workers.values() if nanny.worker_address == address)


@contextmanager
def processes_of(cluster, n):
    """Workers that nobody starts again when they are gone: their processes by address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        first = free.getsockname()[1] + 1
    places = [f"tcp://127.0.0.1:{first + i}" for i in range(n)]
    command = [
        sys.executable,
        "-m",
        "distributed.cli.dask_worker",
        cluster.scheduler_address,
        "--no-nanny",
        "--no-dashboard",
    ]
    processes = [
        subprocess.Popen([*command, "--nthreads", "1", "--host", place[6:]], stderr=subprocess.DEVNULL)
        for place in places
    ]
    try:
        yield {place: process.pid for place, process in zip(places, processes, strict=True)}
    finally:
        for process in processes:
            process.kill()
            process.wait()


def test_same_draws(cluster, tmp_path):
    client, _ = cluster
    files, series = files_of(tmp_path)
    mapped = open_series(files, hosts=client)
    assert mapped.unit == series.unit
    sample = run_chains(mapped, MODEL, SHORT, hosts=client)
    assert digest(sample) == digest(run_chains(series, MODEL, SHORT))
    assert n_hosts(client) == 0


def test_errors_of_hosts_are_raised_here(cluster, tmp_path):
    client, _ = cluster
    files, series = files_of(tmp_path)
    np.save(files[1], -series.D[1])
    with pytest.raises(DataError, match="negative"):
        open_series(files, hosts=client)


@pytest.mark.slow
class TestLosses:
    @pytest.fixture
    def data(self, tmp_path):
        files, series = files_of(tmp_path)
        return open_series(files), hash_of(ended(Chain(series, MODEL, ONE, 0)))

    def check(self, chain, expected, client):
        assert hash_of(ended(chain)) == expected
        chain.close()
        assert n_hosts(client) == 0

    def test_all_chains_and_their_frozen_partitions(self, cluster, tmp_path):
        client, _ = cluster
        files, series = files_of(tmp_path)
        here, there = run_chains(series, MODEL, SETTINGS), run_chains(open_series(files), MODEL, SETTINGS, hosts=client)
        assert digest(there) == digest(here)
        assert [found.log_joint for found in there.frozen] == [found.log_joint for found in here.frozen]

    def test_killed_while_idle(self, cluster, data):
        client, local = cluster
        series, expected = data
        chain = spread_chain(series, DaskWorkers(client), settings=ONE)
        for _ in range(40):
            chain.step()
        os.kill(pid_of(local, chain.epochs.hosts[0].address), signal.SIGKILL)
        chain.step()
        assert chain.n_done < 40  # it went back
        self.check(chain, expected, client)

    @pytest.mark.parametrize(
        ("method", "after"),
        [("visit", {70}), ("commit", {1}), ("labels", {3}), ("restore", {1}), ("visit", {60, 61, 75})],
        ids=["busy", "committing", "at a draw", "at the start", "during replay"],
    )
    def test_killed(self, method, after, cluster, data):
        client, local = cluster
        series, expected = data
        workers = Saboteur(client, local, method, after)
        self.check(spread_chain(series, workers, settings=ONE), expected, client)
        assert len(workers.hit) == len(after)

    def test_stopped(self, cluster, data):
        client, local = cluster
        series, expected = data
        workers = Saboteur(client, local, "visit", {70}, signal.SIGSTOP, silence_seconds=4.0)
        chain = spread_chain(series, workers, settings=ONE)
        assert hash_of(ended(chain)) == expected
        assert {host.address for host in chain.epochs.hosts}.isdisjoint(workers.hit)
        chain.close()
        os.kill(pid_of(local, workers.hit[0]), signal.SIGCONT)
        client.wait_for_workers(3, timeout=20)
        assert n_hosts(client) == 0  # nor does the one that woke up again have any

    def test_a_long_answer_is_not_silence(self, cluster):
        client, _ = cluster
        workers = DaskWorkers(client, silence_seconds=1.0)
        assert workers.work([(slow_answer, (4.0,))]) == [4.0]

    def test_the_last_one(self, data, tmp_path):
        series, expected = data
        folder = tmp_path / "checkpoint"
        with local_cluster(0) as (client, local), processes_of(local, 2) as pids:
            client.wait_for_workers(2, timeout=60)
            workers = Saboteur(client, pids, "visit", {190, 191})
            with pytest.raises(WorkersError, match="no worker is left; start workers, and resume the run"):
                run_chains(series, MODEL, ONE, hosts=workers, checkpoint=folder)
            assert len(workers.hit) == 2
        with local_cluster(1) as (client, _):
            sample = run_chains(series, MODEL, ONE, hosts=client, checkpoint=folder, resume=True)
        (draws,) = sample.draws
        assert digest(sample) == expected == digest(run_chains(series, MODEL, ONE, checkpoint=folder, resume=True))
        assert len(draws) == ONE.n_draws

    def test_nothing_is_left(self, data, tmp_path):
        series, expected = data
        before = left_behind()
        scratch = tmp_path / "scratch"
        with distributed.LocalCluster(
            n_workers=3, processes=True, host="127.0.0.1", dashboard_address="127.0.0.1:0", local_directory=scratch,
            silence_logs=logging.CRITICAL,
        ) as local, distributed.Client(local, set_as_default=False) as client:  # fmt: skip
            workers = Saboteur(client, local, "visit", {30})
            self.check(spread_chain(series, workers, settings=ONE), expected, client)
        assert left_behind() == before
        assert not [file for file in scratch.rglob("*") if file.is_file() and file.suffix != ".lock"]


def slow_answer(seconds):
    time.sleep(seconds)
    return seconds


def left_behind():
    """Processes that this one has started, and ports that it listens at."""
    me = psutil.Process()
    children = {child.pid for child in me.children(recursive=True) if child.status() != psutil.STATUS_ZOMBIE}
    return children, {c.laddr.port for c in me.net_connections() if c.status == psutil.CONN_LISTEN}
