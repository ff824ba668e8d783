"""``tetiwd fit --slurm`` with a real SLURM: a job array is cut off by its wall time once, goes on, and is collected."""

import os
import sys
from pathlib import Path

import psutil
import pytest

from runs import digest
from tetiwd import load_run

ROOT = Path(__file__).parents[2]
RUN = ("--squared", "--chains", "2", "--warmup", "100", "--draws", "100", "--dof", "6", "--geometry", "full")
SLOW_STEPS = """\
import os, time
if os.path.exists({flag!r}) and "--chain" in getattr(__import__("sys"), "orig_argv", ()):
    from tetiwd.sampler import Chain
    step = Chain.step
    def slow(self):
        time.sleep(1.0)
        return step(self)
    Chain.step = slow
"""


@pytest.mark.slow
def test_a_job_array_is_cut_off_goes_on_and_is_collected(slurm, tmp_path):
    files = written(tmp_path)
    tetiwd = [sys.executable, "-m", "tetiwd"]
    slurm.run(*tetiwd, "fit", *files, *RUN, "--out", str(tmp_path / "here"), "--quiet")
    said = slurm.run(*tetiwd, "fit", *files, *RUN, "--out", str(tmp_path / "run"), "--slurm")
    script = tmp_path / "run" / "slurm" / "submit.sh"
    assert f"sh {script}" in said

    flag, patch = tmp_path / "slow", tmp_path / "patch"
    patch.mkdir()
    (patch / "sitecustomize.py").write_text(SLOW_STEPS.format(flag=str(flag)))
    slurm.environment["PYTHONPATH"] = os.pathsep.join((str(patch), str(ROOT / "src")))
    flag.touch()  # every sweep takes a second, so that the wall time comes first
    slurm.run("sh", str(script), "--time=2", "--signal=B:TERM@30", "--mem=1000M")
    logs = [script.with_name(f"chain-{i}.log") for i in (1, 2)]
    told = "was stopped; the same command"
    slurm.wait(150, for_what=lambda: all(log.exists() and told in log.read_text() for log in logs))
    flag.unlink()
    assert all((tmp_path / "run" / "checkpoint" / f"chain-{i}.checkpoint").is_file() for i in (1, 2))
    slurm.wait(180, for_what=slurm.is_idle)

    collected = script.with_name("collect.log").read_text()
    assert "Run again: --chain 1, --chain 2" in collected
    assert "Look at" in collected, collected
    here, there = (load_run(tmp_path / name).sample for name in ("here", "run"))
    assert digest(there) == digest(here)
    assert [one.log_joint for one in there.frozen] == [one.log_joint for one in here.frozen]
    assert (tmp_path / "run" / "labels.csv").read_text() == (tmp_path / "here" / "labels.csv").read_text()
    running = [" ".join(process.info["cmdline"] or ()) for process in psutil.process_iter(["cmdline"])]
    assert not [command for command in running if str(tmp_path) in command]


def written(folder: Path) -> list[str]:
    """Three small matrices as files."""
    import numpy as np

    from runs import small_series

    files = [folder / f"d{t}.npy" for t in range(3)]
    for file, matrix in zip(files, small_series().matrices, strict=True):
        np.save(file, matrix)
    return list(map(str, files))
