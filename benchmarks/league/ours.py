"""tetiwd as a user runs it, in several settings; three point estimates of one run."""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.labelled import Labelled
from benchmarks.league.objects import Ints, UnsuitableError
from tetiwd import Gamma, Hyperparameters, SamplerSettings, representative, run_chains
from tetiwd.data.negative_type import Repair

SETTINGS: dict[str, dict[str, Any]] = {
    "default": {},
    "moments": {"dof": "moments"},
    "full": {"geometry": "full"},
    "spreads": {"geometry": "full", "tau": Gamma(1.0, 0.5)},
    "uncoupled": {"coupling": False},
    "static": {"geometry": "isotropic", "coupling": False},
    "moving": {"geometry": "moving"},
    "pooled": {"geometry": "pooled"},
    "clip": {},
    "shift": {},
}
REPAIRS: tuple[Repair, ...] = ("clip", "shift")  # settings in which distances are made Euclidean first
ESTIMATES: dict[str, dict[str, Any]] = {
    "usual": {},
    "VI": {"loss": "vi"},
    "ARI": {"loss": "ari", "at_most": "median"},
}


@dataclass(frozen=True)
class Found:
    """What came out of a run."""

    labels: dict[str, list[Ints]]  # by estimate and epoch; equal labels at two epochs are a link
    seconds: dict[str, float]  # processor time of sampling and of one estimate
    agree: bool
    chosen: dict[str, Any]  # what the run decided for itself


def find(data: Labelled, setting: str, seed: int) -> Found:
    """Run tetiwd once."""
    model = Hyperparameters(**SETTINGS[setting])
    if model.moves and data.series.cross is None:
        raise UnsuitableError("no distances between times")
    start = time.process_time()
    series = data.series
    if setting in REPAIRS:
        if all(epoch.holds for epoch in series.negative_type()):
            raise UnsuitableError("the distances are Euclidean")
        series = series.repair(setting)
    sample = run_chains(series, model, SamplerSettings(seed=seed))
    sampling = time.process_time() - start
    labels, seconds = {}, {}
    for name, options in ESTIMATES.items():
        start = time.process_time()
        labels[name] = representative(sample, **options).labels
        seconds[name] = sampling + time.process_time() - start
    used = sample.hyperparameters
    chosen = {"geometry": used.geometry, "dof": np.ravel(used.dof).tolist(), "draws": min(map(len, sample.draws))}
    return Found(labels, seconds, sample.diagnostics.converged, chosen)
