"""How much memory chains take, and a refusal before they are begun."""

from collections.abc import Sequence
from typing import cast

from tetiwd.data import DistanceSeries
from tetiwd.data.feature_distances import FeatureDistances
from tetiwd.data.fingerprint import parts
from tetiwd.errors import Text
from tetiwd.memory import require_memory
from tetiwd.params import Hyperparameters, SamplerSettings

LIBRARIES = 600 * 2**20  # what Python and all libraries take
READING = 2.0  # data are held once, and part of them once more while they are read and checked
MARGIN = 1.5
USUAL_CAPACITY = 32  # clusters per epoch that a state has room for once Ward's finest cut is in it


def check_room_for_chains(
    series: DistanceSeries,
    hyperparameters: Hyperparameters,
    settings: SamplerSettings,
    doing: str,
    remedy: Text,
    *,
    spread: bool = False,
) -> None:
    """Refuse chains that memory cannot hold; row sums are elsewhere if epochs are spread over other machines."""
    what = f"{doing} {settings.n_chains} chains of {settings.most_draws} draws over {sum(series.n_objects)} objects"
    require_memory(_bytes_of_chains(series, hyperparameters, settings, spread=spread), what, remedy)


def bytes_of_job(series: DistanceSeries, hyperparameters: Hyperparameters, settings: SamplerSettings) -> int:
    """Memory of a process that reads the data and runs these chains, generously: somebody else enforces it."""
    held = [*series.matrices, *([] if series.cross is None else [series.cross])]
    data = sum(array.nbytes for matrix in held for array in parts(matrix))
    return LIBRARIES + int(READING * data) + int(MARGIN * _bytes_of_chains(series, hyperparameters, settings))


def _bytes_of_chains(
    series: DistanceSeries, hyperparameters: Hyperparameters, settings: SamplerSettings, *, spread: bool = False
) -> int:
    rows_per_cluster = 0 if spread else series.n_epochs if hyperparameters.moves else 1
    n_features = None if series.has_matrices else cast("FeatureDistances", series.matrices[0]).width - 2
    return bytes_of_chains(series.n_objects, settings, rows_per_cluster, n_features)


def bytes_of_chains(
    n_objects: Sequence[int], settings: SamplerSettings, rows_per_cluster: int = 1, n_features: int | None = None
) -> int:
    """Memory of all chains beyond the data, roughly: row sums and assignments, and every draw's labels and A.

    A lineage of moving centres has row sums of its own for every epoch. With features in place of matrices, clusters
    have sums of features instead, two numbers more than there are features.
    """
    n, n_states = sum(n_objects), 1 if settings.anneal is None else 2  # annealing works on a copy
    kept = n * rows_per_cluster if n_features is None else len(n_objects) * (n_features + 2)
    states = n_states * 8 * (USUAL_CAPACITY * kept + n)
    draws = 2 * 2 * n * settings.most_draws  # two bytes per label, and once more as one array
    if settings.geometry_every:
        draws += 8 * len(n_objects) * USUAL_CAPACITY**2 * (settings.most_draws // settings.geometry_every + 1)
    return settings.n_chains * (states + draws)
