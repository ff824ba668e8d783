"""Every fault of the input has one error that says where, how bad, and what to do."""

import re

import numpy as np
import pytest
from scipy.sparse import csr_array

from reference import rng_for
from tetiwd import DistanceSeries
from tetiwd.errors import DataError, SettingsError

IDS = ["p17", "p40", "p41", "p99"]


def good(n: int = 4) -> np.ndarray:
    X = rng_for(n).standard_normal((n, 3))
    return ((X[:, None] - X[None]) ** 2).sum(-1)


def spoiled(i: int, j: int, value: float, both: bool = True) -> np.ndarray:
    D = good()
    D[i, j] = value
    if both:
        D[j, i] = value
    return D


def distances(D, **options):
    """Read epochs [good, D, good] where D is the faulty one, with ids and times."""
    n = len(D) if hasattr(D, "__len__") else 4
    ids = [IDS, (IDS * 9)[:n] if n != 4 else IDS, IDS]
    options = {"squared": True, "ids": ids, "times": [2001, 2003, 2007]} | options
    return DistanceSeries.from_distances([good(), D, good()], **options)


def pooled(**options):
    D = good(8)
    options = {"time": [1, 1, 1, 1, 2, 2, 2, 2], "squared": True} | options
    return DistanceSeries.from_pooled(D, **options)


def features(X=None, **options):
    X = rng_for(1).standard_normal((8, 2)) if X is None else X
    return DistanceSeries.from_features(X, **({"time": [1] * 4 + [2] * 4} | options))


def similarity():
    X = rng_for(2).standard_normal((4, 3))
    return X @ X.T


def with_diagonal(K, value):
    K = K.copy()
    np.fill_diagonal(K, value)
    return K


class Sparse:
    def toarray(self):
        return good()


def one_epoch(matrices, **options):
    return DistanceSeries.from_distances(matrices, **({"squared": True} | options))


def indefinite():
    """Similarities under which the second and fourth object are at a negative squared distance: 1 + 1 − 2·1.5."""
    K = np.eye(4)
    K[1, 3] = K[3, 1] = 1.5
    return K


FAULTS = {
    "NaN": (
        lambda: distances(spoiled(0, 1, np.nan)),
        "D[1] (2003) has NaN at ('p17', 'p40') (2 entries are not finite); leave out objects with missing distances",
    ),
    "infinite": (
        lambda: distances(spoiled(1, 3, np.inf)),
        "D[1] (2003) has an infinite value at ('p40', 'p99') (2 entries are not finite); replace it",
    ),
    "negative": (
        lambda: distances(spoiled(2, 3, -0.5)),
        "D[1] (2003) has a negative value at ('p41', 'p99'): -0.5; distances cannot be negative",
    ),
    "negative integers": (
        lambda: distances(np.array([[0, -56, 9], [-56, 0, 4], [9, 4, 0]], dtype=np.int8), ids=None),
        "D[1] (2003) has a negative value at (0, 1): -56; integers may have overflowed",
    ),
    "asymmetric": (
        lambda: distances(spoiled(0, 1, 1.25, both=False), ids=[IDS] * 3),
        "D[1] (2003) is not symmetric at ('p17', 'p40'): 1.25 and ",
    ),
    "asymmetric, remedy": (
        lambda: distances(spoiled(0, 1, 99.0, both=False)),
        'pass symmetrize="mean" to average them',
    ),
    "nonzero diagonal": (
        lambda: distances(spoiled(2, 2, 0.3)),
        "D[1] (2003) has a nonzero diagonal: 0.3 at object 'p41'; an object is at distance 0 from itself",
    ),
    "similarities as distances": (
        lambda: distances(np.eye(4) + 0.1),
        "these look like similarities: use DistanceSeries.from_similarities",
    ),
    "not square": (
        lambda: distances(good()[:, :3], ids=None),
        "D[1] (2003) is not square: its shape is (4, 3); row i and column i must be the same object",
    ),
    "three-dimensional": (lambda: distances(np.zeros((3, 3, 3)), ids=None), "is not square: its shape is (3, 3, 3)"),
    "condensed": (
        lambda: distances(np.ones(6), ids=None),
        "D[1] (2003) is one-dimensional, of shape (6,); a condensed matrix can be unfolded",
    ),
    "ragged": (lambda: distances([[0, 1], [1]], ids=None), "D[1] (2003) cannot be read as an array"),
    "no objects": (lambda: distances(np.empty((0, 0)), ids=None), "D[1] (2003) has no objects; leave this epoch out"),
    "one object": (
        lambda: distances(np.zeros((1, 1)), ids=None),
        "D[1] (2003) has 1 object, too few to learn clusters from; merge it with a neighbouring time, leave it out, "
        "or pass min_objects=1",
    ),
    "two objects": (lambda: distances(good(2), ids=None), "D[1] (2003) has 2 objects, too few"),
    "all zero": (lambda: distances(np.zeros((4, 4))), "D[1] (2003) is zero everywhere: all 4 objects are identical"),
    "complex": (lambda: distances(good().astype(complex)), "D[1] (2003) holds complex numbers; convert it"),
    "objects": (lambda: distances(good().astype(object)), "D[1] (2003) holds Python objects; convert it"),
    "text": (lambda: distances(good().astype(str)), "D[1] (2003) holds text; convert it"),
    "dates": (lambda: distances(np.zeros((4, 4), "datetime64[s]")), "D[1] (2003) holds datetime64[s]"),
    "sparse": (lambda: distances(Sparse(), ids=None), "D[1] (2003) is a sparse matrix"),
    "masked": (
        lambda: distances(np.ma.masked_greater(good(), 0.5)),
        "D[1] (2003) has masked entries; fill them",
    ),
    "overflow on squaring": (
        lambda: distances(1e30 * good().astype(np.float32), squared=False),
        "D[1] (2003) overflows when squared in float32; divide the distances by a constant",
    ),
    "squared not a flag": (lambda: distances(good(), squared="yes"), "squared must be True or False, not 'yes'"),
    "symmetrize unknown": (
        lambda: distances(good(), symmetrize="max"),
        "symmetrize must be \"mean\" or None, not 'max'",
    ),
    "no epochs": (lambda: DistanceSeries.from_distances([], squared=True), "there are no epochs"),
    "single matrix": (
        lambda: DistanceSeries.from_distances(good(), squared=True),
        "got a single matrix; wrap it in a list: [D]",
    ),
    "single nested list": (
        lambda: one_epoch(good().tolist()),
        "got the rows of a single matrix; wrap it in a list: [D]",
    ),
    "single list of rows": (lambda: one_epoch(list(good())), "got the rows of a single matrix; wrap it in a list"),
    "dict of epochs": (
        lambda: one_epoch({2001: good(), 2003: good()}),
        "got a dict; pass list(D.values()) and times=list(D)",
    ),
    "nothing": (lambda: one_epoch(None), "expected a list with one matrix per epoch, not None"),
    "number": (lambda: one_epoch(np.array(5)), "expected a list with one matrix per epoch, not array(5)"),
    "underflow on squaring": (
        lambda: distances(1e-200 * good(), squared=False),
        "D[1] (2003) is zero everywhere when squared in float64; multiply the distances by a constant",
    ),
    "too large": (
        lambda: distances(good() / good().max() * 1e308),
        "D[1] (2003) has squared distances or similarities up to 1e+308, and their squares are beyond float64; divide",
    ),
    "too small": (
        lambda: distances(1e-308 * good()),
        "their squares are 0 in float64; multiply all matrices by a constant",
    ),
    "similarities too large": (
        lambda: DistanceSeries.from_similarities([1e308 * np.eye(4)]),
        "K[0] has squared distances or similarities up to 1e+308",
    ),
    "min_objects a fraction": (
        lambda: distances(good(), min_objects=2.5),
        "min_objects must be a whole number, 1 or more, not 2.5",
    ),
    "min_objects text": (lambda: features(min_objects="3"), "min_objects must be a whole number, 1 or more, not '3'"),
    "min_objects zero": (lambda: distances(good(), min_objects=0), "min_objects must be a whole number, 1 or more"),
    "D* size": (
        lambda: distances(good(), cross=good(5)),
        "D* has 5 rows but the epochs have 12 objects together; give the objects of all epochs",
    ),
    "D* other values": (
        lambda: distances(good(), cross=2 * np.kron(np.ones((3, 3)), good())),
        "D[0] (2001) and D* disagree at ",
    ),
    "D* with NaN": (lambda: distances(good(), cross=np.full((12, 12), np.nan)), "D* has NaN at (0, 0)"),
    "small epoch": (lambda: features(time=[1] * 7 + [2]), "D[1] (2) has 1 object, too few"),
    "pooled not square": (
        lambda: DistanceSeries.from_pooled(np.zeros((3, 2)), time=[1, 1, 1], squared=True),
        "D* is not square: its shape is (3, 2)",
    ),
    "feature NaN": (
        lambda: features(np.array([[1.0, np.nan]] * 8)),
        "X has nan at row 0, column 1 (8 entries are not finite); drop or impute",
    ),
    "feature text": (lambda: features([["a"]] * 8), "X cannot be read as numbers"),
    "feature shape": (lambda: features(np.zeros(8)), "one row per object and one column per feature, not shape (8,)"),
    "feature sparse": (lambda: features(csr_array(np.eye(8)), matrix=True), "X is a sparse matrix; pass X.toarray()"),
    "negative self-similarity": (
        lambda: DistanceSeries.from_similarities([with_diagonal(similarity(), -1.0)]),
        "K[0] has a negative diagonal entry: -1 at object 0; the similarity of an object with itself",
    ),
    "distances as similarities": (
        lambda: DistanceSeries.from_similarities([good()]),
        "K[0] has a zero diagonal; these look like distances",
    ),
    "similarities asymmetric": (
        lambda: DistanceSeries.from_similarities([np.triu(np.ones((4, 4)))]),
        "K[0] is not symmetric at ",
    ),
    "repair unknown": (
        lambda: DistanceSeries.from_distances([good()], squared=True).repair("fix"),
        'repair must be "shift" or "clip", not \'fix\'',
    ),
    "negative squared distance": (
        lambda: DistanceSeries.from_similarities([np.eye(4), indefinite()], ids=[IDS] * 2, times=["a", "b"]).dof(),
        "K[1] (b) gives a negative squared distance at ('p40', 'p99'): -1; these are not dot products: "
        'call repair("shift") or repair("clip") first',
    ),
    "similarities have no D": (
        lambda: DistanceSeries.from_similarities([similarity()]).D,
        "this series holds similarities; call to_distances() first",
    ),
    "nothing differs": (
        lambda: DistanceSeries.from_similarities([np.ones((4, 4))]).unit,
        "no two objects differ at any epoch",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_fault(fault):
    call, message = FAULTS[fault]
    with pytest.raises(DataError, match=re.escape(message)):
        call()


@pytest.mark.parametrize("squared", [True, False])
def test_errors_about_a_pooled_matrix_name_the_rows_of_the_user(squared):
    D = good(8)
    D[0, 5] = D[5, 0] = -1
    options = {"time": [2, 1] * 4, "squared": squared}
    with pytest.raises(DataError, match=re.escape("D* has a negative value at (0, 5): -1;")):
        DistanceSeries.from_pooled(D, **options)
    with pytest.raises(DataError, match=re.escape("D* has a negative value at (('p0', 2), ('p5', 1)): -1;")):
        DistanceSeries.from_pooled(D, ids=[f"p{i}" for i in range(8)], **options)
    D[0, 5] = D[5, 0] = 1
    D[3, 7] = D[7, 3] = -1
    with pytest.raises(DataError, match=re.escape("D[0] (1) has a negative value at (3, 7): -1;")):
        DistanceSeries.from_pooled(D, keep_cross=False, **options)


@pytest.mark.parametrize(
    ("i", "j", "value", "message"),
    [
        (9, 4, np.nan, "has NaN at (9, 4) (1 entry is not finite)"),
        (9, 4, 50.0, "is not symmetric at (4, 9): "),
        (7, 7, 1.0, "has a nonzero diagonal: 1 at object 7"),
    ],
)
def test_faults_are_found_in_every_block_of_rows(monkeypatch, i, j, value, message):
    monkeypatch.setattr("tetiwd.data.checks.BLOCK_ENTRIES", 8)
    D = good(10)
    assert np.array_equal(one_epoch([D], cross=D).D[0], D)
    D[i, j] = value
    with pytest.raises(DataError, match=re.escape(message)):
        one_epoch([D])


def test_the_worst_of_all_blocks_is_named(monkeypatch):
    monkeypatch.setattr("tetiwd.data.checks.BLOCK_ENTRIES", 8)
    D = good(10)
    for i, j, value in [(0, 1, -1), (6, 8, -3), (8, 9, -2)]:
        D[i, j] = D[j, i] = value
    with pytest.raises(DataError, match=re.escape("has a negative value at (6, 8): -3")):
        one_epoch([D])
    other = good(10)
    other[2, 3] = other[3, 2] = 70
    other[5, 9] = other[9, 5] = 90
    with pytest.raises(DataError, match=re.escape("D[0] and D* disagree at (5, 9): ")):
        one_epoch([good(10)], cross=other)


def test_plain_or_squared_is_never_guessed():
    with pytest.raises(TypeError, match="squared"):
        DistanceSeries.from_distances([good()])


@pytest.mark.parametrize(
    ("dof", "message"),
    [
        (
            "best",
            'dof must be "moments", "rank", "spectrum", "dispersion", a number, or one number per epoch, not \'best\'',
        ),
        (0, "dof (epoch 0) must be a positive finite number, not 0"),
        ([3, -1, 2], "dof (epoch 1) must be a positive finite number, not -1"),
        ([3, 4], "dof has 2 values for 3 epochs"),
        ([3], "dof has 1 value for 3 epochs"),
        (float("nan"), "must be a positive finite number, not nan"),
        (True, "must be a positive finite number, not True"),
    ],
)
def test_bad_degrees_of_freedom(dof, message):
    series = distances(good())
    with pytest.raises(SettingsError, match=re.escape(message)):
        series.dof(dof)


def test_too_small_to_estimate_degrees_of_freedom():
    with pytest.raises(SettingsError, match="no epoch has 6 different objects, which estimating dof takes"):
        distances(good()).dof()
