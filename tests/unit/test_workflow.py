"""One way from data to a run folder with a report; what is expensive is done once on it."""

from collections import Counter
from dataclasses import replace

import pytest

from runs import MODEL, SETTINGS, digest, small_series
from tetiwd import Analysis, Partitions, RunFolderError, load_run, run_chains
from tetiwd.errors import SettingsError
from tetiwd.io.run_folder import RunFolder
from tetiwd.io.settings import RunSettings
from tetiwd.report import Section
from tetiwd.summarize import alignment, lineages
from tetiwd.workflow import Watcher, finish, fit_into, resume, save, start

RUN = RunSettings(model=MODEL, sampler=SETTINGS)


class Diary(Watcher):
    """Writes down what it is told."""

    def __init__(self, stop_at=None):
        self.entries, self.stop_at = [], stop_at

    def before_sampling(self, folder, series, *, resumed):
        self.entries.append(("sampling", folder.path.name, series.n_epochs, resumed))

    def busy(self, doing):
        self.entries.append(doing)
        return super().busy(doing)

    def progress(self, where):
        return self.stop_at is not None and min(chain.n_done for chain in where) >= self.stop_at


def test_what_is_left_open_is_chosen(tmp_path):
    diary = Diary()
    folder = start(tmp_path / "run", small_series(), replace(RUN, model=replace(MODEL, dof="auto")), watcher=diary)
    assert diary.entries == ["Choosing a model"]
    assert folder.hyperparameters().dof != "auto"


def test_a_fit_fills_its_folder(tmp_path):
    diary = Diary()
    analysis = fit_into(tmp_path / "run", small_series(), RUN, remarks=["odd"], inputs={"x": "12"}, watcher=diary)
    assert digest(analysis.sample) == digest(run_chains(small_series(), MODEL, SETTINGS))
    assert diary.entries == [("sampling", "run", 3, False), "Summing up the draws"]  # there is nothing to choose
    folder = RunFolder.open(tmp_path / "run")
    assert folder.status == "complete"
    assert folder.about["inputs"] == {"remarks": ["odd"], "sha256": {"x": "12"}}
    assert (folder.path / "report.html").is_file()
    assert (load_run(folder.path).clustering.flat == analysis.clustering.flat).all()
    with pytest.raises(RunFolderError, match="already holds a run"):
        fit_into(tmp_path / "run", small_series(), RUN)


def test_an_interrupted_fit_goes_on_where_it_was(tmp_path):
    slow = replace(RUN, sampler=replace(SETTINGS, n_draws=4000, anneal=None))
    first = fit_into(tmp_path / "run", small_series(), slow, watcher=Diary(stop_at=SETTINGS.n_warmup + 10))
    assert not first.sample.complete
    assert RunFolder.open(tmp_path / "run").status == "stopped"
    diary = Diary(stop_at=0)
    again = resume(tmp_path / "run", watcher=diary)
    assert diary.entries[:2] == ["Reading", ("sampling", "run", 3, True)]
    assert len(again.sample.draws[0]) >= len(first.sample.draws[0])


def test_a_run_that_is_stopped_at_once_has_no_answer(tmp_path):
    slow = replace(RUN, sampler=replace(SETTINGS, n_warmup=5000, n_draws=1000))
    assert fit_into(tmp_path / "run", small_series(), slow, watcher=Diary(stop_at=0)) is None
    assert RunFolder.open(tmp_path / "run").status == "stopped"


def test_a_run_that_ended_by_itself_can_be_extended(tmp_path):
    until_agreed = replace(SETTINGS, n_draws=None, thin=1)
    first = fit_into(tmp_path / "run", small_series(), replace(RUN, sampler=until_agreed)).sample
    about = RunFolder.open(tmp_path / "run").about
    n = len(first.draws[0])
    assert first.ended == about["run"]["ended"] == "agreed"
    assert (about["run"]["n_draws"], about["run"]["n_discarded"]) == (n, first.n_discarded)
    assert digest(load_run(tmp_path / "run").sample) == digest(first)
    assert digest(resume(tmp_path / "run").sample) == digest(first)  # nothing is left to do
    for refused in ({"n_draws": n - 1}, {"max_draws": until_agreed.max_draws - 1}):
        with pytest.raises(SettingsError, match="is less than the"):
            resume(tmp_path / "run", **refused)
    longer = resume(tmp_path / "run", n_draws=n + 90).sample
    fixed = replace(until_agreed, n_draws=n + 90, n_discarded=(n + 90) // 3)
    assert (longer.settings, longer.ended, longer.n_discarded) == (fixed, "fixed", (n + 90) // 3)
    assert digest(longer) == digest(run_chains(small_series(), MODEL, fixed))
    with pytest.raises(SettingsError, match=f"max_draws has no meaning for this run, which has {n + 90} draws"):
        resume(tmp_path / "run", max_draws=10**6)


def test_a_budget_can_be_raised(tmp_path):
    tight = replace(SETTINGS, n_draws=None, max_draws=40)
    short = fit_into(tmp_path / "run", small_series(), replace(RUN, sampler=tight)).sample
    assert (short.ended, RunFolder.open(tmp_path / "run").status) == ("draws", "complete")
    longer = resume(tmp_path / "run", max_draws=1500, max_minutes=30).sample
    assert longer.settings == replace(tight, max_draws=1500, max_minutes=30)
    assert digest(longer) == digest(run_chains(small_series(), MODEL, replace(tight, max_draws=1500)))
    assert len(longer.draws[0]) > 30


def test_guests_prepare_the_folder_and_add_to_the_report(tmp_path):
    folder = start(tmp_path / "run", small_series(), RUN, attached=["guest"])
    folder.attach("guest")
    finish(folder, small_series(), sections=[Section("guest", "From a guest", "<p>Good evening.</p>")])
    assert "Good evening." in (tmp_path / "run" / "report.html").read_text("utf-8")
    assert (tmp_path / "run" / "guest").is_dir()


def test_draws_are_converted_once_and_aligned_twice(tmp_path, monkeypatch):
    """Once for the links of the point estimate, once for all answers; pictures and the report need no more."""
    calls = Counter()

    def counted(owner, name):
        original = getattr(owner, name)

        def count(*arguments):
            calls[name] += 1
            return original(*arguments)

        monkeypatch.setattr(owner, name, count)

    counted(Partitions, "of_draws")
    counted(alignment.Alignment, "__init__")
    counted(lineages.Lineages, "_link")
    analysis = Analysis(run_chains(small_series(), MODEL, SETTINGS))
    save(analysis, tmp_path / "run")
    assert analysis.backtest is not None
    assert calls["of_draws"] == 1
    assert calls["__init__"] == 2
    assert calls["_link"] == len(analysis.lineages.links())
