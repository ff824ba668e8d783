"""A hostile world: no room, no rights, no memory, rivals, a clock that jumps, signals."""

import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from benchmarks.table import Row

from tetiwd.cli.exit_codes import BY_ERROR, INTERRUPTED
from tetiwd.errors import DataError, MemoryLimitError, RunFolderError
from verification import commands
from verification.check import Check, Found, Job
from verification.checks.kills import FIT, PHASES, SAME, undisturbed
from verification.commands import Ended

FOLDER, DATA, MEMORY = BY_ERROR[RunFolderError], BY_ERROR[DataError], BY_ERROR[MemoryLimitError]
MORTAL = ("setpriv", "--bounding-set=-all", "--inh-caps=-all")  # root without its special rights
LOUD = tuple(word for word in FIT if word != "-q")


class Unfit(Exception):
    """Why a case cannot be tried here."""


def jobs(few: bool) -> list[Job]:
    """All cases, or the first ones of every group."""
    found = []
    for group, (_, cases) in GROUPS.items():
        every = max(1, len(cases) // 2) if few else 1
        found += [Job(f"{group}: {case}", {"group": group, "case": case}) for case in list(cases)[::every]]
    return found


def run(group: str, case: Any) -> Found:
    """One case in a folder of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        commands.write_data(folder)
        try:
            return {"group": group, "outcome": GROUPS[group][0](folder, case)}
        except Unfit as reason:
            return {"group": group, "outcome": None, "reason": str(reason)}


def answer() -> str:
    """That of a fit in a friendly world."""
    return undisturbed()[0]


def judged(ended: Ended, *codes: int) -> str | None:
    """What is wrong with the end of a command that may succeed or fail with these codes; None if nothing."""
    if ended.code not in codes and ended.fault is not None:
        return f"{ended.fault}: {ended.errors[-150:]}"
    if ended.code not in (0, *codes):
        return f"exit code {ended}"
    lines = ended.errors.strip().splitlines()
    if ended.code in BY_ERROR.values() and not (lines and lines[-1].startswith("Error: ")):
        return f"no word about {ended}"
    return None


def afterwards(folder: Path) -> str:
    """What comes out when the world is friendly again."""
    return commands.get_on(folder, FIT, answer())[0]


# Disk


def in_own_mounts(script: str, folder: Path, *words: str) -> list[Ended]:
    """Run a shell script that may mount things; it calls ``try`` with the words of commands, whose ends are told."""
    try_one = f"""try() {{ "{sys.executable}" -m tetiwd "$@" 2>> errors; echo "end $?" >> errors; }}\n"""
    environment = os.environ | {"PYTHONPATH": commands.python_path(), "OMP_NUM_THREADS": "1"}
    environment["errors"] = str(folder / "errors")
    command = ["unshare", "-rm", "sh", "-c", try_one.replace("errors", '"$errors"') + script, "sh", *words]
    try:
        shell = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            timeout=900,
        )
    except FileNotFoundError as error:
        raise Unfit("there is no unshare") from error
    if shell.returncode != 0:
        raise Unfit(f"nothing can be mounted ({shell.stderr.strip()[-100:]})")
    ended, said = [], ""
    for line in (folder / "errors").read_text("utf-8").splitlines(keepends=True):
        if line.startswith("end "):
            code = int(line[4:])
            ended.append(Ended(128 - code if code in (134, 137, 139) else code, said))
            said = ""
        else:
            said += line
    return ended


def full_disk(folder: Path, kibibytes: int) -> str:
    """A fit on a small file system; then there is room, and the run goes on."""
    fit, resume = " ".join(FIT), " ".join(commands.RESUME)
    script = f"""
        mkdir room && mount -t tmpfs -o size={kibibytes}k none room || exit 1
        cp x.csv room/ && cd room || exit 1
        try {fit}
        mount -o remount,size=64m "$PWD" || exit 1
        try {resume}
        test -f run/report.html || try {fit}
        cp -r run ../run
    """
    ended = in_own_mounts(script, folder)
    wrong = judged(ended[0], FOLDER) or judged(ended[1], FOLDER) or judged(ended[-1])
    if wrong is not None:
        return wrong
    return SAME if commands.answer_of(folder / "run") == answer() else "another answer"


def full_file(folder: Path, kibibytes: int) -> str:
    """No file may grow beyond a size, as with a quota."""
    limit = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (kibibytes << 10, kibibytes << 10))
    ended = commands.run(FIT, folder, preexec_fn=limit)
    return judged(ended, FOLDER) or afterwards(folder)


DEVICE = {
    "check": ("check", "x.csv"),
    "check as JSON": ("check", "x.csv", "--json"),
    "fit": LOUD,
    "summarize": ("summarize", "run"),
    "report into it": ("report", "run", "--out", "/dev/full", "--overwrite"),
    "forecast into it": ("forecast", "run", "--out", "/dev/full", "--overwrite"),
}


def full_device(folder: Path, case: str) -> str:
    """Output goes to /dev/full: that is said, and costs nothing but the output."""
    words = DEVICE[case]
    if "run" in words and words is not LOUD:
        commands.apart(FIT, folder)
    with open("/dev/full", "w") as full:
        ended = commands.run(words, folder, stdout=full)
    if ended.code != FOLDER or not Path("/dev/full").is_char_device():
        return f"exit code {ended}"
    return judged(ended, FOLDER) or afterwards(folder)


# Rights

ASK = ("summarize", "run", "--json")


def read_only_mount(folder: Path, case: str) -> str:
    """The run lies on a file system that cannot be written to: questions are answered, all else is refused."""
    commands.apart(FIT, folder)
    before = commands.answer_of(folder / "run")
    words = {
        "resume": " ".join(commands.RESUME),
        "fit": " ".join((*FIT, "--overwrite")),
        "report": "report run --overwrite",
        "summarize": "summarize run",
        "report elsewhere": "report run --out r.html",
    }[case]
    script = f"mount --bind run run && mount -o remount,ro,bind run || exit 1\ntry {words}"
    (ended,) = in_own_mounts(script, folder)
    expected = 0 if case in ("summarize", "report elsewhere") else FOLDER
    if ended.code != expected:
        return f"exit code {ended}"
    return judged(ended, FOLDER) or (SAME if commands.answer_of(folder / "run") == before else "another answer")


LOCKED: dict[str, tuple[str, int, Sequence[str], int]] = {  # what, its mode, a command, and how that must end
    "folder for results": ("locked", 0o500, (*FIT[:3], "locked/run", *FIT[4:]), FOLDER),
    "input": ("x.csv", 0o000, FIT, DATA),
    "run, resumed": ("run", 0o500, commands.RESUME, FOLDER),
    "run, asked": ("run", 0o500, ASK, 0),
    "run.toml": ("run/run.toml", 0o000, ASK, FOLDER),
    "results.nc": ("run/results.nc", 0o000, ASK, FOLDER),
    "data.nc": ("run/data.nc", 0o000, commands.RESUME, FOLDER),
    "checkpoints": ("run/checkpoint", 0o500, (*commands.RESUME, "--draws", "90"), FOLDER),
    "one checkpoint": ("run/checkpoint/chain-1.checkpoint", 0o000, (*commands.RESUME, "--draws", "90"), FOLDER),
    "one file of draws": ("run/checkpoint/chain-1.draws", 0o000, (*commands.RESUME, "--draws", "90"), FOLDER),
}


def locked(folder: Path, case: str) -> str:
    """A file or folder without the rights; afterwards, with them, everything is as before."""
    what, mode, words, code = LOCKED[case]
    if what.startswith("run"):
        commands.apart(FIT, folder)
    if what == "locked":
        (folder / what).mkdir()
    (folder / what).chmod(mode)
    try:
        ended = commands.run(words, folder, by=MORTAL if os.geteuid() == 0 else ())
    except FileNotFoundError as error:
        raise Unfit("nothing is read-only for root, and there is no setpriv") from error
    (folder / what).chmod(0o700)
    if ended.code != code:
        return f"exit code {ended}"
    return judged(ended, code) or afterwards(folder)


# Rivals


def rivals(folder: Path, case: str) -> str:
    """Several processes want the same folder: one gets it, the others are refused, and the answer is the same."""
    how, number = case.split(", ")
    delay = 0.02 * int(number)
    if how == "fit and fit":
        several = [FIT, FIT]
    elif how == "resume and resume":
        first = commands.begin(FIT, folder)
        commands.wait_for(first, lambda: (folder / "run" / "checkpoint").exists())
        commands.kill(first)
        several = [commands.RESUME, commands.RESUME]
    else:
        several = [FIT, (*FIT, "--overwrite"), commands.RESUME]
    running = []
    for words in several:
        running.append(commands.begin(words, folder))
        if how == "fit and others":
            commands.wait_for(running[0], lambda: (folder / "run" / "data.nc").exists())
        time.sleep(delay)
    ended = [commands.end_of(process) for process in running]
    wrong = next((fault for fault in (judged(one, FOLDER) for one in ended) if fault is not None), None)
    if wrong is not None:
        return wrong
    if sum(one.code == 0 for one in ended) != 1:
        return f"{sum(one.code == 0 for one in ended)} of {len(ended)} got the folder"
    return afterwards(folder)


def abandoned(folder: Path, case: str) -> str:
    """A process was killed, and its number belongs to another one now: the folder is free."""
    process = commands.begin(FIT, folder)
    commands.wait_for(process, lambda: (folder / "run" / "checkpoint").exists())
    commands.kill(process)
    (folder / "run" / "writing.pid").write_text(str(os.getppid()), "ascii")
    return afterwards(folder)


# Memory


def little_memory(folder: Path, mebibytes: int) -> str:
    """So much address space and no more."""
    limit = partial(resource.setrlimit, resource.RLIMIT_AS, (mebibytes << 20, mebibytes << 20))
    ended = commands.run(FIT, folder, preexec_fn=limit)
    return judged(ended, MEMORY) or afterwards(folder)


# Time

CLOCK = """
import itertools, sys, time
jump, real, calls = sys.argv.pop(1), time.time, itertools.count()
first = real()
shifts = {
    "back ten years": lambda n: -3e8, "ahead fifty years": lambda n: 1.5e9, "before 1970": lambda n: -first - 1e6,
    "to and fro": lambda n: (-1) ** n * 1e5, "back at every look": lambda n: -60.0 * n, "standing still": None,
}
shift = shifts[jump]
time.time = (lambda: first) if shift is None else (lambda: real() + shift(next(calls)))
from tetiwd.cli import main
main()
"""
JUMPS = ("back ten years", "ahead fifty years", "before 1970", "to and fro", "back at every look", "standing still")
FAKETIME = tuple(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))


def clock(folder: Path, jump: str) -> str:
    """The clock jumps: the answer is the same."""
    ended = commands.run((jump, *FIT), folder, wrapped=("-c", CLOCK))
    return finished(ended, folder)


def whole_clock(folder: Path, shift: str) -> str:
    """The same for everything in the process, by libfaketime."""
    if not FAKETIME:
        raise Unfit("libfaketime is not installed")
    script = "import os, sys; os.environ['LD_PRELOAD'], os.environ['FAKETIME'] = sys.argv[1:3]; "
    script += "os.execv(sys.executable, [sys.executable, '-m', 'tetiwd', *sys.argv[3:]])"
    return finished(commands.run((str(FAKETIME[0]), shift, *FIT), folder, wrapped=("-c", script)), folder)


def future_files(folder: Path, case: str) -> str:
    """Files are dated tomorrow, or before 1980, when a run is resumed."""
    process = commands.begin(FIT, folder)
    commands.wait_for(process, lambda: (folder / "run" / "checkpoint").exists())
    commands.kill(process)
    when = time.time() + 1e6 if case == "tomorrow" else 1000.0
    for file in folder.rglob("*"):
        os.utime(file, (when, when))
    return afterwards(folder)


def finished(ended: Ended, folder: Path) -> str:
    """A command that must have succeeded."""
    if ended.code != 0:
        return f"exit code {ended}"
    return SAME if commands.answer_of(folder / "run") == answer() else "another answer"


# Signals


def moment_of(folder: Path, phase: str, words: Sequence[str] = FIT) -> subprocess.Popen:
    """A fit in the middle of a phase."""
    begins, _ = PHASES[phase]
    process = commands.begin(words, folder)
    commands.wait_for(process, lambda: begins(folder / "run"))
    time.sleep(undisturbed()[1][phase] * (0.8 if phase == "reading" else 0.4))
    return process


def asleep(folder: Path, phase: str) -> str:
    """SIGSTOP, and SIGCONT a second later."""
    process = moment_of(folder, phase)
    process.send_signal(signal.SIGSTOP)
    time.sleep(1.0)
    process.send_signal(signal.SIGCONT)
    return finished(commands.end_of(process), folder)


def asked_to_end(folder: Path, case: str) -> str:
    """SIGHUP, SIGTERM or SIGINT: the program says so, the folder does not say that it is running, and it goes on."""
    name, phase = case.split(" while ")
    number = signal.Signals[name]
    process = moment_of(folder, phase)
    process.send_signal(number)
    ended = commands.end_of(process)
    run = folder / "run"
    if ended.code == -number and not run.exists():
        return afterwards(folder)  # nothing had begun
    if ended.code not in (0, INTERRUPTED):
        return f"exit code {ended}"
    if run.exists() and 'status = "running"' in (run / "run.toml").read_text("utf-8"):
        return "the folder says that it is running"
    return afterwards(folder)


@cache
def sizes(first: int, last: int, n: int) -> tuple[int, ...]:
    """Evenly spread on a logarithmic scale."""
    return tuple(round(first * (last / first) ** (i / (n - 1))) for i in range(n))


SIGNALS = tuple(f"{name} while {phase}" for name in ("SIGTERM", "SIGHUP", "SIGINT") for phase in PHASES)
RIVALS = tuple(f"{how}, {i}" for how in ("fit and fit", "resume and resume", "fit and others") for i in range(4))
GROUPS: dict[str, tuple[Callable[[Path, Any], str], Sequence[Any]]] = {
    "disk full, by KiB there are": (full_disk, sizes(8, 3000, 24)),
    "files no larger than so many KiB": (full_file, sizes(1, 1000, 10)),
    "output into a full device": (full_device, tuple(DEVICE)),
    "read-only file system": (read_only_mount, ("resume", "fit", "report", "summarize", "report elsewhere")),
    "rights that are missing": (locked, tuple(LOCKED)),
    "several processes, one folder": (rivals, RIVALS),
    "a process that is no more": (abandoned, ("its number is taken",)),
    "address space in MiB": (little_memory, sizes(200, 3000, 16)),
    "clock": (clock, JUMPS),
    "clock, for libraries, too": (whole_clock, ("-10y", "+50y", "x0.01", "x100")),
    "dates of files": (future_files, ("tomorrow", "1970")),
    "stopped for a second": (asleep, tuple(PHASES)),
    "asked to end": (asked_to_end, SIGNALS),
}


def rows(found: dict[str, Found]) -> list[Row]:
    """How the cases of every group ended."""
    table = []
    for group in GROUPS:
        own = {name: one for name, one in found.items() if one["group"] == group}
        if not own:
            continue
        tried = {name: one["outcome"] for name, one in own.items() if one["outcome"] is not None}
        left_out = [one["reason"] for one in own.values() if one["outcome"] is None]
        bad = {name.partition(": ")[2]: outcome for name, outcome in tried.items() if outcome != SAME}
        value = f"{len(tried) - len(bad)} of {len(tried)} cases"
        value += "".join(f"; **{case}: {outcome}**" for case, outcome in list(bad.items())[:4])
        value += f"; **{len(left_out)} not tried: {left_out[0]}**" if left_out else ""
        table.append(Row(f"hostile world: {group}", value, "all", not bad if tried else None))
    return table


CHECK = Check(
    "A hostile world",
    "Small file systems, limits on file size and memory, full devices, missing permissions, several processes that "
    "want one folder, reused process ids, clocks that jump, stops and signals. Every command ends with its documented "
    "exit code and a line that says why. Once conditions are normal again, following the messages leads to the answer "
    "of an undisturbed run, bit for bit. What cannot be tried on a machine is listed as not tried.",
    jobs,
    run,
    rows,
)
