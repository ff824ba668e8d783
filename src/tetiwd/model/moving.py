"""Moving centres: the log joint density of distances, lineages, spreads and parameters, and forward simulation.

The simulation is written from the generative story alone and shares no code with the densities.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import inf, log
from statistics import median
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tetiwd.model.nodes import lineage_covariance, log_likelihood_nodes
from tetiwd.model.spreads import draw_log_spread, log_density_of_spread
from tetiwd.model.urn import log_prior_lineages
from tetiwd.params import Hyperparameters
from tetiwd.priors import Beta, Gamma, Prior, ShareOrPrior, log_prior

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
USED = {"rho": "rho_used", "tau": "tau_used"}  # what stands for settings that depend on others
PARAMETERS = ("alpha", "new_scale", "rho", "xi", "tau", "delta", "kappa", "shift")


def priors_of(h: Hyperparameters) -> dict[str, Prior | ShareOrPrior]:
    """Priors of all parameters, or the numbers they are fixed at."""
    return {name: prior_of(name, h) for name in PARAMETERS}


def prior_of(name: str, h: Hyperparameters) -> Prior | ShareOrPrior:
    """Prior of a parameter, or the number it is fixed at."""
    prior: Prior | ShareOrPrior = getattr(h, USED.get(name, name))
    return prior


def log_joint_moving(
    cross: ArrayLike,
    labels_by_epoch: Sequence[ArrayLike],
    hyperparameters: Hyperparameters,
    parameters: Mapping[str, float],
    spreads: Mapping[int, float] | None = None,
) -> float:
    """Log joint density; ``parameters`` has a value for each of PARAMETERS, ``spreads`` for each lineage if τ > 0."""
    h, value = hyperparameters, parameters
    total = sum(log_prior(prior, value[name]) for name, prior in priors_of(h).items())
    if total == -inf:
        return total
    total += log_prior_lineages(labels_by_epoch, value["xi"], value["delta"], value["kappa"])
    labels = np.concatenate([np.asarray(own, dtype=np.int64) for own in labels_by_epoch])
    epochs = np.repeat(np.arange(len(labels_by_epoch)), [len(np.asarray(own)) for own in labels_by_epoch])
    ids, lineages = np.unique(labels, return_inverse=True)
    own = np.full(len(ids), value["alpha"])
    if value["tau"] > 0:
        own = np.array([(spreads or {})[c] for c in ids.tolist()])
        total += sum(log_density_of_spread(log(a / value["alpha"]), value["tau"]) for a in own)
    if total == -inf:
        return total
    A_1 = lineage_covariance(len(labels_by_epoch), value["rho"], value["new_scale"])
    return total + log_likelihood_nodes(cross, lineages, epochs, A_1, own, one_dof(h), value["shift"])


def one_dof(h: Hyperparameters) -> float:
    """The degrees of freedom of D*: there is one likelihood for all epochs."""
    return middle(h.dof if isinstance(h.dof, tuple) else h.dof_by_epoch(1))


@lru_cache(maxsize=16)  # every move asks
def middle(dof: tuple[float, ...]) -> float:
    """The median of the degrees of freedom of all epochs."""
    return float(median(dof))


class MovingSimulation(NamedTuple):
    """Simulated objects with the truth behind them."""

    X: list[Floats]  # T × (n_t, d)
    labels: list[Ints]  # T × (n_t,) lineage ids
    parameters: dict[str, float]
    spreads: dict[int, float]  # α_c of every lineage


def simulate_moving(
    n_by_epoch: Sequence[int], hyperparameters: Hyperparameters, rng: np.random.Generator
) -> MovingSimulation:
    """Draw everything from the model of moving centres."""
    value = {name: _drawn(prior, rng) for name, prior in priors_of(hyperparameters).items()}
    labels = draw_lineages(n_by_epoch, value["xi"], value["delta"], value["kappa"], rng)
    spreads = {
        c: value["alpha"] * np.exp(draw_log_spread(value["tau"], rng)) for c in {int(c) for own in labels for c in own}
    }
    X = draw_moving_objects(labels, value, spreads, int(one_dof(hyperparameters)), rng)
    return MovingSimulation(X, labels, value, spreads)


def draw_lineages(
    n_by_epoch: Sequence[int], xi: float, delta: float, kappa: float, rng: np.random.Generator
) -> list[Ints]:
    """Seat objects one by one: with a lineage by what is remembered of it and who has come, or with a new one."""
    last_seen: dict[int, tuple[int, int]] = {}  # lineage → epoch and size
    series = []
    for t, n in enumerate(n_by_epoch):
        weight = {c: kappa * size * delta ** (t - s - 1) for c, (s, size) in last_seen.items()}
        rate = kappa * xi if last_seen else xi
        labels = np.empty(n, dtype=np.int64)
        for item in range(n):
            options = [*weight, len(weight)]  # lineages are numbered as they come
            chances = np.array([*weight.values(), rate])
            labels[item] = options[rng.choice(len(options), p=chances / chances.sum())]
            weight[int(labels[item])] = weight.get(int(labels[item]), 0.0) + 1.0
        for c in np.unique(labels):
            last_seen[int(c)] = (t, int(np.sum(labels == c)))
        series.append(labels)
    return series


def draw_moving_objects(
    labels: Sequence[Ints],
    parameters: Mapping[str, float],
    spreads: Mapping[int, float],
    dof: int,
    rng: np.random.Generator,
) -> list[Floats]:
    """Objects around centres that drift from epoch to epoch, and nobody sees while a lineage is absent.

    With a ``shift`` all objects of an epoch are displaced together.
    """
    scale, rho, shift = np.sqrt(parameters["new_scale"]), parameters["rho"], parameters.get("shift", 0.0)
    centres = {c: scale * rng.standard_normal(dof) for c in spreads}
    series = []
    for own in labels:
        noise = [np.sqrt(spreads[int(c)]) * rng.standard_normal(dof) for c in own]
        X = np.array([centres[int(c)] + e for c, e in zip(own, noise, strict=True)]).reshape(len(own), dof)
        series.append(X + np.sqrt(shift) * rng.standard_normal(dof) if shift > 0 else X)
        step = scale * np.sqrt(1 - rho**2)
        centres = {c: rho * place + step * rng.standard_normal(dof) for c, place in centres.items()}
    return series


def _drawn(prior: Prior | ShareOrPrior, rng: np.random.Generator) -> float:
    if isinstance(prior, Gamma):
        return float(rng.gamma(prior.shape, prior.scale))
    return float(rng.beta(prior.a, prior.b)) if isinstance(prior, Beta) else float(prior)
