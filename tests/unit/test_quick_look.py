"""The folder of a quick look, and the run that goes on from it."""

import tomllib
from contextlib import nullcontext

import pandas as pd
import pytest

from runs import MODEL, digest, small_series
from tetiwd import SamplerSettings, load_run, run_chains, workflow
from tetiwd.errors import RunFolderError, SettingsError
from tetiwd.io.run_folder import RunFolder
from tetiwd.io.settings import RunSettings
from tetiwd.mode import find_mode
from tetiwd.mode_analysis import ModeAnalysis
from tetiwd.params import AnswerSettings
from tetiwd.quick_look import look_into, save_mode

SETTINGS = RunSettings(model=MODEL, sampler=SamplerSettings(n_chains=2, seed=5))
FILES = {"checkpoint", "data.nc", "labels.csv", "lineages.csv", "lineages.svg", "report.html", "run.toml"}


def about(folder):
    return tomllib.loads((folder / "run.toml").read_text("utf-8"))["run"]


class Stop(workflow.Watcher):
    """Stops at the first report."""

    @staticmethod
    def progress(where):
        return True


def test_the_folder_holds_one_clustering_and_nothing_about_a_posterior(tmp_path):
    analysis = look_into(tmp_path / "run", small_series(), SETTINGS)
    assert {file.name for file in (tmp_path / "run").iterdir()} == FILES
    assert about(tmp_path / "run")["status"] == "mode"
    assert about(tmp_path / "run")["mode"]["log_joint"] == analysis.mode.log_joint
    labels = pd.read_csv(tmp_path / "run" / "labels.csv")
    assert labels.lineage.tolist() == analysis.clustering.flat.tolist()
    assert labels.certainty.between(0, 1).all()
    assert labels.certainty.nunique() > 1
    with pytest.raises(RunFolderError, match=r"holds a quick look, which has no draws; .* tetiwd resume"):
        load_run(tmp_path / "run")


def test_a_choice_is_told_only_if_there_is_one(tmp_path):
    told = []

    class Listens(workflow.Watcher):
        def busy(self, doing):
            told.append(doing)
            return nullcontext()

    look_into(tmp_path / "given", small_series(), SETTINGS, watcher=Listens())
    assert told == ["Drawing figures"]
    look_into(tmp_path / "open", small_series(), RunSettings(sampler=SETTINGS.sampler), watcher=Listens())
    assert told == ["Drawing figures", "Choosing a model", "Drawing figures"]


def test_resuming_it_gives_the_run_that_there_would_have_been(tmp_path):
    look_into(tmp_path / "run", small_series(), SETTINGS)
    folder = RunFolder.open(tmp_path / "run")
    folder.about["sampler"]["n_draws"] = 12  # as if that were the default
    with folder.working():
        pass
    assert workflow.resume(tmp_path / "run").sample.complete
    as_long = SamplerSettings(n_chains=2, seed=5, n_warmup=SETTINGS.sampler.n_warmup, n_draws=12)
    whole = run_chains(small_series(), MODEL, as_long)
    assert digest(load_run(tmp_path / "run").sample) == digest(whole)
    assert about(tmp_path / "run")["status"] == "complete"
    assert "mode" not in about(tmp_path / "run")
    assert "A quick look" not in (tmp_path / "run" / "report.html").read_text("utf-8")
    assert (tmp_path / "run" / "events.csv").is_file()


def test_nothing_is_lost_if_the_run_is_interrupted_before_it_has_draws(tmp_path):
    look_into(tmp_path / "run", small_series(), SETTINGS)
    before = {name: (tmp_path / "run" / name).read_bytes() for name in ("labels.csv", "report.html")}
    assert workflow.resume(tmp_path / "run", watcher=Stop()) is None
    assert {name: (tmp_path / "run" / name).read_bytes() for name in before} == before
    assert about(tmp_path / "run")["status"] == "stopped"
    assert "mode" in about(tmp_path / "run")
    with pytest.raises(RunFolderError, match="holds a quick look"):
        load_run(tmp_path / "run")


def test_a_look_that_is_interrupted_can_go_on_as_a_run(tmp_path):
    assert look_into(tmp_path / "run", small_series(), SETTINGS, watcher=Stop()) is None
    assert about(tmp_path / "run")["status"] == "stopped"
    assert (tmp_path / "run" / "checkpoint" / "chain-1.checkpoint").is_file()
    assert not (tmp_path / "run" / "report.html").exists()


def test_settings_without_effect_are_refused_before_anything_is_written(tmp_path):
    for wrong in (RunSettings(sampler=SamplerSettings(n_draws=9)), RunSettings(answers=AnswerSettings(level=0.5))):
        with pytest.raises(SettingsError, match="has no effect"):
            look_into(tmp_path / "run", small_series(), wrong)
    assert not (tmp_path / "run").exists()


def test_a_mode_found_in_memory_can_be_saved(tmp_path):
    analysis = ModeAnalysis(find_mode(small_series(), MODEL, SETTINGS.sampler))
    save_mode(analysis, tmp_path / "run")
    assert {file.name for file in (tmp_path / "run").iterdir()} == FILES - {"checkpoint"}
    with pytest.raises(RunFolderError, match="already holds a run"):
        save_mode(analysis, tmp_path / "run")
