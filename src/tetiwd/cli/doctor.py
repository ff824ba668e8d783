"""``tetiwd doctor``: check this machine and installation."""

import os
import sys
import tempfile
import time
from typing import Any

import typer

from tetiwd.cli import exit_codes
from tetiwd.cli import options as o
from tetiwd.cli.command import command
from tetiwd.cli.console import Console

EXTRAS = {"demo": "palmerpenguins", "bio": "anndata", "parquet": "pyarrow", "text": "igraph"}


@command()
def doctor(as_json: o.Json = False) -> None:
    """Check this machine and installation, and try a small fit."""
    from tetiwd.kernels import COMPILED, SLOW
    from tetiwd.memory import available_memory, in_gib
    from tetiwd.threads import n_processors
    from tetiwd.versions import version_of, versions

    console = Console(as_json=as_json)
    room = available_memory()
    began = time.monotonic()
    with console.busy("Trying a small fit"):
        ari = small_fit()
    facts: dict[str, Any] = {
        "versions": versions(),
        "system": f"{sys.platform}, {os.uname().machine if hasattr(os, 'uname') else 'unknown machine'}",
        "processors": n_processors(),
        "memory": "unknown" if room is None else f"{in_gib(room[0])} ({room[1]})",
        "kernels": "compiled" if COMPILED else SLOW,
        "temporary files": "can be written" if os.access(tempfile.gettempdir(), os.W_OK) else "cannot be written",
        "extras": {extra: version_of(package) or "not installed" for extra, package in EXTRAS.items()},
        "small fit": f"adjusted Rand index {ari:.2f} against the truth, {time.monotonic() - began:.1f} seconds",
    }
    for name, value in facts.items():
        shown = ", ".join(f"{key} {item}" for key, item in value.items()) if isinstance(value, dict) else value
        console.say(f"{name}: {shown}")
    healthy = COMPILED and ari > 0.9
    console.say("All is well." if healthy else "Something is wrong; see above.")
    console.result(facts | {"healthy": healthy})
    if not healthy:
        raise typer.Exit(exit_codes.BUG)


def small_fit() -> float:
    """Adjusted Rand index of a fit to well separated clusters."""
    import numpy as np
    from sklearn.metrics import adjusted_rand_score

    from tetiwd import DistanceSeries, Hyperparameters, SamplerSettings, representative, run_chains

    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2], 10)
    X = np.concatenate([6.0 * np.eye(3)[labels] + rng.standard_normal((30, 3)) for _ in range(2)])
    series = DistanceSeries.from_features(X, time=np.repeat([0, 1], 30))
    settings = SamplerSettings(n_chains=2, n_warmup=100, n_draws=100, n_anneal=10)
    clustering = representative(run_chains(series, Hyperparameters(dof=3), settings))
    return float(np.mean([adjusted_rand_score(labels, estimate) for estimate in clustering.labels]))
