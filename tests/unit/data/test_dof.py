"""Degrees of freedom: estimates, and every way of giving them."""

import numpy as np
import pytest

from reference import rng_for
from tetiwd import DistanceSeries, simulate_overlapping
from tetiwd.data.dof import dispersion_dof, halfway, rank_dof, spectrum_dof
from tetiwd.model.simulation import squared_distances


def cloud(n, d, key=0):
    return squared_distances(rng_for(11, key).standard_normal((n, d)))


@pytest.mark.parametrize("d", [2, 5, 40])
def test_one_round_cloud_has_its_dimension(d):
    """Averaged over clouds; the estimators are moments, so a few percent of bias are theirs."""
    estimates = [spectrum_dof(cloud(300, d, key)) for key in range(10)]
    assert np.mean(estimates) == pytest.approx(d, rel=0.05)


def test_spectrum_equals_its_definition_by_eigenvalues():
    D = cloud(30, 6)
    Q = np.eye(30) - 1 / 30
    eigenvalues = np.linalg.eigvalsh(-0.5 * Q @ D @ Q)
    ratio = eigenvalues.sum() ** 2 / (eigenvalues**2).sum()
    assert spectrum_dof(D) == pytest.approx(1 / (1 / ratio - 1 / 30))


def test_dispersion_sees_through_separated_clusters():
    rng = rng_for(12)
    X = rng.standard_normal((10, 20))[rng.integers(10, size=400)] * 5 + rng.standard_normal((400, 20))
    assert dispersion_dof(squared_distances(X)) == pytest.approx(20, rel=0.1)
    assert spectrum_dof(squared_distances(X)) < 12


def test_rank_is_the_dimension_or_the_number_of_objects():
    assert rank_dof(cloud(30, 6)) == 6
    assert rank_dof(cloud(5, 6)) == 4


def test_auto_is_the_smaller_median_and_near_the_truth():
    s = simulate_overlapping(0)
    series = DistanceSeries.from_distances(s.D, squared=True)
    both = [series.dof("spectrum")[0], series.dof("dispersion")[0]]
    assert series.dof() == (min(both),) * 5
    assert series.dof()[0] == pytest.approx(40, rel=0.2)


def test_scale_does_not_matter():
    D = cloud(40, 3)
    a, b = (DistanceSeries.from_distances([f * D], squared=True).dof()[0] for f in (1, 1000))
    assert a == pytest.approx(b)


def test_numbers_are_taken_as_they_are():
    series = DistanceSeries.from_distances([cloud(10, 2), cloud(12, 2)], squared=True)
    assert series.dof(7) == (7.0, 7.0)
    assert series.dof([3, 4.5]) == (3.0, 4.5)
    assert series.dof(np.array([3, 4])) == (3.0, 4.0)
    assert series.dof(np.float32(2)) == (2.0, 2.0)
    assert series.dof("rank") == (2.0, 2.0)


def test_identical_objects_within_clusters_do_not_break_the_estimate():
    X = np.repeat(rng_for(13).standard_normal((3, 4)), 5, axis=0)
    series = DistanceSeries.from_distances([squared_distances(X)], squared=True)
    assert 1 <= series.dof()[0] < 10


def test_large_epochs_are_sampled():
    D = cloud(2100, 5)
    series = DistanceSeries.from_distances([D], squared=True)
    assert series.dof("spectrum")[0] == pytest.approx(5, rel=0.05)
    assert series.dof() == series.dof()


def series_of(*matrices):
    return DistanceSeries.from_distances(matrices, squared=True)


@pytest.mark.parametrize(("how", "estimate"), [("spectrum", spectrum_dof), ("dispersion", dispersion_dof)])
def test_estimates_are_the_median_over_epochs(how, estimate):
    epochs = [cloud(40, 2), cloud(40, 4, 1), cloud(40, 30, 2), cloud(5, 3)]
    estimates = [estimate(D) for D in epochs[:3]]
    assert series_of(*epochs).dof(how) == (sorted(estimates)[1],) * 4


def test_estimates_are_at_least_one():
    """By hand: within the larger cluster 15 squared distances are 0 and 6 are 1, of mean² 4/49 and variance 10/49."""
    D = squared_distances(np.array([[0.0]] * 6 + [[1], [100]]))
    assert dispersion_dof(D) == pytest.approx(0.8)
    assert series_of(D).dof() == (1.0,)


def test_dispersion_cuts_a_third_as_many_clusters_as_objects():
    """By hand: two clusters at 0, 1 and 3 have squared distances 1, 4 and 9, of mean² 196/9 and variance 98/9."""
    D = squared_distances(np.array([[0.0], [1], [3], [100], [101], [103]]))
    assert dispersion_dof(D) == pytest.approx(4)


def test_large_epochs_are_really_sampled(monkeypatch):
    sizes = []
    monkeypatch.setattr("tetiwd.data.dof.SAMPLE_SIZE", 30)
    monkeypatch.setattr("tetiwd.data.dof.spectrum_dof", lambda D: sizes.append(len(D)) or spectrum_dof(D))
    D = cloud(40, 3)
    (estimate,) = series_of(D).dof("spectrum")
    assert sizes == [30]
    assert estimate != spectrum_dof(D)


@pytest.mark.parametrize("scale", [1e139, 1e-139])
@pytest.mark.parametrize("how", ["moments", "spectrum", "dispersion", "rank"])
def test_extreme_scales_do_not_overflow(how, scale):
    assert series_of(scale * cloud(20, 3)).dof(how) == pytest.approx(series_of(cloud(20, 3)).dof(how))


def test_a_number_in_an_array_is_a_number():
    assert series_of(cloud(10, 2), cloud(12, 2)).dof(np.array(5)) == (5.0, 5.0)


def test_epochs_of_identical_objects_have_no_say():
    X = rng_for(18).standard_normal((8, 2))
    both = DistanceSeries.from_similarities([np.ones((8, 8)), X @ X.T])
    alone = DistanceSeries.from_similarities([X @ X.T])
    assert both.dof() == alone.dof() * 2


class TestFeatures:
    """For Euclidean features "moments" goes from the spectrum halfway to the dispersion, and not beyond the columns."""

    def series(self, X, **options):
        return DistanceSeries.from_features(X, time=np.arange(len(X)) % 2, **options)

    def clusters(self, p):
        rng = rng_for(p)
        return rng.standard_normal((90, p)) + 4 * rng.integers(3, size=(90, 1))

    def test_halfway(self):
        series = self.series(self.clusters(8))
        spectrum, dispersion = (series.dof(way)[0] for way in ("spectrum", "dispersion"))
        assert spectrum < dispersion < 14
        assert series.dof()[0] == pytest.approx(min(8, (spectrum + dispersion) / 2))

    def test_no_more_than_columns_that_vary(self):
        X = self.clusters(2)
        constant = np.column_stack([X, np.ones(len(X))])
        for table in (X, constant):
            series = self.series(table)
            assert series.features.n_directions == 2
            assert series.dof()[0] <= 2

    def test_never_below_the_spectrum(self):
        assert halfway(5.0, 2.0, 9) == 5.0
        assert halfway(5.0, 2.0, 4) == 4.0
        assert halfway(2.0, 4.0, 9) == 3.0

    def test_other_metrics_and_bare_distances_take_the_smaller(self):
        X = np.abs(self.clusters(6))
        for series in (self.series(X, metric="cosine"), DistanceSeries.from_distances(self.series(X).D, squared=True)):
            both = [series.dof(way)[0] for way in ("spectrum", "dispersion")]
            assert series.dof()[0] == min(both)

    def test_few_objects_have_as_much_evidence_as_columns(self):
        assert self.series(self.clusters(3)[:8]).dof() == (3.0, 3.0)
