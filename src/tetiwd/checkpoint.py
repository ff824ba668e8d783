"""A checkpoint of one chain: written atomically, hashed, the previous one kept; no pickle on the way back.

A file is one line (format, and sha256 of format and rest) followed by an npz archive. It holds where the chain is and
how much of the file of draws beside it counts (draws_file.py), so that what is written does not grow with the draws.
"""

import hashlib
import io
import json
import math
import os
import tempfile
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data import DistanceSeries
from tetiwd.data.fingerprint import fingerprint
from tetiwd.draws import Draws
from tetiwd.draws_file import DamagedDraws, Mark, Packed, append_draws, read_draws
from tetiwd.errors import CheckpointError, MemoryLimitError, Text, give
from tetiwd.memory import in_gib
from tetiwd.sampler import Chain
from tetiwd.writing import new_file

NAME, VERSION = "tetiwd-checkpoint", 5
FREE_TO_CHANGE = (  # a run may be extended, and frozen in another way
    "n_draws", "max_draws", "max_minutes", "n_discarded", "anneal", "n_anneal",
)  # fmt: skip
About = dict[str, dict[str, str]]  # data, hyperparameters, settings, statistics and chain, each field as text
VALUES = "values_json"  # the array that holds everything but arrays
MOST_VALUES = 1 << 26  # bytes of it, thousands of times more than there are
LARGEST = 1e100  # of any number of a state; what is made of larger ones overflows
LARGEST_STEP = 10.0  # on the scale of logarithms; twice the most that a chain makes
Needed = Callable[[Packed], Collection[str]]
OTHER = {"chain": "another chain"}


@dataclass(frozen=True)
class Stored:
    """A checkpoint as it was read; ``trouble`` is a sentence if the newest one was damaged."""

    arrays: dict[str, NDArray[Any]]
    values: dict[str, Any]
    draws: Draws
    mark: Mark
    trouble: str | None = None


class Keeper:
    """Writes and reads the checkpoint of every chain."""

    def __init__(self, folder: Path, series: DistanceSeries, chains: list[Chain], seconds: float) -> None:
        self.folder, self.chains, self.seconds = folder, chains, seconds
        self.remarks: list[str] = []
        settings = _as_text(asdict(chains[0].settings))
        for name in FREE_TO_CHANGE:
            del settings[name]
        self.about = {
            "data": {"hash": fingerprint(series)[:16]},
            "hyperparameters": _as_text(asdict(chains[0].hyperparameters)),
            "settings": settings,
            "statistics": dict(chains[0].draws.axes),
        }
        self._written = {chain.index: time.monotonic() for chain in chains}
        self._n_written = {chain.index: -1 for chain in chains}  # sweeps in the last file that was written
        self._marks = {chain.index: Mark() for chain in chains}  # draws that the last file counts

    def open(self, *, resume: bool) -> None:
        """Continue the chains from their files, or make sure that files can be written and none is overwritten."""
        existing = [chain for chain in self.chains if has_checkpoint(self._path(chain))]
        if existing and not resume:
            remedy: Text = [give("resume", True), " to continue, or choose another folder"]
            raise CheckpointError(f"{self.folder} already holds checkpoints", remedy)
        if resume and not existing:
            raise CheckpointError(f"there is no checkpoint in {self.folder} to resume from")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.folder):
                pass
        except OSError as error:
            raise CheckpointError(f"cannot write checkpoints into {self.folder}: {error.strerror}") from error
        for chain in existing:
            try:
                stored = read_checkpoint(self._path(chain), self._about(chain), chain.draws, partial(_needed, chain))
                _check_sound(stored, chain)
                chain.restore(stored.arrays, stored.values, stored.draws)
            except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
                fault = f"the checkpoint {self._path(chain).name} holds a state that cannot be ({error})"
                raise CheckpointError(fault, "start a new run") from error
            except OSError as error:
                fault = f"the checkpoint {self._path(chain).name} cannot be read ({error.strerror})"
                raise CheckpointError(fault, "check that you may read it") from error
            self._marks[chain.index] = stored.mark
            if stored.trouble:
                self.remarks.append(stored.trouble)

    def save_if_due(self, chain: Chain, *, now: bool = False) -> None:
        """Write a chain's file if it is time; a full disk costs the checkpoint, not the run."""
        due = now or time.monotonic() - self._written[chain.index] >= self.seconds
        if due and self._n_written[chain.index] != chain.n_done:
            path, mark = self._path(chain), self._marks[chain.index]
            try:
                mark = write_checkpoint(path, self._about(chain), *chain.snapshot(), mark)
                self._n_written[chain.index], self._marks[chain.index] = chain.n_done, mark
            except OSError as error:
                self.remarks.append(f"{path.name} could not be written after {chain.n_done} sweeps: {error.strerror}")
            self._written[chain.index] = time.monotonic()

    def _about(self, chain: Chain) -> About:
        return self.about | {"chain": {"number": str(chain.index + 1)}}

    def _path(self, chain: Chain) -> Path:
        return checkpoint_of(self.folder, chain.index)


def checkpoint_of(folder: Path, index: int) -> Path:
    """Where a chain has its checkpoint."""
    return folder / f"chain-{index + 1}.checkpoint"


def write_checkpoint(
    path: Path, about: About, arrays: dict[str, NDArray[Any]], values: dict[str, Any], draws: Draws, mark: Mark
) -> Mark:
    """Write a checkpoint; the one that was there becomes ``path`` with ``.previous`` appended.

    Draws after the mark of the last checkpoint are appended to the file of draws first. Until the new checkpoint is in
    place nothing counts them. Returns its mark.
    """
    mark = append_draws(draws_of(path), _number(about), draws, mark)
    text = json.dumps({"about": about, "values": values, "draws": asdict(mark)})
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays, **{VALUES: np.frombuffer(text.encode(), dtype=np.uint8)})
    payload = buffer.getvalue()
    head = _first_line(payload) + b"\n"
    fresh = path.with_name(path.name + ".new")
    try:
        with new_file(fresh) as file:
            file.write(head + payload)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        fresh.unlink(missing_ok=True)  # half a file only takes room
        raise
    _sync_folder(path.parent)  # the file of draws may be new
    if path.exists():
        os.replace(path, previous_of(path))
    os.replace(fresh, path)
    _sync_folder(path.parent)
    return mark


def read_checkpoint(path: Path, about: About, blank: Draws, needed: Needed = lambda packed: packed.shapes) -> Stored:
    """The newest checkpoint that is whole, with its draws, which have the form of ``blank``.

    ``needed`` looks at what is in it and says which arrays are to be unpacked, or raises a ValueError.

    A damaged file is put aside under another name, so that it never replaces a good one. Without a good one nothing is
    touched.
    """
    damaged, what = None, ""
    for candidate in (path, previous_of(path)):
        if not candidate.exists():
            continue
        try:
            stored = _read_whole(candidate, about, blank, draws_of(path), needed)
        except _Damaged as error:
            damaged, what = damaged or candidate, what or str(error)
            continue
        if damaged is None:
            return stored
        aside = damaged.with_name(damaged.name + ".damaged")
        os.replace(damaged, aside)
        trouble = f"the checkpoint {damaged.name} {what} and was put aside as {aside.name}; "
        return replace(stored, trouble=trouble + f"continuing from {candidate.name}")
    if damaged is not None:
        raise CheckpointError(f"the checkpoint {damaged} {what}, and there is no other; start a new run")
    raise CheckpointError(f"there is no checkpoint {path}; start a new run")


def has_checkpoint(path: Path) -> bool:
    """True if there is something to continue from."""
    return path.exists() or previous_of(path).exists()


def has_any_checkpoint(folder: Path) -> bool:
    """True if any chain of a run has left one."""
    return any([*folder.glob("chain-*.checkpoint"), *folder.glob("chain-*.checkpoint.previous")])


def previous_of(path: Path) -> Path:
    """Where the generation before is kept."""
    return path.with_name(path.name + ".previous")


def draws_of(path: Path) -> Path:
    """The file of draws that goes with a checkpoint and with the generation before."""
    return path.with_suffix(".draws")


class _Damaged(Exception):
    """What is wrong with a checkpoint, as the end of a sentence about it."""


def _read_whole(path: Path, about: About, blank: Draws, draws_path: Path, needed: Needed) -> Stored:
    """A checkpoint with its draws, or :class:`_Damaged`."""
    payload = _whole_payload(path)
    with _signed_by_anybody():
        packed = Packed(payload, path.name)
        if packed.n_bytes([VALUES]) > MOST_VALUES:
            raise _Damaged(f"holds {in_gib(packed.n_bytes([VALUES]))} of settings, more than {in_gib(MOST_VALUES)}")
        stored = json.loads(packed.arrays([VALUES])[VALUES].tobytes())
        before, mark, values = dict(stored["about"]), Mark(**stored["draws"]), dict(stored["values"])
        del packed.shapes[VALUES]
    _check_about(path, before, about)
    names = needed(packed)
    with _signed_by_anybody():
        arrays = packed.arrays(names)
    try:
        draws = read_draws(draws_path, _number(about), blank, mark)
    except DamagedDraws as error:
        raise _Damaged(f"has lost draws ({error})") from error
    return Stored(arrays, values, draws, mark)


@contextmanager
def _signed_by_anybody() -> Iterator[None]:
    """Whatever goes wrong is damage: somebody may have written the file who knows how to sign it."""
    try:
        yield
    except (MemoryLimitError, _Damaged):
        raise
    except Exception as error:
        raise _Damaged("is damaged") from error


def _number(about: About) -> int:
    return int(about["chain"]["number"])


def _first_line(payload: bytes, version: int = VERSION) -> bytes:
    name = f"{NAME}-{version}"
    digest = hashlib.sha256(b"" if version == 1 else name.encode())  # the hash covers the version, but for the first
    digest.update(payload)
    return f"{name} {digest.hexdigest()}".encode()


def _whole_payload(path: Path) -> bytes:
    """The archive after the first line, if the checksum is right; files of other versions are refused."""
    line, _, payload = path.read_bytes().partition(b"\n")
    if line == _first_line(payload):
        return payload
    version = line.removeprefix(f"{NAME}-".encode()).partition(b" ")[0]
    if version.isdigit() and line == _first_line(payload, int(version)):
        raise CheckpointError(
            f"the checkpoint {path.name} has format {int(version)}, and this version of tetiwd reads format {VERSION}",
            "continue with the version that began the run, or start a new run",
        )
    raise _Damaged("is damaged")


def _check_about(path: Path, stored: About, wanted: About) -> None:
    for what, fields in wanted.items():
        before = stored.get(what, {})
        differing = [name for name in fields | before if before.get(name) != fields.get(name)]
        if differing:
            changes = ", ".join(f"{name} was {before.get(name)}, now {fields.get(name)}" for name in differing)
            raise CheckpointError(
                f"the checkpoint {path.name} belongs to {OTHER.get(what, f'other {what}')} ({changes})",
                f"continue with the {what} it was made with, or start in an empty folder",
            )


def _needed(chain: Chain, packed: Packed) -> list[str]:
    """The arrays of a state in a checkpoint; a ValueError if there are others, or if they have other forms."""
    if chain.state is None:  # it is with a worker, who looks at it
        return []
    own, had, n = chain.state.to_arrays(), chain.state.capacity, sum(chain.draws.n_objects)
    capacity = had * math.prod(packed.shapes["counts"]) // own["counts"].size
    if capacity > max(had, 2 * (n + chain.settings.n_aux)):  # it is doubled when it does not suffice
        raise ValueError(f"counts has room for {capacity:,} clusters of {n:,} objects")
    with_hosts = {f"row_sums_{t}" for t in range(len(own["size"]))} if hasattr(chain.state, "row_sums") else set()
    for name, shape in packed.shapes.items():
        if name not in own:
            if name in with_hosts and len(shape) == 2 and shape[0] == capacity:
                continue
            raise ValueError(f"it has an array {name!r} of {in_gib(packed.n_bytes([name]))}, which no state has")
        shapes = [{length, length * capacity // had} for length in own[name].shape]
        if packed.dtypes[name] != own[name].dtype or len(shape) != own[name].ndim:
            raise ValueError(f"{name} has another form")
        if not all(length in possible for length, possible in zip(shape, shapes, strict=True)):
            raise ValueError(f"{name} has another size")
    return list(packed.shapes)


def _check_sound(stored: Stored, chain: Chain) -> None:
    """Raise a ValueError if the arrays of a checkpoint are not those of a state, or point to what is not there."""
    if chain.state is None:
        return
    own, had = chain.state.to_arrays(), chain.state.capacity
    counts = stored.arrays["counts"]
    capacity = had * counts.size // own["counts"].size
    highest = {"z": capacity - 1, "back": capacity - 1, "forward": capacity - 1, "size": capacity}
    for name in own:
        if name not in stored.arrays:  # what a state cannot do without it asks for itself
            continue
        found = stored.arrays[name]
        if not np.isfinite(found).all():
            raise ValueError(f"{name} is not finite")
        if found.dtype.kind == "f" and (np.abs(found) > LARGEST).any():
            raise ValueError(f"{name} is too large")
        if found.dtype.kind == "i" and found.size:
            most = highest.get(name.partition("_")[0], sum(chain.draws.n_objects))
            least = -1 if name in ("back", "forward") else 0
            if found.min() < least or found.max() > most:
                raise ValueError(f"{name} is out of range")
    if int(counts.sum()) != sum(chain.draws.n_objects):
        raise ValueError("clusters have other sizes")
    if type(stored.values["n_done"]) is not int or stored.values["n_done"] < len(stored.draws):
        raise ValueError("sweeps were not counted")
    for name, step in dict(stored.values["steps"]).items():
        if not 0 < float(step) <= LARGEST_STEP:
            raise ValueError(f"the step of {name} is {step}")


def _sync_folder(folder: Path) -> None:
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _as_text(fields: dict[str, object]) -> dict[str, str]:
    """Every field as text that can be compared; labels per epoch as a hash."""
    init = fields.get("init")
    if init is not None and not isinstance(init, str):
        numbers = json.dumps([np.asarray(labels).tolist() for labels in init])  # type: ignore[attr-defined]
        fields = fields | {"init": f"labels {hashlib.sha256(numbers.encode()).hexdigest()[:12]}"}
    return {name: str(value) for name, value in fields.items()}
