"""python tests/every_mode.py: a short run in every mode of the sampler, a hash of its draws each."""

import os
import sys

import numpy as np
from scipy.sparse import csr_array

from runs import digest, small_series
from tetiwd import Beta, Constraints, DistanceSeries, Gamma, Hyperparameters, SamplerSettings, kernels, run_chains

SHORT = {"n_chains": 2, "n_warmup": 30, "n_draws": 20, "n_anneal": 10, "seed": 5}
MODEL = {"dof": 6.0}
KNOWN = Constraints(
    must_link=[((0, 0), (0, 1)), ((0, 2), (1, 3)), ((1, 3), (1, 4)), ((0, 5), (1, 6), 2.0)],
    cannot_link=[((0, 0), (0, 2)), ((0, 7), (1, 0)), ((1, 8), (1, 9), 1.0)],
)


def modes():
    """Name, data, changes of the model and of the settings."""
    series = small_series((40, 30, 45))
    single = DistanceSeries.from_distances([D.astype(np.float32) for D in series.D], squared=True)
    rng = np.random.default_rng(4)
    X = [2 * rng.integers(3, size=(n, 1)) + rng.standard_normal((n, 8)) for n in (40, 30)]
    similar = DistanceSeries.from_similarities([x @ x.T / 8 for x in X])
    noise = [np.triu(rng.random(D.shape), 1) for D in series.D]
    crooked = [np.abs(D + 2 * (more + more.T)) for D, more in zip(series.D, noise, strict=True)]
    alone = DistanceSeries.from_distances(series.D[:1], squared=True)
    few = [D[:n, :n] for D, n in zip(series.D, (1, 3, 2), strict=True)]
    tiny = DistanceSeries.from_distances(few, squared=True, min_objects=1)
    yield "full", series, {}, {}
    yield "dof from the data", series, {"dof": Hyperparameters().dof}, {}
    yield "isotropic", series, {"geometry": "isotropic"}, {}
    yield "uncoupled", series, {"coupling": False}, {}
    yield "at most five clusters", series, {"max_clusters": 5, "xi": Gamma(1.0, 1.0)}, {}
    yield "kappa learned", series, {"kappa": Gamma(1.0, 1.0)}, {}
    yield "df_A learned", series, {"df_A": Gamma(2.0, 10.0)}, {}
    yield "own spreads", series, {"tau": Gamma(1.0, 0.5)}, {"n_split_merge": 5}
    yield "own spreads, isotropic", series, {"tau": 0.5, "geometry": "isotropic"}, {}
    yield "annealed likelihood", series, {}, {"anneal": "likelihood", "init": "one"}
    yield "many of each move", series, {"xi": 3.0}, {"n_aux": 4, "n_geometry_steps": 2, "n_split_merge": 3, "thin": 2}
    yield "many clusters", series, {"xi": 60.0}, {}
    yield "single precision", single, {}, {}
    yield "similarities", similar, {}, {}
    yield "similarities, isotropic", similar, {"geometry": "isotropic"}, {}
    yield "not metric", DistanceSeries.from_distances(crooked, squared=True), {}, {}
    yield "one epoch", alone, {}, {}
    yield "hardly any objects", tiny, {}, {}
    for name, dtype in {"": np.float64, ", single precision": np.float32}.items():
        drifting = DistanceSeries.from_features(np.concatenate(X), time=[0] * 40 + [1] * 30, dtype=dtype)
        yield f"moving{name}", drifting, {"geometry": "moving"}, {"n_split_merge": 5}
    displaced = {"geometry": "moving", "shift": Gamma(1.0, 1.0)}
    yield "moving, displaced", drifting, displaced, {"n_split_merge": 5}
    yield "moving, many lineages", drifting, {"geometry": "moving", "xi": 40.0, "tau": 0.0}, {}
    yield "pooled", drifting, {"geometry": "pooled", "delta": Beta(2.0, 2.0), "kappa": Gamma(2.0, 0.5)}, {}
    rows = np.concatenate(X)
    for name, given in {"": rows, ", single precision": rows.astype(np.float32), ", sparse": csr_array(rows)}.items():
        features = DistanceSeries.from_features(given, time=[0] * 40 + [1] * 30, matrix=False)
        yield f"features{name}", features, {}, {"n_split_merge": 5}
        yield f"features{name}, moving", features, displaced, {"n_split_merge": 5}
    yield "bound", series.bound_by(KNOWN), {}, {"n_split_merge": 5}
    yield "moving, bound", drifting.bound_by(KNOWN), {"geometry": "moving"}, {"n_split_merge": 5}
    yield "features, moving, bound", features.bound_by(KNOWN), displaced, {"n_split_merge": 5}


def stop(unraisable) -> None:
    """Kernels cannot raise: where their indices are checked, the first fault ends the run."""
    sys.__unraisablehook__(unraisable)
    sys.stderr.flush()
    os._exit(1)


if __name__ == "__main__":
    sys.unraisablehook = stop
    if not kernels.COMPILED:
        sys.exit("the kernels are not compiled")
    for name, series, model, settings in modes():
        sample = run_chains(series, Hyperparameters(**MODEL | model), SamplerSettings(**SHORT | settings))
        frozen = " ".join(found.log_joint.hex() for found in sample.frozen)
        print(f"{name:24s} {digest(sample)[:16]} {frozen}", flush=True)
