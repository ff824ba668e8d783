"""``tetiwd warmup`` and ``tetiwd doctor``: is this machine ready?"""

import os
import sys
import tempfile
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import typer

from tetiwd.cli import exit_codes
from tetiwd.cli import options as o
from tetiwd.cli.console import Console, reports_errors

EXTRAS = {"demo": "palmerpenguins", "bio": "anndata", "parquet": "pyarrow", "dask": "distributed", "text": "igraph"}


@reports_errors
def warmup(quiet: o.Quiet = False) -> None:
    """Compile everything now, so that the first fit does not have to. Takes up to a minute, once per version."""
    console = Console(quiet=quiet)
    began = time.monotonic()
    with console.busy("Compiling"):
        for dtype in ("float64", "float32"):
            small_fit(dtype)
    console.say(f"Ready after {time.monotonic() - began:.0f} seconds; compiled code is kept in {_cache()}.")


@reports_errors
def doctor(as_json: o.Json = False) -> None:
    """Look at this machine and this installation, and try a small fit."""
    from tetiwd._jit import COMPILED
    from tetiwd.chains import n_processors
    from tetiwd.data.memory import available_memory, in_gib
    from tetiwd.versions import versions

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
        "compiled code": _cache(),
        "temporary files": "can be written" if _writable(Path(tempfile.gettempdir())) else "cannot be written",
        "extras": {extra: _installed(package) for extra, package in EXTRAS.items()},
        "small fit": f"adjusted Rand index {ari:.2f} against the truth, {time.monotonic() - began:.1f} seconds",
    }
    for name, value in facts.items():
        shown = ", ".join(f"{key} {own}" for key, own in value.items()) if isinstance(value, dict) else value
        console.say(f"{name}: {shown}")
    healthy = COMPILED and ari > 0.9
    console.say("All is well." if healthy else "Something is not as it should be; see above.")
    console.result(facts | {"healthy": healthy})
    if not healthy:
        raise typer.Exit(exit_codes.BUG)


def small_fit(dtype: str) -> float:
    """Fit well separated clusters; how well they were found, as an adjusted Rand index."""
    import numpy as np
    from sklearn.metrics import adjusted_rand_score

    from tetiwd import DistanceSeries, Hyperparameters, SamplerSettings, representative, run_chains

    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2], 10)
    X = np.concatenate([6.0 * np.eye(3)[labels] + rng.standard_normal((30, 3)) for _ in range(2)])
    series = DistanceSeries.from_features(X, time=np.repeat([0, 1], 30), dtype=dtype)
    settings = SamplerSettings(n_chains=2, n_warmup=100, n_draws=100, n_anneal=10)
    found = representative(run_chains(series, Hyperparameters(dof=3), settings))
    return float(np.mean([adjusted_rand_score(labels, own) for own in found.labels]))


def _cache() -> str:
    """Where compiled code is kept."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    beside = Path(__file__).parents[1]
    if chosen:
        return chosen
    return str(beside / "__pycache__") if _writable(beside) else "the user's cache folder (see numba's documentation)"


def _writable(folder: Path) -> bool:
    return os.access(folder, os.W_OK)


def _installed(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
