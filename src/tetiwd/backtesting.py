"""How well forecasts of the epochs there are would have done, each from the epoch before it."""

from dataclasses import dataclass, replace
from math import nan
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetiwd.chains import run_chains
from tetiwd.errors import SettingsError
from tetiwd.pace import Report
from tetiwd.params import LEVEL, Hyperparameters, SamplerSettings
from tetiwd.partitions import Ints, Partitions
from tetiwd.priors import Gamma, Prior
from tetiwd.sample import Sample, as_partitions
from tetiwd.summarize.alignment import Alignment, as_alignment, match
from tetiwd.summarize.clustering import Clustering, as_clustering
from tetiwd.summarize.forecast import Floats, Forecast, forecast, log_rising
from tetiwd.summarize.point_estimate import representative

if TYPE_CHECKING:
    import pandas as pd


class Case(NamedTuple):
    """One lineage at one epoch: the forecast of its share, and what came."""

    epoch: int
    time: Any
    cluster: int
    before: float  # its share at the epoch before
    expected: float
    lower: float
    upper: float
    observed: float
    inside: bool


@dataclass(frozen=True, eq=False, repr=False)
class Backtest:
    """Forecasts of the epochs there are, from the epoch before each.

    Scores are log probabilities per object of the observed sequence of (lineages …, everything else). Higher is better.
    """

    cases: list[Case]
    n_next: Ints  # objects at the epochs that were forecast, T − 1 of them
    scores: Floats  # of the forecast at each of them
    scores_same: Floats  # of "same shares as last time, and one more object for everything else"
    level: float
    refit: bool

    @property
    def coverage(self) -> float:
        """Share of cases whose observed share lies within the interval; NaN if there are none."""
        return float(np.mean([case.inside for case in self.cases])) if self.cases else nan

    @property
    def log_score(self) -> float:
        """Mean over all objects that were forecast."""
        return float(np.average(self.scores, weights=self.n_next))

    @property
    def log_score_same(self) -> float:
        """The same for "same as last time"."""
        return float(np.average(self.scores_same, weights=self.n_next))

    def table(self) -> "pd.DataFrame":
        """One row per epoch that was forecast and lineage that was there before."""
        import pandas as pd

        return pd.DataFrame(self.cases, columns=list(Case._fields))

    def __repr__(self) -> str:
        return (
            f"Backtest({self.level:.0%} intervals hold {self.coverage:.0%} of {len(self.cases)} observed shares; "
            f"log score per object {self.log_score:.3f}, {self.log_score_same:.3f} with the shares of last time; "
            f"{'fitted again to the epochs before' if self.refit else 'draws have seen all epochs'})"
        )


def backtest(
    sample: Sample | Partitions,
    clustering: Clustering | Alignment | Any = None,
    *,
    level: float = LEVEL,
    refit: bool = False,
    settings: SamplerSettings | None = None,
    xi: Any = None,
    max_clusters: int | None = None,
    seed: int = 0,
    progress: Report | bool | None = None,
) -> Backtest:
    """Forecast every epoch but the first from the one before, and compare with the clustering.

    Without ``refit`` the draws of the whole fit are used. They have seen the later epochs too, so this checks the urn
    (do clusters grow and shrink as it says?), not the whole machinery. With ``refit`` the model is run again on the
    epochs up to each, which is an honest forecast and takes T − 1 more runs.

    "Same as last time" gives every object the shares of the epoch before, where one object more stands for
    everything else, so that new clusters are not impossible. Likewise the clustering itself counts as one more draw
    of the forecast: a cluster that is in no draw is improbable, not impossible.

    Parameters
    ----------
    sample : Sample or Partitions
        A sample, or (without ``refit``) partitions from elsewhere.
    clustering : Clustering or Alignment, optional
        The clustering that counts as true; None for ``representative(sample)``. Give the result of :func:`align` if
        there is one.
    level, xi, max_clusters, seed : float, float or sequence, int, int, optional
        As in :func:`forecast`.
    refit : bool
        True fits the first t epochs alone for every t. Their clusters at epoch t are matched with those of the
        clustering that share most objects; a cluster without a match belongs to "everything else".
    settings, progress : SamplerSettings, bool or callable, optional
        Of the runs that ``refit`` makes, as in ``run_chains``; settings None for those of the sample.

    Returns
    -------
    Backtest
        ``table()`` has one row per time and lineage; ``coverage`` is the share of observed shares within their
        interval; ``log_score`` and ``log_score_same`` compare the forecast with "same as last time".

    Examples
    --------
    >>> from tetiwd import SamplerSettings, TeTiWD, simulate_separated
    >>> short = SamplerSettings(n_chains=2, n_warmup=50, n_draws=50)
    >>> D = simulate_separated(seed=1).D
    >>> model = TeTiWD(squared=True, dof=100, settings=short, random_state=0).fit(D)
    >>> from tetiwd import backtest
    >>> past = backtest(model.sample_)
    >>> past.coverage > 0.8
    True
    >>> past.table().columns.tolist()
    ['epoch', 'time', 'cluster', 'before', 'expected', 'lower', 'upper', 'observed', 'inside']
    """
    partitions = as_partitions(sample)
    if partitions.n_epochs == 1:
        raise SettingsError("a backtest compares epochs with the one before; the sample has only one epoch")
    if refit and isinstance(sample, Partitions):
        raise SettingsError("refit=True needs the data: give a Sample, not Partitions")
    if settings is not None and not refit:
        raise SettingsError("settings are for the runs of refit=True; leave them out, or refit")
    options: dict[str, Any] = {"level": level, "xi": xi, "max_clusters": max_clusters, "seed": seed}
    clustering = representative(sample) if clustering is None else clustering
    truth = clustering.clustering if isinstance(clustering, Alignment) else as_clustering(partitions, clustering)
    alignment = None if refit else as_alignment(partitions, clustering)
    cases, scores, scores_same = [], [], []
    for t in range(partitions.n_epochs - 1):
        options["n_next"] = partitions.n_objects[t + 1]
        if alignment is not None or isinstance(sample, Partitions):
            coming = forecast(sample, alignment, at=t, **options)
            names = coming.lineages
        else:
            earlier = fit_until(sample, t + 1, settings, progress)
            clusters = representative(earlier)
            coming = forecast(earlier, clusters, at=t, **options)
            names = _names(clusters.labels[t], truth.labels[t])
        counts = np.array([np.count_nonzero(truth.labels[t + 1] == name) for name in names])
        cases += _cases(coming, names, counts, t + 1, partitions.times[t + 1])
        scores.append(_log_score(coming, names >= 0, counts))
        scores_same.append(_log_score_same(coming, names >= 0, counts))
    n_next_all = np.array(partitions.n_objects[1:])
    return Backtest(cases, n_next_all, np.array(scores), np.array(scores_same), level, refit)


def _cases(coming: Forecast, names: Ints, counts: Ints, epoch: int, time: Any) -> list[Case]:
    """The forecast of every cluster that has a name, and what came."""
    lower, _, upper = coming.quantiles
    cases = []
    for c in np.flatnonzero(names >= 0):
        share = counts[c] / coming.n_next
        case = Case(
            epoch=epoch,
            time=time,
            cluster=int(names[c]),
            before=float(coming.sizes[c] / coming.n_now),
            expected=float(coming.expected[c]),
            lower=float(lower[c]),
            upper=float(upper[c]),
            observed=float(share),
            inside=bool(lower[c] <= share <= upper[c]),
        )
        cases.append(case)
    return cases


def fit_until(
    sample: Sample, n_epochs: int, settings: SamplerSettings | None, progress: Report | bool | None
) -> Sample:
    """The same model (in the user's units) run on the first epochs alone."""
    whole = sample.series if sample.hyperparameters.moves else replace(sample.series, cross=None)
    series = whole.until(n_epochs)
    settings = replace(settings or sample.settings, anneal=None)
    if not isinstance(settings.init, str):
        settings = replace(settings, init=list(settings.init)[:n_epochs])
    model = in_units(sample.hyperparameters, sample.series.unit / series.unit)
    if isinstance(model.dof, tuple):
        model = replace(model, dof=model.dof[:n_epochs])
    return run_chains(series, model, settings, progress=progress)


def in_units(model: Hyperparameters, ratio: float) -> Hyperparameters:
    """The same model where distances are so many times larger."""

    def scaled(prior: Prior) -> Prior:
        return Gamma(prior.shape, prior.scale * ratio) if isinstance(prior, Gamma) else prior * ratio

    return replace(model, alpha=scaled(model.alpha), new_scale=scaled(model.new_scale))


def _names(labels: Ints, truth: Ints) -> Ints:
    """For every cluster of some labels the cluster of the truth it is matched with, −1 for none."""
    words = match(truth, labels[None])[0][0]
    return np.array([words[labels == c][0] for c in np.unique(labels)], dtype=np.int64)


def _log_score(coming: Forecast, named: NDArray[np.bool_], counts: Ints) -> float:
    """Log probability per object of the observed sequence, averaged over draws and the clustering itself."""
    from scipy.special import logsumexp

    own, others = coming.kappa * coming.sizes, coming.kappa * (coming.n_now - coming.sizes.sum())
    itself = np.append(own, [others, coming.weights.sum(axis=1).mean() - coming.kappa * coming.n_now])
    weights = np.vstack([coming.weights, itself])
    total = weights.sum(axis=1)
    weights = weights[:, : len(named)][:, named]
    weights = np.column_stack([weights, np.maximum(total - weights.sum(axis=1), 0)])
    observed = np.append(counts[named], coming.n_next - counts[named].sum())
    seen = observed > 0
    each = log_rising(weights[:, seen], observed[seen]).sum(axis=1) - log_rising(total, coming.n_next)
    return float(logsumexp(each) - np.log(len(each))) / coming.n_next


def _log_score_same(coming: Forecast, named: NDArray[np.bool_], counts: Ints) -> float:
    """The same for the shares of last time, with one object more for everything else."""
    n, known = coming.n_now, coming.sizes[named]
    shares = np.append(known, n - known.sum() + 1) / (n + 1)
    observed = np.append(counts[named], coming.n_next - counts[named].sum())
    return float(observed @ np.log(shares)) / coming.n_next
