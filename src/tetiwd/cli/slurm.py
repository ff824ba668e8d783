"""Scripts that run the chains of a run folder as jobs of SLURM, and collect them."""

import os
import shlex
import sys
from dataclasses import replace
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

from tetiwd.cli import exit_codes
from tetiwd.errors import SettingsError
from tetiwd.writing import write_text

if TYPE_CHECKING:
    from tetiwd.data import DistanceSeries
    from tetiwd.io.run_folder import RunFolder

NAME = "slurm"  # of the folder with the scripts
HOURS, MINUTES_TO_COLLECT = 24, 60
SECONDS_TO_SAVE = 120  # before the wall time ends
SECONDS_TO_WAIT = 300  # for other chains, at a check point

CHAINS = """\
#!/bin/sh
# One job per chain. It saves its chain before its time is up; the same job goes on from there.
#SBATCH --job-name={name}
#SBATCH --array=1-{n_chains}
#SBATCH --ntasks=1 --cpus-per-task=1
#SBATCH --mem={memory}M
#SBATCH --time={hours}:00:00
#SBATCH --signal=B:TERM@{seconds_to_save}
#SBATCH --output={logs}/chain-%a.log --open-mode=append
export OMP_NUM_THREADS=1
exec {tetiwd} resume {run} --chain "$SLURM_ARRAY_TASK_ID" --wait {seconds_to_wait}
"""
COLLECT = """\
#!/bin/sh
# Joins the chains and writes the results; submits the chains again if they have not come far enough.
#SBATCH --job-name={name}-collect
#SBATCH --ntasks=1 --cpus-per-task=1
#SBATCH --mem={memory}M
#SBATCH --time={minutes}
#SBATCH --output={logs}/collect.log --open-mode=append
export OMP_NUM_THREADS=1
{tetiwd} collect {run}
code=$?
[ "$code" -eq {unfinished} ] || exit "$code"
now=$(cksum {run}/checkpoint/chain-*.checkpoint | cksum)
if [ "$now" = "$(cat {logs}/collected 2>/dev/null)" ]; then
  echo "No chain has moved since the last time; see {logs}/chain-*.log." >&2
  exit "$code"
fi
echo "$now" > {logs}/collected
exec sh {logs}/submit.sh
"""
SUBMIT = """\
#!/bin/sh
# Submits all chains, and a job that collects them. Options of sbatch may be given; they are remembered.
set -e
[ $# -eq 0 ] || echo "$@" > {logs}/options
options=$(cat {logs}/options 2>/dev/null || true)
chains=$(sbatch --parsable $options {logs}/chains.sh)
sbatch $options --dependency=afterany:"${{chains%%;*}}" {logs}/collect.sh
"""


def check_writable_in_scripts(*words: str) -> None:
    """Refuse what cannot stand in a line of a script: a new line ends a comment, and what follows would be run."""
    for word in words:
        if any(ord(letter) < 32 or ord(letter) == 127 or 0xD800 <= ord(letter) < 0xE000 for letter in word):
            fault = f"{word!a} has control characters, or bytes that are no text, which no script can have"
            raise SettingsError(fault, "choose another folder with a plain name")


def write_scripts(folder: "RunFolder", series: "DistanceSeries") -> Path:
    """Write the scripts into the run folder; returns the one to run."""
    from tetiwd.run_memory import bytes_of_job

    check_writable_in_scripts(str(folder.path.resolve()), sys.executable)
    settings, model, place = folder.settings().sampler, folder.hyperparameters(), folder.attach(NAME)
    names = {
        "name": shlex.quote(f"tetiwd-{folder.path.resolve().name}"),
        "n_chains": settings.n_chains,
        "hours": HOURS,
        "minutes": MINUTES_TO_COLLECT,
        "seconds_to_save": SECONDS_TO_SAVE,
        "seconds_to_wait": SECONDS_TO_WAIT,
        "unfinished": exit_codes.UNFINISHED,
        "tetiwd": f"{shlex.quote(sys.executable)} -m tetiwd",
        "run": shlex.quote(str(folder.path.resolve())),
        "logs": shlex.quote(str(place.resolve())),
    }
    for file, text, n_chains in (
        ("chains.sh", CHAINS, 1),
        ("collect.sh", COLLECT, settings.n_chains),
        ("submit.sh", SUBMIT, settings.n_chains),
    ):
        memory = ceil(bytes_of_job(series, model, replace(settings, n_chains=n_chains)) / 2**20)
        write_text(place / file, text.format(memory=memory, **names))
        os.chmod(place / file, 0o755)
    return place / "submit.sh"
