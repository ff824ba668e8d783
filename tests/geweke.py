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
    "own spreads": Hyperparameters(
        dof=3, df_A=14, alpha=Gamma(4, 0.2), xi=Gamma(3, 0.4), new_scale=Gamma(4, 0.2), tau=Gamma(4, 0.15)
    ),
    "own spreads, isotropic": Hyperparameters(
        dof=3, alpha=Gamma(4, 0.2), xi=1.2, new_scale=Gamma(4, 0.2), tau=0.6, geometry="isotropic"
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
    k, ids, x = state.n_clusters, state.lineage_ids(), state.log_spreads()
    of_largest = [own[state.counts[t, : k[t]].argmax()] for t, own in enumerate(x)]
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
        "tau": state.tau,
        "tau squared": state.tau**2,
        "tau times alpha": state.tau * state.alpha,
        "tau times k": state.tau * k.sum(),
        "spreads": float(np.concatenate(x).mean()),
        "spreads squared": float((np.concatenate(x) ** 2).mean()),
        "tau times spreads squared": state.tau * float((np.concatenate(x) ** 2).mean()),
        "spread of the largest cluster": of_largest[0],
        "spread of the largest cluster squared": of_largest[-1] ** 2,
        "spreads by data": sum(own @ np.diagonal(state.block_sums[t])[: k[t]] for t, own in enumerate(x)),
        "spreads by geometry": sum(own @ np.diagonal(state.A[t])[: k[t]] for t, own in enumerate(x)),
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
        found[f"mean distance at {t}"] = mean_distance(state.series.matrices[t], state.series.kind)
    return found


def mean_distance(matrix, kind) -> float:
    """Mean of all entries of a matrix of squared distances, or of those that similarities stand for."""
    return float(matrix.mean() if kind == "distances" else 2 * (np.trace(matrix) / len(matrix) - matrix.mean()))


def state_of(simulation, h, kind) -> ChainState:
    """A simulated truth as a chain state."""
    chains = [np.unique(own) for own in simulation.labels]
    slots = [np.searchsorted(ids, own) for ids, own in zip(chains, simulation.labels, strict=True)]
    state = ChainState(as_series(simulation.X, kind), slots, unit=1.0)
    start_values(state, h)
    for name in ("alpha", "xi", "new_scale", "kappa", "df_A", "tau"):
        setattr(state, name, getattr(simulation, name))
    for t, A in enumerate(simulation.A):
        state.A[t] = 0
        state.A[t, : len(A), : len(A)] = A if h.full else state.new_scale * np.eye(len(A))
        if simulation.spreads:
            state.spreads[t, : len(A)] = simulation.spreads[t]
    for t in range(len(slots) - 1):
        for c, f in zip(*np.nonzero(chains[t][:, None] == chains[t + 1][None, :]), strict=True):
            state.forward[t, c], state.back[t + 1, f] = f, c
    return state


def redraw_data(state, h, kind, rng):
    spreads = [np.exp(x)[np.argsort(ids)] for x, ids in zip(state.log_spreads(), state.lineage_ids(), strict=True)]
    dof = h.dof_by_epoch(state.n_epochs)
    X = draw_objects(state.labels(), state.geometry(), state.alpha, dof, rng, spreads_by_epoch=spreads)
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
        sweep(state, h, how, streams, tuning, coupled=h.coupling)
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
