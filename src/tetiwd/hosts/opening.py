"""A series in files, one per epoch, that workers have checked: its distances are never read here."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from tetiwd.data import DistanceSeries
from tetiwd.data.array_file import EpochFile, file_of, file_of_epoch
from tetiwd.data.checks import Place, check_distances, check_range
from tetiwd.data.epochs import separate_epochs
from tetiwd.data.feature_distances import FeatureDistances
from tetiwd.data.fingerprint import KNOWN, fingerprint, fingerprint_of_hashes, hash_of_epoch
from tetiwd.data.prepare import is_exactly_symmetric, prepare_square
from tetiwd.errors import DataError, Where
from tetiwd.hosts.dask_workers import DaskWorkers
from tetiwd.hosts.workers import LocalWorkers, Workers


@dataclass(frozen=True)
class Facts:
    """What a worker found in the file of one epoch."""

    n_objects: int
    total: float  # sum of all squared distances
    hash: str


def open_series(
    files: Sequence[str | Path],
    *,
    ids: Sequence[Sequence[Any]] | None = None,
    times: Sequence[Any] | None = None,
    hosts: Any = None,
    min_objects: int = 3,
) -> DistanceSeries:
    """A series of squared distances from npy files, one square matrix of float32 or float64 per epoch.

    Matrices have to be ready for use, exactly symmetric with zeros on the diagonal, since they are not copied. They are
    looked at through memory maps: of a file that is opened here no more is in memory than what is looked at.

    Parameters
    ----------
    files : sequence of str or Path
        One per epoch, in order of time; all workers must find them under the same path.
    ids, times : sequence, optional
        Ids of the objects at every epoch, and a label per epoch.
    hosts : Client, optional
        A ``distributed.Client``, whose workers read and check the files; None does so here.
    min_objects : int
        Smallest epoch that is accepted.

    Returns
    -------
    DistanceSeries
        The series, which looks at the files.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import numpy as np
    >>> from tetiwd import simulate_separated
    >>> from tetiwd.hosts import open_series
    >>> with TemporaryDirectory() as folder:
    ...     for t, D in enumerate(simulate_separated(seed=1).D):
    ...         np.save(f"{folder}/{t}.npy", D)
    ...     series = open_series([f"{folder}/{t}.npy" for t in range(5)])
    ...
    >>> series.n_objects
    (20, 20, 20, 20, 20)
    """
    arrays = [_mapped(Path(file)) for file in files]
    epochs = separate_epochs("D", arrays, ids, times)
    for t, array in enumerate(arrays):
        if epochs.ids is not None and len(epochs.ids[t]) != len(array):
            epochs.places[t].fail(f"has {len(array)} objects but {len(epochs.ids[t])} ids", "give one id per object")
    series = DistanceSeries(tuple(arrays), "distances", epochs.times, epochs.ids, None)
    workers: Workers = LocalWorkers() if hosts is None else hosts if hasattr(hosts, "hire") else DaskWorkers(hosts)
    found: list[Facts] = workers.work(
        [
            (examine, (file_of_epoch(data, t), place.name, min_objects))
            for t, (data, place) in enumerate(zip(series.matrices, epochs.places, strict=True))
        ]
    )
    pairs = float(sum(n * (n - 1) for n in series.n_objects))
    total = 0.0
    for facts in found:
        total += facts.total / 2
    vars(series)["unit"] = total / pairs  # computed when it is first asked for; here it is known
    vars(series)[KNOWN] = fingerprint_of_hashes(series.kind, [facts.hash for facts in found])
    return series


def in_files(series: DistanceSeries, folder: str | Path) -> DistanceSeries:
    """The same series, with data that were in memory in files of a folder, which all workers must see."""
    mapped = []
    for t, data in enumerate(series.matrices):
        if isinstance(data, FeatureDistances):
            mapped.append(data if data.is_sparse else FeatureDistances(_stored(data.rows, folder, t), data.factor))
        else:
            mapped.append(_stored(data, folder, t))
    found = replace(series, matrices=tuple(mapped))
    vars(found)["unit"], vars(found)[KNOWN] = series.unit, fingerprint(series)
    return found


def _stored(array: Any, folder: str | Path, t: int) -> Any:
    if file_of(array) is not None:
        return array
    file = Path(folder) / f"epoch-{t}.npy"
    np.save(file, array)
    return np.load(file, mmap_mode="r")


def examine(file: EpochFile, name: str, min_objects: int) -> Facts:
    """Check the matrix in a file."""
    place, matrix = Place(f"{name} in {Path(file.array.path).name}"), file.open()
    prepare_square(matrix, place, None, min_objects)
    check_distances(matrix, place)
    check_range(matrix, place)
    if not is_exactly_symmetric(matrix) or np.diagonal(matrix).any() or matrix.min() < 0:
        place.fail("is symmetric with a zero diagonal up to rounding only", "write (D + D.T) / 2 with zeros on it")
    return Facts(len(matrix), float(matrix.sum(dtype=float)), hash_of_epoch(matrix))


def _mapped(file: Path) -> Any:
    try:
        array = np.load(file, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise DataError(f"cannot be opened ({reason})", "write it with np.save", where=Where(file=str(file))) from error
    if not isinstance(array, np.memmap) or array.ndim != 2 or array.dtype not in (np.float32, np.float64):
        fault = "does not hold one matrix of float32 or float64"
        raise DataError(fault, "write it with np.save", where=Where(file=str(file)))
    return array
