"""Features in place of a matrix of distances: the same draws and answers, up to rounding."""

import os
import subprocess
import sys

import numpy as np
import pytest
from benchmarks.data_sets import SHARED_DATA
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from reference import rng_for
from tetiwd import Beta, DistanceSeries, Gamma, Hyperparameters, SamplerSettings, run_chains
from tetiwd.analysis import Analysis
from tetiwd.data.feature_distances import FeatureDistances
from tetiwd.kernels import members_tried
from tetiwd.mode import find_mode
from tetiwd.node_state import NodeState
from tetiwd.partitions import Partitions
from tetiwd.state import ChainState
from tetiwd.summarize import embedding
from tetiwd.summarize.classify import classify
from tetiwd.summarize.clustering import UNASSIGNED, as_clustering
from tetiwd.summarize.conditional import conditional_memberships
from tetiwd.summarize.embedding import embed
from tetiwd.summarize.unassigned import nearest_lineages

SETTINGS = SamplerSettings(n_chains=2, n_warmup=40, n_draws=60, n_split_merge=4, anneal=None, seed=3)
SIZES = (40, 25, 35)


def rows(sizes=SIZES, p=5, far=100.0):
    """Rows of four groups that drift, far from zero, and their times."""
    rng, time = rng_for(7), np.repeat(np.arange(len(sizes)), sizes)
    X = 2.0 * rng.integers(4, size=(len(time), 1)) + rng.standard_normal((len(time), p)) + 0.3 * time[:, None]
    return X + far, time


def both(X, time, **options):
    """The same series with matrices and without; single precision or sparse rows have none with matrices."""
    plain = X.toarray() if isinstance(X, csr_array) else X
    with_matrix = DistanceSeries.from_features(plain, time=time, matrix=True, cross=True, **options)
    return with_matrix, DistanceSeries.from_features(X, time=time, matrix=False, cross=True, **options)


def assert_same_draws(two, model, settings=SETTINGS):
    first, second = (run_chains(series, Hyperparameters(**{"dof": 5.0} | model), settings) for series in two)
    for a, b in zip(first.draws, second.draws, strict=True):
        assert_array_equal(a.labels, b.labels)
        assert_allclose(a.log_joint, b.log_joint, rtol=1e-9)
    return first, second


MODELS = {
    "full": {},
    "isotropic": {"geometry": "isotropic"},
    "uncoupled": {"coupling": False},
    "spreads": {"tau": Gamma(1.0, 0.5)},
    "many clusters": {"xi": 30.0},
    "moving": {"geometry": "moving"},
    "displaced": {"geometry": "moving", "shift": Gamma(1.0, 1.0)},
    "many lineages": {"geometry": "moving", "xi": 20.0, "tau": 0.0},
    "pooled": {"geometry": "pooled", "delta": Beta(2.0, 2.0), "kappa": Gamma(2.0, 0.5)},
}


@pytest.mark.parametrize("model", MODELS)
def test_draws_are_those_of_the_matrix(model):
    assert_same_draws(both(*rows()), MODELS[model])


KINDS = {
    "single precision": (lambda X: X.astype(np.float32), "euclidean"),
    "sqeuclidean": (lambda X: X, "sqeuclidean"),
    "cosine": (lambda X: X - 98, "cosine"),
    "hellinger": (lambda X: np.abs(X - 100), "hellinger"),
    "hamming": (lambda X: (X > 103.0).astype(float), "hamming"),
    "cityblock": (lambda X: (X > 103.0).astype(float), "cityblock"),
    "counts": (lambda X: np.round(X), "euclidean"),
    "sparse": (lambda X: csr_array(np.where(X > 103, X - 100, 0)), "euclidean"),
    "sparse, cosine": (lambda X: csr_array(np.where(X > 103, X - 100, 0) + np.eye(1, X.shape[1])), "cosine"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_features(kind):
    make, metric = KINDS[kind]
    X, time = rows()
    with_matrix, without = both(make(X), time, metric=metric)
    assert without.unit == pytest.approx(with_matrix.unit, rel=1e-12)
    for D, E in zip((*with_matrix.D, with_matrix.cross), (*without.D, without.cross), strict=True):
        assert_allclose(np.asarray(E), D, atol=1e-12 * D.max())
    for model in ({}, {"geometry": "moving"}):  # with identical rows a free α runs to 0, and rounding counts
        assert_same_draws((with_matrix, without), model | {"alpha": 0.3})


EDGES = {
    "one epoch": (lambda: rows((50,)), {}),
    "one object, then two": (lambda: rows((1, 2, 6)), {"min_objects": 1}),
    "duplicates": (lambda: (np.repeat(rows((10, 10))[0], 4, axis=0), np.repeat([0, 1], 40)), {}),
    "a constant column": (lambda: (np.column_stack([rows()[0], np.full(100, 0.1)]), rows()[1]), {}),
    "far from zero": (lambda: rows(far=1e6), {}),
}


@pytest.mark.parametrize("edge", EDGES)
def test_edges(edge):
    make, options = EDGES[edge]
    two = both(*make(), **options)
    fixed = {"alpha": 0.3} if edge == "duplicates" else {}
    for model in ({}, {"geometry": "moving"}):
        assert_same_draws(two, model | fixed)


@pytest.mark.parametrize("geometry", ["full", "moving"])
def test_penguins(geometry):
    pytest.importorskip("palmerpenguins")
    from tetiwd.cli.demo import MEASUREMENTS, load_penguins

    birds = load_penguins()
    assert_same_draws(both(birds[MEASUREMENTS], birds.year, standardize=True), {"dof": "moments", "geometry": geometry})


def embryo(arrays):
    return arrays["X"].astype(float), arrays["stage"], "euclidean"


def microbiome(arrays):
    often = np.isin(arrays["epoch"], np.flatnonzero(np.bincount(arrays["epoch"]) >= 20))
    return arrays["counts"][often].astype(float), arrays["epoch"][often], "hellinger"


def reviews(arrays):
    V = arrays["V"].astype(float) * np.log(len(arrays["V"]) / np.maximum(arrays["V"].sum(axis=0), 1))
    return V[V.any(axis=1)], arrays["window"][V.any(axis=1)], "cosine"


SHARED = {"guo2010_embryo": embryo, "moving_pictures": microbiome, "medline_drug_reviews": reviews}


@pytest.mark.slow
@pytest.mark.parametrize("geometry", ["full", "moving", "pooled"])
@pytest.mark.parametrize("name", SHARED)
def test_data_from_outside_the_project(name, geometry):
    if not (SHARED_DATA / name).is_dir():
        pytest.skip("the data are not here")
    with np.load(SHARED_DATA / name / "data.npz", allow_pickle=False) as arrays:
        X, time, metric = SHARED[name](arrays)
    kinds = [X, csr_array(X)] if metric == "cosine" else [X]
    for rows_of in kinds:
        assert_same_draws(both(rows_of, time, metric=metric), {"dof": "moments", "geometry": geometry})


def test_epochs_without_objects_of_moving_centres():
    """A lineage that is absent somewhere has sums of exactly nothing."""
    X, time = rows()
    labels = np.where(time == 1, 0, np.arange(len(time)) % 3)
    states = [NodeState(series, labels) for series in both(X, time)]
    assert_allclose(states[0].S, states[1].S, rtol=1e-12, atol=1e-10)
    assert not states[1].R[states[1].counts.ravel() == 0].any()
    assert not states[1].S[states[1].counts.ravel() == 0].any()


def test_sums_are_those_built_anew_after_a_run():
    from tetiwd.sampler import Chain

    X, time = rows()
    for geometry in ("full", "moving"):
        chain = Chain(both(X, time)[1], Hyperparameters(dof=5.0, geometry=geometry), SETTINGS)
        for _ in range(30):
            chain.step()
        assert isinstance(chain.state, ChainState | NodeState)
        chain.state.check_invariants()


def test_answers_are_the_same():
    X, time = rows()
    samples = assert_same_draws(both(X, time), {})
    one, other = (Analysis(sample) for sample in samples)
    for a, b in zip(one.clustering.labels, other.clustering.labels, strict=True):
        assert_array_equal(a, b)
    assert one.clustering.linked_by == other.clustering.linked_by
    for a, b in zip(one.object_maps, other.object_maps, strict=True):
        assert_allclose(a, b, atol=1e-6)


@pytest.mark.parametrize("geometry", ["full", "moving"])
def test_new_objects_and_conditionals_are_the_same(geometry):
    X, time = rows()
    two = both(X, time)
    samples = assert_same_draws(two, {"geometry": geometry})
    new = np.hstack([samples[0].series.features.squared_distances(X[:3] + 0.5, t) for t in range(3)])
    new = new if geometry == "moving" else new[:, -SIZES[-1] :]
    found = [classify(sample, Analysis(sample).clustering, new, squared=True).probabilities for sample in samples]
    assert_allclose(*found, atol=1e-9)
    settings = SamplerSettings(n_chains=2, seed=3)
    modes = [find_mode(series, Hyperparameters(dof=5.0, geometry=geometry), settings) for series in two]
    for a, b in zip(*map(conditional_memberships, modes), strict=True):
        assert_allclose(a, b, atol=1e-9)


def test_unassigned_objects_have_the_same_nearest_lineage():
    X, time = rows()
    labels = [np.where(np.arange(n) % 5 == 0, UNASSIGNED, np.arange(n) % 3) for n in SIZES]
    nearest = [
        nearest_lineages(
            series, as_clustering(Partitions.from_labels([labels_t[None] + 1 for labels_t in labels]), labels)
        )
        for series in both(X, time)
    ]
    for a, b in zip(*nearest, strict=True):
        assert_array_equal(a, b)
        assert (a >= 0).sum() == (np.arange(len(a)) % 5 == 0).sum()


@pytest.mark.parametrize("kind", [np.asarray, csr_array])
def test_maps_of_many_objects_are_those_of_all_eigenvalues(kind, monkeypatch):
    X, time = rows()
    exact, many = (series for series in both(kind(X - 100), time))
    points = embed(exact, n_components=2).points
    monkeypatch.setattr(embedding, "MOST_FOR_ALL_EIGENVALUES", 50)
    monkeypatch.setattr(embedding, "N_BLOCKS", 4)
    found = embed(many, n_components=2)
    assert_allclose(found.points, points, atol=1e-6 * np.abs(points).max())
    assert found.explained == pytest.approx(embed(exact, n_components=2).explained, rel=1e-6)


PLAIN = """
import warnings
import numpy as np
from scipy.sparse import csr_array
from runs import digest
from tetiwd import DistanceSeries, Hyperparameters, SamplerSettings, kernels, run_chains

warnings.simplefilter("ignore")
rng = np.random.default_rng(4)
X = 2 * rng.integers(3, size=(20, 1)) + rng.standard_normal((20, 3))
settings = SamplerSettings(n_chains=1, n_warmup=5, n_draws=5, n_anneal=2, n_split_merge=4, seed=2)
print(kernels.COMPILED)
for kind in (np.asarray, np.float32, csr_array):
    series = DistanceSeries.from_features(kind(X), time=[0] * 12 + [1] * 8, matrix=False)
    for geometry in ("full", "moving"):
        print(digest(run_chains(series, Hyperparameters(dof=3.0, geometry=geometry), settings)))
"""


def test_compiled_and_plain_kernels_draw_the_same():
    found = []
    for compiled in ("1", "0"):
        environment = os.environ | {"TETIWD_COMPILED": compiled, "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run(
            [sys.executable, "-c", PLAIN], env=environment, check=True, capture_output=True, text=True
        )
        found.append(done.stdout.split())
    assert found[1][0] == "False"
    assert found[0][1:] == found[1][1:]


def test_large_changes_are_tried_where_they_are_cheap():
    """In proportion to what they cost, but for many objects with features."""
    few, many = (FeatureDistances(np.zeros((n, 1))) for n in (10_000, 10_001))
    assert members_tried(few, 300) == 300
    assert members_tried(many, 300) == np.inf
    assert members_tried(np.broadcast_to(0.0, (10_001, 10_001)), 300) == 300


def test_sums_of_parts_by_hand():
    X, time = rows()
    with_matrix, without = both(X, time)
    D, E, labels = with_matrix.cross, without.cross, np.arange(len(X)) % 4
    assert isinstance(E, FeatureDistances)
    member = labels[:, None] == np.arange(4)
    sums = E.sums(labels, 4)
    assert_allclose(E.row_sums(sums), D @ member, rtol=1e-11)
    assert_allclose(E.block_sums(sums), member.T @ D @ member, rtol=1e-11)
    part = E.sums(labels[40:65], 4, 40)
    assert_allclose(E.block_sums(sums, part), member.T @ D[:, 40:65] @ member[40:65], rtol=1e-11)
    assert E.sum() == pytest.approx(D.sum())
    assert_allclose(E[3], D[3], rtol=1e-12)
    assert_allclose(E[2:5, 7:9], D[2:5, 7:9], rtol=1e-12)
    assert E.n_identical_pairs() == 0
    assert FeatureDistances(X[[0, 1, 0, 0]]).n_identical_pairs() == 3


def test_memberships_of_moving_centres_look_at_no_rows_of_distances(monkeypatch):
    X, time = rng_for(55).standard_normal((40, 3)), np.arange(40) % 2
    series = DistanceSeries.from_features(X, time=time, matrix=False)
    model = Hyperparameters(geometry="moving", dof=3.0)
    mode = find_mode(series, model, SamplerSettings(n_chains=1))
    monkeypatch.setattr(FeatureDistances, "__getitem__", lambda *_: pytest.fail("a row was computed"))
    assert all(np.allclose(own.sum(axis=1), 1.0) for own in conditional_memberships(mode))
