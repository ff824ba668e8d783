"""The state of a chain of moving centres as one draw."""

from collections.abc import Mapping
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.draws import Draws
from tetiwd.errors import SamplingError
from tetiwd.node_density import log_joint_of_nodes
from tetiwd.node_state import NodeState
from tetiwd.params import Hyperparameters


def extra_of(hyperparameters: Hyperparameters) -> dict[str, str]:
    """What is recorded besides the columns of all models, with its axes.

    ``log_spreads`` are thousandths of log α_c − log α of the lineage of every object, which new objects need.
    """
    own = {} if hyperparameters.tau_used == 0 else {"log_spreads": "object"}
    common = {} if hyperparameters.shift == 0 else {"shift": "draw"}
    return dict.fromkeys(("rho", "tau", "delta", "kappa"), "draw") | common | own


def record_nodes(
    draws: Draws, state: NodeState, hyperparameters: Hyperparameters, statistics: Mapping[str, NDArray[Any]]
) -> None:
    """Add the state to the draws, with what the moves of the last sweep reported."""
    log_joint = log_joint_of_nodes(state, hyperparameters)
    if not np.isfinite(log_joint):
        raise SamplingError(
            f"the joint density is {log_joint} at {state.parameters} (rescaled); look for identical objects, or fix "
            "alpha at a number"
        )
    labels, k = state.lineage_ids()[state.z], state.n_clusters
    row = {
        "labels": labels.astype(np.uint16 if labels.max() < 2**16 else np.uint32),
        "log_joint": log_joint,
        "alpha": state.alpha * state.unit,
        "xi": state.xi,
        "new_scale": state.new_scale * state.unit,
        "n_clusters": k,
        "entropy": entropies(state),
        "spread": np.where(k > 1, 2 * state.new_scale * state.unit, 0.0),
        "log_det_A": k * log(state.new_scale * state.unit),
    }
    extra: dict[str, Any] = {name: getattr(state, name) for name in ("rho", "tau", "delta", "kappa")}
    if hyperparameters.shift != 0:
        extra["shift"] = state.shift * state.unit
    if hyperparameters.tau_used != 0:
        own = np.log(state.spreads[: state.size[0]] / state.alpha)
        extra["log_spreads"] = np.round(1000 * own).astype(np.int16)[state.z]
    draws.append(row | extra | dict(statistics))


def entropies(state: NodeState) -> NDArray[np.float64]:
    """Entropy of the sizes of clusters at every epoch; it does not depend on their order."""
    sizes = np.sort(state.counts[: state.size[0]], axis=0)
    shares = sizes / np.maximum(1, sizes.sum(axis=0))
    return np.asarray(-np.sum(shares * np.log(np.maximum(shares, 1e-300)), axis=0))
