"""How much memory chains take, and a refusal before they are begun."""

from collections.abc import Sequence
from typing import cast

from tetiwd.data import DistanceSeries
from tetiwd.data.feature_distances import FeatureDistances
from tetiwd.data.memory import require_memory
from tetiwd.errors import Text
from tetiwd.params import Hyperparameters, SamplerSettings

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
    rows_per_cluster = 0 if spread else series.n_epochs if hyperparameters.moves else 1
    what = f"{doing} {settings.n_chains} chains of {settings.most_draws} draws over {sum(series.n_objects)} objects"
    n_features = None if series.has_matrices else cast("FeatureDistances", series.matrices[0]).width - 2
    require_memory(bytes_of_chains(series.n_objects, settings, rows_per_cluster, n_features), what, remedy)


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
