"""Where a chain of moving centres starts: Ward cuts of D* of different coarseness, one lineage, or labels."""

import numpy as np

from tetiwd.bonds import bonds_of_lineages, check_respectful, respectful
from tetiwd.data import DistanceSeries
from tetiwd.node_state import NodeState, all_distances, start_parameters
from tetiwd.params import Hyperparameters, SamplerSettings
from tetiwd.start import check_labels, coarseness, ward_labels


def start_nodes(
    series: DistanceSeries,
    hyperparameters: Hyperparameters,
    settings: SamplerSettings,
    chain: int,
    *,
    unit: float | None,
) -> NodeState:
    """The first state of a chain."""
    n = sum(series.n_objects)
    given = not isinstance(settings.init, str)
    if given:
        labels = np.concatenate(check_labels(settings.init, series))
    elif settings.init == "one":
        labels = np.zeros(n, dtype=np.int64)
    else:
        labels = ward_labels(all_distances(series), coarseness(chain, settings.n_chains))
    if series.ties is not None and given:
        check_respectful([labels], series.ties)
    elif series.ties is not None:
        labels = respectful(labels, bonds_of_lineages(series.ties), np.inf)
    state = NodeState(series, np.unique(labels, return_inverse=True)[1], unit=unit)
    start_parameters(state, hyperparameters)
    return state
