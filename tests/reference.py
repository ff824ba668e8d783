"""Random inputs, enumerations and slow twins that the tests compare with.

``rng_for(key)`` is a random stream of its own for every key, all of them made from one ``SEED``.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations, product
from math import log

import numpy as np

SEED = 20151001


def rng_for(*key: int) -> np.random.Generator:
    return np.random.default_rng([SEED, *key])


def random_labels(rng: np.random.Generator, n: int, k: int) -> np.ndarray:
    """Labels 0…k−1 of n objects, every label used."""
    labels = np.concatenate([np.arange(k), rng.integers(k, size=n - k)])
    return rng.permutation(labels)


def random_covariance(rng: np.random.Generator, k: int, spread: float = 1.0) -> np.ndarray:
    """Positive definite matrix with eigenvalues over about ``2 * spread`` powers of ten."""
    rotation, _ = np.linalg.qr(rng.standard_normal((k, k)))
    eigenvalues = 10.0 ** rng.uniform(-spread, spread, size=k)
    A = (rotation * eigenvalues) @ rotation.T
    return (A + A.T) / 2


def random_distances(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    X = rng.standard_normal((n, d)) * rng.uniform(0.2, 3.0, size=(n, 1))
    return ((X[:, None] - X[None]) ** 2).sum(-1) / d


def log_urn(series: Sequence[np.ndarray], xi: float, max_clusters: int | None, kappa: float = 1.0) -> float:
    """Log probability of linked partitions, multiplied up object by object as the urn seats them."""
    total, before = 0.0, {}
    for labels in series:
        now: dict[int, int] = {}
        worth = kappa if before else 1.0
        share = 0.0 if max_clusters is None else worth * xi / max_clusters
        for seated, lineage in enumerate(labels.tolist()):
            known = before | now
            weight = worth * before.get(lineage, 0) + now.get(lineage, 0) + share
            if lineage not in known:
                weight = worth * xi if max_clusters is None else share * (max_clusters - len(known))
            total += log(weight / (worth * (xi + sum(before.values())) + seated))
            now[lineage] = now.get(lineage, 0) + 1
        before = now
    return total


def set_partitions(n: int) -> Iterator[np.ndarray]:
    """All partitions of n objects, as labels in order of appearance."""

    def extend(labels: list[int], used: int) -> Iterator[np.ndarray]:
        if len(labels) == n:
            yield np.array(labels)
            return
        for label in range(used + 1):
            yield from extend([*labels, label], max(used, label + 1))

    yield from extend([], 0)


def linked_partitions(sizes: Sequence[int]) -> Iterator[tuple[np.ndarray, ...]]:
    """Every series of partitions with every way of linking consecutive ones, as lineage ids (each once)."""
    if not sizes:
        yield ()
        return
    for earlier in linked_partitions(sizes[:-1]):
        before = sorted(set(earlier[-1].tolist())) if earlier else []
        fresh = 1 + max((int(labels.max()) for labels in earlier), default=-1)
        for partition in set_partitions(sizes[-1]):
            k = int(partition.max()) + 1
            for n_links in range(min(k, len(before)) + 1):
                for now, then in product(combinations(range(k), n_links), permutations(before, n_links)):
                    names = {c: fresh + c for c in range(k)} | dict(zip(now, then, strict=True))
                    yield (*earlier, np.array([names[int(c)] for c in partition]))


def canonical(series: Sequence[np.ndarray]) -> tuple[tuple[int, ...], ...]:
    """Lineage ids renamed in order of appearance, so that equal linked partitions compare equal."""
    names: dict[int, int] = {}
    out, before = [], set()
    fresh = 0
    for labels in series:
        now = {int(c) for c in labels}
        names = {c: names[c] for c in now & before}
        row = []
        for c in labels.tolist():
            if c not in names:
                names[c] = fresh
                fresh += 1
            row.append(names[c])
        out.append(tuple(row))
        before = now
    return tuple(out)
