"""New epochs at the end of a series: what is joined, what is refused."""

import numpy as np
import pytest

from reference import rng_for
from tetiwd import DataError, DistanceSeries
from tetiwd.data.fingerprint import fingerprint
from tetiwd.data.joining import join
from tetiwd.io.series_file import read_series_file, write_series


def features(n_by_time, ids=None, **options):
    rng = rng_for(23, 4)
    times = np.repeat(list(n_by_time), list(n_by_time.values()))
    X = rng.normal(size=(len(times), 3))
    names = [f"p{i}" for n in n_by_time.values() for i in range(n)] if ids else None
    return (
        X,
        times,
        names,
        lambda rows: DistanceSeries.from_features(
            X[rows],
            time=times[rows],
            ids=None if names is None else [names[i] for i in np.flatnonzero(rows)],
            **options,
        ),
    )


@pytest.mark.parametrize("options", [{}, {"standardize": True}, {"matrix": False}, {"metric": "cityblock"}])
def test_features_are_joined_with_distances_across_the_seam(options):
    X, times, _, made = features({2001: 5, 2002: 6, 2003: 4}, ids=True, **options)
    old = made(times < 2003)
    for new in (made(times == 2003), made(times > 0)):
        joined = join(old, new)
        assert joined.n_old == 2
        assert joined.series.times == (2001, 2002, 2003)
        assert joined.series.unit == old.unit
        rows = joined.series.features
        scale = 1.0 if old.features.spread is None else old.features.spread
        centre = 0.0 if old.features.centre is None else old.features.centre
        assert np.allclose(np.concatenate(rows.rows), (X - centre) / scale)
        whole = DistanceSeries.from_features(
            (X - centre) / scale, time=times, **{k: v for k, v in options.items() if k != "standardize"}
        )
        assert np.allclose(np.asarray(joined.series.cross), np.asarray(whole.cross))
        for mine, theirs in zip(joined.series.matrices, whole.matrices, strict=True):
            assert np.allclose(np.asarray(mine), np.asarray(theirs))
        assert joined.series.ids[2].tolist() == ["p0", "p1", "p2", "p3"]


def test_a_joined_series_can_be_written_and_read(tmp_path):
    """Rows of the input are those of one file, which a joined series does not have."""
    _, times, _, made = features({2001: 5, 2002: 6, 2003: 4})
    old = made(times < 2003)
    assert old.rows is not None
    joined = join(old, made(times == 2003)).series
    write_series(tmp_path / "data.nc", joined)
    again = read_series_file(tmp_path / "data.nc")
    assert again.rows is None
    assert fingerprint(again) == fingerprint(joined)


def matrices(n, seed=0):
    rng = np.random.default_rng(seed)
    return [((x := rng.normal(size=(m, 2)))[:, None] - x[None]).__pow__(2).sum(axis=2) for m in n]


def test_bare_matrices_are_counted_on_and_lose_distances_between_times():
    D = matrices([4, 5, 6])
    old = DistanceSeries.from_distances(D[:2], squared=True)
    joined = join(old, DistanceSeries.from_distances(D[2:], squared=True))
    assert joined.series.times == (0, 1, 2)
    assert joined.series.cross is None
    assert joined.series.given_unit == old.unit != DistanceSeries.from_distances(D, squared=True).unit
    again = join(old, DistanceSeries.from_distances(D, squared=True))
    assert again.series.times == (0, 1, 2)


def test_a_pooled_matrix_of_all_times_brings_distances_between_them():
    rng = rng_for(23, 3)
    X, times = rng.normal(size=(14, 2)), np.repeat(["2001", "2002", "2003"], [5, 5, 4])
    D = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    some = np.flatnonzero(times < "2003")
    old = DistanceSeries.from_pooled(D[np.ix_(some, some)], time=times[some], squared=True)
    joined = join(old, DistanceSeries.from_pooled(D, time=times, squared=True))
    assert np.array_equal(joined.series.cross, D)
    only = np.flatnonzero(times == "2003")
    lost = join(old, DistanceSeries.from_pooled(D[np.ix_(only, only)], time=times[only], squared=True))
    assert lost.series.cross is None
    assert "not known" in lost.remarks[0]


@pytest.mark.parametrize(
    ("times", "change", "fault"),
    [
        ([2001, 2003], 0.1, "other distances than before"),
        ([2000], 0.0, "time runs backwards"),
        ([2002], 0.0, "no new time"),
    ],
)
def test_faults_are_named(times, change, fault):
    D = matrices([4, 5])
    old = DistanceSeries.from_distances(D, squared=True, times=[2001, 2002])
    new = [D[0], D[1]] if len(times) == 2 else [D[1]]
    changed = [new[0] + change * (1 - np.eye(len(new[0]))), *new[1:]]
    with pytest.raises(DataError, match=fault):
        join(old, DistanceSeries.from_distances(changed, squared=True, times=times))


def test_ids_have_to_be_there_on_both_sides():
    D = matrices([4, 4])
    old = DistanceSeries.from_distances(D[:1], squared=True, times=[2001], ids=[list("abcd")])
    with pytest.raises(DataError, match="the new ones have none"):
        join(old, DistanceSeries.from_distances(D[1:], squared=True, times=[2002]))
