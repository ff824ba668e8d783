"""What a chain needs to know of the data before it begins, found out by workers: nobody else reads them."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data import DistanceSeries
from tetiwd.data.array_file import EpochFile, file_of_epoch
from tetiwd.data.checks import Place
from tetiwd.data.dof import SAMPLE_SIZE, dof_from, moments_of, rank_dof
from tetiwd.data.negative_type import Kind
from tetiwd.data.sampling import sampled_distances
from tetiwd.hosts.messages import small
from tetiwd.hosts.spread import SpreadEpochs, SpreadState
from tetiwd.hosts.workers import Workers
from tetiwd.params import Hyperparameters, SamplerSettings
from tetiwd.start import start_chain, ward_labels
from tetiwd.state import ChainState, Floats, Ints


def start_spread(
    series: DistanceSeries,
    hyperparameters: Hyperparameters,
    settings: SamplerSettings,
    chain: int,
    epochs: SpreadEpochs,
) -> ChainState:
    """The first state of a chain, the same as that of :func:`~tetiwd.start.start_chain`."""
    workers, kind = epochs.workers, series.kind

    def ward(n_clusters: int) -> list[Ints]:
        found = of_epochs(workers, epochs.files, cut_of_file, kind, n_clusters)
        return [labels.astype(np.int64) for labels in found]

    def make(slots: list[Ints]) -> ChainState:
        return SpreadState(series, epochs, slots, trace)

    trace: Floats = np.zeros(series.n_epochs)
    if kind == "similarities":
        trace = np.array(of_epochs(workers, epochs.files, trace_of_file))
    return start_chain(series, hyperparameters, settings, chain, unit=None, ward=ward, make=make)


def dof_by_workers(series: DistanceSeries, how: str, workers: Workers) -> tuple[float, ...]:
    """Degrees of freedom, the same as those of ``series.dof``."""
    files = [file_of_epoch(data, t) for t, data in enumerate(series.matrices)]
    if how == "rank":
        return tuple(map(float, of_epochs(workers, files, rank_of_file, series.kind)))
    n_directions = None if series.features is None else series.features.n_directions
    return dof_from(how, of_epochs(workers, files, moments_of_file, series.kind), n_directions)


def of_epochs(workers: Workers, files: Sequence[EpochFile], do: Callable[..., Any], *arguments: Any) -> list[Any]:
    """What a function finds in the file of every epoch."""
    return workers.work([(do, (file, *arguments)) for file in files])


def cut_of_file(file: EpochFile, kind: Kind, n_clusters: int) -> NDArray[Any]:
    """Ward's clusters."""
    return small(ward_labels(file.open(), n_clusters, kind))


def trace_of_file(file: EpochFile) -> float:
    """The trace of similarities."""
    return float(np.trace(file.open(), dtype=float))


def moments_of_file(file: EpochFile, kind: Kind) -> tuple[float, float] | None:
    """Two estimates of the degrees of freedom."""
    return moments_of(sampled_distances(file.open(), kind, SAMPLE_SIZE, Place(file.array.path))[1])


def rank_of_file(file: EpochFile, kind: Kind) -> int:
    """The rank of the centred similarity."""
    matrix = file.open()
    return rank_dof(sampled_distances(matrix, kind, len(matrix), Place(file.array.path))[1])
