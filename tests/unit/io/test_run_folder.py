"""A run survives the way through its folder, bit by bit; what is damaged is said to be."""

import json
import os
import re
from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from reference import rng_for
from runs import MODEL, SETTINGS, digest, small_series
from tetiwd import Analysis, DistanceSeries, RunFolderError, run_chains
from tetiwd.chain_jobs import run_job
from tetiwd.errors import DataError, SettingsError
from tetiwd.io.diagnostics_file import diagnostics_as_json
from tetiwd.io.posterior import from_datatree, plain_labels, to_datatree
from tetiwd.io.run_folder import FORMAT, RunFolder
from tetiwd.io.series_file import read_series_file, write_series
from tetiwd.io.settings import WRITTEN_BY_A_RUN, RunSettings
from tetiwd.merit import Merit
from tetiwd.resolution import ResolutionPath, Step
from tetiwd.workflow import load_run, resume, write_results
from tetiwd.writing import write_table, write_text, write_whole


@pytest.fixture(scope="module")
def sample():
    return run_chains(small_series(), MODEL, SETTINGS)


def make(path, sample, **options):
    settings = RunSettings(model=MODEL, sampler=SETTINGS)
    return RunFolder.create(path, sample.series, settings, MODEL, **options)


def test_a_run_comes_back_as_it_was(sample, tmp_path):
    write_results(make(tmp_path / "run", sample), Analysis(sample))
    folder = RunFolder.open(tmp_path / "run")
    again = load_run(folder.path)
    assert digest(again.sample) == digest(sample)
    assert folder.settings() == RunSettings(model=MODEL, sampler=SETTINGS)
    assert folder.hyperparameters() == MODEL
    assert again.sample.diagnostics == sample.diagnostics
    assert again.sample.best_frozen.log_joint == sample.best_frozen.log_joint
    assert all((a == b).all() for a, b in zip(again.sample.frozen[1].labels, sample.frozen[1].labels, strict=True))
    assert folder.status == "complete"


def test_two_folders_of_one_run_have_the_same_bytes(sample, tmp_path):
    for name in ("a", "b"):
        write_results(make(tmp_path / name, sample), Analysis(sample))
    for file in (tmp_path / "a").iterdir():
        if file.name != "run.toml":  # says when it was run
            assert file.read_bytes() == (tmp_path / "b" / file.name).read_bytes(), file.name


def test_degrees_of_freedom_are_kept_as_given_and_as_resolved(sample, tmp_path):
    settings = RunSettings(sampler=SETTINGS)
    folder = RunFolder.create(tmp_path / "run", sample.series, settings, replace(MODEL, dof=(2.0, 3.5, 4.0)))
    folder = RunFolder.open(folder.path)
    assert folder.settings().model.dof == "auto"
    assert folder.hyperparameters().dof == (2.0, 3.5, 4.0)


def test_a_run_that_was_stopped_is_cut_to_the_shortest_chain(sample, tmp_path):
    short = run_chains(small_series(), MODEL, replace(SETTINGS, n_draws=10))
    stopped = replace(sample, draws=[sample.draws[0], short.draws[1]], frozen=[], ended="stopped")
    folder = make(tmp_path / "run", stopped)
    write_results(folder, Analysis(stopped))
    again = RunFolder.open(folder.path)
    assert again.status == "stopped"
    assert [len(draws) for draws in again.sample().draws] == [10, 10]
    assert not again.sample().complete


@pytest.mark.parametrize("every", [0, 4])
def test_geometry_comes_back(every):
    sample = run_chains(small_series(), MODEL, replace(SETTINGS, geometry_every=every))
    again = from_datatree(to_datatree(sample), sample.series, MODEL, sample.settings)
    assert digest(again) == digest(sample)


def test_arviz_reads_the_draws(sample):
    from arviz_stats import summary

    table = summary(to_datatree(sample), var_names=["alpha", "n_clusters"])
    assert table.index[0] == "alpha"
    assert len(table) == 4


@pytest.mark.parametrize(
    ("ids", "times"),
    [
        (None, None),
        ([[1, 2, 3, 4], [2, 3, 4]], [2001, 2002]),
        ([["=a", "ü", "c,d", "\n"], ["x", "y", "z"]], ["early", "late"]),
        (None, [0.5, 1.5]),
    ],
)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_series_comes_back_as_it_was(ids, times, dtype, tmp_path):
    rng = np.random.default_rng(0)
    matrices = []
    for n in (4, 3):
        X = rng.standard_normal((n, 2))
        matrices.append(((X[:, None] - X[None]) ** 2).sum(-1).astype(dtype))
    series = DistanceSeries.from_distances(matrices, squared=True, ids=ids, times=times)
    write_series(tmp_path / "data.nc", series)
    again = read_series_file(tmp_path / "data.nc")
    for one, other in zip(series.matrices, again.matrices, strict=True):
        assert one.dtype == other.dtype
        assert (one == other).all()
        assert not other.flags.writeable
    assert again.times == series.times
    if ids is None:
        assert again.ids is None
    else:
        assert [own.tolist() for own in again.ids] == [own.tolist() for own in series.ids]


def test_one_long_id_does_not_make_all_others_long(tmp_path):
    resource = pytest.importorskip("resource")
    ids = [f"id {i}" for i in range(5000)]
    ids[77] = "x" * 10**5
    X = rng_for(91).standard_normal((5000, 2))
    series = DistanceSeries.from_features(X, time=np.repeat([1, 2], 2500), ids=ids, matrix=False)
    write_series(tmp_path / "data.nc", series)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    again = read_series_file(tmp_path / "data.nc")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300 * 1024  # it took 2 GB
    assert [own.tolist() for own in again.ids] == [ids[:2500], ids[2500:]]


def test_features_and_cross_time_distances_come_back(tmp_path):
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.standard_normal((12, 2)), columns=["a", "b"])
    series = DistanceSeries.from_features(X, time=[1, 2] * 6, standardize=True)
    write_series(tmp_path / "data.nc", series)
    again = read_series_file(tmp_path / "data.nc")
    assert (again.cross == series.cross).all()
    new = pd.DataFrame({"b": [0.3], "a": [1.0]})
    expected = series.features.squared_distances(new, 1)
    assert (again.features.squared_distances(new, 1) == expected).all()
    direct = ((X[1::2] - X.mean()) / X.std(ddof=0)).to_numpy() - (
        (new[["a", "b"]] - X.mean()) / X.std(ddof=0)
    ).to_numpy()
    np.testing.assert_allclose(expected[0], (direct**2).sum(axis=1))


@pytest.mark.parametrize(
    "distances", [np.zeros((5, 5), "V5"), np.zeros((5, 5), int), np.zeros((5, 4))], ids=["bytes", "whole", "oblong"]
)
def test_distances_that_are_none_are_damage(distances, tmp_path):
    h5py = pytest.importorskip("h5py")
    path = tmp_path / "data.nc"
    with h5py.File(path, "w") as file:
        file["times"], file["matrix_0"] = [1], distances
        file.attrs.update({"kind": "distances", "n_epochs": 1})
        for name, n in (("time", 1), ("object", 5), ("other", distances.shape[1])):
            file[name] = np.arange(n)
            file[name].make_scale(name)
        file["times"].dims[0].attach_scale(file["time"])
        for axis, name in enumerate(("object", "other")):
            file["matrix_0"].dims[axis].attach_scale(file[name])
    with pytest.raises(DataError, match=r"data\.nc cannot be read \(distances are not square matrices of numbers\)"):
        read_series_file(path)


def test_similarities_come_back(tmp_path):
    X = np.random.default_rng(2).standard_normal((5, 3))
    series = DistanceSeries.from_similarities([X @ X.T])
    write_series(tmp_path / "data.nc", series)
    assert read_series_file(tmp_path / "data.nc").kind == "similarities"


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda path: (path / "run.toml").unlink(), "holds no run.toml"),
        (lambda path: (path / "run.toml").write_text("= nonsense"), "is not valid TOML"),
        (lambda path: (path / "run.toml").write_text('[run]\nformat = "tetiwd-run-99"'), "this version reads"),
        (lambda path: (path / "run.toml").write_text(f'[run]\nformat = "{FORMAT}"'), "does not say how the run ended"),
        (lambda path: (path / "results.nc").write_bytes(b"junk"), "results.nc cannot be read"),
        (lambda path: (path / "results.nc").unlink(), "has no results yet; continue the run with: tetiwd resume"),
        (lambda path: (path / "data.nc").unlink(), "data.nc is missing"),
        (lambda path: (path / "data.nc").write_bytes(b"\x89HDF\r\n\x1a\nshort"), "data.nc cannot be read"),
    ],
)
def test_damage_is_named(spoil, message, sample, tmp_path):
    write_results(make(tmp_path / "run", sample), Analysis(sample))
    spoil(tmp_path / "run")
    with pytest.raises((RunFolderError, DataError, SettingsError), match=message):
        RunFolder.open(tmp_path / "run").sample()


@pytest.mark.parametrize("moment", ["write_text", "write_resolution", "write_series"])
def test_a_run_killed_before_it_began_can_be_fitted_again(moment, sample, tmp_path, monkeypatch):
    """Whenever the process is killed, the folder is one that fit takes again, or that resume continues."""

    class Killed(BaseException):
        pass

    def half_written(path, *content):
        path.with_name(f"{path.name}.new").write_bytes(b"half")
        raise Killed

    path = ResolutionPath((Step((3.0,) * 3, tuple(np.zeros(n, int) for n in (14, 11, 12)), Merit(1.0, 1.0), 1.0),), 0)
    monkeypatch.setattr(f"tetiwd.io.run_folder.{moment}", half_written)
    with pytest.raises(Killed):
        make(tmp_path / "run", sample, resolution=path)
    monkeypatch.undo()
    if moment != "write_text":
        with pytest.raises(RunFolderError, match="stopped before it began; run fit again"):
            RunFolder.open(tmp_path / "run").series()
    make(tmp_path / "run", sample)
    assert RunFolder.open(tmp_path / "run").series().n_objects == sample.series.n_objects
    with pytest.raises(RunFolderError, match="already holds a run"):
        make(tmp_path / "run", sample)


@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_a_run_that_ends_in_any_way_is_not_said_to_be_running(error, sample, tmp_path):
    folder = make(tmp_path / "run", sample)
    with pytest.raises(error), folder.working():
        raise error
    assert RunFolder.open(tmp_path / "run").status == "stopped"
    assert not (tmp_path / "run" / "writing.pid").exists()


def test_remarks_come_back(sample, tmp_path):
    told = replace(sample, remarks=("one file was damaged", "another, too"), reasons=("it was the best",))
    write_results(make(tmp_path / "run", told, reasons=told.reasons), Analysis(told))
    found = RunFolder.open(tmp_path / "run").sample()
    assert found.remarks == told.remarks
    assert found.reasons == told.reasons


def test_no_folder(tmp_path):
    with pytest.raises(RunFolderError, match="there is no folder"):
        RunFolder.open(tmp_path / "nowhere")


def test_a_file_in_the_way(sample, tmp_path):
    (tmp_path / "run").write_text("mine")
    with pytest.raises(RunFolderError, match="is a file; choose another name"):
        make(tmp_path / "run", sample)
    assert (tmp_path / "run").read_text() == "mine"


def test_cells_that_a_spreadsheet_would_run_are_made_harmless(tmp_path):
    table = pd.DataFrame({"=id": ["=1+1", "@x", "+1", "-1", "\tx", "safe"], "n": [-1.0, 2, 3, 4, 5, 6]})
    write_table(tmp_path / "t.csv", table)
    again = pd.read_csv(tmp_path / "t.csv")
    assert again.columns.tolist() == ["'=id", "n"]
    assert again["'=id"].tolist() == ["'=1+1", "'@x", "'+1", "'-1", "'\tx", "safe"]
    assert again.n.tolist() == [-1, 2, 3, 4, 5, 6]


def test_a_crash_while_writing_leaves_the_old_file(tmp_path):
    write_text(tmp_path / "a.txt", "old")

    def crash(path):
        path.write_text("half")
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_whole(tmp_path / "a.txt", crash)
    assert (tmp_path / "a.txt").read_text() == "old"


def test_no_link_is_followed_to_a_file_of_somebody_else(tmp_path):
    (tmp_path / "victim").write_text("mine")
    (tmp_path / "a.txt.new").symlink_to("victim")
    (tmp_path / "b.txt").symlink_to("victim")
    for name in ("a.txt", "b.txt"):
        write_text(tmp_path / name, "new")
        assert (tmp_path / name).read_text() == "new"
        assert not (tmp_path / name).is_symlink()
    assert (tmp_path / "victim").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "b.txt", "victim"]


@pytest.mark.parametrize("left", ["run.toml.new", "results.nc.new", "writing.pid"])
def test_a_run_that_goes_on_does_not_write_through_links(left, sample, tmp_path):
    folder = make(tmp_path / "run", sample)
    (tmp_path / "victim").write_text("mine")
    (folder.path / left).symlink_to("../victim")
    says = pytest.raises(RunFolderError, match="cannot write into") if left == "writing.pid" else nullcontext()
    with says:
        resume(folder.path)
        assert not (folder.path / left).is_symlink()
    assert (tmp_path / "victim").read_text() == "mine"


@pytest.mark.parametrize("name", ["checkpoint", "metadata"])
def test_a_run_with_a_folder_that_leads_out_of_it_is_only_read(name, sample, tmp_path):
    write_results(make(tmp_path / "run", sample), Analysis(sample))
    (tmp_path / "theirs").mkdir()
    (tmp_path / "run" / name).symlink_to("../theirs")
    folder = RunFolder.open(tmp_path / "run")
    writing = [
        lambda: resume(folder.path),
        lambda: run_job(folder.path, 1),
        lambda: folder.attach("metadata"),
        lambda: folder.write_names({}),
        lambda: make(folder.path, sample, overwrite=True),
    ]
    for write in writing:
        with pytest.raises(RunFolderError, match=f"{name} is a link that leads out of the results folder"):
            write()
    assert not list((tmp_path / "theirs").iterdir())
    load_run(folder.path)


def test_diagnostics_are_valid_json_even_where_numbers_are_not(sample):
    odd = replace(sample.diagnostics.quantities[0], r_hat=np.inf, mean=np.nan)
    apart = replace(sample)
    apart.__dict__["diagnostics"] = replace(sample.diagnostics, quantities=(odd,))  # where the property keeps it
    found = json.loads(json.dumps(diagnostics_as_json(apart), allow_nan=False))["quantities"][0]
    assert found["r_hat"] is None
    assert found["mean"] is None
    assert found["ess_bulk"] == pytest.approx(odd.ess_bulk, abs=1e-5)


@pytest.mark.parametrize(
    ("values", "kind"), [([1, 2], "i"), ([1.5, 2], "f"), (["a", "b"], "O"), ([True, False], "O"), ([2**70, 1], "O")]
)
def test_labels_that_netcdf_can_hold(values, kind):
    assert plain_labels(values).dtype.kind == kind


def test_attached_folders_stay_with_a_run_and_go_when_it_is_overwritten(sample, tmp_path):
    path = tmp_path / "run"
    (RunFolder(path).attach("extra") / "file").write_text("kept")
    make(path, sample, attached=["extra"])  # a folder with nothing but attachments is free
    assert (path / "extra" / "file").read_text() == "kept"
    make(path, sample, overwrite=True, attached=["extra"])
    assert (path / "extra" / "file").is_file()
    (path / "mine").mkdir()
    make(path, sample, overwrite=True)
    assert not (path / "extra").exists()
    assert (path / "mine").is_dir()  # nobody attached it


def test_a_folder_that_nobody_attached_is_in_the_way(sample, tmp_path):
    (tmp_path / "run" / "extra").mkdir(parents=True)
    with pytest.raises(RunFolderError, match="not empty and holds no run"):
        make(tmp_path / "run", sample)


@pytest.mark.parametrize("name", ["results.nc", "checkpoint/chain-1.checkpoint", "checkpoint/chain-1.draws"])
@pytest.mark.parametrize("make_it", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")], ids=["pipe", "device"])
def test_what_has_no_end_is_not_opened(sample, tmp_path, name, make_it):
    path = make(tmp_path / "run", sample).path / name
    path.parent.mkdir(exist_ok=True)
    make_it(path)
    with pytest.raises(RunFolderError, match=f"{path.name} is neither a file nor a folder; remove it"):
        RunFolder.open(tmp_path / "run")


@pytest.mark.parametrize("name", WRITTEN_BY_A_RUN)
def test_a_list_in_place_of_a_table_is_refused(sample, tmp_path, name):
    path = make(tmp_path / "run", sample).path / "run.toml"
    tables = re.split(r"^(?=\[)", path.read_text("utf-8"), flags=re.MULTILINE)
    others = [table for table in tables if not table.startswith((f"[{name}]", f"[{name}."))]
    path.write_text(f"{name} = [1]\n" + "".join(others), "utf-8")
    with pytest.raises(RunFolderError, match="does not say what wrote it"):
        RunFolder.open(tmp_path / "run")
