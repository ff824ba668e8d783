"""What a user types, what comes back, and what is in the folder afterwards."""

import errno
import json
import os
import pty
import re
import resource
import select
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from typer.testing import CliRunner

from reference import rng_for
from tetiwd import SamplerSettings, TeTiWD, load_run, outcomes_by_lineage
from tetiwd.backtesting import Case
from tetiwd.cli import app

ROOT = Path(__file__).parents[2]
QUICK = ["--chains", "2", "--warmup", "60", "--draws", "60"]
IN_FOLDER = {
    "run.toml",
    "resolution.json",
    "data.nc",
    "results.nc",
    "labels.csv",
    "lineages.csv",
    "links.csv",
    "events.csv",
    "forecast.csv",
    "growth.csv",
    "markers.csv",
    "prototypes.csv",
    "transitions.csv",
    "diagnostics.json",
    "lineages.svg",
    "report.html",
    "checkpoint",
}


def tetiwd(*words, code=0):
    """Run a command in this process; its output."""
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == code, (result.exit_code, result.output, result.exception)
    return result


def program(*words):
    """The command for a process of its own, which heeds all signals even if these tests run under nohup."""
    heed = "import signal; signal.signal(signal.SIGHUP, signal.SIG_DFL)"
    command = [sys.executable, "-c", f"{heed}; from tetiwd.cli import main; main()", *map(str, words)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """A table of three clusters over three years, some objects in several of them."""
    rng = rng_for(5)
    parts = []
    for year in (2001, 2002, 2003):
        truth = rng.integers(3, size=25)
        X = 8.0 * np.eye(3)[truth] + rng.standard_normal((25, 3))
        part = pd.DataFrame(X, columns=["weight", "height", "age"])
        part.insert(0, "year", year)
        part.insert(0, "patient", [f"p{c}{i:02d}" for i, c in enumerate(truth)])
        parts.append(part)
    file = tmp_path_factory.mktemp("data") / "patients.csv"
    pd.concat(parts).to_csv(file, index=False)
    return file


@pytest.fixture(scope="module")
def run(table):
    """A finished run on that table."""
    folder = table.parent / "run"
    tetiwd("fit", table, "--id", "patient", "--time", "year", *QUICK, "--out", folder, "--quiet")
    return folder


def test_fit_writes_a_folder_that_others_can_read(run, table):
    assert {path.name for path in run.iterdir()} == IN_FOLDER
    about = tomllib.loads((run / "run.toml").read_text("utf-8"))
    assert about["run"]["status"] == "complete"
    assert about["sampler"]["n_draws"] == 60
    assert len(about["resolved"]["dof"]) == 3
    assert re.fullmatch("[0-9a-f]{64}", about["inputs"]["sha256"][str(table)])
    labels = pd.read_csv(run / "labels.csv")
    assert len(labels) == 75
    assert labels.columns.tolist()[:5] == ["time", "object", "id", "lineage", "certainty"]
    with xr.open_datatree(run / "results.nc", engine="h5netcdf") as tree:
        assert tree["posterior"]["labels"].shape == (2, 60, 75)
        assert tree["posterior"]["n_clusters"].dims == ("chain", "draw", "time")
        assert tree["constant_data"]["object_id"].to_numpy()[0] == labels.id[0]
    diagnostics = json.loads((run / "diagnostics.json").read_text("utf-8"))
    assert {"verdict", "converged", "quantities"} <= set(diagnostics)
    assert pd.read_csv(run / "lineages.csv")["size at 2002"].sum() == 25
    assert pd.read_csv(run / "forecast.csv").expected.sum() == pytest.approx(1, abs=1e-5)
    assert origin_of(run) in (run / "report.html").read_text("utf-8")


def origin_of(run):
    """What the head of a page says about data and day."""
    day = tomllib.loads((run / "run.toml").read_text("utf-8"))["run"]["started"][:10]
    return f'<p class="origin"><bdi>patients.csv</bdi> · <bdi>{day}</bdi></p>'


def test_no_ids_in_the_report(run):
    page = (run / "report.html").read_text("utf-8")
    ids = pd.read_csv(run / "labels.csv").id
    assert not [own for own in ids if re.search(rf"\b{own}\b", re.sub('"data:[^"]*"', "", page))]


def test_python_and_the_command_line_agree(run, table):
    data = pd.read_csv(table)
    settings = SamplerSettings(n_chains=2, n_warmup=60, n_draws=60)
    model = TeTiWD(settings=settings).fit(data[["weight", "height", "age"]], time=data.year, ids=data.patient)
    assert (pd.read_csv(run / "labels.csv").lineage.to_numpy() == model.labels_).all()


def test_fit_says_what_it_found(table, tmp_path):
    result = tetiwd("fit", table, "--id", "patient", "--time", "year", *QUICK, "--out", tmp_path / "run")
    assert "3 lineages in all" in result.stdout
    assert "Lineages 0, 1 and 2 are present at all times." in result.stdout
    assert "report.html" in result.stdout
    assert "done" in result.stderr  # progress does not get into the output


def test_json_is_json_and_nothing_else(table, run, tmp_path):
    words = ["fit", table, "--id", "patient", "--time", "year", *QUICK, "--out", tmp_path / "run", "--json"]
    found = json.loads(tetiwd(*words).stdout)
    assert found["complete"]
    assert [row["clusters"] for row in found["clusters"]] == [3, 3, 3]
    assert json.loads(tetiwd("summarize", run, "--json").stdout)["lineages"] == found["lineages"]


def test_quiet_is_quiet(table, tmp_path):
    result = tetiwd("fit", table, "--time", "year", "--id", "patient", *QUICK, "--out", tmp_path / "run", "--quiet")
    assert result.stdout == ""
    verdict = json.loads((tmp_path / "run" / "diagnostics.json").read_text("utf-8"))
    assert result.stderr == ("" if verdict["converged"] else f"Warning: {verdict['verdict']}\n")


def test_settings_from_a_file_and_by_hand(table, tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text('[model]\nxi = {shape = 2.0, scale = 0.5}\n[sampler]\nn_draws = 40\n[data]\ntime = "year"\n')
    by_hand = "--set model.df_A=150 --set answers.loss=binder --at-most median --draws 30"
    given = ["--settings", file, *by_hand.split()]
    tetiwd("fit", table, *given, "--id", "patient", "--chains", "1", "--warmup", "20", "--out", tmp_path / "run", "-q")
    about = tomllib.loads((tmp_path / "run" / "run.toml").read_text("utf-8"))
    assert about["model"]["xi"] == {"shape": 2.0, "scale": 0.5}
    assert about["model"]["df_A"] == 150
    assert about["answers"]["loss"] == "binder"
    assert about["answers"]["at_most"] == "median"
    assert about["sampler"]["n_draws"] == 30  # options win over the file
    again = ["--settings", tmp_path / "run" / "run.toml", "--out", tmp_path / "again", "-q"]
    tetiwd("fit", table, *again)  # run.toml is a file of settings, too
    same = [(tmp_path / name / "labels.csv").read_bytes() for name in ("run", "again")]
    assert same[0] == same[1]


def test_what_is_there_is_not_overwritten_unasked(run, table, tmp_path):
    before = {path: path.read_bytes() for path in run.iterdir() if path.is_file()}
    words = ["fit", table, "--id", "patient", "--time", "year", *QUICK]
    assert "already holds a run" in tetiwd(*words, "--out", run, code=6).stderr
    assert {path: path.read_bytes() for path in run.iterdir() if path.is_file()} == before
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.docx").write_text("years of work")
    assert "holds no run" in tetiwd(*words, "--out", mine, "--overwrite", code=6).stderr
    assert [path.name for path in mine.iterdir()] == ["thesis.docx"]
    assert "is there already" in tetiwd("report", run, code=6).stderr


def test_overwriting_when_asked(table, tmp_path):
    words = [
        "fit",
        table,
        "--id",
        "patient",
        "--time",
        "year",
        "--chains",
        "1",
        "--warmup",
        "20",
        "--out",
        tmp_path / "run",
    ]
    tetiwd(*words, "--draws", "20", "-q")
    (tmp_path / "run" / "note.txt").write_text("mine")
    tetiwd(*words, "--draws", "10", "-q", "--overwrite")
    assert tomllib.loads((tmp_path / "run" / "run.toml").read_text("utf-8"))["sampler"]["n_draws"] == 10
    assert (tmp_path / "run" / "note.txt").read_text() == "mine"


INTERRUPTED = """
import typer
from tetiwd.cli.command import command

@command()
def define_a_class():
    exec("raise KeyboardInterrupt")

app = typer.Typer()
app.command()(define_a_class)
app()
"""


def test_the_exit_code_is_ours_even_if_python_was_executing_a_string(tmp_path):
    (tmp_path / "interrupted.py").write_text(INTERRUPTED, encoding="utf-8")  # dataclasses are made by exec, too
    ended = subprocess.run([sys.executable, "-m", "interrupted"], cwd=tmp_path, capture_output=True, text=True)
    assert (ended.returncode, ended.stderr.strip()) == (130, "Stopped.")


LONG = ["--id", "patient", "--time", "year", "--chains", "2", "--warmup", "100", "--draws", "1500"]


@pytest.fixture(scope="module")
def whole(table):
    """A run that nobody interrupted."""
    folder = table.parent / "whole"
    tetiwd("fit", table, *LONG, "--out", folder, "-q")
    return folder


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_killed_and_resumed_gives_the_same_folder(how, table, whole, tmp_path):
    folder = tmp_path / "cut"
    fit = program("fit", table, *LONG, "--out", folder, "-q", "--checkpoint-seconds", "0.2")
    deadline = time.monotonic() + 120
    while not (folder / "checkpoint" / "chain-1.checkpoint").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    fit.send_signal(how)
    code = fit.wait(120)
    assert code == (-how if how == signal.SIGKILL else 130)
    status = tomllib.loads((folder / "run.toml").read_text("utf-8"))["run"]["status"]
    assert status == ("running" if how == signal.SIGKILL else "stopped")
    assert not (folder / "forecast.csv").exists() or how != signal.SIGKILL
    tetiwd("resume", folder, "-q")
    for name in IN_FOLDER - {"run.toml", "checkpoint", "data.nc", "results.nc"}:
        assert (folder / name).read_bytes() == (whole / name).read_bytes(), name
    with (
        xr.open_datatree(folder / "results.nc", engine="h5netcdf") as cut,
        xr.open_datatree(whole / "results.nc", engine="h5netcdf") as uncut,
    ):
        xr.testing.assert_identical(cut.load(), uncut.load())


def test_a_terminal_that_closes_leaves_a_run_that_was_stopped(table, tmp_path):
    """The signal comes from the system, and nothing can be written to the terminal any more."""
    here, there = pty.openpty()
    own = "import fcntl, signal, termios; signal.signal(signal.SIGHUP, signal.SIG_DFL); "
    own += "fcntl.ioctl(1, termios.TIOCSCTTY, 0); from tetiwd.cli import main; main()"
    words = ["fit", table, *LONG, "--out", tmp_path / "run", "--checkpoint-seconds", "0.2"]
    command = [sys.executable, "-c", own, *map(str, words)]
    fit = subprocess.Popen(command, stdin=there, stdout=there, stderr=there, start_new_session=True)
    os.close(there)
    deadline = time.monotonic() + 120
    while not (tmp_path / "run" / "checkpoint" / "chain-1.checkpoint").exists() and time.monotonic() < deadline:
        if select.select([here], [], [], 0.02)[0]:
            os.read(here, 1 << 16)
    os.close(here)
    assert fit.wait(120) == 130
    assert tomllib.loads((tmp_path / "run" / "run.toml").read_text("utf-8"))["run"]["status"] == "stopped"


def test_resuming_a_complete_run_says_so(whole, tmp_path):
    shutil.copytree(whole, tmp_path / "run")
    told = tetiwd("resume", tmp_path / "run")
    assert "This run is complete: its answers are written again." in told.stderr
    assert (tmp_path / "run" / "labels.csv").read_bytes() == (whole / "labels.csv").read_bytes()


def test_nobody_writes_into_a_folder_that_is_being_written(table, tmp_path):
    words = ["fit", table, "--id", "patient", "--time", "year", "--chains", "1", "--warmup", "20", "--draws", "20"]
    tetiwd(*words, "--out", tmp_path / "run", "-q")
    holding = "import sys\nfrom pathlib import Path\nfrom tetiwd.io.folder_lock import writing_into\n"
    holding += "with writing_into(Path(sys.argv[1])): print('held', flush=True); input()"
    command = [sys.executable, "-c", holding, tmp_path / "run"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"held\n"
        says = f"process {other.pid} is writing into"
        assert says in tetiwd("resume", tmp_path / "run", "--draws", "30", code=6).stderr
        assert says in tetiwd(*words, "--out", tmp_path / "run", "--overwrite", code=6).stderr
        other.kill()
    (tmp_path / "run" / "writing.pid").write_text("1")  # the number of a killed process belongs to another one now
    tetiwd("resume", tmp_path / "run", "--draws", "30", "-q")
    assert not (tmp_path / "run" / "writing.pid").exists()


def test_draws_of_other_data_are_refused(run, table, tmp_path):
    shutil.copytree(run, tmp_path / "mixed")
    words = [
        "fit",
        table,
        "--time",
        "year",
        "--columns",
        "weight, age",
        "--chains",
        "1",
        "--warmup",
        "5",
        "--draws",
        "5",
    ]
    tetiwd(*words, "--out", tmp_path / "other", "-q")
    shutil.copy(tmp_path / "other" / "data.nc", tmp_path / "mixed" / "data.nc")
    assert "the draws are not about these data" in tetiwd("summarize", tmp_path / "mixed", code=6).stderr


def test_what_was_left_out_is_written_down(table, tmp_path):
    data = pd.read_csv(table)
    data.loc[3, "age"] = np.nan
    data.to_csv(tmp_path / "gap.csv", index=False)
    words = ["fit", tmp_path / "gap.csv", "--id", "patient", "--time", "year", "--drop-missing", "--chains", "1"]
    tetiwd(*words, "--warmup", "5", "--draws", "5", "--out", tmp_path / "run", "-q")
    notes = json.loads((tmp_path / "run" / "diagnostics.json").read_text("utf-8"))["remarks"]
    assert any("left out 1 of 75 rows with missing values" in note for note in notes)


def test_labels_of_times_are_written_whole(tmp_path):
    rng = rng_for(6)
    X = rng.standard_normal((20, 2))
    data = pd.DataFrame({"when": [2014.6253, 2014.6271] * 10, "a": X[:, 0], "b": X[:, 1]})
    data.to_csv(tmp_path / "t.csv", index=False)
    words = ["fit", tmp_path / "t.csv", "--time", "when", "--chains", "1", "--warmup", "5", "--draws", "5"]
    shown = tetiwd(*words, "--out", tmp_path / "run").stdout
    assert pd.read_csv(tmp_path / "run" / "labels.csv").time.unique().tolist() == [2014.6253, 2014.6271]
    assert "2014.6253" in shown
    assert "2014.63" not in shown


def test_a_finished_run_can_be_extended(table, tmp_path):
    words = ["--id", "patient", "--time", "year", "--chains", "1", "--warmup", "20"]
    tetiwd("fit", table, *words, "--draws", "20", "--out", tmp_path / "run", "-q")
    tetiwd("resume", tmp_path / "run", "--draws", "50", "-q")
    tetiwd("fit", table, *words, "--draws", "50", "--out", tmp_path / "whole", "-q")
    same = [(tmp_path / name / "labels.csv").read_bytes() for name in ("run", "whole")]
    assert same[0] == same[1]
    assert tomllib.loads((tmp_path / "run" / "run.toml").read_text("utf-8"))["sampler"]["n_draws"] == 50


def test_a_run_without_a_length_says_why_it_ended(table, tmp_path):
    words = ["fit", table, "--id", "patient", "--time", "year", "--chains", "2", "--out", tmp_path / "run"]
    short = tetiwd(*words, "--max-draws", "20", "--strict", code=8)
    assert "because the budget of draws was used up" in " ".join(short.stdout.split())
    assert int(re.search(r"--max-draws (\d+)", short.stdout)[1]) in [20 * 2**doublings for doublings in range(1, 20)]
    assert (
        "because its time was up" in tetiwd("resume", tmp_path / "run", "--minutes", "0.0001", "--draws", "9999").stdout
    )
    long = json.loads(tetiwd(*words, "--overwrite", "--json").stdout)
    assert (long["ended"], long["converged"]) == ("agreed", True)
    told = json.loads((tmp_path / "run" / "diagnostics.json").read_text("utf-8"))
    assert (told["ended"], told["n_discarded"]) == ("agreed", (told["n_draws"] + told["n_discarded"]) // 4)
    assert "Sampling ended when the MCMC chains agreed" in (tmp_path / "run" / "report.html").read_text("utf-8")


def test_summarize_with_another_loss(run):
    assert "3 lineages in all" in tetiwd("summarize", run).stdout
    assert "3 lineages in all" in tetiwd("summarize", run, "--loss", "binder", "--links", "model").stdout
    few = json.loads(tetiwd("summarize", run, "--loss", "ari", "--at-most", "2", "--links", "model", "--json").stdout)
    assert [row["clusters"] for row in few["clusters"]] == [2, 2, 2]


def test_report_elsewhere(run, tmp_path):
    out = tmp_path / "page.html"
    assert f"Wrote {out}." in tetiwd("report", run, "--out", out).stdout
    assert "<svg" in out.read_text("utf-8")
    assert origin_of(run) in out.read_text("utf-8")


def test_report_with_outcomes_figures_and_ids(run, tmp_path):
    ids = sorted(set(pd.read_csv(run / "labels.csv").id))
    table = pd.DataFrame({"patient": ids, "relapse": [int(own.startswith("p1")) for own in ids]})
    table.to_csv(tmp_path / "outcomes.csv", index=False)
    out, figures = tmp_path / "page.html", tmp_path / "figures"
    words = ["report", run, "--out", out, "--outcomes", tmp_path / "outcomes.csv", "--id", "patient"]
    tetiwd(*words, "--figures", figures, "--show-ids")
    page = out.read_text("utf-8")
    assert "relapse" in page
    assert ids[0] in page
    assert {path.suffix for path in figures.iterdir()} == {".svg", ".png", ".pdf"}
    assert "outcomes.svg" in {path.name for path in figures.iterdir()}
    (tmp_path / "outcomes.csv").write_text("patient,relapse\np100,perhaps\n")
    assert "'perhaps' is neither yes nor no" in tetiwd(*words, "--overwrite", code=3).stderr


@pytest.mark.parametrize(("level", "words"), [(0.9, []), (0.5, ["--level", "0.5"])])
def test_intervals_of_outcomes_have_the_level_of_the_answers(run, tmp_path, level, words):
    ids = sorted(set(pd.read_csv(run / "labels.csv").id))
    relapse = {own: i % 3 == 0 for i, own in enumerate(ids)}
    pd.DataFrame({"patient": ids, "relapse": [int(own) for own in relapse.values()]}).to_csv(
        tmp_path / "outcomes.csv", index=False
    )
    out = tmp_path / "page.html"
    tetiwd("report", run, "--out", out, "--outcomes", tmp_path / "outcomes.csv", "--id", "patient", *words)
    page = out.read_text("utf-8")
    assert f"With {level:.0%} credible intervals." in page
    assert f"Lower end of the {level:.0%} credible interval." in page
    _, table = page.split('data-table="outcomes"')
    rows = re.findall(r"<tr data-lineage.*?</tr>", table.split("</table>")[0], re.DOTALL)
    told = [re.findall(r"<td[^>]*>([^<]*)</td>", row)[-4:-1] for row in rows]
    rates = outcomes_by_lineage(load_run(run).alignment, relapse, name="relapse", level=level).table()
    assert told == [[f"{row.rate:.0%}", f"{row.lower:.0%}", f"{row.upper:.0%}"] for row in rates.itertuples()]


def test_predict_from_features(run, tmp_path):
    new = tmp_path / "new.csv"
    new.write_text("patient,age,weight,height\nx1,0,8,0\nx2,8,0,0\nx3,90,90,90\n")
    found = tetiwd("predict", run, new, "--out", tmp_path / "found.csv").stdout
    assert "Wrote" in found
    table = pd.read_csv(tmp_path / "found.csv")
    labels = pd.read_csv(run / "labels.csv").set_index("id").lineage
    lineage_of = {cluster: labels[labels.index.str.startswith(f"p{cluster}")].iloc[0] for cluster in (0, 1, 2)}
    assert table.id.tolist() == ["x1", "x2", "x3"]
    assert table.best.tolist() == [lineage_of[0], lineage_of[2], -1]
    printed = json.loads(tetiwd("predict", run, new, "--json", "--at", "2001").stdout)
    assert [row["best"] for row in printed] == table.best.tolist()


def test_predict_from_distances(tmp_path):
    rng = rng_for(8)
    truth = np.arange(24) % 3
    X = 8.0 * np.eye(3)[truth] + rng.standard_normal((24, 3))
    D = np.sqrt(((X[:, None] - X[None]) ** 2).sum(-1))
    np.savez(tmp_path / "d.npz", D_2001=D[:20, :20], D_2002=D[:18, :18])
    np.save(tmp_path / "new.npy", D[20:, :18])
    run = tmp_path / "run"
    tetiwd("fit", tmp_path / "d.npz", "--plain", *QUICK, "--out", run, "-q")
    found = json.loads(tetiwd("predict", run, tmp_path / "new.npy", "--json").stdout)
    labels = pd.read_csv(run / "labels.csv")
    home = labels[labels.time == 2002].lineage.tolist()[:3]
    assert [row["best"] for row in found] == [home[c] for c in truth[20:]]
    assert "has 20 objects, so (m, 20)" in tetiwd("predict", run, tmp_path / "new.npy", "--at", "2001", code=3).stderr
    assert (
        "there is no time '1999'; there are 2001, 2002"
        in tetiwd("predict", run, tmp_path / "new.npy", "--at", "1999", code=4).stderr
    )


def test_predict_by_position_is_not_silent(tmp_path):
    rng = rng_for(8, 1)
    X = 8.0 * np.eye(3)[np.arange(15) % 3] + rng.standard_normal((15, 3))
    D = np.sqrt(((X[:, None] - X[None]) ** 2).sum(-1))
    names = [f"o{i}" for i in range(12)]
    pd.DataFrame(D[:12, :12], index=names, columns=names).to_csv(tmp_path / "d.csv")
    tetiwd("fit", tmp_path / "d.csv", "--plain", *QUICK, "--out", tmp_path / "run", "-q")
    pd.DataFrame(D[12:, :12], columns=names).to_csv(tmp_path / "named.csv", index=False)
    pd.DataFrame(D[12:, :12], columns=list("abcdefghijkl")).to_csv(tmp_path / "other.csv", index=False)
    named, other = (tetiwd("predict", tmp_path / "run", tmp_path / f"{how}.csv") for how in ("named", "other"))
    assert named.stdout == other.stdout
    assert named.stderr == ""
    assert other.stderr.startswith("Warning: no column is named after an object, so column 1 is taken for 'o0'")


def test_predict_from_sequences(tmp_path):
    rng = rng_for(8, 2)
    letters = np.array(list("ACGT"))
    kinds = rng.integers(4, size=(2, 80))
    texts = [np.where(rng.random(80) < 0.05, rng.integers(4, size=80), kinds[i % 2]) for i in range(23)]
    lines = [f">s{i}|{2001 + i % 3 // 2}\n{''.join(letters[text])}\n" for i, text in enumerate(texts)]
    (tmp_path / "old.fasta").write_text("".join(lines[:20]))
    tetiwd("fit", tmp_path / "old.fasta", "--by", "year", *QUICK, "--out", tmp_path / "run", "-q")
    (tmp_path / "both.fasta").write_text("".join(reversed(lines)))
    (tmp_path / "new.csv").write_text("length,width\n1,2\n3,4\n")
    refused = CliRunner().invoke(app, ["predict", str(tmp_path / "run"), str(tmp_path / "new.csv")])
    assert refused.exit_code != 0
    assert "new.csv: has 2 columns of numbers, not distances to" in refused.stderr
    assert "the run was not made from features" in refused.stderr
    (tmp_path / "new.csv").write_text("length\n1\n3\n")
    refused = CliRunner().invoke(app, ["predict", str(tmp_path / "run"), str(tmp_path / "new.csv")])
    assert "new.csv: has 1 column of numbers, not distances to" in refused.stderr
    found = json.loads(tetiwd("predict", tmp_path / "run", tmp_path / "both.fasta", "--json").stdout)
    labels = pd.read_csv(tmp_path / "run" / "labels.csv").set_index("id").lineage
    assert [row["id"] for row in found] == ["s22", "s21", "s20"]
    assert [row["best"] for row in found] == [labels[f"s{i % 2}"] for i in (22, 21, 20)]
    (tmp_path / "alone.fasta").write_text("".join(reversed(lines[-3:])))
    assert json.loads(tetiwd("predict", tmp_path / "run", tmp_path / "alone.fasta", "--json").stdout) == found
    refusals = {"which the run has; align new": lines[1:], "has no sequence that the run does not know": lines[:20]}
    refusals["has sequences of 40 sites, and those of the run have 80"] = [f"{line[:-41]}\n" for line in lines[-3:]]
    refusals["other distances than they had"] = [f"{line[:-41]}\n" for line in lines]
    for says, content in refusals.items():
        (tmp_path / "new.fasta").write_text("".join(content))
        assert says in tetiwd("predict", tmp_path / "run", tmp_path / "new.fasta", code=3).stderr


def test_shares_of_a_backtest_have_two_digits(run, monkeypatch):
    shares = pd.DataFrame([Case(1, 2002, 0, 1 / 3, 1 / 3, 0.1, 2 / 3, 1 / 3, True)])
    monkeypatch.setattr("tetiwd.backtesting.backtest", lambda *_, **__: SimpleNamespace(table=lambda: shares))
    shown = tetiwd("forecast", run, "--backtest").stdout
    assert shown.count("0.33") == 3
    assert not re.search(r"\d\.\d{3}", shown)


def test_check_says_how_to_tell_times(table, tmp_path):
    pd.DataFrame(points(2)).to_csv(tmp_path / "d.csv", index=False, header=False)
    for words, option in (([table], "--time"), ([tmp_path / "d.csv", "--plain"], "--objects")):
        (note,) = (line for line in tetiwd("check", *words).stdout.splitlines() if "only one time" in line)
        assert re.findall(r"--\w+", note) == [option]


def test_forecast_and_backtest(run, tmp_path):
    found = json.loads(tetiwd("forecast", run, "--n-next", "50", "--level", "0.5", "--json").stdout)
    assert [row["cluster"] for row in found] == [0, 1, 2, "other", "new"]
    assert "new" in tetiwd("forecast", run).stdout
    tetiwd("forecast", run, "--out", tmp_path / "f.csv")
    assert "is there already" in tetiwd("forecast", run, "--out", tmp_path / "f.csv", code=6).stderr
    assert (tmp_path / "f.csv").read_bytes() == (run / "forecast.csv").read_bytes()
    assert "observed" in tetiwd("forecast", run, "--backtest").stdout


@pytest.mark.parametrize("design", ["separated", "overlapping", "independent", "unequal", "model"])
def test_simulate_writes_what_check_can_read(design, tmp_path):
    tetiwd("simulate", "--design", design, "--out", tmp_path / "play")
    truth = pd.read_csv(tmp_path / "play" / "truth.csv")
    result = json.loads(tetiwd("check", tmp_path / "play" / "distances.npz", "--squared", "--json").stdout)
    assert sum(row["objects"] for row in result["times"]) == len(truth)
    assert result["warnings"] == []
    assert "is there already" in tetiwd("simulate", "--out", tmp_path / "play", code=6).stderr


def test_check_says_what_the_model_will_assume(table):
    result = tetiwd("check", table, "--id", "patient", "--time", "year")
    assert "3 times, 75 objects in all" in result.stdout
    assert "fit tries several values around the first (estimates: moments" in result.stdout
    assert "Unit of scale" in result.stdout
    assert not list(table.parent.glob("*tetiwd*"))


def test_check_warns_of_features_on_different_scales(table, tmp_path):
    data = pd.read_csv(table)
    data["weight"] *= 1000
    data.to_csv(tmp_path / "grams.csv", index=False)
    words = ["check", tmp_path / "grams.csv", "--id", "patient", "--time", "year"]
    assert "consider --standardize" in tetiwd(*words).stderr
    assert "Warning" not in tetiwd(*words, "--standardize").stderr


def test_check_warns_of_times_that_are_too_small_for_an_estimate(tmp_path):
    np.save(tmp_path / "few.npy", points(2)[:4, :4])
    warning = "Warning: times are too small to estimate degrees of freedom; give --dof\n"
    assert warning in tetiwd("check", tmp_path / "few.npy", "--plain").stderr
    assert warning not in tetiwd("check", tmp_path / "few.npy", "--plain", "--dof", "2").stderr


@pytest.mark.parametrize(("n_copies", "warned"), [(6, False), (20, True)])
def test_check_warns_of_many_copies(n_copies, warned, tmp_path):
    X = rng_for(77).standard_normal((30, 3))
    X = np.concatenate([X, np.repeat(X[:1], n_copies, axis=0)])
    np.save(tmp_path / "copies.npy", ((X[:, None] - X) ** 2).sum(-1))
    done = tetiwd("check", tmp_path / "copies.npy", "--squared")
    assert f"{n_copies * (n_copies + 1) // 2} pairs of objects are identical" in done.stdout
    assert ("leave out most of the copies" in done.stderr) == warned


def points(n_dimensions):
    X = rng_for(n_dimensions).standard_normal((40, n_dimensions))
    return np.sqrt(((X[:, None] - X[None]) ** 2).sum(-1))


@pytest.mark.parametrize("n_dimensions", [1, 2, 5, 12])
@pytest.mark.parametrize("digits", [3, 15])
def test_check_warns_when_plain_and_squared_are_mixed_up(n_dimensions, digits, tmp_path):
    plain = np.round(points(n_dimensions), digits)
    np.save(tmp_path / "plain.npy", plain)
    np.save(tmp_path / "squared.npy", plain**2)
    assert "may be plain ones" in tetiwd("check", tmp_path / "plain.npy", "--squared").stderr
    assert "may be squared ones" in tetiwd("check", tmp_path / "squared.npy", "--plain").stderr
    assert "Warning" not in tetiwd("check", tmp_path / "plain.npy", "--plain").stderr
    assert "Warning" not in tetiwd("check", tmp_path / "squared.npy", "--squared").stderr


def test_plain_with_a_metric_of_features_that_is_squared_is_warned_of(tmp_path):
    counts = rng_for(71).poisson(4.0, size=(24, 5))
    table = pd.DataFrame(counts, columns=list("abcde")).assign(year=np.repeat([2001, 2002], 12))
    table.to_csv(tmp_path / "x.csv", index=False)
    data = [tmp_path / "x.csv", "--time", "year", "--dof", "5", "--metric"]
    short = ["--geometry", "full", "--chains", "1", "--warmup", "5", "--draws", "5", "--out", tmp_path / "run"]
    for metric, plain, warned in (
        ("braycurtis", ["--plain"], True),
        ("cityblock", ["--plain"], True),
        ("braycurtis", [], False),
    ):
        said = tetiwd("check", *data, metric, *plain).stderr
        assert (f"Warning: {metric} dissimilarities of features count as squared distances" in said) == warned
    assert "count as squared distances" in tetiwd("fit", *data, "braycurtis", "--plain", *short).stderr
    assert "known to be squared" in tetiwd("check", *data, "braycurtis", "--squared", code=4).stderr


def test_check_warns_of_distances_that_no_points_have(tmp_path):
    rng = rng_for(3)
    D = rng.uniform(1, 9, size=(20, 20))
    D = np.triu(D, 1) + np.triu(D, 1).T
    np.save(tmp_path / "odd.npy", D)
    assert "eigenvalue mass is negative" in tetiwd("check", tmp_path / "odd.npy", "--squared").stderr


def test_a_traceback_only_on_request(tmp_path):
    assert "Traceback" not in tetiwd("check", tmp_path / "nothing.csv", code=3).output
    result = CliRunner().invoke(app, ["--traceback", "check", str(tmp_path / "nothing.csv")])
    assert type(result.exception).__name__ == "DataError"


def test_a_bug_is_called_a_bug(monkeypatch, table):
    from tetiwd.io import read

    def broken(*_):
        raise ZeroDivisionError("oh")

    monkeypatch.setattr(read, "read_series", broken)
    assert "ZeroDivisionError: oh; this is a bug in tetiwd" in tetiwd("check", table, code=1).stderr


@pytest.mark.parametrize(
    "fault", [MemoryError("8 GiB wanted"), ImportError("8 GiB wanted")], ids=lambda f: type(f).__name__
)
def test_memory_that_does_not_suffice_is_no_bug(monkeypatch, table, fault):
    """Libraries that cannot be loaded where the shell has set a limit want memory; elsewhere they are broken."""
    from tetiwd.io import read

    def too_much(*_):
        raise fault

    monkeypatch.setattr(read, "read_series", too_much)
    monkeypatch.setattr("tetiwd.cli.command.left_of_address_space", lambda: 1 << 30)
    says = "Error: there is not enough memory (8 GiB wanted); use smaller data, or raise its limit\n"
    assert tetiwd("check", table, code=5).stderr.endswith(says)
    monkeypatch.setattr("tetiwd.cli.command.left_of_address_space", lambda: None)
    tetiwd("check", table, code=5 if isinstance(fault, MemoryError) else 1)


@pytest.mark.parametrize("fault", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG], ids=errno.errorcode.get)
def test_disks_quotas_and_limits_that_are_full_are_no_bug(monkeypatch, table, fault):
    from tetiwd.io import read

    def full(*_):
        raise OSError(fault, os.strerror(fault))

    monkeypatch.setattr(read, "read_series", full)
    says = f"Error: there is no room to write ({os.strerror(fault)}); make room and try again\n"
    assert tetiwd("check", table, code=6).stderr.endswith(says)


OF_A_LOOK = {
    "run.toml",
    "resolution.json",
    "data.nc",
    "labels.csv",
    "lineages.csv",
    "lineages.svg",
    "report.html",
    "checkpoint",
}


@pytest.mark.parametrize("words", [["summarize"], ["forecast", "--json"]], ids=lambda words: words[0])
def test_output_that_does_not_fit_on_the_disk(words, run):
    command = [sys.executable, "-m", "tetiwd", words[0], str(run), *words[1:]]
    with open("/dev/full", "w") as full:
        result = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert result.returncode == 6
    assert result.stderr == "Error: the output cannot be written (No space left on device); make room and try again\n"


SMALL_FIT = ["--id", "patient", "--time", "year", "--dof", "4", "--chains", "2", "--warmup", "20", "--draws", "60"]


@pytest.mark.parametrize("most", [1_000, 3_000, 20_000, 100_000])
def test_a_full_disk_is_one_line_and_the_run_goes_on_later(most, table, tmp_path):
    """No file may be larger than this; a full disk fails in the same places."""

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    words = ["fit", str(table), *SMALL_FIT, "--out", str(tmp_path / "run"), "-q"]
    command = [sys.executable, "-B", "-m", "tetiwd", *words]  # compiled modules of Python would be cut off, too
    result = subprocess.run(command, preexec_fn=limit, capture_output=True, text=True)
    assert result.returncode == 6, result.stderr
    assert result.stderr.startswith("Error: cannot write ")
    assert "(File too large); make room" in result.stderr
    assert result.stderr.count("\n") == 1
    assert not list(tmp_path.rglob("*.new"))
    tetiwd(*(["resume", tmp_path / "run", "-q"] if (tmp_path / "run" / "data.nc").exists() else words))
    assert (tmp_path / "run" / "report.html").exists()


@pytest.fixture(scope="module")
def look(table):
    """A quick look at that table, and what was printed."""
    folder = table.parent / "look"
    fit = ("fit", table, "--id", "patient", "--time", "year", "--chains", "2", "--fast", "--out", folder)
    return folder, tetiwd(*fit)


def test_a_quick_look_says_that_it_is_one(look):
    folder, result = look
    assert "A quick look: the most probable clustering found" in result.stdout
    assert "Its probabilities are too high, because they take everything else as known." in result.stdout
    assert f"tetiwd resume {folder}" in result.stdout
    assert "stability" not in result.stdout
    assert {path.name for path in folder.iterdir()} == OF_A_LOOK
    assert tomllib.loads((folder / "run.toml").read_text("utf-8"))["run"]["status"] == "mode"
    report = (folder / "report.html").read_text("utf-8")
    assert "A quick look" in report
    assert origin_of(folder) in report
    assert not re.search(r"p[012]\d\d", re.sub(r"<svg.*?</svg>", "", report, flags=re.DOTALL))


@pytest.mark.parametrize("command", [["summarize"], ["report", "--out", "x.html"], ["forecast"]])
def test_commands_that_need_draws_say_how_to_get_them(look, command):
    folder, _ = look
    result = tetiwd(command[0], folder, *command[1:], code=6)
    assert "holds a quick look, which has no draws; continue the run with: tetiwd resume" in result.stderr


def test_a_quick_look_becomes_an_ordinary_run(look, tmp_path):
    """That its draws are those of a run without the look is shown in tests/unit/test_quick_look.py."""
    folder = tmp_path / "run"
    shutil.copytree(look[0], folder)
    toml = (folder / "run.toml").read_text("utf-8")
    (folder / "run.toml").write_text(toml.replace("n_draws = 1000", "n_draws = 30"), "utf-8")
    tetiwd("resume", folder, "--quiet")
    assert {path.name for path in folder.iterdir()} == IN_FOLDER
    assert "A quick look" not in (folder / "report.html").read_text("utf-8")
    assert json.loads(tetiwd("summarize", folder, "--json").stdout)["complete"]


def test_json_of_a_quick_look(table, tmp_path):
    fit = ("fit", table, "--id", "patient", "--time", "year", "--fast", "--chains", "1", "--out", tmp_path / "run")
    found = json.loads(tetiwd(*fit, "--json", "--quiet").stdout)
    assert {"folder", "words", "log_joint", "clusters", "lineages"} == set(found)


@pytest.mark.parametrize(
    "words",
    [
        ["--draws", "50"],
        ["--warmup", "50"],
        ["--loss", "ari"],
        ["--at-most", "3"],
        ["--level", "0.5"],
        ["--n-next", "4"],
        ["--strict"],
        ["--checkpoint-seconds", "5"],
        ["--set", "sampler.n_anneal=3"],
    ],
)
def test_options_without_effect_on_a_quick_look_are_refused(table, tmp_path, words):
    fit = ("fit", table, "--id", "patient", "--time", "year", "--fast", "--out", tmp_path / "run")
    message = tetiwd(*fit, *words, code=4).stderr
    assert f"{words[0]} {''.join(words[1:])}".strip() in message.replace("5.0", "5")
    assert "has no effect on a quick look" in message
    assert "leave out --fast" in message
    assert not (tmp_path / "run").exists()


def test_strict_tells_chains_that_disagree(table, tmp_path):
    words = ["fit", table, "--id", "patient", "--time", "year", "--chains", "2", "--warmup", "0", "--draws", "4"]
    tetiwd(*words, "--set", "sampler.n_uncoupled=0", "--out", tmp_path / "run", "-q", "--strict", code=8)
    assert (tmp_path / "run" / "labels.csv").exists()


TETIWD = f"{sys.executable} -m tetiwd"


def test_output_into_a_pipe_that_closes(run):
    shell = f"{TETIWD} summarize {run} | head -1; echo ${{PIPESTATUS[0]}}"
    process = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=False)
    assert process.stdout.splitlines()[-1] == "0"
    assert process.stderr == ""


@pytest.mark.parametrize(
    ("more", "code"), [([], 0), (["--strict", "--warmup", "0", "--draws", "4", "--set", "sampler.n_uncoupled=0"], 8)]
)
def test_a_fit_outlives_the_reader_of_its_messages(table, tmp_path, more, code):
    words = ["--id", "patient", "--time", "year", "--chains", "2", "--warmup", "50", "--draws", "50", *more]
    shell = f"{TETIWD} fit {table} {' '.join(words)} --out {tmp_path / 'run'} 2>&1 | head -1; echo ${{PIPESTATUS[0]}}"
    process = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=False)
    assert process.stdout.splitlines()[-1] == str(code), process.stdout + process.stderr
    assert process.stderr == ""
    assert {path.name for path in (tmp_path / "run").iterdir()} == IN_FOLDER


@pytest.mark.parametrize(
    ("says", "words"),
    [
        ("--outcome is about the table of outcomes; name it with --outcomes", ["report", "RUN", "--outcome", "x"]),
        ("--id is about a table of outcomes or metadata", ["report", "RUN", "--id", "x"]),
        ("was not made from notes; leave out --show-text", ["report", "RUN", "--show-text", "--out", "OUT/r.html"]),
        ("made from features; leave out --plain", ["predict", "RUN", "NEW", "--plain"]),
        ("leave out --n-next", ["forecast", "RUN", "--backtest", "--n-next", "5"]),
        ("--overwrite is about a file; name it with --out", ["forecast", "RUN", "--overwrite"]),
        (
            "sizes of its own; leave out --sizes",
            ["simulate", "--design", "unequal", "--sizes", "3,4", "--out", "OUT/s"],
        ),
        ("--symmetrize is for the formats", ["check", "TABLE", "--symmetrize"]),
        ("--n-next 5 is about a forecast", ["fit", "TABLE", "--set", "model.coupling=false", "--n-next", "5"]),
    ],
    ids=lambda words: " ".join(words) if isinstance(words, list) else "",
)
def test_options_without_effect_are_refused(run, table, tmp_path, says, words):
    new = tmp_path / "new.csv"
    new.write_text("patient,age,weight,height\nx1,0,8,0\n")
    places = {"RUN": run, "TABLE": table, "NEW": new}
    typed = [places.get(word, word.replace("OUT", str(tmp_path))) for word in words]
    assert says in tetiwd(*typed, code=4).stderr


def test_doctor():
    assert "All is well." in tetiwd("doctor").stdout
    assert json.loads(tetiwd("doctor", "--json").stdout)["healthy"]


def test_version_and_usage():
    assert tetiwd("--version").stdout.startswith("tetiwd ")
    assert "No such command" in tetiwd("fly", code=2).output
    assert "Missing argument" in tetiwd("fit", code=2).output


def test_resolution_shows_steps_and_writes_them_if_asked_to(table, tmp_path):
    words = ["resolution", table, "--id", "patient", "--time", "year"]
    result = tetiwd(*words, "--json")
    shown = json.loads(result.stdout)
    assert len(shown["steps"]) >= 5
    assert shown["steps"][shown["chosen"]]["clusters"] == 3
    assert shown["steps"][shown["chosen"]]["stability"] > 0.9
    out = tmp_path / "path"
    said = tetiwd(*words, "--out", out).stdout
    assert {file.name for file in out.iterdir()} == {"resolution.csv", "resolution.svg", "resolution.json"}
    assert "Degrees of freedom (dof) say how fine clusters are." in said
    again = tetiwd(*words, "--out", out, code=6)
    assert "there already" in again.stderr
    steps = pd.read_csv(out / "resolution.csv")
    assert steps.chosen.sum() == 1
    assert (out / "resolution.svg").read_text("utf-8").startswith("<svg")
