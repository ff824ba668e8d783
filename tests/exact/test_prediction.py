"""The law of one more object is a ratio of likelihoods of the epoch with it and without it."""

from typing import NamedTuple

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from reference import random_covariance, random_labels, rng_for
from tetiwd.model import block_statistics, log_likelihood, log_likelihood_dense, log_likelihood_similarity_dense
from tetiwd.model.prediction import predict, predict_first

seeds = st.integers(0, 2**32 - 1)
kinds = st.sampled_from(["distances", "similarities"])
close = {"rtol": 1e-9, "atol": 1e-8}


class Case(NamedTuple):
    """An epoch of n objects in k clusters, and some more objects; A has rows for clusters without members, too."""

    data: np.ndarray  # (n + m, n + m), new objects last
    labels: np.ndarray  # (n,)
    A: np.ndarray
    alpha: float
    dof: float
    similarity: bool

    @property
    def n(self):
        return len(self.labels)

    def law(self, A=None):
        k = int(self.labels.max()) + 1
        counts, sums = block_statistics(self.data[: self.n, : self.n], self.labels, k)
        return predict(counts, sums, self.A if A is None else A, self.alpha, similarity=self.similarity)

    def row_sums(self):
        members = self.labels[:, None] == np.arange(self.labels.max() + 1)
        return self.data[self.n :, : self.n] @ members

    def own(self):
        return np.diagonal(self.data)[self.n :]

    def log_density(self, A=None):
        return self.law(A).log_density(self.row_sums(), self.dof, self.own())

    def dense(self, objects, labels):
        likelihood = log_likelihood_similarity_dense if self.similarity else log_likelihood_dense
        return likelihood(self.data[np.ix_(objects, objects)], labels, self.A, self.alpha, self.dof)

    def growth(self):
        """Log likelihood with the new object in a cluster minus that without it, (m, clusters)."""
        seen = list(range(self.n))
        without = self.dense(seen, self.labels)
        return np.array(
            [
                [self.dense([*seen, new], np.append(self.labels, c)) - without for c in range(len(self.A))]
                for new in range(self.n, len(self.data))
            ]
        )

    def constant(self):
        """The likelihood of distances leaves the direction 1 out, and 1 becomes longer by one object."""
        return 0.0 if self.similarity else self.dof / 2 * np.log((self.n + 1) / self.n)


def random_case(seed, k=3, extra=2, m=2, kind="distances", n=None):
    rng = rng_for(seed, 60)
    n = k + int(rng.integers(8)) if n is None else n
    X = rng.standard_normal((n + m, 4)) * rng.uniform(0.2, 3.0, size=(n + m, 1))
    K = X @ X.T / 4
    data = K if kind == "similarities" else np.diagonal(K)[:, None] + np.diagonal(K) - 2 * K
    A = random_covariance(rng, k + extra, 0.7)
    alpha, dof = float(rng.uniform(0.3, 3)), float(rng.uniform(0.5, 20))
    return Case(data, random_labels(rng, n, k), A, alpha, dof, kind == "similarities")


@given(seed=seeds, k=st.integers(1, 4), extra=st.integers(0, 3), kind=kinds)
def test_densities_are_ratios_of_dense_likelihoods(seed, k, extra, kind):
    case = random_case(seed, k, extra, kind=kind)
    assert np.allclose(case.log_density() + case.constant(), case.growth(), **close)


@given(seed=seeds, k=st.integers(1, 4), extra=st.integers(0, 2))
def test_where_the_origin_is_does_not_matter_to_distances(seed, k, extra):
    """A and A + 1vᵀ + v1ᵀ are the same clusters seen from another origin."""
    case = random_case(seed, k, extra)
    v = rng_for(seed, 61).standard_normal(len(case.A))
    v += v @ np.linalg.solve(case.A, v) + 0.5  # keeps the sum positive definite
    moved = case.A + v[:, None] + v
    assert np.linalg.eigvalsh(moved).min() > 0
    assert np.allclose(case.log_density(moved), case.log_density(), **close)


@given(seed=seeds, k=st.integers(1, 4), extra=st.integers(0, 2))
def test_weights_of_all_objects_sum_to_one_for_distances(seed, k, extra):
    case = random_case(seed, k, extra)
    total = np.bincount(case.labels) @ case.law().weights
    assert np.allclose(total, 1, atol=1e-10)
    assert (np.bincount(case.labels) @ random_case(seed, k, extra, kind="similarities").law().weights < 1).any()


@given(seed=seeds, kind=kinds, m=st.integers(1, 5))
def test_objects_are_judged_one_by_one(seed, kind, m):
    case = random_case(seed, m=m, kind=kind)
    law, sums, own = case.law(), case.row_sums(), case.own()
    together = law.log_density(sums, case.dof, own)
    assert together.shape == (m, len(case.A))
    for i in range(m):
        alone = law.log_density(sums[i : i + 1], case.dof, own[i : i + 1])
        assert np.allclose(together[i], alone[0], rtol=1e-12)


def test_no_new_object_gives_no_row():
    case = random_case(1)
    assert case.law().log_density(np.empty((0, 3)), case.dof).shape == (0, len(case.A))


@given(seed=seeds)
def test_one_object_by_itself_has_closed_forms(seed):
    """The difference of two objects has variance 2α in one cluster, 2α + A_11 + A_22 − 2A_12 in two."""
    case = random_case(seed, k=1, extra=1, m=1, n=1)
    A, alpha, D = case.A, case.alpha, case.data[0, 1]
    variance = 2 * alpha + np.array([0.0, A[0, 0] + A[1, 1] - 2 * A[0, 1]])
    assert np.allclose(case.log_density()[0], -case.dof / 2 * (np.log(variance) + D / variance), **close)


@given(seed=seeds)
def test_one_similarity_by_itself_has_closed_forms(seed):
    case = random_case(seed, k=1, extra=1, m=1, n=1, kind="similarities")
    A, alpha, ((K11, K12), (_, K22)) = case.A, case.alpha, case.data
    slope = A[0] / (alpha + A[0, 0])
    variance = alpha + np.diagonal(A) - slope * A[0]
    squared = K22 - 2 * slope * K12 + slope**2 * K11
    assert np.allclose(case.log_density()[0], -case.dof / 2 * (np.log(variance) + squared / variance), **close)


@given(seed=seeds, far=st.sampled_from([1e2, 1e4, 1e6, 1e8]))
def test_clusters_that_lie_very_far_apart_lose_no_more_than_rounding(seed, far):
    """Rounding is magnified by the condition number of αI + n^½ A n^½; the dense twin loses more than that."""
    case = random_case(seed, k=3, extra=1, m=1)
    case = case._replace(A=far * case.A)
    without = log_likelihood(case.data[:-1, :-1], case.labels, case.A, case.alpha, case.dof)
    growth = [
        log_likelihood(case.data, np.append(case.labels, c), case.A, case.alpha, case.dof) - without for c in range(4)
    ]
    condition = 1 + case.n * np.linalg.eigvalsh(case.A)[-1] / case.alpha
    magnitude = case.dof * (1 + case.data.max() / case.alpha)
    gap = np.abs(case.log_density()[0] + case.constant() - growth).max()
    assert gap < np.finfo(float).eps * condition * magnitude * case.n


@given(seed=seeds, k=st.integers(1, 4), kind=kinds)
def test_the_first_of_a_cluster_is_one_of_an_empty_cluster(seed, k, kind):
    case = random_case(seed, k=k, extra=1, kind=kind)
    a, rest = case.A[:k, k], case.A[:k, :k]
    h = np.linalg.solve(rest, a)
    counts, sums = block_statistics(case.data[: case.n, : case.n], case.labels, k)
    residual = case.A[k, k] - h @ a
    law = predict_first(counts, sums, rest, case.alpha, [h], [residual], similarity=case.similarity)
    found = law.log_density(case.row_sums(), case.dof, case.own())
    assert np.allclose(found[:, 0], case.log_density()[:, -1], **close)
