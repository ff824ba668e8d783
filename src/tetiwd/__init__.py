"""Bayesian clustering of pairwise distances observed at several time points.

Names are loaded when they are first used, so that ``import tetiwd`` stays fast.
"""

from importlib import import_module
from typing import Any

__version__ = "1.0.0rc1"

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
    "WorkersError": "tetiwd.errors",
    "Beta": "tetiwd.priors",
    "Gamma": "tetiwd.priors",
    "SamplerSettings": "tetiwd.params",
    "Progress": "tetiwd.pace",
    "Sample": "tetiwd.sample",
    "Workers": "tetiwd.errands",
    "run_chains": "tetiwd.chains",
    "extend": "tetiwd.extending",
    "compare": "tetiwd.comparing",
    "ResolutionPath": "tetiwd.resolution",
    "resolution_path": "tetiwd.trials",
    "ARI": "tetiwd.summarize.losses",
    "Binder": "tetiwd.summarize.losses",
    "Clustering": "tetiwd.summarize.clustering",
    "Partitions": "tetiwd.partitions",
    "SamePlace": "tetiwd.summarize.kinship",
    "SharedObjects": "tetiwd.summarize.kinship",
    "VI": "tetiwd.summarize.losses",
    "agreement": "tetiwd.summarize.known_labels",
    "align": "tetiwd.summarize.alignment",
    "annealed": "tetiwd.summarize.point_estimate",
    "associations": "tetiwd.summarize.associations",
    "backtest": "tetiwd.backtesting",
    "characteristic_sites": "tetiwd.summarize.sites",
    "classify": "tetiwd.summarize.classify",
    "lineages": "tetiwd.summarize.lineages",
    "coclustering": "tetiwd.summarize.coclustering",
    "credible_ball": "tetiwd.summarize.credible_ball",
    "embed": "tetiwd.summarize.embedding",
    "forecast": "tetiwd.summarize.forecast",
    "growth": "tetiwd.summarize.growth",
    "markers": "tetiwd.summarize.markers",
    "memberships": "tetiwd.summarize.certainty",
    "metadata_for": "tetiwd.summarize.metadata",
    "outcomes_by_lineage": "tetiwd.summarize.outcomes",
    "prototypes": "tetiwd.summarize.prototypes",
    "representative": "tetiwd.summarize.point_estimate",
    "track": "tetiwd.summarize.tracking",
    "transitions": "tetiwd.summarize.transitions",
    "AnswerSettings": "tetiwd.params",
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
