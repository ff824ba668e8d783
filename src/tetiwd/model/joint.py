"""The one number everything else is a ratio of: the log joint density of data, clusters, geometry and scales."""

from collections.abc import Iterator, Sequence
from math import log
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from tetiwd.model.geometry_prior import log_prior_geometry
from tetiwd.model.likelihood import log_likelihood, log_likelihood_similarity
from tetiwd.model.partition_prior import log_prior_partitions
from tetiwd.model.spreads import log_density_of_spread
from tetiwd.params import Hyperparameters
from tetiwd.priors import Gamma, Prior, log_prior


def log_joint(
    data_by_epoch: Sequence[ArrayLike],
    labels_by_epoch: Sequence[ArrayLike],
    A_by_epoch: Sequence[ArrayLike],
    hyperparameters: Hyperparameters,
    *,
    alpha: float | None = None,
    xi: float | None = None,
    new_scale: float | None = None,
    kappa: float | None = None,
    df_A: float | None = None,
    tau: float | None = None,
    spreads_by_epoch: Sequence[ArrayLike] | None = None,
    kind: Literal["distances", "similarities"] = "distances",
) -> float:
    """Log joint density of data and state: equation 15 of the paper times the priors.

    The priors are those of alpha, xi, new_scale, kappa, df_A and tau.

    With ``geometry="isotropic"`` every A_t must be new_scale · I and has no density of its own; without coupling every
    epoch stands alone. A state with df_A + 1 clusters or more at an epoch has density 0. Where a prior says that
    something is impossible, −inf is returned and nothing further is evaluated.

    Parameters
    ----------
    data_by_epoch : sequence of T arrays, each of shape (n_t, n_t)
        Squared distances, or similarities.
    labels_by_epoch : sequence of T integer arrays, each of shape (n_t,)
        Lineage of every object.
    A_by_epoch : sequence of T arrays, each of shape (k_t, k_t)
        Row c of A_t belongs to the c-th smallest lineage at t.
    hyperparameters : Hyperparameters
        The model.
    alpha, xi, new_scale, kappa, df_A, tau : float, optional
        May be left out where the hyperparameters fix them.
    spreads_by_epoch : sequence of T arrays, each of shape (k_t,), optional
        Spread of every cluster relative to alpha, where spreads differ (tau > 0).
    kind : {"distances", "similarities"}
        What the data are.

    Returns
    -------
    float
        The log density.

    Examples
    --------
    >>> import numpy as np
    >>> from tetiwd import Hyperparameters, log_joint, simulate
    >>> model = Hyperparameters(dof=10, xi=1.0)
    >>> data = simulate([8, 8], model, seed=1)
    >>> state = {"alpha": data.alpha, "xi": data.xi, "new_scale": data.new_scale}
    >>> true = log_joint(data.D, data.labels, data.A, model, **state)
    >>> bool(np.isfinite(true))
    True
    """
    h = hyperparameters
    alpha = _given_or_fixed("alpha", alpha, h.alpha)
    xi = _given_or_fixed("xi", xi, h.xi)
    new_scale = _given_or_fixed("new_scale", new_scale, h.new_scale)
    kappa = _given_or_fixed("kappa", kappa, h.kappa)
    dof = h.dof_by_epoch(len(data_by_epoch))
    df_A = _given_or_fixed("df_A", df_A, h.df_A) if h.full else np.inf
    tau = _given_or_fixed("tau", tau, h.tau_used)
    if tau > 0 and (spreads_by_epoch is None or kind == "similarities"):
        raise ValueError("clusters whose spreads differ need distances, and spreads_by_epoch")
    spreads = spreads_by_epoch if tau > 0 and spreads_by_epoch else [np.ones(len(np.asarray(A))) for A in A_by_epoch]
    given = (data_by_epoch, labels_by_epoch, A_by_epoch, spreads)
    total = 0.0
    for part in _log_parts(*given, h, dof, alpha, xi, new_scale, kappa, df_A, tau, kind):
        total += part
        if total == -np.inf:
            break
    return float(total)


def _log_parts(
    data_by_epoch: Sequence[ArrayLike],
    labels_by_epoch: Sequence[ArrayLike],
    A_by_epoch: Sequence[ArrayLike],
    spreads_by_epoch: Sequence[ArrayLike],
    h: Hyperparameters,
    dof: tuple[float, ...],
    alpha: float,
    xi: float,
    new_scale: float,
    kappa: float,
    df_A: float,
    tau: float,
    kind: Literal["distances", "similarities"],
) -> Iterator[float]:
    """The terms of the log joint, each evaluated when it is asked for: scales, partitions and geometry, likelihoods."""
    if kind not in ("distances", "similarities"):
        raise ValueError(f'kind must be "distances" or "similarities", not {kind!r}')
    lineages_and_rows = [np.unique(np.asarray(labels), return_inverse=True) for labels in labels_by_epoch]
    lineage_ids_by_epoch = [lineages for lineages, _ in lineages_and_rows]
    yield log_prior(h.alpha, alpha) + log_prior(h.xi, xi) + log_prior(h.new_scale, new_scale)
    yield log_prior(h.kappa, kappa) + (log_prior(h.df_A, df_A) if h.full else 0.0)
    yield log_prior(h.tau_used, tau)
    if tau > 0:
        yield sum(log_density_of_spread(log(s), tau) for own in spreads_by_epoch for s in np.asarray(own).tolist())
    together: list[Sequence[int]] = [range(len(dof))] if h.coupling else [[t] for t in range(len(dof))]
    for epochs in together:
        yield log_prior_partitions([labels_by_epoch[t] for t in epochs], xi, h.max_clusters, kappa)
        if h.full:
            A, lineages = [A_by_epoch[t] for t in epochs], [lineage_ids_by_epoch[t] for t in epochs]
            yield log_prior_geometry(A, lineages, df_A, new_scale)
    epochs_given = zip(data_by_epoch, lineages_and_rows, A_by_epoch, spreads_by_epoch, dof, strict=True)
    for data, (_, rows), A_t, own, d in epochs_given:
        if kind == "similarities":
            yield log_likelihood_similarity(data, rows, A_t, alpha, d)
        else:
            yield log_likelihood(data, rows, A_t, alpha, d, own)


def _given_or_fixed(name: str, value: float | None, prior: Prior) -> float:
    if value is not None:
        return float(value)
    if isinstance(prior, Gamma):
        raise ValueError(f"{name} has a Gamma prior, so its value must be given: log_joint(…, {name}=…)")
    return float(prior)
