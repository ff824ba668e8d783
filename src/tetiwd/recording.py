"""The state of a chain as one draw."""

from collections.abc import Mapping
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.density import log_joint_of
from tetiwd.draws import Draws
from tetiwd.errors import SamplingError
from tetiwd.kernels import describe_epoch
from tetiwd.params import Hyperparameters
from tetiwd.state import ChainState


def learned_of(hyperparameters: Hyperparameters) -> dict[str, str]:
    """What is recorded besides the columns of all models, with its axes; ``log_spreads`` as of moving centres."""
    own = {} if hyperparameters.tau_used == 0 else {"log_spreads": "object"}
    return dict.fromkeys(hyperparameters.learned, "draw") | own


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
    facts = np.array([describe_epoch(epoch, state.work) for epoch in state.epochs])
    row = {
        "labels": labels.astype(np.uint16 if labels.max() < 2**16 else np.uint32),
        "log_joint": log_joint,
        "alpha": state.alpha * state.unit,
        "xi": state.xi,
        "new_scale": state.new_scale * state.unit,
        "n_clusters": state.n_clusters,
        "entropy": facts[:, 0],
        "spread": facts[:, 1] * state.unit,
        "log_det_A": facts[:, 2] + state.n_clusters * log(state.unit),
    }
    kept = [A * state.unit for A in state.geometry()] if draws.keeps_next_geometry else None
    extra: dict[str, Any] = {name: getattr(state, name) for name in hyperparameters.learned}
    if hyperparameters.tau_used != 0:
        own = [x[slots] for x, slots in zip(state.log_spreads(), state.z, strict=True)]
        extra["log_spreads"] = np.round(1000 * np.concatenate(own)).astype(np.int16)
    draws.append(row | extra | dict(statistics), kept)
