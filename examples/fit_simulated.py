"""Simulate a small series of distances, find its clusters, and compare with the truth."""

import numpy as np

from tetiwd import (
    DistanceSeries,
    Hyperparameters,
    align,
    cluster_chains,
    log_joint,
    representative,
    run_chains,
    simulate,
)

SIZES = (40, 60, 50)
TIMES = (2021, 2022, 2023)
TRUE_MODEL = Hyperparameters(dof=10, alpha=0.5, new_scale=1.0)


def main() -> None:
    """Print what was simulated, what was found, and how sure that is."""
    truth = simulate(SIZES, TRUE_MODEL, seed=3)
    series = DistanceSeries.from_distances(truth.D, squared=True, times=TIMES)
    print(series)
    print(f"Log joint density of the truth: {log_joint(truth.D, truth.labels, truth.A, TRUE_MODEL):.1f}")
    print("\nFinding clusters with four chains (the first run compiles for up to a minute) ...", flush=True)
    sample = run_chains(series, Hyperparameters(dof=10), progress=True)
    print(f"\n\n{sample.diagnostics.verdict}")
    k = np.concatenate([draws.n_clusters for draws in sample.draws])
    clustering = representative(sample)
    print("\n  year  true clusters  found (90 % interval)  representative clustering, as chain: members")
    for t, time in enumerate(TIMES):
        low, high = np.quantile(k[:, t], [0.05, 0.95]).astype(int)
        chains, sizes = np.unique(clustering.labels[t], return_counts=True)
        members = ", ".join(f"{c}: {n}" for c, n in zip(chains, sizes, strict=True))
        print(f"  {time}  {truth.n_clusters[t]:>13}  {np.median(k[:, t]):>5.0f} ({low} to {high})          {members}")
    links = cluster_chains(align(sample, clustering)).links()
    print("\nLinks of these chains, and how probable they are:")
    for link in links[links.in_clustering].itertuples():
        print(f"  chain {link.chain}, {link.source[1]} to {link.target[1]}: {link.probability:.0%}")
    alpha = np.concatenate([draws.alpha for draws in sample.draws])
    print(f"\nWithin-cluster variance: {alpha.mean():.2f} ± {alpha.std():.2f} (truth {truth.alpha})")


if __name__ == "__main__":
    main()
