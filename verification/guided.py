"""``python -m verification.guided NAME SECONDS``: inputs for a reader, found by atheris, which watches what code runs.

The working folder holds a run. Ends with an error at the first exception that is not our own.
"""

import contextlib
import os
import shutil
import sys
import tempfile
import warnings
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["tetiwd.io", "tetiwd.data", "tetiwd.checkpoint", "tetiwd.draws_file"]):
    import tetiwd.checkpoint
    import tetiwd.draws_file
    import tetiwd.io.read
    import tetiwd.io.run_folder  # noqa: F401 # they are watched from here on

from tetiwd.errors import TetiwdError
from verification import readable

LONGEST, MEBIBYTES, SLOWEST = 4096, 3000, 20


def main() -> None:
    """Search."""
    name, seconds = sys.argv[1:]
    warnings.simplefilter("ignore")
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    kind = readable.readables()[name]
    os.makedirs("guided", exist_ok=True)
    os.chdir("guided")
    known = kind.write()
    target = Path(kind.spoil) if kind.spoil else next(file for file in Path().rglob("*") if file.is_file())
    resign = name == "checkpoint"
    corpus = tempfile.mkdtemp()
    shutil.copy(target, corpus)

    def try_one(content: bytes) -> None:
        target.write_bytes(readable.signed(content) if resign else content)
        with contextlib.suppress(TetiwdError):
            kind.read(known)

    options = [f"-max_total_time={seconds}", f"-max_len={max(LONGEST, 2 * target.stat().st_size)}", "-seed=1"]
    options += [f"-rss_limit_mb={MEBIBYTES}", f"-timeout={SLOWEST}", "-print_final_stats=1"]
    atheris.Setup([sys.argv[0], *options, corpus], try_one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
