"""The negative-type report and the two repairs."""

import numpy as np
import pytest

from reference import rng_for
from tetiwd import DistanceSeries
from tetiwd.data.negative_type import centred_similarity
from tetiwd.model.simulation import squared_distances


def crooked(n=10, amount=0.3):
    """Almost squared Euclidean."""
    rng = rng_for(n)
    noise = amount * rng.standard_normal((n, n))
    D = np.abs(squared_distances(rng.standard_normal((n, 4))) + noise + noise.T)
    np.fill_diagonal(D, 0)
    return D


def smallest_eigenvalue(D):
    return np.linalg.eigvalsh(centred_similarity(D))[0]


def test_euclidean_distances_pass():
    report = DistanceSeries.from_distances([squared_distances(rng_for(1).standard_normal((9, 3)))], squared=True)
    (found,) = report.negative_type()
    assert found.holds
    assert found.negative_share == 0
    assert str(found) == "0: squared Euclidean (9 objects)"


def test_report_counts_the_negative_mass():
    D = crooked()
    eigenvalues = np.linalg.eigvalsh(centred_similarity(D))
    (found,) = DistanceSeries.from_distances([D], squared=True, times=["2003"]).negative_type()
    negative = eigenvalues[eigenvalues < -1e-9]
    assert found.n_negative == len(negative) > 0
    assert found.negative_share == pytest.approx(-negative.sum() / np.abs(eigenvalues).sum())
    assert str(found).startswith(f"2003: {found.negative_share:.1%} of the eigenvalue mass is negative")


@pytest.mark.parametrize("how", ["shift", "clip"])
def test_repairs_leave_no_negative_eigenvalue(how):
    series = DistanceSeries.from_distances([crooked(10), crooked(14)], squared=True)
    assert not any(report.holds for report in series.negative_type())
    assert all(report.holds for report in series.repair(how).negative_type())


def test_shift_adds_one_constant_to_all_pairs_and_no_more_than_needed():
    series = DistanceSeries.from_distances([crooked(10), crooked(14)], squared=True)
    shifted = series.repair("shift")
    steps = [b - a for a, b in zip(series.D, shifted.D, strict=True)]
    constants = np.concatenate([step[np.triu_indices(len(step), 1)] for step in steps])
    assert np.ptp(constants) < 1e-12
    assert min(smallest_eigenvalue(D) for D in shifted.D) == pytest.approx(0, abs=1e-12)
    assert constants[0] == pytest.approx(-2 * min(smallest_eigenvalue(D) for D in series.D))


def test_clip_is_the_nearest_kernel():
    D = crooked()
    repaired = DistanceSeries.from_distances([D], squared=True).repair("clip").D[0]
    eigenvalues, vectors = np.linalg.eigh(centred_similarity(D))
    expected = (vectors * np.maximum(eigenvalues, 0)) @ vectors.T
    assert np.allclose(centred_similarity(repaired), expected)


@pytest.mark.parametrize("how", ["shift", "clip"])
def test_repairs_leave_good_data_alone(how):
    D = squared_distances(rng_for(3).standard_normal((9, 4)))
    assert np.allclose(DistanceSeries.from_distances([D], squared=True).repair(how).D[0], D)


@pytest.mark.parametrize("how", ["shift", "clip"])
def test_cross_time_distances_are_repaired_with_their_epochs(how):
    series = DistanceSeries.from_pooled(crooked(12), time=[1] * 5 + [2] * 7, squared=True).repair(how)
    assert smallest_eigenvalue(series.cross) > -1e-9
    assert np.allclose(series.cross[5:, 5:], series.D[1])


@pytest.mark.parametrize("how", ["shift", "clip"])
def test_similarities_are_repaired_too(how):
    K = rng_for(4).standard_normal((8, 8))
    K = K + K.T + 6 * np.eye(8)
    K -= 0.5 * np.outer(*[np.linalg.eigh(K)[1][:, 0]] * 2) * 40
    np.fill_diagonal(K, np.abs(np.diagonal(K)))
    series = DistanceSeries.from_similarities([K])
    assert not series.negative_type()[0].holds
    assert series.repair(how).negative_type()[0].holds
