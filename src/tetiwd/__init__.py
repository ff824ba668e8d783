"""Bayesian clustering of pairwise distances observed at several time points.

Names are loaded when they are first used, so that ``import tetiwd`` stays fast.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOME_OF = {
    "TeTiWD": "tetiwd.estimators",
    "TiWD": "tetiwd.estimators",
    "Analysis": "tetiwd.analysis",
    "load_run": "tetiwd.workflow",
    "Constraints": "tetiwd.data",
    "DistanceSeries": "tetiwd.data",
    "CheckpointError": "tetiwd.errors",
    "DataError": "tetiwd.errors",
    "MemoryLimitError": "tetiwd.errors",
    "RunFolderError": "tetiwd.errors",
    "SamplingError": "tetiwd.errors",
    "SettingsError": "tetiwd.errors",
    "Beta": "tetiwd.priors",
    "Gamma": "tetiwd.priors",
    "SamplerSettings": "tetiwd.params",
    "Progress": "tetiwd.pace",
    "Sample": "tetiwd.sample",
    "run_chains": "tetiwd.chains",
    "ResolutionPath": "tetiwd.resolution",
    "resolution_path": "tetiwd.trials",
    "ARI": "tetiwd.summarize.losses",
    "Binder": "tetiwd.summarize.losses",
    "Clustering": "tetiwd.summarize.clustering",
    "Partitions": "tetiwd.partitions",
    "SamePlace": "tetiwd.summarize.kinship",
    "SharedObjects": "tetiwd.summarize.kinship",
    "VI": "tetiwd.summarize.losses",
    "align": "tetiwd.summarize.alignment",
    "annealed": "tetiwd.summarize.point_estimate",
    "backtest": "tetiwd.backtesting",
    "classify": "tetiwd.summarize.classify",
    "lineages": "tetiwd.summarize.lineages",
    "coclustering": "tetiwd.summarize.coclustering",
    "credible_ball": "tetiwd.summarize.credible_ball",
    "embed": "tetiwd.summarize.embedding",
    "forecast": "tetiwd.summarize.forecast",
    "memberships": "tetiwd.summarize.certainty",
    "outcomes_by_lineage": "tetiwd.summarize.outcomes",
    "representative": "tetiwd.summarize.point_estimate",
    "track": "tetiwd.summarize.tracking",
    "Hyperparameters": "tetiwd.params",
    "log_joint": "tetiwd.model",
    "log_likelihood": "tetiwd.model",
    "simulate": "tetiwd.model",
    "simulate_independent": "tetiwd.model",
    "simulate_overlapping": "tetiwd.model",
    "simulate_separated": "tetiwd.model",
    "simulate_unequal": "tetiwd.model",
}

__all__ = ["__version__", *_HOME_OF]


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        return getattr(import_module(_HOME_OF[name]), name)
    raise AttributeError(f"module 'tetiwd' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
