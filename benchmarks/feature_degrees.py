"""Which degrees of freedom suit features? Adjusted Rand index at what several rules say, on labelled tables.

``python -m benchmarks.feature_degrees``; takes about a quarter of an hour on two cores.
"""

from collections.abc import Callable

import numpy as np
from sklearn import datasets
from sklearn.metrics import adjusted_rand_score

from benchmarks.labelled import SEED, Labelled
from tetiwd import Hyperparameters, SamplerSettings, representative, run_chains
from tetiwd.data.dof import halfway

SETTINGS = SamplerSettings(n_warmup=300, n_draws=300, n_chains=2)
RULES: dict[str, Callable[[float, float, int], float]] = {
    "smaller": lambda spectrum, dispersion, p: min(spectrum, dispersion),
    "spectrum": lambda spectrum, dispersion, p: spectrum,
    "larger, at most p": lambda spectrum, dispersion, p: min(p, max(spectrum, dispersion)),
    "p": lambda spectrum, dispersion, p: p,
    "halfway": halfway,
}


def penguins() -> Labelled:
    """Palmer penguins by season; the truth is species × sex."""
    from tetiwd.cli.demo import MEASUREMENTS, load_penguins

    birds = load_penguins()
    labels = (birds.species + birds.sex).to_numpy(dtype=str)
    return Labelled.from_table(birds[MEASUREMENTS].to_numpy(), labels, birds.year.to_numpy())


def gaussian(p: int, gap: float, correlation: float = 0.0, n: int = 80, k: int = 5) -> Labelled:
    """Gaussian clusters with slowly moving centres; ``gap`` is their distance in units of the spread within."""
    rng = np.random.default_rng([SEED, p, 0, round(100 * correlation)])
    lags = np.abs(np.subtract.outer(np.arange(p), np.arange(p)))
    root = np.linalg.cholesky(correlation**lags) if correlation else np.eye(p)
    centres = rng.normal(size=(k, p)) * gap / np.sqrt(2 * p)
    rows, labels = [], []
    for _ in range(3):
        own = rng.integers(k, size=n)
        rows.append(centres[own] + rng.normal(size=(n, p)) @ root.T)
        labels.append(own)
        centres = centres + 0.1 * rng.normal(size=centres.shape) * gap / np.sqrt(2 * p)
    return Labelled.from_table(np.vstack(rows), np.concatenate(labels), np.repeat(np.arange(3), n))


SETS: dict[str, Callable[[], Labelled]] = {
    "penguins": penguins,
    "iris": lambda: Labelled.dealt(*datasets.load_iris(return_X_y=True)),
    "wine": lambda: Labelled.dealt(*datasets.load_wine(return_X_y=True)),
    "breast cancer": lambda: Labelled.dealt(*datasets.load_breast_cancer(return_X_y=True)),
    "Gaussian, 3": lambda: gaussian(3, 5.0),
    "Gaussian, 10": lambda: gaussian(10, 4.5),
    "Gaussian, 40": lambda: gaussian(40, 5.0),
    "Gaussian, 10 correlated": lambda: gaussian(10, 6.0, correlation=0.7),
}


def score(data: Labelled, dof: float) -> float:
    """Mean adjusted Rand index over epochs of the representative clustering."""
    found = representative(run_chains(data.series, Hyperparameters(dof=dof), SETTINGS))
    return float(np.mean([adjusted_rand_score(a, b) for a, b in zip(data.labels, found.labels, strict=True)]))


def main() -> None:
    """Print one line per set: p, both estimates, and dof and index of every rule."""
    print(f"{'set':<24} {'p':>3} {'spectrum':>8} {'dispersion':>10}" + "".join(f"{name:>20}" for name in RULES))
    for name, make in SETS.items():
        data = make()
        spectrum, dispersion = (data.series.dof(way)[0] for way in ("spectrum", "dispersion"))
        p = data.series.features.n_directions
        values = {label: max(1.0, rule(spectrum, dispersion, p)) for label, rule in RULES.items()}
        scores = {dof: score(data, dof) for dof in set(values.values())}
        cells = "".join(f"{f'{scores[dof]:.2f} at {dof:.1f}':>20}" for dof in values.values())
        print(f"{name:<24} {p:>3} {spectrum:>8.1f} {dispersion:>10.1f}{cells}", flush=True)


if __name__ == "__main__":
    main()
