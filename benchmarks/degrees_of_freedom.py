"""Both estimates of the degrees of freedom on simulated designs: ``python -m benchmarks.degrees_of_freedom``."""

import numpy as np

from tetiwd.data.dof import dispersion_dof, spectrum_dof
from tetiwd.model import simulate_independent, simulate_overlapping, simulate_separated

DESIGNS = {
    "overlapping, alpha = 7": (40, simulate_overlapping),
    "overlapping, alpha = 2": (40, lambda seed: simulate_overlapping(seed, alpha=2.0)),
    "separated": (100, simulate_separated),
    "independent of the model": (40, simulate_independent),
}
ESTIMATES = (spectrum_dof, dispersion_dof)
SEEDS = range(20)


def main() -> None:
    """Print one line per design."""
    print(f"Medians over epochs: median and middle 80 % of {len(SEEDS)} seeds")
    print(f"{'design':<26} {'true d':>6} {'spectrum':>17} {'dispersion':>17}")
    for name, (d, design) in DESIGNS.items():
        series = [design(seed).D for seed in SEEDS]
        columns = [spread([np.median([estimate(D) for D in own]) for own in series]) for estimate in ESTIMATES]
        print(f"{name:<26} {d:>6} {columns[0]:>17} {columns[1]:>17}")


def spread(values: list[float]) -> str:
    """Median and middle 80 %."""
    low, middle, high = np.quantile(values, [0.1, 0.5, 0.9])
    return f"{middle:.0f} ({low:.0f}–{high:.0f})"


if __name__ == "__main__":
    main()
