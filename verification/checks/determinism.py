"""The same seed gives the same draws, bit for bit: any number of threads, any executor, and after any interruption."""

import tempfile
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

from benchmarks.table import Row

from verification.check import Check, Found, Job

THREADS = (1, 2, 3, 8)
STOPS = 5
EXECUTORS = {"threads": ThreadPoolExecutor, "processes": ProcessPoolExecutor}


def jobs(few: bool) -> list[Job]:
    """Every mode of the sampler."""
    from verification.__main__ import find_tests

    find_tests()
    from every_mode import modes

    names = [name for name, *_ in modes()]
    return [Job(name, {"mode": name}) for name in names[: 3 if few else None]]


def run(mode: str) -> Found:
    """Hashes of the draws by number of threads and executor, and of a run that was stopped several times."""
    from every_mode import MODEL, SHORT, modes
    from runs import digest
    from tetiwd import Hyperparameters, SamplerSettings, run_chains

    _, series, model, settings = next(case for case in modes() if case[0] == mode)
    h, how = Hyperparameters(**MODEL | model), SamplerSettings(**SHORT | settings)
    found = {f"{n} threads": digest(run_chains(series, h, how, n_threads=n)) for n in THREADS}
    for kind, executor in EXECUTORS.items():
        with executor(2) as pool:
            found[f"executor of {kind}"] = digest(run_chains(series, h, how, executor=pool))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "checkpoints"
        for stop in range(STOPS):
            limit = how.n_sweeps * (stop + 1) // (STOPS + 1)

            def enough(where: list, limit: int = limit) -> bool:
                return max(one.n_done for one in where) >= limit

            kept = {"checkpoint": folder, "checkpoint_seconds": 0.0, "resume": stop > 0}
            run_chains(series, h, how, n_threads=1 + stop % 2, progress=enough, **kept)
        found["interrupted"] = digest(run_chains(series, h, how, checkpoint=folder, resume=True))
    return found


def rows(found: dict[str, Found]) -> list[Row]:
    """How many modes agree."""
    if not found:
        return []
    differ = {mode: one for mode, one in found.items() if len(set(one.values())) > 1}
    value = f"{len(found) - len(differ)} of {len(found)} modes" + (f"; not: {', '.join(differ)}" if differ else "")
    threads = ", ".join(map(str, THREADS))
    kinds = " and of ".join(EXECUTORS)
    what = f"same draws with {threads} threads, executors of {kinds}, after {STOPS} interruptions"
    return [Row(what, value, "all", not differ)]


CHECK = Check(
    "Determinism",
    "Every mode of the sampler runs with several numbers of threads, with chains in a pool of threads and in "
    "separate processes, and is stopped and resumed again and again.",
    jobs,
    run,
    rows,
    inner=True,
)
