"""``tetiwd notes`` as a user types it."""

import sys

import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score
from typer.testing import CliRunner

from tetiwd.cli import app
from tetiwd.io.run_folder import RunFolder
from tetiwd.notes.synthetic import synthetic_notes

SHORT = ["--chains", "1", "--warmup", "60", "--draws", "40", "--threads", "1"]
COLUMNS = ["--id", "patient", "--outcome", "died"]


def tetiwd(*args, code=0):
    result = CliRunner().invoke(app, [str(arg) for arg in args])
    assert result.exit_code == code, result.output
    return result


@pytest.fixture(scope="module")
def play(tmp_path_factory):
    """Synthetic notes, their run, and what was planted."""
    folder = tmp_path_factory.mktemp("notes")
    made = synthetic_notes(3, n_by_window=(90, 60, 50), n_groups=4)
    made.table.to_csv(folder / "notes.csv", index=False)
    result = tetiwd("notes", folder / "notes.csv", *COLUMNS, *SHORT, "--out", folder / "run")
    return folder, made, result


def test_groups_births_and_deaths_are_found(play):
    folder, made, _ = play
    labels = pd.read_csv(folder / "run" / "labels.csv")
    both = labels.merge(made.truth, left_on=["id", "time"], right_on=["patient", "window"])
    assert len(both) == 200
    scores = [adjusted_rand_score(rows.group, rows.lineage) for _, rows in both.groupby("window")]
    assert sum(scores) / 3 >= 0.9
    main = both.groupby("lineage").group.agg(lambda groups: groups.mode()[0])
    events = {
        (row.event, main[int(row.lineage)])
        for row in pd.read_csv(folder / "run" / "events.csv").itertuples()
        if row.event in ("born", "died") and row.time != 1
    }
    assert {(row.event, row.group) for row in made.events.itertuples()} <= events


def test_report_says_synthetic_and_shows_neither_ids_nor_sentences(play):
    folder, made, result = play
    page = (folder / "run" / "report.html").read_text("utf-8")
    assert "synthetic" in page.lower()
    assert "synthetic-0001" not in page
    sentence = max(made.table.text.iloc[0].replace("\n", ". ").split(". "), key=len)
    assert sentence not in page
    assert "notes of" in result.stderr


def test_report_can_be_made_again_with_more(play, tmp_path):
    folder, _, _ = play
    tetiwd("report", folder / "run", "--out", tmp_path / "all.html", "--show-ids", "--show-text")
    page = (tmp_path / "all.html").read_text("utf-8")
    assert "synthetic-0001" in page
    assert len(page) > len((folder / "run" / "report.html").read_text("utf-8"))


def test_resuming_keeps_the_notes_on_the_report(play):
    folder, _, _ = play
    before = (folder / "run" / "report.html").read_text("utf-8")
    tetiwd("resume", folder / "run", "--draws", "60", "--threads", "1")
    after = (folder / "run" / "report.html").read_text("utf-8")
    assert "Objects were compared by their notes" in before
    assert "Objects were compared by their notes" in after


def test_nothing_is_overwritten_unasked(play):
    folder, _, _ = play
    before = (folder / "run" / "labels.csv").read_bytes()
    result = tetiwd("notes", folder / "notes.csv", *COLUMNS, *SHORT, "--out", folder / "run", code=6)
    assert "already holds a run" in result.stderr
    assert (folder / "run" / "labels.csv").read_bytes() == before


def test_stages_are_not_made_again_after_a_crash(play, tmp_path):
    folder, _, _ = play
    out = tmp_path / "run"
    (out / "notes").mkdir(parents=True)
    for stage in (folder / "run" / "notes").iterdir():
        if stage.is_dir():
            stage_copy = out / "notes" / stage.name
            stage_copy.mkdir()
            for file in stage.iterdir():
                (stage_copy / file.name).write_bytes(file.read_bytes())
    RunFolder(out).attach("notes")
    result = tetiwd("notes", folder / "notes.csv", *COLUMNS, *SHORT, "--out", out)
    assert "kept from before" in result.stderr
    assert (out / "labels.csv").is_file()


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ("id,date,text\n", "no rows"),
        ("id,day,text\na,2011-01-01,Fine.\n", "no column 'date'"),
        ("id,date,text\na,,Fine.\nb,never,Fine.\n", "--date-format"),
    ],
)
def test_bad_tables_are_refused_and_leave_nothing(rows, words, tmp_path):
    (tmp_path / "n.csv").write_text(rows)
    result = tetiwd("notes", tmp_path / "n.csv", "--out", tmp_path / "run", code=3)
    assert words in result.stderr
    assert not (tmp_path / "run").exists()


def test_without_the_extra_it_says_how_to_install_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "igraph", None)
    (tmp_path / "n.csv").write_text("id,date,text\na,2011-01-01,Fine.\n")
    result = tetiwd("notes", tmp_path / "n.csv", code=4)
    assert 'pip install "tetiwd[text]"' in result.stderr


def test_simulated_notes_are_labelled_synthetic(tmp_path):
    result = tetiwd("simulate", "--design", "notes", "--out", tmp_path / "play")
    assert "synthetic notes" in result.stdout
    table = pd.read_csv(tmp_path / "play" / "notes.csv")
    assert (table.note_source == "synthetic").all()
    assert table.patient.str.startswith("synthetic-").all()
