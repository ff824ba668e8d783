"""Many objects, from features: no distance matrix is made.

Each case has its own process, which simulates the data, runs one chain of 20 sweeps on one core, and writes draws,
tables and the report, as ``tetiwd fit`` does; a single epoch begins with Ward's 20 clusters. A settled sweep is the
median of the last five, in processor time; memory is the peak of the process, and seconds are those of all but the
simulation. The rows of the first two cases are Gaussian around 20 centres; documents are bags of some 60 of 20,000
words (sparse) of 20 topics, compared by cosine.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.memory import status
from benchmarks.table import Row, at_most, number

K = 20
CASES: dict[str, tuple[Callable[[], "tuple[Any, Any, dict[str, Any]]"], float]] = {  # data, and GiB that they may take
    "1 × 1,000,000 objects, 10 features": (lambda: gaussian(1, 1_000_000, 10), 4.0),
    "50 × 20,000 objects, 50 features": (lambda: gaussian(50, 20_000, 50), 8.0),
    "1 × 200,000 documents, 20,000 words": (lambda: documents(200_000, 20_000), 8.0),
}


def rows() -> list[Row]:
    """Seconds of a sweep and of all, and memory, of every case."""
    table = []
    for name, (_, gib) in CASES.items():
        command = [sys.executable, "-m", "benchmarks.large", name]
        found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        what = f"{name}: settled sweep, k = {found['k']:.0f}"
        table.append(at_most(what, found["sweep"], 3.0, " s") if "1,000,000" in name else Row(what, seconds(found)))
        table.append(at_most(f"{name}: peak memory", found["gib"], gib, " GiB"))
        table.append(Row(f"{name}: all, with report", f"{number(found['all'])} s"))
    return table


def seconds(found: dict[str, float]) -> str:
    """The time of a sweep."""
    return f"{number(found['sweep'])} s"


def gaussian(n_epochs: int, n: int, p: int) -> tuple[Any, Any, dict[str, Any]]:
    """Rows around centres, their times, and how to compare them."""
    rng = np.random.default_rng(0)
    centres = 4 * rng.standard_normal((K, p))
    X = rng.standard_normal((n_epochs * n, p))
    X += centres[rng.integers(K, size=len(X))]
    return X, np.repeat(np.arange(n_epochs), n), {}


def documents(n: int, n_words: int) -> tuple[Any, Any, dict[str, Any]]:
    """Counts of words of documents, half of them from a topic and half from a common language."""
    from scipy.sparse import csr_array

    rng = np.random.default_rng(0)
    lengths, topic = rng.poisson(60, size=n) + 5, rng.integers(K, size=n)
    document = np.repeat(np.arange(n), lengths)
    common = (n_words * rng.random(len(document)) ** 3).astype(np.int64)
    special = topic[document] * 300 + (300 * rng.random(len(document)) ** 2).astype(np.int64)
    words = np.where(rng.random(len(document)) < 0.5, common, special)
    X = csr_array((np.ones(len(words)), (document, words)), shape=(n, n_words))
    X.sum_duplicates()
    return X, np.zeros(n, dtype=np.int64), {"metric": "cosine"}


def measured(name: str) -> dict[str, float]:
    """What one case takes; the chain is watched sweep by sweep."""
    from tetiwd import DistanceSeries, Hyperparameters, SamplerSettings
    from tetiwd.io.settings import RunSettings
    from tetiwd.sampler import Chain
    from tetiwd.start import ward_labels
    from tetiwd.workflow import fit_into

    X, epochs, options = CASES[name][0]()
    times: list[float] = []
    step = Chain.step

    def timed(chain: Chain) -> Any:
        start = time.thread_time()
        info = step(chain)
        times.append(time.thread_time() - start)
        return info

    Chain.step = timed  # type: ignore[method-assign]
    began = time.perf_counter()
    series = DistanceSeries.from_features(X, time=epochs, **options)
    sampler = SamplerSettings(n_chains=1, n_warmup=10, n_draws=10, n_anneal=1, seed=1)
    if series.n_epochs == 1:
        sampler = replace(sampler, init=[ward_labels(series.matrices[0], K)])
    with tempfile.TemporaryDirectory() as folder:
        analysis = fit_into(f"{folder}/run", series, RunSettings(model=Hyperparameters(), sampler=sampler), n_threads=1)
    assert analysis is not None
    return {
        "sweep": float(np.median(times[-5:])),
        "gib": status("VmHWM") / 2**30,
        "all": time.perf_counter() - began,
        "k": float(np.mean(analysis.sample.draws[0].n_clusters)),
    }


if __name__ == "__main__":
    print(json.dumps(measured(sys.argv[1])))
