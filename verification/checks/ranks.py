"""Simulation-based calibration: the truth must rank like one more draw from the posterior (Talts et al. 2018).

Parameters, clusters, geometry and data are drawn from the model by a simulator that shares no code with the sampler.
The sampler starts elsewhere, and the rank of every true quantity among its draws is noted. Ranks are compared with the
uniform distribution by the largest departure of their empirical distribution, whose own law is simulated (in the manner
of Säilynoja, Bürkner and Vehtari 2022).
"""

from functools import cache
from typing import Any

import numpy as np
from benchmarks.table import Row
from numpy.typing import NDArray
from scipy.stats import binom

from verification.check import Check, Found, Job

N_DATA_SETS, BATCH = 500, 25
N_DRAWS, APART, WARM_UP = 19, 15, 150  # 20 ranks: half, nine tenths and 19 of them are whole numbers
LEVELS = (0.5, 0.9, 0.95)
SIZES = (8, 9, 8)
SMALLEST_P = 0.001  # of all quantities of a model together

LINKED = ("paper's model", "isotropic", "not coupled", "at most four clusters", "similarities", "own spreads")
NODES = ("moving centres", "pooled centres", "moving centres, displaced times")


def jobs(few: bool) -> list[Job]:
    """Batches of data sets for every model."""
    n = 2 if few else N_DATA_SETS // BATCH
    return [Job(f"{model}, {i}", {"model": model, "batch": i}) for model in (*LINKED, *NODES) for i in range(n)]


def run(model: str, batch: int) -> Found:
    """Ranks of the true quantities in a batch of data sets, by quantity."""
    own = linked_ranks if model in LINKED else node_ranks
    found = [own(model, BATCH * batch + i) for i in range(BATCH)]
    return {"model": model, "ranks": {name: [ranks[name] for ranks in found] for name in found[0]}}


def linked_ranks(model: str, seed: int) -> dict[str, int]:
    """Ranks for one data set of a model in which epochs see their own distances only."""
    from dataclasses import replace

    from geweke import MODELS, redraw_data, state_of
    from reference import SEED, rng_for
    from tetiwd import simulate
    from tetiwd.params import SamplerSettings
    from tetiwd.sampler import Streams, Tuning, sweep
    from visits import one_cluster_each

    kind = "similarities" if model == "similarities" else "distances"
    h = MODELS.get(model, MODELS["full"])
    h = replace(h, coupling=False) if model == "not coupled" else h
    rng = rng_for(81, seed)
    truth = state_of(simulate(SIZES, h, rng), h, kind)
    redraw_data(truth, h, kind, rng)
    state = one_cluster_each(truth.series, h)
    if kind == "similarities":
        state.trace = truth.trace
        state.rebuild()
    streams, tuning, how = Streams(SEED + seed, 0, len(SIZES)), Tuning(), SamplerSettings()
    pair = (int(rng.integers(len(SIZES))), *rng.choice(min(SIZES), 2, replace=False).tolist())

    def step() -> None:
        sweep(state, h, how, streams, tuning, coupled=h.coupling)

    return ranks_among(step, lambda of: of_linked(of, h, pair), state, truth, rng)


def of_linked(state: Any, h: Any, pair: tuple[int, int, int]) -> dict[str, float]:
    """Quantities that do not depend on names."""
    from tetiwd.density import log_joint_of

    t, i, j = pair
    k = state.n_clusters
    found = {f"k at {t}": float(k[t]) for t in range(state.n_epochs)}
    found["two objects together"] = float(state.z[t][i] == state.z[t][j])
    if h.coupling:
        found["links"] = float((state.back >= 0).sum())
    free = [name for name in ("alpha", "new_scale", "xi") if not isinstance(getattr(h, name), float)]
    found |= {name: float(getattr(state, name)) for name in free}
    if h.full:
        logs = [float(np.linalg.slogdet(state.A[t, : k[t], : k[t]])[1]) for t in range(state.n_epochs)]
        found |= {f"log det A at {t}": value for t, value in enumerate(logs)}
    if h.tau_used != 0:
        found |= {"tau": state.tau, "largest spread": max(float(x.max()) for x in state.log_spreads())}
    return found | {"log joint": float(log_joint_of(state, h)), "log likelihood": float(log_likelihood_of(state, h))}


def log_likelihood_of(state: Any, h: Any) -> float:
    """Log likelihood of all epochs, by the plain model."""
    from tetiwd.model import block_statistics, log_likelihood_from_blocks
    from tetiwd.model.likelihood import log_likelihood_similarity_from_blocks

    total, dof = 0.0, h.dof_by_epoch(state.n_epochs)
    for t, matrix in enumerate(state.series.matrices):
        k = int(state.n_clusters[t])
        counts, sums = block_statistics(matrix, state.z[t], k)
        A, alpha = state.A[t, :k, :k], state.alpha
        if state.series.kind == "similarities":
            total += log_likelihood_similarity_from_blocks(counts, sums, float(np.trace(matrix)), A, alpha, dof[t])
        else:
            total += log_likelihood_from_blocks(counts, sums, A, alpha, dof[t], np.exp(state.log_spreads()[t]))
    return total


def log_likelihood_of_lineages(state: Any, h: Any) -> float:
    """Log likelihood of the distances across time, by the plain model."""
    from tetiwd.model.moving import one_dof
    from tetiwd.model.nodes import lineage_covariance, log_likelihood_nodes

    n = np.diff(state.first)
    A_1 = lineage_covariance(len(n), state.rho, state.new_scale)
    spreads = state.spreads[: state.size[0]]
    epochs = np.repeat(np.arange(len(n)), n)
    return log_likelihood_nodes(state.series.cross, state.z, epochs, A_1, spreads, one_dof(h), state.shift)


def node_ranks(model: str, seed: int) -> dict[str, int]:
    """Ranks for one data set of a model with distances across time."""
    from lineage_geweke import ALL, DISPLACED, MOVES, SIZES, simulated
    from lineage_worlds import ALL_FREE
    from reference import SEED, rng_for
    from tetiwd import Hyperparameters
    from tetiwd.node_state import NodeState, start_parameters
    from tetiwd.params import SamplerSettings
    from tetiwd.sampler import Streams, Tuning, sweep

    still = {name: prior for name, prior in ALL_FREE.items() if name != "rho"}
    pooled = Hyperparameters(dof=3, geometry="pooled", **still)
    h = {"moving centres": ALL, "pooled centres": pooled, "moving centres, displaced times": DISPLACED}[model]
    rng = rng_for(82, seed)
    truth = simulated(h, rng)
    state = NodeState(truth.series, np.zeros(sum(SIZES), dtype=int), unit=1.0, capacity=4)
    start_parameters(state, h)
    streams, tuning = Streams(SEED + seed, 0, len(SIZES)), Tuning(dict.fromkeys(h.scale_moves, 0.8))
    how = SamplerSettings(**MOVES)
    pair = tuple(rng.choice(sum(SIZES), 2, replace=False).tolist())

    def step() -> None:
        sweep(state, h, how, streams, tuning, coupled=True)

    return ranks_among(step, lambda of: of_nodes(of, h, pair), state, truth, rng)


def of_nodes(state: Any, h: Any, pair: tuple[int, ...]) -> dict[str, float]:
    """Quantities that do not depend on names."""
    from tetiwd.model.moving import PARAMETERS
    from tetiwd.node_density import log_joint_of_nodes

    present = state.counts[: state.size[0]] > 0
    spans = [np.flatnonzero(row) for row in present]
    found = {f"k at {t}": float(k) for t, k in enumerate(state.n_clusters)}
    free = [
        name
        for name in PARAMETERS
        if not isinstance(getattr(h, name), float) and (name, h.geometry) != ("rho", "pooled")
    ]
    found |= {name: float(getattr(state, name)) for name in free}
    return found | {
        "two objects together": float(state.z[pair[0]] == state.z[pair[1]]),
        "lineages": float(state.size[0]),
        "links": float((present[:, 2] & present[:, 3]).sum()),
        "returns": float(sum(int((np.diff(own) > 1).sum()) for own in spans)),
        "largest spread": float(np.log(state.spreads[: state.size[0]]).max()),
        "log joint": float(log_joint_of_nodes(state, h)),
        "log likelihood": float(log_likelihood_of_lineages(state, h)),
    }


def ranks_among(step: Any, look: Any, state: Any, truth: Any, rng: np.random.Generator) -> dict[str, int]:
    """Ranks of the truth among draws; ties are broken at random."""
    drawn = []
    for i in range(WARM_UP + N_DRAWS * APART):
        step()
        if i >= WARM_UP and (i - WARM_UP) % APART == APART - 1:
            drawn.append(look(state))
    true = look(truth)
    ranks = {}
    for name, value in true.items():
        values = np.array([one[name] for one in drawn])
        ranks[name] = int((values < value).sum()) + int(rng.integers((values == value).sum() + 1))
    return ranks


def together(found: dict[str, Found]) -> dict[str, dict[str, NDArray[np.int64]]]:
    """All ranks by model and quantity."""
    models: dict[str, dict[str, list[int]]] = {}
    for one in found.values():
        for name, ranks in one["ranks"].items():
            models.setdefault(one["model"], {}).setdefault(name, []).extend(ranks)
    return {model: {name: np.array(ranks) for name, ranks in own.items()} for model, own in models.items()}


def depth(ranks: NDArray[np.int64]) -> float:
    """How unlikely the most unlikely point of the empirical distribution of ranks is; small is bad."""
    n, steps = len(ranks), np.arange(1, N_DRAWS + 1)
    below = np.searchsorted(np.sort(ranks), steps, side="left")
    share = steps / (N_DRAWS + 1)
    return float(2 * np.minimum(binom.cdf(below, n, share), binom.sf(below - 1, n, share)).min())


@cache
def depths_of_uniform(n: int) -> NDArray[np.float64]:
    """The law of ``depth`` for n uniform ranks, sorted."""
    rng = np.random.default_rng(n)
    return np.sort([depth(rng.integers(N_DRAWS + 1, size=n)) for _ in range(20_000)])


def p_value(ranks: NDArray[np.int64]) -> float:
    """Probability that uniform ranks depart as far."""
    law = depths_of_uniform(len(ranks))
    return float((np.searchsorted(law, depth(ranks) + 1e-12, side="right") + 1) / (len(law) + 1))


def covered(ranks: NDArray[np.int64], level: float) -> float:
    """Share of truths inside the central interval of a level."""
    outside = round((N_DRAWS + 1) * (1 - level))
    low = outside // 2
    return float(((ranks >= low) & (ranks < N_DRAWS + 1 - (outside - low))).mean())


def rows(found: dict[str, Found]) -> list[Row]:
    """Smallest p value and coverage of every model."""
    table = []
    for model, own in together(found).items():
        n = len(next(iter(own.values())))
        p = {name: p_value(ranks) for name, ranks in own.items()}
        worst = min(p, key=p.__getitem__)
        goal = SMALLEST_P / len(p)
        what = f"{model}: {n} data sets, smallest p of {len(p)} quantities"
        table.append(Row(what, f"{p[worst]:.2g} ({worst})", f"> {goal:.1g}", p[worst] > goal))
        for level in LEVELS:
            shares = [covered(ranks, level) for ranks in own.values()]
            error = 4 * np.sqrt(level * (1 - level) / n)
            held = all(abs(share - level) < error for share in shares)
            value = f"{100 * np.mean(shares):.1f} % on average, {100 * min(shares):.0f} to {100 * max(shares):.0f} %"
            what = f"{model}: truth in {100 * level:.0f} % intervals"
            table.append(Row(what, value, f"{100 * level:.0f} ± {100 * error:.1f} %", held))
    return table


def plot(found: dict[str, Found]) -> Any:
    """Departures of the empirical distribution of ranks from uniform, a line for every quantity, in 99 % envelopes."""
    import matplotlib.pyplot as plt

    models = together(found)
    figure, axes = plt.subplots(3, 3, figsize=(10, 8), sharex=True, sharey=True, layout="constrained")
    steps = np.arange(1, N_DRAWS + 1)
    share = steps / (N_DRAWS + 1)
    for axis, (model, own) in zip(axes.flat, models.items(), strict=False):
        n = len(next(iter(own.values())))
        level = float(np.quantile(depths_of_uniform(n), 0.01))
        low, high = binom.ppf(level / 2, n, share) / n - share, binom.isf(level / 2, n, share) / n - share
        axis.fill_between(share, low, high, color="0.88", step="mid", linewidth=0)
        worst = min(own, key=lambda name: depth(own[name]))
        for name, ranks in own.items():
            label, colour = (f"farthest: {name}", "C3") if name == worst else (None, "C0")
            departs = np.searchsorted(np.sort(ranks), steps) / n - share
            axis.plot(share, departs, linewidth=0.8, color=colour, label=label, zorder=2 + (name == worst))
        axis.legend(fontsize=7, loc="upper right", frameon=False)
        axis.set_ylim(-0.1, 0.11)
        axis.set_title(f"{model} ({len(own)} quantities)", fontsize=9)
    figure.supxlabel("rank of the truth, as a share")
    figure.supylabel("share of truths below it, minus expected")
    return figure


CHECK = Check(
    "Simulation-based calibration",
    "A separate simulator draws everything from the model, and the sampler is given only the data. The truth "
    f"must rank like one more draw among {N_DRAWS}; ties are broken at random. A p-value says how often uniform ranks "
    "depart as far from uniform as those found; the limit allows for the number of quantities. The figure shows the "
    "empirical distributions with simultaneous 99 % envelopes, which about one line in a hundred leaves by chance.",
    jobs,
    run,
    rows,
    plot,
    inner=True,
)
