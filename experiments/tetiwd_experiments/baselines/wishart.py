"""Our model and its relatives: static, with equal distances between clusters, pooled over epochs."""

from dataclasses import dataclass

import numpy as np

from tetiwd.chains import run_chains
from tetiwd.data import DistanceSeries
from tetiwd.errors import SettingsError
from tetiwd.params import Hyperparameters, SamplerSettings
from tetiwd.partitions import Partitions
from tetiwd.summarize.links import LineageLinks, ModelLinks
from tetiwd_experiments.baselines.answer import Answer, answer_from_draws, split_by_epoch


@dataclass(frozen=True)
class Effort:
    """How long every sampler runs, and with which seed."""

    n_warmup: int = 250
    n_draws: int = 500
    seed: int = 0


def wishart_draws(series: DistanceSeries, model: Hyperparameters, effort: Effort) -> Partitions:
    """Draws of one chain of a model."""
    settings = SamplerSettings(
        n_chains=1, n_warmup=effort.n_warmup, n_draws=effort.n_draws, seed=effort.seed, anneal=None, geometry_every=0
    )
    return run_chains(series, model, settings, n_threads=1).partitions


def wishart_clusters(series: DistanceSeries, model: Hyperparameters, effort: Effort) -> Answer:
    """One chain of a model, with the links that it sampled."""
    links = LineageLinks() if model.moves else ModelLinks()
    return answer_from_draws(wishart_draws(series, model, effort), links if model.coupling else None)


def static_clusters(series: DistanceSeries, model: Hyperparameters, effort: Effort) -> Answer:
    """One chain per epoch; epochs share nothing, not even scales."""
    return Answer([wishart_clusters(epoch, model, effort).labels[0] for epoch in every_epoch_alone(series)])


def every_epoch_alone(series: DistanceSeries) -> list[DistanceSeries]:
    """A series of one epoch for every epoch."""
    return [DistanceSeries.from_distances([D], squared=True) for D in series.to_distances().matrices]


def pooled_clusters(series: DistanceSeries, model: Hyperparameters, effort: Effort) -> Answer:
    """One chain over all objects of all epochs together, from distances across time."""
    if series.cross is None:
        raise SettingsError("pooling needs distances across time", "make the series with cross=…")
    together = DistanceSeries.from_distances([np.asarray(series.cross, dtype=float)], squared=True)
    return split_by_epoch(wishart_clusters(together, model, effort).labels[0], series.n_objects)
