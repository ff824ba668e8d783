"""Geweke's joint-distribution test of moving centres: sweeps and fresh data in turn must leave the prior alone."""

import numpy as np
from arviz_stats.base import array_stats

from lineage_worlds import SHIFT, moving, series_of
from reference import SEED, rng_for
from tetiwd.model.moving import PARAMETERS, draw_moving_objects, simulate_moving
from tetiwd.model.simulation import squared_distances
from tetiwd.node_density import log_joint_of_nodes
from tetiwd.node_state import NodeState, start_parameters
from tetiwd.params import SamplerSettings
from tetiwd.sampler import Streams, Tuning, sweep

SIZES = (4, 0, 5, 4)  # nobody is seen at the second epoch
ALL = moving(dof=3)
EQUAL_SPREADS = moving(dof=3, tau=0.0)
DISPLACED = moving(dof=3, shift=SHIFT)
MOVES = {"n_aux": 2, "n_split_merge": 2, "n_geometry_steps": 1, "n_scale_steps": 1}


def statistics(state, h):
    counts = state.counts[: state.size[0]]
    present = counts > 0
    gaps = sum(int(np.flatnonzero(row)[-1] - np.flatnonzero(row)[0] + 1 - row.sum()) for row in present)
    joint = log_joint_of_nodes(state, h)
    found = {f"log {name}": np.log(getattr(state, name)) for name in PARAMETERS if getattr(state, name) > 0}
    found |= {f"k at {t}": int(k) for t, k in enumerate(state.n_clusters)}
    return found | {
        "lineages": int(state.size[0]),
        "gaps": gaps,
        "largest node": int(counts.max()),
        "pairs together": float((counts * (counts - 1.0)).sum()),
        "sizes that stay": float((counts[:, 2] * counts[:, 3]).sum()),
        "log joint": joint,
        "log joint squared": joint**2,
        "mean log spread": float(np.log(state.spreads[: state.size[0]]).mean()),
        "variance of spreads": float(np.log(state.spreads[: state.size[0]] / state.alpha).var()),
        "rho squared": state.rho**2,
        "alpha times lineages": state.alpha * float(state.size[0]),
        "rho times links": state.rho * float((present[:, 2] & present[:, 3]).sum()),
        "mean distance": float(state.series.cross.mean()),
        "distance between epochs": float(state.series.cross[:4, 4:].mean()),
        "shift times distance": state.shift * float(state.series.cross[:4, 4:].mean()),
    }


def redraw(state, h, rng):
    own = dict(enumerate(state.spreads[: state.size[0]].tolist()))
    X = draw_moving_objects(np.split(state.z, state.first[1:-1]), state.parameters, own, int(h.dof), rng)
    state.series = series_of(squared_distances(np.concatenate(X)), SIZES)
    state._views = {}
    state.rebuild()


def simulated(h, rng):
    truth = simulate_moving(SIZES, h, rng)
    labels = np.concatenate(truth.labels)
    state = NodeState(series_of(squared_distances(np.concatenate(truth.X)), SIZES), labels, unit=1.0, capacity=4)
    start_parameters(state, h)
    for name, value in truth.parameters.items():
        setattr(state, name, value)
    state.spreads[: state.size[0]] = [truth.spreads[c] for c in range(int(state.size[0]))]
    return state


def z_scores(h, n, **settings):
    """Mean difference of every statistic between the two simulators, in standard errors."""
    direct = [statistics(simulated(h, rng_for(61, i)), h) for i in range(n)]
    state, how = simulated(h, rng_for(62)), SamplerSettings(**MOVES | settings)
    streams, tuning, rng, chained = (
        Streams(SEED, 0, len(SIZES)),
        Tuning(dict.fromkeys(h.scale_moves, 0.8)),
        rng_for(63),
        [],
    )
    for _ in range(2 * n):
        sweep(state, h, how, streams, tuning, coupled=True)
        redraw(state, h, rng)
        chained.append(statistics(state, h))
    state.check_invariants()
    scores = {}
    for name in direct[0]:
        a, b = (np.array([row[name] for row in rows], dtype=float) for rows in (direct, chained))
        if a.std() == b.std() == 0:
            continue
        worth = float(array_stats.ess(b[None, :], method="mean"))
        scores[name] = (b.mean() - a.mean()) / np.sqrt(a.var() / len(a) + b.var() / worth)
    return scores


def check(scores):
    assert len(scores) >= 15
    assert max(abs(z) for z in scores.values()) < 4, {name: round(z, 1) for name, z in scores.items() if abs(z) > 3}
