"""The state of a chain as one draw."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.density import log_joint_of
from tetiwd.draws import Draws
from tetiwd.errors import SamplingError
from tetiwd.params import Hyperparameters
from tetiwd.state import ChainState


def record(
    draws: Draws, state: ChainState, hyperparameters: Hyperparameters, statistics: Mapping[str, NDArray[Any]]
) -> None:
    """Add the state to the draws, with what the moves of the last sweep reported."""
    log_joint = log_joint_of(state, hyperparameters)
    if not np.isfinite(log_joint):
        raise SamplingError(
            f"the joint density is {log_joint} at alpha = {state.alpha:.3g}, xi = {state.xi:.3g}, "
            f"new_scale = {state.new_scale:.3g} (rescaled); look for identical objects, or fix alpha at a number"
        )
    labels = np.concatenate(state.labels())
    shares = [np.sort(state.counts[t, :k]) / state.counts[t].sum() for t, k in enumerate(state.n_clusters)]
    geometry = [state.A[t, :k, :k] for t, k in enumerate(state.n_clusters)]
    row = {
        "labels": labels.astype(np.uint16 if labels.max() < 2**16 else np.uint32),
        "log_joint": log_joint,
        "alpha": state.alpha * state.unit,
        "xi": state.xi,
        "new_scale": state.new_scale * state.unit,
        "n_clusters": state.n_clusters,
        "entropy": np.array([-(p * np.log(p)).sum() for p in shares]),
        "spread": np.array([_mean_distance(A) * state.unit for A in geometry]),
        "log_det_A": np.array([np.linalg.slogdet(A * state.unit)[1] for A in geometry]),
    }
    kept = [A * state.unit for A in state.geometry()] if draws.keeps_next_geometry else None
    draws.append(row | dict(statistics), kept)


def _mean_distance(A: NDArray[np.float64]) -> float:
    """Mean of A_cc + A_bb − 2A_cb over pairs of clusters, 0 if there is only one."""
    k = len(A)
    return float(2 * (k * np.trace(A) - A.sum()) / (k * (k - 1))) if k > 1 else 0.0
