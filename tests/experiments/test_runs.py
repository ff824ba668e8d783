"""Plans, repeats, folders and runs of experiments."""

import multiprocessing
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest

from tetiwd import SettingsError, Workers
from tetiwd.errors import RunFolderError
from tetiwd_experiments import runner
from tetiwd_experiments.baselines.methods import METHODS, Method
from tetiwd_experiments.designs import DESIGNS, design_named
from tetiwd_experiments.findings import trace_of_clusters, write_findings
from tetiwd_experiments.folder import ExperimentFolder
from tetiwd_experiments.plan import Plan
from tetiwd_experiments.repeat import COLUMNS, run_repeat, simulated, variation_of_information
from tetiwd_experiments.runner import run_experiment

FAST = {"methods": ("Ward", "HDBSCAN"), "n_warmup": 5, "n_draws": 5, "n_repeats": 2}


def test_fresh_data_sets_differ_and_the_paper_has_one():
    repeats = Plan("overlapping", n_repeats=4).repeats()
    paper, fresh = ([u for u in repeats if u.protocol == p] for p in ("paper", "fresh"))
    assert [u.data_seed for u in paper] == [0, 0, 0, 0]
    assert [u.data_seed for u in fresh] == [0, 1, 2, 3]
    assert len({u.effort.seed for u in paper}) == 4
    assert len({u.name for u in repeats}) == len(repeats)
    other = Plan("overlapping", n_repeats=50, seed=1).repeats()
    assert not {u.data_seed for u in other} & {u.data_seed for u in Plan("overlapping").repeats()}


def test_plan_from_a_settings_file():
    plan = Plan("overlapping", n_repeats=4, seed=3)
    assert Plan.from_dict(plan.to_dict() | {"version": "9"}) == plan


def test_designs_are_those_of_the_paper():
    sizes = {name: next(iter(design.variants.values()))(0) for name, design in DESIGNS.items()}
    assert [x.shape for x in sizes["separated"].X] == [(20, 100)] * 5
    assert [x.shape for x in sizes["overlapping"].X] == [(200, 40)] * 5
    assert [x.shape for x in sizes["independent"].X] == [(200, 40)] * 5
    assert sizes["overlapping"].n_clusters == [5] * 5
    unequal = {name: simulate(1) for name, simulate in DESIGNS["unequal"].variants.items()}
    assert [len(labels) for labels in unequal["704/170/123 model"].labels] == [704, 170, 123]
    assert [len(labels) for labels in unequal["400/60/40 independent"].labels] == [400, 60, 40]
    assert all(simulation.n_clusters == [6] * 3 for simulation in unequal.values())
    assert unequal["400/60/40 model"].A is not None
    assert unequal["400/60/40 independent"].A is None


def test_repeat_scores_every_method_and_epoch():
    repeat = Plan("control", **FAST).repeats()[1]
    table = run_repeat(repeat)
    assert tuple(table.columns) == COLUMNS
    assert list(table.method.unique()) == ["Te-TiWD", "Ward", "HDBSCAN"]
    assert (table.groupby("method").size() == 3).all()
    assert (table.data_seed == 1).all()
    ward = table[table.method == "Ward"]
    ours = table[table.method == "Te-TiWD"]
    assert ward.n_clusters.tolist() == ours.n_clusters.tolist()


def test_what_fails_is_named(monkeypatch):
    def find(task):
        raise ZeroDivisionError("no")

    monkeypatch.setitem(METHODS, "Ward", Method("Ward", "", find))
    with pytest.raises(ZeroDivisionError) as caught:
        run_repeat(Plan("control", **FAST).repeats()[1])
    assert caught.value.__notes__ == ["Ward on control, data seed 1, seed 1001"]


def test_repeat_can_be_told_to_stop():
    assert run_repeat(Plan("control", **FAST).repeats()[0], lambda: True) is None


def test_variation_of_information_by_hand():
    a, b = np.array([0, 0, 1, 1]), np.array([5, 7, 5, 7])
    assert variation_of_information(a, a) == pytest.approx(0, abs=1e-12)
    assert variation_of_information(a, b) == pytest.approx(2.0)
    assert variation_of_information(a, np.zeros(4, dtype=int)) == pytest.approx(1.0)


def test_run_goes_on_where_it_was_stopped(tmp_path):
    plan, folder = Plan("control", **FAST), ExperimentFolder(tmp_path / "x")
    folder.open(plan)
    first, second = plan.repeats()
    folder.write(first, run_repeat(first))
    before = folder.table_of(first).read_bytes()
    seen = []
    assert run_experiment(plan, folder, n_processes=1, progress=lambda *step: seen.append(step)) == 1
    assert seen[-1] == (3, 3)
    assert folder.table_of(first).read_bytes() == before
    assert run_experiment(plan, folder) == 0
    results = folder.results(plan)
    assert len(results) == 2 * 3 * 3
    again = run_repeat(second)
    second_rows = results[results.repeat == 1].reset_index(drop=True)
    pd.testing.assert_frame_equal(
        second_rows.drop(columns="seconds"), again.drop(columns="seconds"), rtol=1e-5, check_dtype=False
    )
    assert pd.read_csv(folder.path / "results.csv").equals(results)


def test_workers_do_the_same_repeats(tmp_path):
    plan, seen = Plan("control", **FAST), []
    here, there = ExperimentFolder(tmp_path / "here"), ExperimentFolder(tmp_path / "there")
    for folder in (here, there):
        folder.open(plan)
    run_experiment(plan, here, n_processes=1)
    with ThreadPoolExecutor(2) as pool:
        assert run_experiment(plan, there, progress=lambda *step: seen.append(step), workers=Workers(pool)) == 2
    assert seen[-1] == (6, 6)
    one, other = (folder.results(plan).drop(columns="seconds") for folder in (here, there))
    pd.testing.assert_frame_equal(one, other)


def test_what_a_repeat_raises_is_raised(tmp_path):
    plan, folder = Plan("control", **FAST), ExperimentFolder(tmp_path / "x")
    folder.open(plan)
    folder.tables.rmdir()  # nowhere to write
    with pytest.raises(FileNotFoundError):
        run_experiment(plan, folder, n_processes=1)


def test_interrupting_keeps_what_is_complete(tmp_path, monkeypatch):
    plan, folder = Plan("control", **(FAST | {"n_repeats": 6})), ExperimentFolder(tmp_path / "x")
    folder.open(plan)
    monkeypatch.setattr(runner, "POLL_SECONDS", 0.05)

    def interrupt(n_done, n_steps):
        if n_done >= 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_experiment(plan, folder, n_processes=1, progress=interrupt)
    kept = [repeat for repeat in plan.repeats() if folder.is_done(repeat)]
    assert 1 <= len(kept) < 6
    assert len(folder.results(plan)) == 9 * len(kept)
    assert not multiprocessing.active_children()


def test_folder_of_another_plan_is_refused(tmp_path):
    folder = ExperimentFolder(tmp_path / "x")
    folder.open(Plan("control", **FAST))
    folder.open(Plan("control", **FAST))
    with pytest.raises(RunFolderError, match=r"another n_draws \(5\)"):
        folder.open(Plan("control", **(FAST | {"n_draws": 6})))
    (tmp_path / "y").mkdir()
    (tmp_path / "y" / "notes.txt").write_text("mine")
    with pytest.raises(RunFolderError, match="no experiment"):
        ExperimentFolder(tmp_path / "y").open(Plan("control", **FAST))
    with pytest.raises(RunFolderError, match="done yet"):
        folder.results(Plan("control", **FAST))


def test_an_empty_folder_is_taken(tmp_path):
    (tmp_path / "units").mkdir()
    ExperimentFolder(tmp_path).open(Plan("control", **FAST))
    assert ExperimentFolder(tmp_path).settings()["n_repeats"] == 2


def test_repeats_can_be_added_but_not_taken_away(tmp_path):
    folder = ExperimentFolder(tmp_path / "x")
    folder.open(Plan("control", **FAST))
    begun = folder.settings()["begun"]
    folder.open(Plan("control", **(FAST | {"n_repeats": 3})))
    assert (folder.settings()["n_repeats"], folder.settings()["begun"]) == (3, begun)
    with pytest.raises(RunFolderError, match="3 repeats, more than 2"):
        folder.open(Plan("control", **FAST))


def test_repeats_of_another_version_are_not_mixed(tmp_path, monkeypatch):
    folder = ExperimentFolder(tmp_path / "x")
    folder.open(Plan("control", **FAST))
    monkeypatch.setattr("tetiwd.__version__", "99.0")
    with pytest.raises(RunFolderError, match="another version"):
        folder.open(Plan("control", **FAST))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"n_repeats": 1}, "n_repeats must be"),
        ({"n_draws": 1}, "n_draws must be"),
        ({"methods": ("k-means",)}, "no method 'k-means'"),
        ({"protocols": ("strict",)}, "no protocol 'strict'"),
        ({"seed": -1}, "seed must be"),
    ],
)
def test_bad_plans_are_refused(wrong, words):
    with pytest.raises(SettingsError, match=words):
        Plan("control", **(FAST | wrong))


def test_unknown_design_is_refused():
    with pytest.raises(SettingsError, match=r"no experiment 'easy'.*unequal"):
        design_named("easy")


def test_findings_are_written(tmp_path):
    plan, folder = Plan("control", **FAST), ExperimentFolder(tmp_path / "x")
    folder.open(plan)
    for repeat in plan.repeats():
        folder.write(repeat, run_repeat(repeat))
    write_findings(folder, plan, folder.results(plan))
    names = {path.name for path in folder.path.iterdir()}
    assert {"overview.csv", "paired.csv", "rank_tests.csv", "results.csv", "summary.md"} <= names
    drawn = {path.name for path in (folder.path / "figures").iterdir()}
    assert {f"control-{what}.svg" for what in ("fresh-boxes", "differences", "data", "traces")} <= drawn
    assert "| Ward" in (folder.path / "summary.md").read_text("utf-8")


def test_trace_has_every_sweep_and_ends_near_the_truth():
    plan = Plan("control", **(FAST | {"n_warmup": 30}))
    repeat = plan.repeats()[0]
    trace = trace_of_clusters(simulated(repeat), repeat.effort)
    assert trace.shape == (35, 3)
    assert (trace[-1] == 3).all()
