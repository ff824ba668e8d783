"""How crafted files are read: so far that what they point at is used."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tetiwd.errors import RunFolderError
from verification import commands, readable

MOST_OBJECTS = 2000  # whose distances are looked at
ASK = ("summarize", "run", "--json")


def data(words: list[str]) -> None:
    """Files and settings as words."""
    use(readable.read_input(words))


def data_of_run(words: Any) -> None:
    """data.nc, which may be any series that makes sense."""
    from tetiwd.io.run_folder import RunFolder

    use(RunFolder.open("run").series())


def refused(read: Callable[[Any], Any], known: Any) -> None:
    """What has to end with an error of our own."""
    read(known)
    raise AssertionError("a link to another file was not refused")


def use(series: Any) -> None:
    """Look at every distance, so that kernels go where a sparse matrix leads them."""
    for matrix in series.matrices:
        if len(matrix) <= MOST_OBJECTS:
            np.asarray(matrix).sum()


def new_rows(words: list[str]) -> None:
    """New objects, by features."""
    from tetiwd.io.data_settings import DataSettings
    from tetiwd.io.new_objects import read_new_objects

    new = read_new_objects(Path(words[0]), None, DataSettings(obsm=words[1] if len(words) > 1 else None), ["a", "b"])
    if new.values.shape[1] <= MOST_OBJECTS:
        (new.values @ np.ones(new.values.shape[1])).sum()


def sequences_of_run(words: Any) -> None:
    """Sequences that were kept with a run."""
    from tetiwd.io.kept_sequences import kept_sequences

    kept_sequences(Path("run"))


def metadata_of_run(words: Any) -> None:
    """Metadata that were kept with a run."""
    from tetiwd.io.kept_metadata import kept_metadata
    from tetiwd.io.run_folder import RunFolder

    kept = kept_metadata(Path("run"))
    if kept is not None:
        kept.metadata.check_size(sum(RunFolder.open("run").series().n_objects))


def ask(words: Sequence[str]) -> None:
    """A command: it must end well, or with an error of our own."""
    ended = commands.here(words)
    if ended.fault is not None:
        raise AssertionError(f"{words[0]}: {ended.fault}: {ended.errors[-100:]}")
    if ended.code != 0:
        raise RunFolderError(ended.errors)
