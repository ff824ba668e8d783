"""Geweke's joint-distribution test: alternating sweeps and fresh data must leave the prior alone."""

import numpy as np
from arviz_stats.base import array_stats

from reference import SEED, rng_for
from tetiwd import DistanceSeries, Gamma, Hyperparameters, simulate
from tetiwd.density import log_joint_of
from tetiwd.model.simulation import draw_objects, squared_distances
from tetiwd.params import SamplerSettings
from tetiwd.sampler import Streams, Tuning, sweep
from tetiwd.state import ChainState, start_values

SIZES = (4, 5, 4)
MODELS = {
    "full": Hyperparameters(dof=3, df_A=14, alpha=Gamma(4, 0.2), xi=Gamma(3, 0.4), new_scale=Gamma(4, 0.2)),
    "kappa learned": Hyperparameters(
        dof=3, df_A=14, alpha=Gamma(4, 0.2), xi=Gamma(3, 0.4), new_scale=Gamma(4, 0.2), kappa=Gamma(3, 0.3)
    ),
    "df_A learned": Hyperparameters(
        dof=3, df_A=Gamma(40, 0.35), alpha=Gamma(4, 0.2), xi=Gamma(3, 0.4), new_scale=Gamma(4, 0.2)
    ),
    "kappa learned, at most four clusters": Hyperparameters(
        dof=3, df_A=14, alpha=0.8, xi=1.2, new_scale=Gamma(4, 0.2), kappa=Gamma(3, 0.3), max_clusters=4
    ),
    "isotropic": Hyperparameters(
        dof=3, df_A=14, alpha=Gamma(4, 0.2), xi=Gamma(3, 0.4), new_scale=Gamma(4, 0.2), geometry="isotropic"
    ),
    "at most four clusters": Hyperparameters(
        dof=3, df_A=14, alpha=Gamma(4, 0.2), xi=1.2, new_scale=Gamma(4, 0.2), max_clusters=4
    ),
}


def as_series(X, kind):
    if kind == "similarities":
        return DistanceSeries(tuple(x @ x.T / x.shape[1] for x in X), "similarities", tuple(range(len(X))), None, None)
    return DistanceSeries(tuple(squared_distances(x) for x in X), "distances", tuple(range(len(X))), None, None)


def statistics(state: ChainState, h: Hyperparameters) -> dict[str, float]:
    k, ids = state.n_clusters, state.lineage_ids()
    found = {
        "log alpha": np.log(state.alpha),
        "log xi": np.log(state.xi),
        "log new_scale": np.log(state.new_scale),
        "log kappa": np.log(state.kappa),
        "log df_A": np.log(state.df_A),
        "df_A times k": state.df_A * k.sum(),
        "kappa times links": state.kappa * (state.back >= 0).sum(),
        "chains": 1 + max(int(own.max()) for own in ids),
        "links": sum(int((own >= 0).sum()) for own in state.back),
        "largest cluster": int(state.counts.max()),
        "pairs together": sum(float((own * (own - 1)).sum()) for own in state.counts),
        "log joint": log_joint_of(state, h),
        "log joint squared": log_joint_of(state, h) ** 2,
        "alpha squared": state.alpha**2,
        "alpha times k": state.alpha * k.sum(),
    }
    for t in range(1, state.n_epochs):
        linked = np.flatnonzero(state.back[t, : k[t]] >= 0)
        before = state.A[t - 1][np.ix_(state.back[t, linked], state.back[t, linked])]
        found[f"geometry kept at {t}"] = float(np.sum(np.triu(state.A[t][np.ix_(linked, linked)] * before, 1)))
    for t in range(state.n_epochs):
        A = state.A[t, : k[t], : k[t]]
        found[f"k at {t}"] = int(k[t])
        found[f"log det A at {t}"] = float(np.linalg.slogdet(A)[1])
        found[f"mean variance at {t}"] = float(np.trace(A) / k[t])
        found[f"spread at {t}"] = float(np.sum(A) / k[t] ** 2)
        found[f"mean distance at {t}"] = float(state.series.to_distances().matrices[t].mean())
    return found


def state_of(simulation, h, kind) -> ChainState:
    """A simulated truth as a chain state."""
    chains = [np.unique(own) for own in simulation.labels]
    slots = [np.searchsorted(ids, own) for ids, own in zip(chains, simulation.labels, strict=True)]
    state = ChainState(as_series(simulation.X, kind), slots, unit=1.0)
    start_values(state, h)
    for name in ("alpha", "xi", "new_scale", "kappa", "df_A"):
        setattr(state, name, getattr(simulation, name))
    for t, A in enumerate(simulation.A):
        state.A[t] = 0
        state.A[t, : len(A), : len(A)] = A if h.full else state.new_scale * np.eye(len(A))
    for t in range(len(slots) - 1):
        for c, f in zip(*np.nonzero(chains[t][:, None] == chains[t + 1][None, :]), strict=True):
            state.forward[t, c], state.back[t + 1, f] = f, c
    return state


def redraw_data(state, h, kind, rng):
    A = state.geometry()
    X = draw_objects(state.labels(), A, state.alpha, h.dof_by_epoch(state.n_epochs), rng)
    state.series = as_series(X, kind)
    if kind == "similarities":
        state.trace = np.array([np.trace(K) for K in state.series.matrices])
    state.rebuild()


def z_scores(h: Hyperparameters, kind: str, n: int, **settings: int) -> dict[str, float]:
    """Mean difference of every statistic between the two simulators, in standard errors."""
    direct = []
    for i in range(n):
        simulation = simulate(SIZES, h, rng_for(20, i))
        state = state_of(simulation, h, kind)
        redraw_data(state, h, kind, rng_for(21, i))
        direct.append(statistics(state, h))
    how = SamplerSettings(**({"n_aux": 2, "n_geometry_steps": 1, "n_scale_steps": 2} | settings))
    streams, tuning = Streams(SEED, 0, len(SIZES)), Tuning()
    rng, chained = rng_for(22), []
    for _ in range(2 * n):
        sweep(state, h, how, streams, tuning, coupled=True)
        redraw_data(state, h, kind, rng)
        chained.append(statistics(state, h))
    state.check_invariants()
    scores = {}
    for name in direct[0]:
        a = np.array([row[name] for row in direct], dtype=float)
        b = np.array([row[name] for row in chained], dtype=float)
        if a.std() == b.std() == 0:
            continue
        worth = float(array_stats.ess(b[None, :], method="mean"))
        scores[name] = (b.mean() - a.mean()) / np.sqrt(a.var() / len(a) + b.var() / worth)
    return scores


def check(scores):
    assert len(scores) >= 15
    assert max(abs(z) for z in scores.values()) < 4, {name: round(z, 1) for name, z in scores.items() if abs(z) > 3}
