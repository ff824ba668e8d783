"""New sequences after those that were kept with an earlier run: one alignment, so that all distances are known."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tetiwd.data import DistanceSeries
from tetiwd.data.joining import from_epoch
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.files import in_file
from tetiwd.io.kept_sequences import Letters, are_sequences, check_alike, kept_sequences, sequences_of
from tetiwd.io.readers.fasta import distances_of
from tetiwd.io.run_folder import RunFolder
from tetiwd.io.windows import with_order


def with_kept_sequences(
    run: Path, paths: Sequence[Path], new: DistanceSeries, settings: DataSettings
) -> DistanceSeries:
    """The new series with the earlier epochs before it; as it is, if sequences were not kept or are not needed."""
    kept = kept_sequences(run) if are_sequences(paths) and settings.repair is None else None
    added = None if kept is None else sequences_of(paths, new)
    if kept is None or added is None:
        return new
    old = RunFolder.open(run).series()
    ids_of = {**_by_time(old), **_by_time(new)}
    times = [*old.times, *(time for time in new.times if time not in old.times)]
    ids = [id for time in times for id in ids_of[time]]
    if set(old.times) <= set(new.times) or not settings.keeps_cross(len(ids)):
        return new
    with in_file(str(paths[0])):
        check_alike(kept, added)
    codes_of = {**_codes_by_time(old, kept), **_codes_by_time(new, added)}
    codes = np.concatenate([codes_of[time] for time in times])
    D = distances_of(codes, range(len(codes)), settings.metric or "hamming", settings.dtype, ids)
    labels = with_order([time for time in times for _ in ids_of[time]], times)
    return DistanceSeries.from_pooled(
        D, time=labels, squared=settings.squared is not False, ids=ids, min_objects=settings.min_objects
    )


def sequences_after(run: Path, paths: Sequence[Path], series: DistanceSeries) -> Letters | None:
    """Letters of all objects of an extended series, from the earlier run and from files; None if some are not known."""
    kept = kept_sequences(run) if are_sequences(paths) else None
    if kept is None or series.ids is None:
        return None
    old = RunFolder.open(run).series()
    added = sequences_of(paths, from_epoch(series, old.n_epochs))
    return None if added is None else (np.concatenate([kept[0], added[0]]), kept[1])


def _by_time(series: DistanceSeries) -> dict[object, list[str]]:
    return {time: [str(id) for id in ids] for time, ids in zip(series.times, series.ids or (), strict=True)}


def _codes_by_time(series: DistanceSeries, letters: Letters) -> dict[object, np.ndarray]:
    ends = np.cumsum(series.n_objects)[:-1]
    return dict(zip(series.times, np.split(letters[0], ends), strict=True))
