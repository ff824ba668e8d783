"""Small series in files, chains whose epochs are with hosts, and a hash of what a chain drew."""

import hashlib

import numpy as np

from runs import MODEL, small_series
from tetiwd import DistanceSeries, SamplerSettings
from tetiwd.hosts import LocalWorkers, SpreadChain
from tetiwd.sampler import run_chain

SETTINGS = SamplerSettings(n_chains=2, n_warmup=105, n_draws=20, n_anneal=10, seed=5, spread_epochs=True)


def in_files(series, folder):
    """The same series, looking at files."""
    for t, matrix in enumerate(series.matrices):
        np.save(folder / f"{t}.npy", matrix)
    mapped = tuple(np.load(folder / f"{t}.npy", mmap_mode="r") for t in range(series.n_epochs))
    return DistanceSeries(mapped, series.kind, series.times, series.ids, None)


def files_of(folder, sizes=(30, 24, 36, 20)):
    """Files with one matrix each, and the series in memory."""
    series = small_series(sizes)
    in_files(series, folder)
    return [folder / f"{t}.npy" for t in range(len(sizes))], series


def hash_of(chain) -> str:
    """Hash of all draws of a chain, bit by bit."""
    found = hashlib.sha256()
    for name, values in sorted(chain.draws.to_arrays().items()):
        found.update(name.encode())
        found.update(np.ascontiguousarray(values).tobytes())
    return found.hexdigest()


def ended(chain):
    """A chain at its end."""
    for _ in run_chain(chain):
        pass
    return chain


def spread_chain(series, workers=None, model=MODEL, settings=SETTINGS, index=0):
    return SpreadChain(series, model, settings, index, LocalWorkers(2) if workers is None else workers)
