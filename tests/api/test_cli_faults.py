"""Faults through the command line: one line that says what, where and what to do; nothing is written.

Every fault of a file is tested with the readers, every wrong setting with the settings. Here every format, every kind
of place and every way to name a setting comes through the program once.
"""

import gzip
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from tetiwd import memory
from tetiwd.cli import app
from written_distances import IDS, SECOND, TIME, WHOLE, X, as_npy, spoilt

DATA, SETTINGS, MEMORY, FOLDER, USAGE = 3, 4, 5, 6, 2
D = WHOLE[:6, :6]

IN_OTHER_WORDS = re.compile(
    r"\b(kind|symmetrize|squared|missing|cross|standardize|drop_small|min_objects|by|metric|format|times|dtype) = "
    r"|(symmetrize|squared|resume|copy)=|DistanceSeries|repair\(|pickle"
)  # those of settings, and of Python


def contents(folder):
    """Everything below a folder: bytes of files (a few of huge ones), None for folders."""

    def inside(path):
        with path.open("rb") as file:
            return path.stat().st_size, file.read(1 << 20)

    return {str(path): inside(path) if path.is_file() else None for path in Path(folder).rglob("*")}


def refused(folder, code, says, *words):
    """Run a command that must fail with this code and one line that holds these words, and leave no trace."""
    before = contents(folder)
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == code, (result.exit_code, result.output, result.exception)
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    assert contents(folder) == before
    if code != USAGE:  # these are shown by the library that takes commands apart
        assert result.stderr.startswith("Error: ")
        assert result.stderr.count("\n") == 1
        assert result.stderr.endswith("\n")
        assert result.stderr[:-1].isprintable()
        assert not IN_OTHER_WORDS.search(result.stderr)
    for word in says:
        assert word in result.stderr, word
    return result.stderr


FORMATS = pytest.mark.parametrize("write", SECOND, ids=lambda write: write.__name__[3:])


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def typed(words):
    """Names of files and settings as options."""
    options = {"squared=false": ["--plain"], "objects='objects.csv'": ["--objects", "objects.csv"]}
    return [part for word in words for part in options.get(word, [word])]


@FORMATS
def test_a_pair_in_every_format(write):
    file, pair = SECOND[write]
    refused(
        ".",
        DATA,
        [f"Error: {file}: ", pair, "-2.5", "--similarities"],
        "check",
        *typed(write(spoilt(-2.5, -2.5))),
        "-q",
    )


@FORMATS
def test_sound_data_pass(write):
    result = CliRunner().invoke(app, ["check", *typed(write(WHOLE)), "-q"])
    assert (result.exit_code, result.stderr) == (0, "")


def put(name, content):
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return name


FEATURES = pd.DataFrame(X, columns=list("abc")).assign(time=TIME)
GOOD = FEATURES.to_csv(index=False)
ALIGNED = ">a|2001\nACGT\n>b|2001\nACGA\n>c|2001\nAAAA\n"
JUNK = b"\x89PNG\r\n\x1a\n\0\0\0" + bytes(range(256)) * 4
PLACES = {  # what is written to the file, and where the fault is said to be
    "a line and column": ("x.csv", "time,a,b\n1,2,3\n1,,4\n1,4,5\n", ["x.csv: line 3, column a", "--drop-missing"]),
    "a line": ("x.csv", "time,a,b\n1,2,3\n1,2\n1,4,5\n", ["x.csv: line 3", "2 fields"]),
    "a line of sequences": ("s.fasta", ALIGNED.replace("ACGA", "ACG"), ["s.fasta: line 3", "'b'", "align"]),
    "an epoch": ("x.csv", FEATURES.assign(id="p").to_csv(index=False), ["x.csv: epoch 0 (2001)", "'p' twice"]),
    "a matrix": ("x.csv", GOOD + "1,2,3,2003\n", ["x.csv: D[2] (2003)", "--drop-small", "--set data.min_objects=1"]),
    "a file": ("x.csv", JUNK, ["x.csv: is not"]),
}


@pytest.mark.parametrize(("file", "content", "says"), PLACES.values(), ids=PLACES.keys())
def test_places_in_files(file, content, says):
    refused(".", DATA, says, "check", put(file, content), "-q")


def test_a_row_of_a_table_without_lines():
    pd.DataFrame({"time": [1, 1, 1], "a": [1, np.inf, 2]}).to_parquet("x.parquet")
    refused(".", DATA, ["x.parquet: row 2, column a", "not finite"], "check", "x.parquet", "-q")


def test_fit_says_what_check_says():
    words = [*typed(as_npy(spoilt(9.25, 1.25))), "-q"]
    says = ["Error: d_2002.npy: ", "(1, 4)", "9.25", "1.25", "--symmetrize"]
    checked = refused(".", DATA, says, "check", *words)
    assert refused(".", DATA, says, "fit", *words, "--out", "run") == checked


def test_more_than_memory_holds():
    text = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 1000000), }".ljust(117) + b"\n"
    with open("d.npy", "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text)
        file.truncate(128 + 8 * 10**12)  # takes no room on disk
    refused(".", MEMORY, ["d.npy", "GiB", "fewer objects"], "check", "d.npy", "--plain", "-q")


@pytest.mark.parametrize("row", ["1,0.5,2\n", ">a\nACGT\n"], ids=["table", "sequences"])
def test_an_archive_that_unpacks_to_very_much(monkeypatch, row):
    monkeypatch.setattr("tetiwd.io.files.MUCH", 1 << 20)
    name = "x.csv.gz" if row[0] == "1" else "x.fasta.gz"
    put(name, gzip.compress(("time,a,b\n" * (row[0] == "1") + row * 300_000).encode()))
    refused(".", DATA, [name, "more than 1 MiB", "100 times its size", "unpack it first"], "check", name, "-q")


@pytest.mark.skipif(memory.available_memory() is None, reason="available memory is not known here")
def test_rows_that_memory_cannot_hold(monkeypatch):
    monkeypatch.setattr("tetiwd.memory.available_memory", lambda: (4 << 20, "for a test"))
    put("x.csv", "time,id,a,b\n" + "".join(f"1,object {i},0.5,2\n" for i in range(40_000)))
    refused(".", MEMORY, ["x.csv", "the table, up to row", "GiB", "fewer rows"], "check", "x.csv", "-q")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="only Linux tells how much is in use")
@pytest.mark.parametrize("mebibytes", [200, 400, 600])
def test_an_address_space_that_is_too_small(mebibytes):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (mebibytes << 20, mebibytes << 20))

    command = [sys.executable, "-m", "tetiwd", "check", put("x.csv", GOOD), "-q"]
    result = subprocess.run(command, preexec_fn=limit, capture_output=True, text=True)
    assert result.returncode == MEMORY
    says = r"Error: loading the libraries takes 800 MiB .* only \d+ MiB .*; raise the limit\n"
    assert re.fullmatch(says, result.stderr)


def as_typed(words):
    return " ".join(map(str, words)) if isinstance(words, list) else str(words)


TYPED = [
    (SETTINGS, ["add --squared", "--plain", "never guessed"], ["d_2001.npy"]),
    (SETTINGS, ["--metric cosine is for", "d_2001.npy", "--format"], ["d_2001.npy", "--plain", "--metric", "cosine"]),
    (SETTINGS, ["--standardize is for", "leave out --standardize"], ["d_2001.npy", "--plain", "--standardize"]),
    (SETTINGS, ["--squared", "--similarities"], ["d_2001.npy", "--similarities", "--squared"]),
    (DATA, ["K[0] (d_2001)", "leave out --similarities"], ["d_2001.npy", "--similarities"]),
    (DATA, ["2 epochs", "--times", "3 labels"], ["d_2001.npy", "d_2002.npy", "--plain", "--times", "1,2,3"]),
    (DATA, ["no column q", "a, b, c"], ["x.csv", "--columns", "a,q"]),
    (DATA, ["'year'", "--time"], ["x.csv", "--time", "year"]),
    (DATA, ["'i'", "--first"], ["x.csv", "--plain", "--format", "long"]),
    (SETTINGS, ["--geometry must", "isotropic", "moving", "'flat'"], ["x.csv", "--set", "model.geometry=flat"]),
    (SETTINGS, ["mine.toml: coupling must be true or false, not 'no'"], ["x.csv", "--settings", "mine.toml"]),
    (SETTINGS, ["none.toml", "TOML file"], ["x.csv", "--settings", "none.toml"]),
    (DATA, ["no.csv", "no such file", "check the name"], ["no.csv"]),
]


@pytest.mark.parametrize(("code", "says", "words"), TYPED, ids=as_typed)
def test_settings_are_named_as_they_were_given(code, says, words):
    as_npy(WHOLE)
    put("x.csv", GOOD)
    put("mine.toml", "[model]\ncoupling = 'no'\n")
    refused(".", code, says, "check", *words, "-q")


FIT = [
    (SETTINGS, ["--seed must be", "at least 0", "-1"], ["--seed", "-1"]),
    (SETTINGS, ["--dof", "'3,x'"], ["--dof", "3,x"]),
    (SETTINGS, ["--dof has 3 values", "2 epochs", "one per epoch"], ["--dof", "1,2,3"]),
    (SETTINGS, ["--set sampler.init of epoch 0", "6 integers"], ["--set", "sampler.init=[[0,1],[1]]"]),
    (MEMORY, ["99999999999 draws", "GiB", "--draws"], ["--draws", "99999999999"]),
    (USAGE, ["--threads"], ["--threads", "0"]),
    (USAGE, ["--draws"], ["--draws", "many"]),
    (USAGE, ["--checkpoint-seconds"], ["--checkpoint-seconds", "-1"]),
    (USAGE, ["--nonsense"], ["--nonsense"]),
]


@pytest.mark.parametrize(("code", "says", "words"), FIT, ids=as_typed)
def test_fit_refuses(code, says, words):
    refused(".", code, says, "fit", put("x.csv", GOOD), *words, "-q", "--out", "run")


def test_too_few_objects_for_an_estimate_say_which_option_helps():
    few = "time,a,b\n1,0.1,2\n1,3,4\n1,5,6.5\n2,1,1\n2,2,3\n2,4,9\n"
    says = ["no epoch has 6 different objects", "give a number with --dof"]
    refused(".", SETTINGS, says, "fit", put("x.csv", few), "--dof", "spectrum", "-q", "--out", "run")


# Names and ids that want to do harm

LONG = "x" * 10_000
HOSTILE = ["a\nb", "\u202egnp.exe", "\x1b[31mred", "\r\rError: all is well", LONG]


@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_hostile_ids_stay_in_one_line(name):
    pd.DataFrame({"id": [name, "b", name], "a": [1, 2, 4]}).to_csv("x.csv", index=False)
    assert len(refused(".", DATA, ["twice", "rename its copies"], "check", "x.csv", "-q")) < 1000


@pytest.mark.parametrize("name", ["a\nb", "\u202egnp", "\x1b[31mred", "-x", "with id, by", "\udcff"], ids=ascii)
def test_hostile_file_names_stay_in_one_line(name):
    os.mkdir("in")
    refused(".", DATA, ["no rows", ".csv: "], "check", put(f"in/{name}.csv", "time,a\n"), "-q")


@pytest.mark.parametrize("words", [["check", LONG, "-q"], ["summarize", LONG]], ids=lambda words: words[0])
def test_names_too_long_for_the_system(words):
    code = DATA if words[0] == "check" else FOLDER
    assert len(refused(".", code, ["too long"], *words)) < 1000


# Where results go


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two finished runs: on features, and on distances."""
    folder = tmp_path_factory.mktemp("runs")
    before = Path.cwd()
    os.chdir(folder)
    try:
        FEATURES.assign(id=IDS).drop(columns="c").to_csv("x.csv", index=False)
        small = ["--geometry", "full", "--chains", "1", "--warmup", "20", "--draws", "20", "-q"]
        for out, words in (("run", ["x.csv"]), ("far", typed(as_npy(WHOLE)))):
            result = CliRunner().invoke(app, ["fit", *words, *small, "--out", out])
            assert result.exit_code == 0, result.output
    finally:
        os.chdir(before)
    return folder


@pytest.fixture
def run(runs, tmp_path):
    for name in ("run", "far"):
        shutil.copytree(runs / name, tmp_path / name)
    return tmp_path / "run"


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: put("out", "mine"), ["out is a file", "another name"]),
        (lambda: [os.mkdir("out"), put("out/thesis.txt", "mine")], ["out is not empty", "another folder"]),
        (lambda: [os.mkdir("out"), put("out/run.toml", "")], ["already holds a run", "tetiwd resume", "--overwrite"]),
    ],
)
def test_what_is_in_the_way_stays(make, says):
    make()
    overwrite = [] if "already holds a run" in says else ["--overwrite"]
    refused(".", FOLDER, says, "fit", put("x.csv", GOOD), "--out", "out", "-q", *overwrite)


def test_out_below_a_file():
    put("file", "mine")
    refused(".", FOLDER, ["file/run", "another folder"], "fit", put("x.csv", GOOD), "--out", "file/run", "-q")
    refused(".", FOLDER, ["file/run"], "simulate", "--out", "file/run")


@pytest.mark.skipif(shutil.which("setpriv") is None and os.geteuid() == 0, reason="nothing is read-only for root")
def test_a_file_that_may_not_be_read():
    os.chmod(put("x.csv", GOOD), 0)
    mortal = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.geteuid() == 0 else []
    command = [*mortal, sys.executable, "-m", "tetiwd", "check", "x.csv", "-q"]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == DATA
    assert result.stderr == "Error: x.csv: cannot be read (Permission denied); check that you may read it\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only for root")
def test_out_in_a_place_that_is_read_only():
    put("x.csv", GOOD)
    os.mkdir("locked", 0o500)
    refused(".", FOLDER, ["locked/run", "another folder"], "fit", "x.csv", "--out", "locked/run", "-q")


@pytest.mark.parametrize(
    ("says", "words"),
    [
        (["run/report.html is there already", "--overwrite"], ["report", "run"]),
        (["page.html is there already", "--overwrite"], ["report", "run", "--out", "page.html"]),
        (["page.html is there already", "--overwrite"], ["forecast", "run", "--out", "page.html"]),
        (["page.html is there already", "--overwrite"], ["predict", "run", "new.csv", "--out", "page.html"]),
        (["cannot write far", "another place"], ["forecast", "run", "--out", "far", "--overwrite"]),
        (["cannot write no/page.html", "another place"], ["report", "run", "--out", "no/page.html"]),
        (["cannot write no/f.csv", "another place"], ["forecast", "run", "--out", "no/f.csv"]),
        (["run is there already", "another name"], ["simulate", "--out", "run"]),
        (["run is there already", "--overwrite"], ["demo", "--out", "run"]),
    ],
    ids=lambda words: " ".join(words[:4]),
)
def test_answers_do_not_overwrite(run, says, words):
    put("page.html", "mine")
    put("new.csv", "id,a,b\nu,1,2\n")
    refused(".", FOLDER, says, *words)


@pytest.mark.parametrize("words", [["report", "run", "-q"], ["forecast", "run"]], ids=lambda words: words[0])
def test_answers_do_not_replace_what_is_no_plain_file(run, words):
    """A named pipe stands for devices such as /dev/full."""
    os.mkfifo("pipe")
    says = ["cannot write pipe (it is not a plain file)", "another place"]
    refused(".", FOLDER, says, *words, "--out", "pipe", "--overwrite")
    assert Path("pipe").is_fifo()


# Damaged results

QUESTIONS = [
    ["summarize", "run"],
    ["report", "run", "--out", "r.html"],
    ["predict", "run", "new.csv"],
    ["forecast", "run"],
]


def cut(file, n):
    put(file, Path(file).read_bytes()[:n])


def hole(file):
    whole = Path(file).read_bytes()
    third = len(whole) // 3
    put(file, whole[:third] + b"\xff" * third + whole[2 * third :])


def edit(file, change):
    put(file, change(Path(file).read_text("utf-8")))


DAMAGE = {
    "no folder": (lambda: shutil.rmtree("run"), ["no folder run", "fit has written"]),
    "a file": (lambda: [shutil.rmtree("run"), put("run", "x")], ["no folder run", "fit has written"]),
    "an empty folder": (lambda: [shutil.rmtree("run"), os.mkdir("run")], ["run holds no run.toml", "fit has written"]),
    "run.toml cut": (lambda: put("run/run.toml", "[run\n"), ["run/run.toml", "TOML", "run fit again"]),
    "run.toml binary": (lambda: put("run/run.toml", JUNK), ["run/run.toml", "TOML", "run fit again"]),
    "run.toml empty": (lambda: put("run/run.toml", ""), ["run/run.toml", "run fit again"]),
    "run.toml of others": (lambda: put("run/run.toml", "run = 3"), ["run/run.toml", "run fit again"]),
    "run.toml of tomorrow": (lambda: edit("run/run.toml", lambda t: t.replace("-run-1", "-run-9")), ["tetiwd-run-9"]),
    "run.toml with more": (
        lambda: edit("run/run.toml", lambda t: f"{t}\n[more]\na = 1\n"),
        ["[more]", "run fit again"],
    ),
    "run.toml with less": (lambda: edit("run/run.toml", lambda t: t.split("[resolved]")[0]), ["dof", "run fit again"]),
    "run.toml deep": (lambda: put("run/run.toml", "x = " + "[" * 10**5), ["nested too deeply", "run fit again"]),
    "names.json deep": (lambda: put("run/names.json", "[" * 10**6), ["run/names.json", "nested too deeply"]),
    "names.json with a colour": (
        lambda: put("run/names.json", '{"by_user": [[0, "a", "red;x:url(y)"]]}'),
        ["run/names.json", "is not a colour", "delete it"],
    ),
    "names.json with half a character": (
        lambda: put("run/names.json", '{"by_user": [[0, "\\ud800", null]]}'),
        ["run/names.json", "surrogates not allowed", "delete it"],
    ),
    "names.json of others": (lambda: put("run/names.json", '{"before": [[0]]}'), ["run/names.json", "other objects"]),
    "names.json of no form": (lambda: put("run/names.json", '{"by_user": 7, "n_given": 1}'), ["run/names.json"]),
    "names.json with huge numbers": (lambda: put("run/names.json", '{"n_given": 1e308}'), ["run/names.json"]),
    "data.nc missing": (lambda: os.remove("run/data.nc"), ["run: data.nc is missing", "run fit again"]),
    "data.nc junk": (lambda: put("run/data.nc", JUNK), ["run: data.nc cannot be read", "run fit again"]),
    "data.nc cut": (lambda: cut("run/data.nc", 3000), ["run: data.nc cannot be read", "run fit again"]),
    "data.nc with a hole": (lambda: hole("run/data.nc"), ["run: data.nc cannot be read", "run fit again"]),
    "data.nc of others": (lambda: shutil.copy("run/results.nc", "run/data.nc"), ["run: data.nc cannot be read"]),
}
DAMAGED_RESULTS = {
    "missing": (lambda: os.remove("run/results.nc"), ["no results", "tetiwd resume run"]),
    "empty": (lambda: put("run/results.nc", ""), ["run: results.nc cannot be read", "tetiwd resume"]),
    "junk": (lambda: put("run/results.nc", JUNK), ["run: results.nc cannot be read", "tetiwd resume"]),
    "cut": (lambda: cut("run/results.nc", 5000), ["run: results.nc cannot be read", "tetiwd resume"]),
    "with a hole": (lambda: hole("run/results.nc"), ["run: results.nc cannot be read", "tetiwd resume"]),
    "of others": (lambda: shutil.copy("run/data.nc", "run/results.nc"), ["run: the draws are not about these data"]),
}


@pytest.mark.parametrize(("spoil", "says"), DAMAGE.values(), ids=DAMAGE.keys())
def test_a_damaged_folder(run, spoil, says):
    spoil()
    refused(".", FOLDER, says, "summarize", "run")


@pytest.mark.parametrize("words", [["resume", "run", "-q"], *QUESTIONS], ids=lambda words: words[0])
def test_every_command_on_a_damaged_folder(run, words):
    put("run/data.nc", JUNK)
    put("new.csv", "id,a,b\nu,1,2\n")
    refused(".", FOLDER, ["run: data.nc cannot be read", "run fit again"], *words)


@pytest.mark.parametrize(
    "columns", ['{"a": 7}', '{"a": [1, 2, 3]}', '{"a": [1], "b": [1, 2]}', '{"a": [[1]]}', "[" * 10**6]
)
def test_damaged_metadata(run, columns):
    os.mkdir("run/metadata")
    rest = '"remarks": [], "varies": false, "known": null, "covariates": null, "survival": null'
    put("run/metadata/metadata.json", f'{{"columns": {columns}, {rest}}}')
    refused(".", DATA, ["metadata"], "report", "run", "--out", "r.html", "-q")


def test_a_run_killed_before_its_data_were_written():
    """resume says that it never began, and fit takes the folder again."""
    end = "import os, signal; from tetiwd.io import run_folder; "
    end += "run_folder.write_series = lambda *_: os.kill(os.getpid(), signal.SIGKILL); "
    fit = ["fit", put("x.csv", GOOD), "--geometry", "full", "--chains", "1", "--warmup", "5", "--draws", "5", "-q"]
    killed = [sys.executable, "-c", f"{end}from tetiwd.cli import main; main()", *fit, "--out", "run"]
    assert subprocess.run(killed, capture_output=True).returncode == -signal.SIGKILL
    assert Path("run/run.toml").exists()
    assert not Path("run/data.nc").exists()
    refused(".", FOLDER, ["run holds a run that was stopped before it began", "run fit again"], "resume", "run", "-q")
    assert CliRunner().invoke(app, [*fit, "--out", "run"]).exit_code == 0
    assert Path("run/report.html").exists()


@pytest.mark.parametrize(("spoil", "says"), DAMAGED_RESULTS.values(), ids=DAMAGED_RESULTS.keys())
def test_damaged_results(run, spoil, says):
    spoil()
    refused(".", FOLDER, says, "summarize", "run")


@pytest.mark.parametrize("value", [np.nan, np.inf, -1.0], ids=str)
@pytest.mark.parametrize("name", ["posterior/alpha", "geometry/A"])
def test_draws_that_cannot_be(run, name, value):
    with h5py.File("run/results.nc", "r+") as file:
        file[name][...] = np.where(np.isnan(file[name]), np.nan, value)
    put("new.csv", "id,a,b\nu,1,2\n")
    says = ["run: results.nc holds draws that cannot be", "tetiwd resume"]
    refused(".", FOLDER, says, "predict", "run", "new.csv")
    assert CliRunner().invoke(app, ["resume", "run", "-q"]).exit_code == 0
    assert CliRunner().invoke(app, ["predict", "run", "new.csv"]).exit_code == 0


def test_resume_writes_damaged_results_again(run):
    cut("run/results.nc", 5000)
    assert CliRunner().invoke(app, ["resume", "run", "-q"]).exit_code == 0
    assert CliRunner().invoke(app, ["summarize", "run"]).exit_code == 0


def test_damaged_checkpoints(run):
    for file in Path("run/checkpoint").iterdir():
        hole(file)
    says = ["run/checkpoint/chain-1.checkpoint is damaged", "start a new run"]
    refused(".", FOLDER, says, "resume", "run", "-q", "--draws", "40")


def test_going_back_to_an_older_checkpoint_is_said_even_when_quiet(run):
    file = Path("run/checkpoint/chain-1.checkpoint")
    shutil.copy(file, f"{file}.previous")
    hole(file)
    result = CliRunner().invoke(app, ["resume", "run", "-q", "--draws", "40"])
    assert result.exit_code == 0, result.output
    assert result.stderr.startswith("Warning: the checkpoint chain-1.checkpoint is damaged")
    assert "continuing from chain-1.checkpoint.previous" in result.stderr


@pytest.mark.parametrize(
    ("code", "says", "draws"),
    [(SETTINGS, ["--draws", "20"], 0), (SETTINGS, ["--draws", "20"], 5), (MEMORY, ["GiB", "--draws"], 10**11)],
)
def test_resume_with_a_number_of_draws_that_makes_no_sense(run, code, says, draws):
    refused(".", code, says, "resume", "run", "-q", "--draws", draws)


# Questions that make no sense


@pytest.mark.parametrize(
    ("code", "says", "words"),
    [
        (SETTINGS, ["--level", "between 0 and 1", "2.0"], ["forecast", "run", "--level", "2"]),
        (SETTINGS, ["--level", "nan"], ["forecast", "run", "--level", "nan"]),
        (SETTINGS, ["--level", "2.0"], ["forecast", "run", "--backtest", "--level", "2"]),
        (SETTINGS, ["--n-next", "at least 1", "0"], ["forecast", "run", "--n-next", "0"]),
        (SETTINGS, ["--loss", "binder", "'l2'"], ["summarize", "run", "--loss", "l2"]),
        (SETTINGS, ["--at-most", "median", "'few'"], ["summarize", "run", "--at-most", "few"]),
        (SETTINGS, ["--links", "place", "'all'"], ["report", "run", "--links", "all", "--out", "r.html"]),
        (SETTINGS, ["'1999'", "2001, 2002"], ["predict", "run", "new.csv", "--at", "1999"]),
        (SETTINGS, ["--sizes", "'3,x'"], ["simulate", "--out", "s", "--sizes", "3,x"]),
        (SETTINGS, ["at least one object", "-3"], ["simulate", "--out", "s", "--sizes", "-3"]),
        (SETTINGS, ["--seed", "at least 0", "-1"], ["simulate", "--out", "s", "--seed", "-1"]),
        (MEMORY, ["memory"], ["simulate", "--out", "s", "--sizes", "10000000"]),
        (USAGE, ["--design"], ["simulate", "--out", "s", "--design", "round"]),
        (USAGE, ["--out"], ["simulate"]),
        (USAGE, ["--level"], ["forecast", "run", "--level", "high"]),
    ],
    ids=as_typed,
)
def test_questions_that_make_no_sense(run, code, says, words):
    put("new.csv", "id,a,b\nu,1,2\n")
    refused(".", code, says, *words)


NEW_TABLES = {
    "missing column": (["new.csv", "'b'", "a, b"], "id,a\nu,1\n"),
    "gap": (["new.csv: line 2, column b", "no value"], "id,a,b\nu,1,\n"),
    "overflow": (["new.csv"], "id,a,b\nu,1e308,1e308\n"),
}


@pytest.mark.parametrize(("says", "table"), NEW_TABLES.values(), ids=NEW_TABLES.keys())
def test_predict_from_a_bad_table(run, says, table):
    refused(".", DATA, says, "predict", "run", put("new.csv", table))


def test_predict_from_what_is_not_there(run):
    refused(".", DATA, ["no.csv", "no such file"], "predict", "run", "no.csv")
    refused(".", DATA, ["'name'", "--id", "a, b"], "predict", "run", put("new.csv", "a,b\n1,2\n"), "--id", "name")


NEW_ARRAYS = {
    "columns": (["new.npy", "(2, 5)", "2002", "6 objects"], np.ones((2, 5))),
    "NaN": (["new.npy", "nan"], np.full((2, 6), np.nan)),
    "infinite": (["new.npy", "inf"], np.full((2, 6), np.inf)),
    "negative": (["new.npy", "-1", "not negative"], -np.ones((2, 6))),
    "overflow": (["new.npy"], np.full((2, 6), 1e200)),
}


@pytest.mark.parametrize(("says", "array"), NEW_ARRAYS.values(), ids=NEW_ARRAYS.keys())
def test_predict_from_a_bad_array(run, says, array):
    np.save("new.npy", array)
    refused(".", DATA, says, "predict", "far", "new.npy")


def test_the_error_comes_last_when_there_is_more_to_say():
    result = CliRunner().invoke(app, ["fit", put("x.csv", "time,a\n"), "--out", "run"])
    assert result.stderr.splitlines()[-1].startswith("Error: x.csv: ")
    assert not Path("run").exists()


def test_errors_as_json():
    result = CliRunner().invoke(app, ["check", put("x.csv", "time,a\n"), "--json", "-q"])
    error = json.loads(result.stdout)["error"]
    assert (result.exit_code, error["exit_code"], error["kind"]) == (3, 3, "DataError")
    assert result.stderr == f"Error: {error['message']}\n"
