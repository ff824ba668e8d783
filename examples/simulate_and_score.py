"""Simulate a small series from the model and score the truth against two wrong answers."""

import numpy as np

from tetiwd import DistanceSeries, Hyperparameters, log_joint, simulate

SIZES = (30, 40, 35)
MODEL = Hyperparameters(dof=10, alpha=0.5, new_scale=1.0)


def main() -> None:
    """Print what was simulated, what the checks say, and three joint densities."""
    truth = simulate(SIZES, MODEL, seed=3)
    series = DistanceSeries.from_distances(truth.D, squared=True, times=[2021, 2022, 2023])
    print(series)
    print("\nWhat is in it")
    for time, labels in zip(series.times, truth.labels, strict=True):
        chains, sizes = np.unique(labels, return_counts=True)
        members = ", ".join(f"chain {c}: {n}" for c, n in zip(chains, sizes, strict=True))
        print(f"  {time}  {len(chains)} clusters  ({members})")
    print("\nWhat the data say of themselves")
    for report in series.negative_type():
        print(f"  {report}")
    print(f"  degrees of freedom, estimated: {series.dof('auto')[0]:.1f} (simulated with {MODEL.dof})")
    print("\nLog joint density")
    rng = np.random.default_rng(0)
    merged = [np.zeros(n, dtype=int) for n in SIZES]
    shuffled = [rng.permutation(labels) for labels in truth.labels]
    one = [np.ones((1, 1))] * len(SIZES)
    print(f"  the truth                   {log_joint(truth.D, truth.labels, truth.A, MODEL):10.1f}")
    print(f"  everything in one cluster   {log_joint(truth.D, merged, one, MODEL):10.1f}")
    print(f"  objects shuffled            {log_joint(truth.D, shuffled, truth.A, MODEL):10.1f}")


if __name__ == "__main__":
    main()
