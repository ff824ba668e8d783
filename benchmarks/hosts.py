"""Epochs on other machines: what is sent in a sweep, and from what size on this is faster.

Four epochs of n objects in eight clusters. "Here" is one thread of one process; "hosts" are two worker processes of
Dask on the same machine, each with two epochs, that open the matrices from files. Both make the same draws. Times are
wall-clock times of the fastest of 40 sweeps, which other work on the machine affects least. Bytes are those of the
messages before Dask packs them. A sweep waits twice for hosts, and once more when a draw is recorded, as it is here in
every sweep. At the break-even size both take equally long; beyond the sizes measured, it is extrapolated from the time
that hosts take for the smallest size and the time per object here.
"""

import logging
import tempfile
import time
from itertools import pairwise
from math import exp, log
from pathlib import Path

import numpy as np

from benchmarks.cases import DOF, series_of
from benchmarks.table import Row, number
from tetiwd import Hyperparameters, SamplerSettings
from tetiwd.hosts import DaskWorkers, SpreadChain, Workers, open_series
from tetiwd.sampler import Chain

N_EPOCHS, N_CLUSTERS, N_WORKERS = 4, 8, 2
SIZES = (300, 1000, 3000, 6000)
SETTLE, SWEEPS = 12, 40
MODEL = Hyperparameters(dof=DOF, geometry="full")
SETTINGS = SamplerSettings(n_chains=1, n_warmup=SETTLE, n_draws=SWEEPS, geometry_every=0, spread_epochs=True)


def rows() -> list[Row]:
    """Messages, bytes, barriers and seconds per sweep for several sizes, and the break-even size."""
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        return [Row("epochs on other machines", "not measured: Dask is not installed")]
    found, seconds = [], []
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalCluster(
            n_workers=N_WORKERS,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            memory_limit=None,
            silence_logs=logging.CRITICAL,
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        for n in SIZES:
            here, there, workers = measured(Path(folder), n, DaskWorkers(client))
            seconds.append((n, here, there))
            name, total = f"{N_EPOCHS} epochs of {n:,}", workers.traffic
            found += [
                Row(f"{name}, a sweep here", milliseconds(here)),
                Row(f"{name}, a sweep with hosts", milliseconds(there)),
                Row(
                    f"{name}, a sweep with hosts",
                    f"{total.barriers / SWEEPS:.0f} barriers, {total.messages / SWEEPS:.0f} messages, "
                    f"{number(total.n_bytes / SWEEPS / 1000)} kB",
                ),
            ]
    return [*found, Row("break-even size", break_even(seconds))]


def measured(folder: Path, n: int, workers: Workers) -> tuple[float, float, Workers]:
    """Seconds per sweep here and with hosts, and the workers with their traffic."""
    files = [folder / f"{t}.npy" for t in range(N_EPOCHS)]
    for file, D in zip(files, series_of(N_EPOCHS, n, N_CLUSTERS).D, strict=True):
        np.save(file, D)
    series = open_series(files)
    here = seconds_per_sweep(Chain(series, MODEL, SETTINGS, 0))
    chain = SpreadChain(series, MODEL, SETTINGS, 0, workers)
    there = seconds_per_sweep(chain)
    chain.close()
    return here, there, workers


def seconds_per_sweep(chain: Chain) -> float:
    """The fastest of several sweeps that are recorded, after some that are not."""
    for _ in range(SETTLE):
        chain.step()
    if isinstance(chain, SpreadChain):
        traffic = chain.epochs.workers.traffic
        traffic.barriers = traffic.messages = traffic.n_bytes = 0
    times = []
    for _ in range(SWEEPS):
        start = time.perf_counter()
        chain.step()
        times.append(time.perf_counter() - start)
    if isinstance(chain, SpreadChain):
        measure_bytes(chain)
    return min(times)


def measure_bytes(chain: SpreadChain) -> None:
    """Bytes of one more sweep, as many times as sweeps were timed; counting them takes time."""
    traffic = chain.epochs.workers.traffic
    before = (traffic.barriers, traffic.messages)
    traffic.count_bytes = True
    chain.step()
    chain.state.labels()  # as for a draw
    traffic.count_bytes = False
    traffic.n_bytes *= SWEEPS
    traffic.barriers, traffic.messages = before


def break_even(seconds: list[tuple[int, float, float]]) -> str:
    """Objects per epoch from which hosts are faster."""
    lead = [(n, log(here / there)) for n, here, there in seconds]
    for (n, a), (m, b) in pairwise(lead):
        if a < 0 <= b:
            return f"{exp(log(n) + (log(m) - log(n)) * -a / (b - a)):,.0f} objects per epoch"
    if lead[0][1] >= 0:
        return f"below {SIZES[0]:,} objects per epoch"
    (_, first_here, first_there), (n, here, _) = seconds[0], seconds[-1]
    overhead, saved = first_there - first_here / N_WORKERS, here / n * (1 - 1 / N_WORKERS)
    return f"about {round(overhead / saved, -3):,.0f} objects per epoch, by extrapolation"


def milliseconds(seconds: float) -> str:
    """A time for people."""
    return f"{number(1000 * seconds)} ms"
