"""``tetiwd warmup`` and ``tetiwd doctor``: prepare and check this machine."""

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
def warmup(quiet: o.Quiet = False) -> None:
    """Compile everything now, so that the first fit need not. Takes up to a minute, once per version."""
    console = Console(quiet=quiet)
    began = time.monotonic()
    with console.busy("Compiling"):
        for dtype in ("float64", "float32"):
            small_fit(dtype)
    console.say(f"Ready after {time.monotonic() - began:.0f} seconds. {about_compiling()}")


@command()
def doctor(as_json: o.Json = False) -> None:
    """Check this machine and installation, and try a small fit."""
    from tetiwd._jit import CACHE, COMPILED
    from tetiwd.chains import n_processors
    from tetiwd.data.memory import available_memory, in_gib
    from tetiwd.versions import version_of, versions

    console = Console(as_json=as_json)
    room = available_memory()
    began = time.monotonic()
    with console.busy("Trying a small fit (compiles at the first time)"):
        ari = small_fit("float64")
    facts: dict[str, Any] = {
        "versions": versions(),
        "system": f"{sys.platform}, {os.uname().machine if hasattr(os, 'uname') else 'unknown machine'}",
        "processors": n_processors(),
        "memory": "unknown" if room is None else f"{in_gib(room[0])} ({room[1]})",
        "compiler": "numba" if COMPILED else "none: everything runs slowly; install numba, or unset TETIWD_JIT",
        "compiled code": f"kept in {CACHE}" if CACHE else "cannot be kept",
        "temporary files": "can be written" if os.access(tempfile.gettempdir(), os.W_OK) else "cannot be written",
        "extras": {extra: version_of(package) or "not installed" for extra, package in EXTRAS.items()},
        "small fit": f"adjusted Rand index {ari:.2f} against the truth, {time.monotonic() - began:.1f} seconds",
    }
    for name, value in facts.items():
        shown = ", ".join(f"{key} {item}" for key, item in value.items()) if isinstance(value, dict) else value
        console.say(f"{name}: {shown}")
    if COMPILED and CACHE is None:
        console.warn(about_compiling())
    healthy = COMPILED and ari > 0.9
    console.say("All is well." if healthy else "Something is wrong; see above.")
    console.result(facts | {"healthy": healthy})
    if not healthy:
        raise typer.Exit(exit_codes.BUG)


def small_fit(dtype: str) -> float:
    """Adjusted Rand index of a fit to well separated clusters."""
    import numpy as np
    from sklearn.metrics import adjusted_rand_score

    from tetiwd import DistanceSeries, Hyperparameters, SamplerSettings, representative, run_chains

    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2], 10)
    X = np.concatenate([6.0 * np.eye(3)[labels] + rng.standard_normal((30, 3)) for _ in range(2)])
    series = DistanceSeries.from_features(X, time=np.repeat([0, 1], 30), dtype=dtype)
    settings = SamplerSettings(n_chains=2, n_warmup=100, n_draws=100, n_anneal=10)
    clustering = representative(run_chains(series, Hyperparameters(dof=3), settings))
    return float(np.mean([adjusted_rand_score(labels, estimate) for estimate in clustering.labels]))


def about_compiling() -> str:
    """How often code is compiled on this machine."""
    from tetiwd._jit import CACHE, COMPILED

    if not COMPILED:
        return "Nothing is compiled: everything runs slowly."
    if CACHE is None:
        return (
            "Compiled code cannot be kept, so every run compiles for up to a minute; set the environment variable "
            "NUMBA_CACHE_DIR to a folder that can be written."
        )
    return f"The first run on a machine compiles for up to a minute; compiled code is kept in {CACHE}."
