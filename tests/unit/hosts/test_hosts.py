"""Hosts in this process: where epochs are makes no difference, and neither does losing them."""

from dataclasses import replace

import numpy as np
import pytest

from runs import MODEL, digest, small_series
from spread_runs import SETTINGS, ended, files_of, hash_of, in_files, spread_chain
from tetiwd import DataError, DistanceSeries, Gamma, Hyperparameters, SettingsError, WorkersError, run_chains
from tetiwd.data.array_file import file_of
from tetiwd.data.fingerprint import fingerprint
from tetiwd.hosts import HostLost, LocalWorkers, dof_by_workers, open_series
from tetiwd.hosts import in_files as to_files
from tetiwd.hosts.chain import MOST_LOSSES
from tetiwd.hosts.spread import share_out
from tetiwd.io.settings import RunSettings
from tetiwd.sampler import Chain
from tetiwd.workflow import fit_into

FEW = replace(SETTINGS, n_warmup=30, n_draws=12)


def similarities():
    rng = np.random.default_rng(4)
    X = [2 * rng.integers(3, size=(n, 1)) + rng.standard_normal((n, 8)) for n in (20, 15, 18)]
    return DistanceSeries.from_similarities([x @ x.T / 8 for x in X])


def single():
    return DistanceSeries.from_distances([D.astype(np.float32) for D in small_series().D], squared=True)


MODES = {
    "full": (small_series, {}, {}),
    "isotropic": (small_series, {"geometry": "isotropic", "df_A": None}, {}),
    "uncoupled": (small_series, {"coupling": False}, {}),
    "own spreads": (small_series, {"tau": Gamma(1.0, 0.5)}, {"n_split_merge": 4}),
    "many clusters": (lambda: small_series((40, 45, 38)), {"xi": 60.0}, {}),
    "similarities": (similarities, {}, {}),
    "single precision": (single, {}, {}),
    "many of each move": (small_series, {}, {"n_aux": 4, "n_geometry_steps": 2, "n_split_merge": 3, "thin": 2}),
    "given start": (lambda: small_series((4, 3)), {}, {"init": [[0, 0, 1, 1], [1, 2, 2]]}),
}


class TestSameDraws:
    @pytest.mark.parametrize("mode", MODES)
    def test_as_without_hosts(self, mode, tmp_path):
        make, model, settings = MODES[mode]
        h, s = replace(MODEL, **model), replace(FEW, **settings)
        expected = ended(Chain(make(), h, s, 1))
        found = ended(spread_chain(in_files(make(), tmp_path), LocalWorkers(2), h, s, index=1))
        assert hash_of(found) == hash_of(expected)
        if mode == "many clusters":
            assert found.state.capacity == expected.state.capacity > 16  # it grew on the way

    def test_for_any_number_of_workers_and_threads(self, tmp_path, monkeypatch):
        monkeypatch.setattr("tetiwd.chains.WORTH_A_THREAD", 1)
        files, series = files_of(tmp_path)
        expected = digest(run_chains(series, MODEL, FEW, n_threads=1))
        assert digest(run_chains(series, MODEL, FEW, n_threads=8)) == expected
        mapped = open_series(files)
        for n in (1, 3, 9):
            sample = run_chains(mapped, MODEL, FEW, hosts=LocalWorkers(n))
            assert digest(sample) == expected

    def test_of_features(self, tmp_path):
        X = np.random.default_rng(2).standard_normal((60, 4)) + np.repeat([[0], [3], [6]], 20, axis=0)
        np.save(tmp_path / "X.npy", X)
        time = np.repeat([0, 1], 30)
        there = DistanceSeries.from_features(np.load(tmp_path / "X.npy", mmap_mode="r"), time=time, matrix=False)
        here = DistanceSeries.from_features(X, time=time, matrix=False)
        h = Hyperparameters(dof=4, geometry="full")
        assert hash_of(ended(spread_chain(there, None, h, FEW))) == hash_of(ended(Chain(here, h, FEW, 0)))

    def test_frozen_partitions_and_estimated_dof(self, tmp_path, monkeypatch):
        monkeypatch.setattr("tetiwd.trials.MOST_TRIED", 30)  # so that a part is tried
        files, series = files_of(tmp_path)
        here = run_chains(series, Hyperparameters(), FEW)
        there = run_chains(open_series(files), Hyperparameters(), FEW, hosts=LocalWorkers(2))
        assert there.hyperparameters == here.hyperparameters
        for a, b in zip(here.frozen, there.frozen, strict=True):
            assert a.log_joint == b.log_joint
            assert all(map(np.array_equal, a.labels, b.labels))

    @pytest.mark.parametrize("how", ["moments", "rank"])
    def test_degrees_of_freedom(self, how, tmp_path):
        files, series = files_of(tmp_path)
        assert dof_by_workers(open_series(files), how, LocalWorkers()) == series.dof(how)

    def test_other_draws_than_with_lineages_as_wholes(self):
        series = small_series()
        assert hash_of(ended(Chain(series, MODEL, FEW, 0))) != hash_of(
            ended(Chain(series, MODEL, replace(FEW, spread_epochs=False), 0))
        )


def arrays_in(value):
    """All arrays somewhere in a message."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from arrays_in(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from arrays_in(one)
    elif hasattr(value, "__dataclass_fields__"):
        for name in value.__dataclass_fields__:
            yield from arrays_in(getattr(value, name))


class Listening(LocalWorkers):
    """Workers that note what is sent."""

    def __init__(self, n):
        super().__init__(n)
        self.heard = []

    def ask(self, calls):
        answers = super().ask(calls)
        self.heard.append((calls[0].method, [call.arguments for call in calls], answers))
        return answers


def test_only_clusters_and_labels_travel(tmp_path):
    workers = Listening(3)
    series = small_series((30, 24, 36, 20))
    chain = ended(spread_chain(in_files(series, tmp_path), workers))
    most = int(chain.draws.n_clusters.max()) + 25  # clusters there were, roughly, also in warm-up
    methods = [method for method, *_ in workers.heard]
    n = SETTINGS.n_sweeps
    assert methods.count("visit") == 2 * n - SETTINGS.n_apart  # even and odd, or all at once while epochs are apart
    assert methods.count("labels") == SETTINGS.n_draws
    assert methods.count("commit") == n // 100
    for method, questions, answers in workers.heard:
        sizes = [array.size for array in arrays_in([questions, answers])]
        shapes = [array.ndim for array in arrays_in([questions, answers])]
        if method in ("visit", "commit", "restore"):
            assert max(size for size, d in zip(sizes, shapes, strict=True) if d == 2) <= most**2
        if method == "visit":  # no labels: every vector belongs to clusters
            assert max(sizes) <= most**2
            assert not any(array.shape in [(m,) for m in series.n_objects] for array in arrays_in(answers))


class Flaky(LocalWorkers):
    """Workers that are lost at some rounds of questions, or while hosts are made."""

    def __init__(self, n, at=(), at_hiring=()):
        super().__init__(n)
        self.at, self.at_hiring, self.round, self.hired = set(at), set(at_hiring), 0, 0

    def hire(self, makers):
        self.hired += 1
        if self.hired in self.at_hiring:
            raise HostLost("while being hired")
        return super().hire(makers)

    def ask(self, calls):
        self.round += 1
        if self.round in self.at:
            super().ask(calls[:1])  # some have done their part, others never will
            raise HostLost("in the middle")
        return super().ask(calls)


class TestLosses:
    @pytest.fixture
    def series(self, tmp_path):
        return in_files(small_series((20, 24, 16)), tmp_path)

    @pytest.fixture
    def expected(self):
        return hash_of(ended(Chain(small_series((20, 24, 16)), MODEL, SETTINGS, 0)))

    @pytest.mark.parametrize("at", [1, 2, 10, 174, 175, 176, 230, 231])
    def test_one(self, at, series, expected):
        """At the start, in the middle, when a snapshot is made (the 176th round), and at a draw."""
        workers = Flaky(2, {at})
        assert hash_of(ended(spread_chain(series, workers))) == expected
        assert workers.round > at
        assert workers.hired == 2

    def test_many_and_during_replay(self, series, expected):
        workers = Flaky(3, {50, 51, 60, 180, 300, 301, 302}, {2, 4, 5})
        assert hash_of(ended(spread_chain(series, workers))) == expected

    def test_while_a_partition_is_frozen(self, series):
        here = run_chains(small_series((20, 24, 16)), MODEL, replace(SETTINGS, n_chains=1))
        n_rounds = 1 + 2 * SETTINGS.n_sweeps - SETTINGS.n_apart + SETTINGS.n_draws + 1
        workers = Flaky(2, {n_rounds + 5})
        there = run_chains(series, MODEL, replace(SETTINGS, n_chains=1), hosts=workers)
        assert workers.hired == 2
        assert there.frozen[0].log_joint == here.frozen[0].log_joint
        assert digest(there) == digest(here)

    def test_again_and_again(self, series):
        workers = Flaky(2, range(20, 10_000))
        chain = spread_chain(series, workers)
        with pytest.raises(WorkersError, match=f"lost {MOST_LOSSES} times in a row"):
            ended(chain)

    def test_an_error_of_a_host_is_not_a_loss(self, series, monkeypatch):
        chain = spread_chain(series)
        monkeypatch.setattr("tetiwd.hosts.host.LocalHost.visit", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            chain.step()


class NoneLeft(Flaky):
    """Workers all of which are lost at some round."""

    def names(self):
        if self.round >= max(self.at, default=10**9):
            raise WorkersError("no worker is left", "start workers, and resume the run from its checkpoint")
        return super().names()


class TestCheckpoints:
    @pytest.mark.parametrize("goes_on", ["here", "there"])
    def test_without_workers_a_run_can_be_resumed(self, goes_on, tmp_path):
        files, series = files_of(tmp_path)
        mapped, folder = open_series(files), tmp_path / "checkpoint"
        s = replace(SETTINGS, n_chains=1, anneal=None)
        with pytest.raises(WorkersError, match="no worker is left; start workers, and resume"):
            run_chains(mapped, MODEL, s, hosts=NoneLeft(2, {220}), checkpoint=folder)
        assert (folder / "chain-1.checkpoint").exists()
        hosts = None if goes_on == "here" else LocalWorkers(3)
        sample = run_chains(mapped, MODEL, s, hosts=hosts, checkpoint=folder, resume=True)
        assert digest(sample) == digest(run_chains(series, MODEL, s))

    def test_hosts_go_on_from_a_checkpoint_made_without_them(self, tmp_path):
        files, series = files_of(tmp_path)
        mapped, folder = open_series(files), tmp_path / "checkpoint"
        s = replace(SETTINGS, n_chains=1, anneal=None)
        run_chains(mapped, MODEL, replace(s, n_draws=7), checkpoint=folder)
        sample = run_chains(mapped, MODEL, s, hosts=LocalWorkers(2), checkpoint=folder, resume=True)
        assert digest(sample) == digest(run_chains(series, MODEL, s))


class TestRefused:
    def test_moving_centres(self, tmp_path):
        _, series = files_of(tmp_path)
        with pytest.raises(SettingsError, match='reads distances between times; pass geometry="full"'):
            run_chains(series, Hyperparameters(dof=3, geometry="moving"), FEW)

    def test_auto_means_the_papers_model(self):
        X = np.random.default_rng(1).standard_normal((20, 3))
        series = DistanceSeries.from_features(X, time=[0] * 10 + [1] * 10, cross=True)
        assert run_chains(series, Hyperparameters(dof=3), FEW).hyperparameters.geometry == "full"

    def test_hosts_without_the_setting(self, tmp_path):
        files, _ = files_of(tmp_path)
        with pytest.raises(SettingsError, match="pass spread_epochs=True"):
            run_chains(open_series(files), MODEL, replace(FEW, spread_epochs=False), hosts=LocalWorkers())

    def test_data_in_memory(self):
        with pytest.raises(DataError, match="epoch 0 are in memory"):
            run_chains(small_series(), MODEL, FEW, hosts=LocalWorkers())

    def test_a_file_that_is_gone(self, tmp_path):
        files, _ = files_of(tmp_path)
        series = open_series(files)
        files[1].unlink()
        with pytest.raises(DataError, match=r"1\.npy: cannot be opened"):
            run_chains(series, MODEL, FEW, hosts=LocalWorkers())


class TestFiles:
    def test_same_facts_as_in_memory(self, tmp_path):
        files, series = files_of(tmp_path)
        opened = open_series(files, times=[2001, 2002, 2003, 2004])
        assert opened.unit == series.unit
        assert opened.times == (2001, 2002, 2003, 2004)
        assert fingerprint(opened) == fingerprint(open_series(files))
        np.save(files[2], 1.01 * series.D[2])
        assert fingerprint(opened) != fingerprint(open_series(files))

    @pytest.mark.parametrize(
        ("spoil", "message"),
        [
            (lambda D: D + np.triu(D) * 0.1, "is not symmetric"),
            (lambda D: D + 1e-13 * np.triu(D), "up to rounding only"),
            (lambda D: np.where(np.eye(len(D)) > 0, np.nan, D), "NaN"),
            (lambda D: -D, "negative"),
            (lambda D: D[:2, :2], "objects"),
            (lambda D: D.astype(int), "float32 or float64"),
            (lambda D: D[0], "one matrix"),
        ],
    )
    def test_faults(self, spoil, message, tmp_path):
        files, series = files_of(tmp_path)
        np.save(files[1], spoil(series.D[1]))
        with pytest.raises(DataError, match=message):
            open_series(files)

    def test_no_file(self, tmp_path):
        with pytest.raises(DataError, match="cannot be opened"):
            open_series([tmp_path / "none.npy"])

    def test_wrong_number_of_ids(self, tmp_path):
        files, _ = files_of(tmp_path, (4, 3))
        with pytest.raises(DataError, match=r"D\[1\] has 3 objects but 2 ids"):
            open_series(files, ids=[["a", "b", "c", "d"], ["a", "b"]])

    def test_parts_of_a_file(self, tmp_path):
        numbers = np.arange(60.0).reshape(10, 6)
        np.save(tmp_path / "a.npy", numbers)
        mapped = np.load(tmp_path / "a.npy", mmap_mode="r")
        for part in (mapped, mapped[3:7], mapped[2:][1:].view(np.ndarray)):
            assert np.array_equal(file_of(part).open(), part)
        assert file_of(mapped[:, 1:3]) is None  # not in one piece
        assert file_of(numbers) is None


class TestResultsFolder:
    def test_same_results_and_no_files_left(self, tmp_path):
        series, settings = small_series(), RunSettings(model=MODEL, sampler=replace(FEW, n_draws=30))
        here = fit_into(tmp_path / "here", series, settings)
        there = fit_into(tmp_path / "there", series, settings, hosts=LocalWorkers(2))
        assert digest(there.sample) == digest(here.sample)
        assert there.sample.series is series
        assert sorted(f.name for f in (tmp_path / "there").iterdir()) == sorted(
            f.name for f in (tmp_path / "here").iterdir()
        )

    def test_features_are_put_into_files_too(self, tmp_path):
        X = np.random.default_rng(2).standard_normal((30, 4))
        series = DistanceSeries.from_features(X, time=np.repeat([0, 1], 15), matrix=False)
        h = Hyperparameters(dof=4, geometry="full")
        there = spread_chain(to_files(series, tmp_path), None, h, FEW)
        assert hash_of(ended(there)) == hash_of(ended(Chain(series, h, FEW, 0)))


def test_epochs_are_shared_out_evenly():
    n_objects = [10, 10, 10, 10, 40, 40, 10, 10]
    places = dict(share_out(n_objects, ["a", "b"]))
    assert sorted(t for own in places.values() for t in own) == list(range(8))
    for parity in (0, 1):
        assert sorted(sum(n_objects[t] for t in own if t % 2 == parity) for own in places.values()) == [30, 40]
    assert dict(share_out([5], ["a", "b", "c"])) == {"a": [0]}
