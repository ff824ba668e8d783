"""Chains as jobs of their own: what a user types, and that the results are those of a run in one process."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from typer.testing import CliRunner

from runs import digest, small_series
from tetiwd import SettingsError, load_run
from tetiwd.cli import app
from tetiwd.cli.slurm import write_scripts
from tetiwd.io.run_folder import RunFolder

RUN = [
    *("--squared", "--chains", "2", "--warmup", "20", "--max-draws", "140", "--dof", "6"),
    *("--set", "sampler.n_anneal=5"),
]

PROGRAM = [sys.executable, "-m", "tetiwd"]


def tetiwd(*words, code=0):
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == code, (result.exit_code, result.output, result.exception)
    return result


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    for t, matrix in enumerate(small_series().matrices):
        np.save(folder / f"d{t}.npy", matrix)
    return sorted(folder.glob("*.npy"))


@pytest.fixture(scope="module")
def here(files, tmp_path_factory):
    """The run in one process."""
    out = tmp_path_factory.mktemp("here") / "run"
    tetiwd("fit", *files, *RUN, "--out", out)
    return out


@pytest.fixture(scope="module")
def elsewhere(files, tmp_path_factory):
    """The same run, one chain after the other until all is drawn; the first job makes the folder."""
    out, codes = tmp_path_factory.mktemp("elsewhere") / "run", []
    while not codes or codes[-1]:
        for chain in (1, 2):
            tetiwd("fit", *files, *RUN, "--out", out, "--chain", chain, "--wait", 0)
        codes.append(CliRunner().invoke(app, ["collect", str(out)]).exit_code)
    assert codes == [10] * (len(codes) - 1) + [0]
    assert len(codes) > 1
    return out


def test_collected_chains_are_a_run_in_one_process(here, elsewhere):
    one, other = load_run(here).sample, load_run(elsewhere).sample
    assert digest(other) == digest(one)
    assert other.ended == one.ended
    assert [frozen.log_joint for frozen in other.frozen] == [frozen.log_joint for frozen in one.frozen]
    for name in ("labels.csv", "lineages.csv", "links.csv", "events.csv", "diagnostics.json"):
        assert (elsewhere / name).read_text() == (here / name).read_text()
    assert sorted(path.name for path in elsewhere.iterdir()) == sorted(path.name for path in here.iterdir())
    assert [path.name for path in elsewhere.parent.iterdir()] == ["run"]


def test_chains_that_are_not_far_enough_are_named(files, tmp_path):
    out = tmp_path / "run"
    tetiwd("fit", *files, *RUN, "--out", out, "--chain", 2, "--wait", 0)
    result = tetiwd("collect", out, code=10)
    assert "Chains have 0, 100 draws, and 100 of each are needed" in result.stdout
    assert "Run again: --chain 1\n" in result.stdout
    assert not (out / "results.nc").exists()


def test_chains_may_come_at_the_same_time(files, here, tmp_path):
    out = tmp_path / "run"
    words = [
        sys.executable,
        "-m",
        "tetiwd",
        "fit",
        *map(str, files),
        *RUN,
        "--out",
        str(out),
        "--quiet",
        "--wait",
        "60",
    ]
    jobs = [subprocess.Popen([*words, "--chain", str(chain)]) for chain in (1, 2)]
    assert [job.wait(120) for job in jobs] == [0, 0]
    tetiwd("collect", out)
    assert digest(load_run(out).sample) == digest(load_run(here).sample)
    assert [path.name for path in tmp_path.iterdir()] == ["run"]  # the folder of whoever was slower is gone


def test_a_job_that_is_told_to_end_goes_on_later(files, tmp_path):
    long = [*RUN, "--set", "sampler.n_draws=200000"]
    out = tmp_path / "run"
    words = [
        sys.executable,
        "-m",
        "tetiwd",
        "fit",
        *map(str, files),
        *long,
        "--out",
        str(out),
        "--quiet",
        "--chain",
        "1",
    ]
    job = subprocess.Popen(words)
    while not (out / "checkpoint" / "chains.lock").exists():
        assert job.poll() is None
        time.sleep(0.05)
    again = tetiwd("resume", out, "--chain", 1, code=6)
    assert "chain 1 in" in again.output
    assert "is being run by another process; wait for it" in again.output
    time.sleep(0.5)
    job.send_signal(signal.SIGTERM)
    assert job.wait(60) == 130
    assert (out / "checkpoint" / "chain-1.checkpoint").is_file()


def test_other_settings_and_other_data_are_refused(files, elsewhere, tmp_path):
    result = tetiwd("fit", *files, *RUN, "--seed", 7, "--out", elsewhere, "--chain", 1, code=6)
    assert "holds a run with other settings; choose another folder, or go on with that run" in result.output
    strange = tmp_path / "d0.npy"
    np.save(strange, np.load(files[0]) * 2)
    result = tetiwd("fit", strange, *files[1:], *RUN, "--out", elsewhere, "--chain", 1, code=6)
    assert "holds a run of other data than" in result.output


def test_data_need_not_be_there_any_more(files, elsewhere, tmp_path):
    gone = [tmp_path / file.name for file in files]
    tetiwd("fit", *gone, *RUN, "--out", elsewhere, "--chain", 1)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--chain", "3"], "--chain 3 is none of the 2 chains of this run; give a number from 1 to 2"),
        (["--chain", "1", "--overwrite"], "--chain 1 and --overwrite cannot be had together; leave out one of them"),
        (["--chain", "1", "--slurm"], "--chain 1 and --slurm cannot be had together"),
        (["--slurm", "--local-cluster", "2"], "--slurm and --local-cluster 2 cannot be had together"),
        (["--scheduler", "x", "--local-cluster", "2"], "--scheduler x and --local-cluster 2 cannot be had together"),
    ],
)
def test_what_cannot_be_had_together(words, said, files, elsewhere):
    assert said in tetiwd("fit", *files, *RUN, "--out", elsewhere, *words, code=4).output


def test_local_workers_write_the_same_results(files, here, tmp_path):
    pytest.importorskip("distributed")
    tetiwd("fit", *files, *RUN, "--out", tmp_path / "run", "--local-cluster", 2)
    assert digest(load_run(tmp_path / "run").sample) == digest(load_run(here).sample)
    assert not list((tmp_path / "run" / "checkpoint").glob(".*"))


def test_local_workers_may_have_the_times_of_every_chain(files, tmp_path):
    pytest.importorskip("distributed")
    for name, words in {"here": [], "there": ["--local-cluster", 2]}.items():
        tetiwd("fit", *files, *RUN, "--spread-epochs", "--out", tmp_path / name, *words)
    assert digest(load_run(tmp_path / "there").sample) == digest(load_run(tmp_path / "here").sample)
    assert not list((tmp_path / "there").glob(".*"))


@pytest.mark.slow
def test_ctrl_c_in_a_terminal_reaches_workers_and_does_no_harm(files, tmp_path):
    psutil = pytest.importorskip("psutil")
    pytest.importorskip("distributed")
    out = tmp_path / "run"
    long = [*RUN, "--set", "sampler.n_draws=100000", "--quiet"]
    words = [*PROGRAM, "fit", *map(str, files), *long, "--out", str(out), "--local-cluster", "2"]
    run = subprocess.Popen(words, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    n_done = [0]
    while len(n_done) < 2 or min(n_done) < 60:
        assert run.poll() is None
        time.sleep(0.1)
        signs = out.glob("checkpoint/.tetiwd-jobs-*/signs-*-1")
        n_done = [json.loads(file.read_text()).get("n_done", 0) for file in signs]
    children = psutil.Process(run.pid).children(recursive=True)
    os.killpg(run.pid, signal.SIGINT)
    _, said = run.communicate(timeout=60)
    assert run.returncode == 130
    assert "stopped early; go on with: tetiwd resume" in said
    left = psutil.wait_procs(children, timeout=10)[1]
    assert [" ".join(child.cmdline()) for child in left] == []
    assert not list((out / "checkpoint").glob(".*"))
    assert all(len(draws) > 10 for draws in load_run(out).sample.draws)


def test_without_dask_the_extra_is_named(files, tmp_path, monkeypatch):
    monkeypatch.setattr("tetiwd.cluster.find_spec", lambda name: None)
    result = tetiwd("fit", *files, *RUN, "--out", tmp_path / "run", "--local-cluster", 2, code=9)
    assert "Dask is not installed; install the extra dask" in result.output
    assert not (tmp_path / "run").exists()


@pytest.fixture
def slurm(files, tmp_path):
    """A run folder with scripts, and an sbatch that only notes how it was called."""
    folder = tmp_path / "a run"
    said = tetiwd("fit", *files, *RUN, "--out", folder, "--slurm").stdout
    notes, path = tmp_path / "called", tmp_path / "bin"
    path.mkdir()
    (path / "sbatch").write_text(f'#!/bin/sh\necho "$*" >> "{notes}"\necho 17\n')
    (path / "sbatch").chmod(0o755)

    def run(script, *words):
        environment = os.environ | {"PATH": f"{path}{os.pathsep}{os.environ['PATH']}"}
        command = ["sh", str(folder / "slurm" / script), *words]
        return subprocess.run(command, env=environment, capture_output=True, text=True)

    return folder, said, notes, run


def test_scripts_for_slurm_name_all_that_jobs_need(slurm):
    folder, said, _, _ = slurm
    assert f"Submit 2 chains with: sh '{folder / 'slurm' / 'submit.sh'}'" in said
    assert (folder / "data.nc").is_file()
    text = (folder / "slurm" / "chains.sh").read_text()
    for line in ("--array=1-2", "--signal=B:TERM@120", "--time=24:00:00"):
        assert f"#SBATCH {line}\n" in text
    assert f"-m tetiwd resume '{folder}' --chain \"$SLURM_ARRAY_TASK_ID\"" in text
    megabytes = int(text.split("--mem=")[1].split("M")[0])
    assert 500 < megabytes < 1500


@pytest.mark.parametrize("name", ["x\ntouch PWNED\n#", "x\r", "x\x7f"])
def test_no_script_is_written_with_a_name_that_could_run_as_a_line_of_its_own(name, files, tmp_path):
    folder = tmp_path / name
    result = tetiwd("fit", *files, *RUN, "--out", folder, "--slurm", code=4)
    said = result.stderr.strip()
    assert "which no script can have; choose another folder with a plain name" in said.replace("\n", " ")
    assert not folder.exists()
    opened = RunFolder(folder)
    with pytest.raises(SettingsError, match=r"has control characters"):
        write_scripts(opened, small_series())


def test_options_of_sbatch_are_remembered(slurm):
    folder, _, notes, run = slurm
    scripts = folder / "slurm"
    assert run("submit.sh", "--partition=long", "--time=4:00:00").returncode == 0
    assert run("submit.sh").returncode == 0
    options = "--partition=long --time=4:00:00"
    expected = [f"--parsable {options} {scripts}/chains.sh", f"{options} --dependency=afterany:17 {scripts}/collect.sh"]
    assert notes.read_text().splitlines() == 2 * expected


@pytest.mark.slow
def test_chains_are_submitted_again_as_long_as_they_move(slurm, files, elsewhere):
    folder, _, notes, run = slurm
    tetiwd("resume", folder, "--chain", 1, "--wait", 0)
    assert run("collect.sh").returncode == 0
    assert len(notes.read_text().splitlines()) == 2
    stuck = run("collect.sh")
    assert stuck.returncode == 10
    assert "No chain has moved since the last time" in stuck.stderr
    shutil.copytree(elsewhere / "checkpoint", folder / "checkpoint", dirs_exist_ok=True)
    done = run("collect.sh")
    assert done.returncode == 0
    assert "Look at" in done.stdout
    assert len(notes.read_text().splitlines()) == 2
