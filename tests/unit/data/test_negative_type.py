"""The negative-type report and the two repairs."""

import numpy as np
import pytest

from reference import rng_for
from tetiwd import DistanceSeries
from tetiwd.data.negative_type import centred_similarity
from tetiwd.errors import DataError
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


def with_one_negative_eigenvalue(share, n=12):
    """Similarities around their centre whose smallest eigenvalue is −share times the largest, which is 3."""
    vectors, _ = np.linalg.qr(np.column_stack([np.ones(n), rng_for(5).standard_normal((n, n - 1))]))
    eigenvalues = np.zeros(n)
    eigenvalues[1:5] = [3, 2, 1, -3 * share]
    return (vectors * eigenvalues) @ vectors.T


def as_distances(K):
    lengths = np.diagonal(K)
    D = lengths[:, None] + lengths[None] - 2 * K
    return np.maximum((D + D.T) / 2, 0)


@pytest.mark.parametrize("scale", [1e-6, 1, 1e6])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_noise_is_ten_times_the_rounding_of_the_input(dtype, scale):
    rounding = 12 * np.finfo(dtype).eps
    for factor, holds in [(7, True), (14, False)]:
        K = scale * with_one_negative_eigenvalue(factor * rounding)
        D = as_distances(K).astype(dtype)
        for series in (
            DistanceSeries.from_distances([D], squared=True),
            DistanceSeries.from_similarities([((K + K.T) / 2).astype(dtype)]),
        ):
            assert series.negative_type()[0].holds == holds


def test_single_precision_is_no_negative_type():
    D = squared_distances(rng_for(6).standard_normal((60, 3))).astype(np.float32)
    for series in (
        DistanceSeries.from_distances([D], squared=True),
        DistanceSeries.from_distances([np.sqrt(D)], squared=False),
    ):
        (found,) = series.negative_type()
        assert found.holds
        assert str(found.negative_share) == "0.0"
        assert series.dof("rank") == (3.0,)


@pytest.mark.parametrize("how", ["shift", "clip"])
def test_rounding_is_no_reason_to_repair(how):
    D = squared_distances(rng_for(3).standard_normal((9, 2))).astype(np.float32)
    series = DistanceSeries.from_distances([D], squared=True)
    assert series.negative_type()[0].smallest < 0
    assert np.array_equal(series.repair(how).D[0], D)
    assert series.repair(how).D[0].dtype == np.float32


def test_shift_adds_the_smallest_eigenvalue_to_squared_lengths():
    K = np.array([[1.0, 3, 0], [3, 1, 0], [0, 0, 5]])  # eigenvalues 4, −2 and 5
    series = DistanceSeries.from_similarities([K, 9 * np.eye(3)])
    first, second = series.repair("shift").matrices
    assert np.allclose(first, K + 2 * np.eye(3))
    assert np.allclose(second, 11 * np.eye(3))


def test_repaired_similarities_have_distances():
    K = np.eye(4)
    K[1, 3] = K[3, 1] = 1.5
    for how in ("shift", "clip"):
        assert DistanceSeries.from_similarities([K]).repair(how).to_distances().D[0].min() == 0


@pytest.mark.parametrize(("dtype", "slack"), [(np.float32, 4e-5), (np.float64, 4e-10)])
def test_only_rounding_is_clipped_from_the_distances_of_similarities(dtype, slack):
    for scale in (1e-6, 1, 1e6):
        for excess, fine in [(0.5, True), (2, False)]:
            K = np.diag([1.0, 1.0, 2.0])
            K[0, 1] = K[1, 0] = 1 + excess * slack  # a squared distance of −2 · excess · slack; the limit is 2 · slack
            series = DistanceSeries.from_similarities([(scale * K).astype(dtype)])
            if fine:
                assert series.to_distances().D[0][0, 1] == 0
            else:
                with pytest.raises(DataError, match="gives a negative squared distance"):
                    series.to_distances()
