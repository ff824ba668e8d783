"""Small random states of moving centres, and the log joint of any rearrangement of them by the plain model."""

import numpy as np

from plain_kernels import plain
from reference import random_distances, rng_for
from tetiwd import Beta, DistanceSeries, Gamma, Hyperparameters
from tetiwd.model.moving import log_joint_moving, priors_of
from tetiwd.model.spreads import LIMIT
from tetiwd.node_state import NodeState, start_parameters

ALL_FREE = {
    "alpha": Gamma(4, 0.2),
    "new_scale": Gamma(4, 0.25),
    "rho": Beta(2, 1.5),
    "xi": Gamma(3, 0.4),
    "tau": Gamma(4, 0.12),
    "delta": Beta(3, 2),
    "kappa": Gamma(4, 0.2),
}
SHIFT = Gamma(4, 0.2)  # of displacements that all objects of an epoch have in common; none unless it is asked for
FIXED = {"alpha": 0.8, "new_scale": 1.1, "rho": 0.7, "xi": 1.3, "tau": 0.0, "delta": 0.6, "kappa": 0.5}


def moving(dof=1.5, **changes) -> Hyperparameters:
    return Hyperparameters(dof=dof, geometry="moving", **ALL_FREE | changes)


def series_of(cross, sizes) -> DistanceSeries:
    """Distances of all objects; epochs may be empty."""
    ends = np.cumsum(sizes)
    blocks = tuple(cross[end - n : end, end - n : end].copy() for end, n in zip(ends, sizes, strict=True))
    return DistanceSeries(blocks, "distances", tuple(range(len(sizes))), None, cross)


def small_cross(seed, sizes, dtype=float) -> DistanceSeries:
    rng, N = rng_for(seed, 31), sum(sizes)
    return series_of(random_distances(rng, N, 3).astype(dtype), sizes)


def random_nodes(seed, sizes, h, n_lineages=4, dtype=float) -> NodeState:
    """A state with random lineages, spreads and parameters."""
    rng, N = rng_for(seed, 32), sum(sizes)
    labels = np.unique(rng.integers(n_lineages, size=N), return_inverse=True)[1]
    state = NodeState(small_cross(seed, sizes, dtype), labels, unit=1.0)
    start_parameters(state, h)
    for name, prior in priors_of(h).items():
        if isinstance(prior, Gamma):
            setattr(state, name, float(rng.uniform(0.3, 2.0)))
        elif isinstance(prior, Beta):
            setattr(state, name, float(rng.choice([1e-5, 0.4, 0.9, 1 - 1e-6])))
    if isinstance(h.shift, Gamma):
        state.shift = float(rng.choice([1e-6, 0.7, 30.0]))
    spread_out(state, rng)
    state.check_invariants()
    return state


def spread_out(state, rng):
    C = int(state.size[0])
    x = 0.99 * LIMIT * np.tanh(state.tau * rng.standard_normal(C) / LIMIT)  # no two alike, even if tau is large
    state.spreads[:C] = state.alpha * np.exp(x)


def exact_joint(state, h, labels=None, spreads=None, parameters=None) -> float:
    """Log joint by the model: of the state, or with other labels (slots) and spreads by slot."""
    labels = state.z if labels is None else labels
    spreads = state.spreads if spreads is None else spreads
    series = np.split(labels, state.first[1:-1])
    own = dict(enumerate(spreads.tolist()))
    return log_joint_moving(state.series.cross, series, h, parameters or state.parameters, own)


def partition_of(state) -> tuple[int, ...]:
    return tuple(np.concatenate(state.labels()).tolist())


def propose(stream, change, given, motion, i, j, lo, hi) -> bool:
    """What a split or a merge of the lineages of two objects would propose; False if it is not tried."""
    split = plain.modules["split_lineages"]
    if not split.begin(stream, change.sides, given, i, j, lo, hi):
        return False
    go = split.divide if given.z[i] == given.z[j] else split.follow
    go(stream, change, change.sides, given, motion)
    return True
