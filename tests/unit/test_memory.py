"""Memory: no needless copies, the user's arrays left alone, and what cannot fit refused before it is made."""

import gc
import re
import tracemalloc
import weakref
from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from reference import rng_for
from runs import MODEL, small_series
from tetiwd import DistanceSeries, MemoryLimitError, SamplerSettings, memory, run_chains, start
from tetiwd.data import metrics, sampling
from tetiwd.data.dof import resolve_dof
from tetiwd.errors import DataError, TetiwdError
from tetiwd.model.simulation import squared_distances
from tetiwd.run_memory import bytes_of_chains

needs_to_know = pytest.mark.skipif(memory.available_memory() is None, reason="available memory is not known here")


def cloud(n=300, key=0):
    return squared_distances(rng_for(21, key).standard_normal((n, 3)))


def large():
    """Large beside the blocks and all else that is held for a while."""
    return cloud(600)


def peak_of(work):
    """Bytes allocated at once while working, and the result."""
    tracemalloc.start()
    result = work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak, result


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr("tetiwd.data.checks.BLOCK_ENTRIES", 1000)


def noisy(D):
    D[0, 1] *= 1 + 1e-14
    return D


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize(
    ("given", "squared", "copies"),
    [
        (large(), True, 0),
        (np.asfortranarray(large()), True, 0),
        (large().astype(np.float32), True, 0),
        (noisy(large()), True, 1),
        (np.rint(large()).astype(int), True, 1),
        (large(), False, 1),
        (noisy(large()), False, 1),
        (np.rint(large()).astype(int), False, 1),
        (np.asfortranarray(large()), False, 1),
    ],
)
@pytest.mark.parametrize("copy", [False, True])
def test_at_most_one_copy_and_the_given_array_unchanged(given, squared, copies, copy):
    before = given.copy()
    peak, series = peak_of(lambda: DistanceSeries.from_distances([given], squared=squared, copy=copy))
    assert np.array_equal(given, before)
    assert given.flags.writeable
    assert peak < (max(copies, copy) + 0.1) * given.nbytes
    assert np.shares_memory(series.D[0], given) == (copies == 0 and not copy)
    assert np.allclose(series.D[0], before if squared else before**2)


class Holder:
    """Like some tables, gives away the array it holds."""

    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        return self.array


@pytest.mark.parametrize("wrap", [Holder, memoryview, lambda array: array[:, :]])
def test_arrays_behind_something_else_are_not_changed_either(wrap):
    D = noisy(cloud(20))
    before = D.copy()
    DistanceSeries.from_distances([wrap(D)], squared=False)
    assert np.array_equal(D, before)


@pytest.mark.usefixtures("small_blocks")
def test_features_take_the_room_of_their_distances_only():
    X, time = rng_for(22).standard_normal((600, 3)), [1] * 600
    DistanceSeries.from_features(X, time=time)  # scipy is loaded by now
    for dtype in ("float32", "float64"):
        peak, series = peak_of(lambda dtype=dtype: DistanceSeries.from_features(X, time=time, dtype=dtype))
        assert series.D[0].dtype == dtype
        assert peak < 1.2 * series.D[0].nbytes


@pytest.mark.parametrize("metric", [*metrics.SQUARED_AS_IS, lambda u, v: float(u @ u - v @ v) ** 2])
@pytest.mark.parametrize("dtype", ["float32", np.float64, np.dtype("float32")])
def test_distances_do_not_depend_on_blocks(metric, dtype, monkeypatch):
    X = np.abs(np.rint(3 * rng_for(23).standard_normal((41, 4)))) + np.eye(4)[0]
    squared = True if callable(metric) else None
    expected = metrics.pairwise(X, metric, squared, np.dtype(float))
    monkeypatch.setattr("tetiwd.data.checks.BLOCK_ENTRIES", 5 * 41)
    found = metrics.pairwise(X, metric, squared, metrics.as_precision(dtype))
    assert np.array_equal(found, expected.astype(dtype))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dtype": "float16"}, 'dtype must be "float32" or "float64", not \'float16\''),
        ({"dtype": int}, "dtype must be"),
        ({"dtype": "float32", "X": 1e20 * np.eye(4)}, "squared distances of 2e+40 are beyond float32"),
    ],
)
def test_precision_that_cannot_be(options, message):
    with pytest.raises(DataError, match=re.escape(message)):
        DistanceSeries.from_features(**({"X": np.eye(4), "time": [1] * 4} | options))


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("kind", ["distances", "similarities"])
def test_large_epochs_are_sampled_without_a_copy(kind, monkeypatch):
    monkeypatch.setattr("tetiwd.data.dof.SAMPLE_SIZE", 60)
    monkeypatch.setattr(sampling, "WARD_OBJECTS", 60)
    X = rng_for(24).standard_normal((400, 3))
    series = DistanceSeries.from_distances([squared_distances(X)], squared=True)
    if kind == "similarities":
        series = DistanceSeries.from_similarities([X @ X.T], symmetrize="mean")
    series.dof()  # scipy is loaded by now
    for work in (series.dof, lambda: series.ward_trees):
        assert peak_of(work)[0] < 0.25 * series.matrices[0].nbytes


def test_samples_of_similarities_are_those_of_their_distances(monkeypatch):
    monkeypatch.setattr("tetiwd.data.dof.SAMPLE_SIZE", 40)
    monkeypatch.setattr(sampling, "WARD_OBJECTS", 40)
    rng = rng_for(25)
    X = 5 * rng.standard_normal((3, 4))[rng.integers(3, size=150)] + rng.standard_normal((150, 4))
    kernel = DistanceSeries.from_similarities([X @ X.T], symmetrize="mean")
    distances = kernel.to_distances()
    assert kernel.dof() == pytest.approx(distances.dof())
    labels = [start.ward_labels(s.matrices[0], 3, s.kind) for s in (kernel, distances)]
    assert adjusted_rand_score(*labels) == 1


def test_a_bad_kernel_is_named_by_its_objects_in_a_sample_too(monkeypatch):
    monkeypatch.setattr("tetiwd.data.dof.SAMPLE_SIZE", 29)
    K = np.eye(30)
    K[11, 20] = K[20, 11] = 2
    for ids, shown in [(None, "(11, 20)"), ([[f"p{i}" for i in range(30)]], "('p11', 'p20')")]:
        with pytest.raises(DataError, match=re.escape(f"K[0] gives a negative squared distance at {shown}: -2")):
            DistanceSeries.from_similarities([K], ids=ids).dof()


def test_ward_is_asked_once_per_epoch(monkeypatch):
    made = []
    tree = sampling.tree_of_pairs
    monkeypatch.setattr(sampling, "tree_of_pairs", lambda squared: made.append(len(squared)) or tree(squared))
    series = small_series()
    settings = SamplerSettings(n_chains=3, n_warmup=4, n_draws=4, anneal=None)
    run_chains(series, MODEL, settings)
    run_chains(series, MODEL, settings)
    assert made == [n * (n - 1) // 2 for n in (14, 11, 12)]


def test_trees_do_not_keep_a_series():
    series = small_series()
    assert len(series.ward_trees) == 3
    watch = weakref.ref(series)
    del series
    gc.collect()
    assert watch() is None


def limit(monkeypatch, n_bytes):
    monkeypatch.setattr(memory, "available_memory", lambda: None if n_bytes is None else (n_bytes, "says the test"))


X_500, TIME_500 = np.arange(500.0)[:, None], [1] * 300 + [2] * 200
TOO_MUCH = {
    "plain distances": lambda: DistanceSeries.from_distances([cloud()] * 2, squared=False),
    "a copy": lambda: DistanceSeries.from_distances([cloud()] * 2, squared=True, copy=True),
    "integers": lambda: DistanceSeries.from_distances([np.rint(cloud()).astype(int)] * 2, squared=True),
    "rounding noise": lambda: DistanceSeries.from_distances([noisy(cloud(400))], squared=True),
    "similarities": lambda: DistanceSeries.from_similarities([np.eye(400)], copy=True),
    "to distances": lambda: DistanceSeries.from_similarities([np.eye(400)]).to_distances(),
    "features": lambda: DistanceSeries.from_features(X_500, time=TIME_500),
    "features with cross": lambda: DistanceSeries.from_features(X_500, time=TIME_500, cross=True),
    "pooled": lambda: DistanceSeries.from_pooled(cloud(400), time=[1] * 400, squared=True),
    "pooled and arranged": lambda: DistanceSeries.from_pooled(cloud(300), time=[1, 2] * 150, squared=True),
    "pooled integers": lambda: DistanceSeries.from_pooled(
        np.rint(cloud(400)).astype(int), time=[1, 2] * 200, squared=True, keep_cross=False
    ),
    "eigenvalues": lambda: DistanceSeries.from_distances([cloud()], squared=True).negative_type(),
    "rank": lambda: DistanceSeries.from_distances([cloud()], squared=True).dof("rank"),
    "chains": lambda: run_chains(small_series(), MODEL, SamplerSettings(n_draws=10_000)),
}


@pytest.mark.parametrize("case", TOO_MUCH)
def test_more_than_there_is_is_refused(case, monkeypatch):
    limit(monkeypatch, 10**6)
    message = r"takes [\d.]+ GiB of memory, but only 0.00 GiB can be had \(says the test\); (use|ask)"

    def refused():
        with pytest.raises(MemoryLimitError, match=message) as error:
            TOO_MUCH[case]()
        return error.value

    peak, error = peak_of(refused)
    assert isinstance(error, TetiwdError)
    assert isinstance(error, MemoryError)
    assert peak < 4 * 8 * 400**2  # what the test itself brings


def test_what_fits_is_not_refused(monkeypatch):
    limit(monkeypatch, 10**6)
    series = DistanceSeries.from_distances([cloud()] * 5, squared=True)
    DistanceSeries.from_features(X_500, time=TIME_500, dtype="float32")
    series.dof()


def test_nothing_is_refused_where_nothing_is_known(monkeypatch):
    limit(monkeypatch, None)
    memory.require_memory(10**30, "everything", "ask for less")


@needs_to_know
def test_what_no_machine_has_is_refused_at_once():
    huge = np.broadcast_to(np.float32(1), (10**8, 10**8))
    for work in (
        lambda: DistanceSeries.from_distances([huge], squared=True),
        lambda: DistanceSeries.from_similarities([huge]),
        lambda: DistanceSeries.from_pooled(huge, time=[1], squared=True),
        lambda: DistanceSeries.from_features(np.zeros((10**6, 1)), time=np.zeros(10**6, int), metric="jaccard"),
        lambda: DistanceSeries.from_features(np.zeros((10**6, 1)), time=np.zeros(10**6, int), matrix=True),
        lambda: run_chains(small_series(), MODEL, SamplerSettings(n_draws=10**15)),
    ):
        with pytest.raises(MemoryLimitError, match=r"takes [\d,.]+ GiB of memory, but only [\d,.]+ GiB can be had"):
            work()


def test_memory_of_chains_by_hand():
    """37 objects: 32 row sums and a label of 8 bytes, twice for annealing; 100 labels of 2 bytes, twice; 11 times A."""
    one = SamplerSettings(n_chains=1, n_draws=100, geometry_every=0)
    assert bytes_of_chains((14, 11, 12), one) == 37 * (2 * 33 * 8 + 2 * 100 * 2)
    assert bytes_of_chains((14, 11, 12), replace(one, n_chains=3, anneal=None)) == 3 * 37 * 664
    assert bytes_of_chains((14, 11, 12), replace(one, geometry_every=10)) == 37 * 928 + 11 * 3 * 32 * 32 * 8


def write(folder, **files):
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine with 1000 KiB left."""
    monkeypatch.setattr(memory, "PROCESS", tmp_path / "proc")
    monkeypatch.setattr(memory, "GROUPS", tmp_path / "groups")
    write(tmp_path / "proc", meminfo="MemTotal: 9999 kB\nMemAvailable:    1000 kB\nHugePages_Total: 0\n")
    return tmp_path


def test_the_machine_is_the_limit(machine):
    assert memory.available_memory() == (1024_000, "free on this machine")


@pytest.mark.parametrize("root", ["groups", "groups/unified"])
def test_limits_of_groups(machine, root):
    write(machine / "proc" / "self", cgroup="0::/job/step\n")
    write(machine / root / "job" / "step", memory__max="max\n", memory__current="70\n")
    stat = "anon 40\ninactive_file 4\nactive_file 6\n"
    write(machine / root / "job", memory__max="500\n", memory__current="90\n", memory__stat=stat)
    found, source = memory.available_memory()
    assert found == 500 - (90 - 10)
    assert source == f"the limit in {machine / root}/job/memory.max less what is in use"


def test_limits_of_groups_of_the_first_version(machine):
    write(machine / "proc" / "self", cgroup="7:cpu,cpuacct:/a\n4:memory:/not/seen/from/here\n0::/\n")
    stat = "inactive_file 1\ntotal_inactive_file 15\ntotal_active_file 5\n"
    write(
        machine / "groups" / "memory",
        memory__limit_in_bytes="800\n",
        memory__usage_in_bytes="900\n",
        memory__stat=stat,
    )
    assert memory.available_memory()[0] == 0
    (machine / "groups" / "memory" / "memory.limit_in_bytes").write_text(str(2**63 - 4096))
    assert memory.available_memory() == (1024_000, "free on this machine")


def test_elsewhere_nothing_is_known(machine):
    (machine / "proc" / "meminfo").unlink()
    assert memory.available_memory() is None


def test_ways_of_giving_dof_need_no_distances():
    assert resolve_dof([3, 4], (5, 6), lambda t, at_most: pytest.fail("nothing to look at")) == (3.0, 4.0)
