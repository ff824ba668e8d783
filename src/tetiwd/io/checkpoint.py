"""A checkpoint of one chain: written atomically, hashed, the previous one kept; no pickle on the way back.

A file is one line (format and sha256 of the rest) followed by an npz archive.
"""

import hashlib
import io
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data import DistanceSeries
from tetiwd.errors import CheckpointError

FORMAT = "tetiwd-checkpoint-1"
About = dict[str, dict[str, str]]  # what a run was about: data, hyperparameters, settings, each field as text


def write_checkpoint(path: Path, about: About, arrays: dict[str, NDArray[Any]], values: dict[str, Any]) -> None:
    """Write a checkpoint; the one that was there becomes ``path`` with ``.previous`` appended."""
    buffer = io.BytesIO()
    text = np.frombuffer(json.dumps({"about": about, "values": values}).encode(), dtype=np.uint8)
    np.savez(buffer, allow_pickle=False, **arrays, values_json=text)
    payload = buffer.getvalue()
    head = f"{FORMAT} {hashlib.sha256(payload).hexdigest()}\n".encode()
    fresh = path.with_name(path.name + ".new")
    with open(fresh, "wb") as file:
        file.write(head + payload)
        file.flush()
        os.fsync(file.fileno())
    if path.exists():
        os.replace(path, previous_of(path))
    os.replace(fresh, path)
    _sync_folder(path.parent)


def read_checkpoint(path: Path, about: About) -> tuple[dict[str, NDArray[Any]], dict[str, Any], str | None]:
    """Arrays, values and, if the newest file was damaged and the previous one is used, a sentence saying so.

    A damaged file is put aside under another name, so that it never replaces a good one. Without a good one nothing is
    touched.
    """
    damaged, trouble = None, None
    for candidate in (path, previous_of(path)):
        if not candidate.exists():
            continue
        payload = _whole_payload(candidate)
        if payload is None:
            damaged = damaged or candidate
            continue
        with np.load(io.BytesIO(payload), allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        stored = json.loads(arrays.pop("values_json").tobytes())
        _check_about(candidate, stored["about"], about)
        if damaged is not None:
            aside = damaged.with_name(damaged.name + ".damaged")
            os.replace(damaged, aside)
            trouble = f"the checkpoint {damaged.name} is damaged and was put aside as {aside.name}; "
            trouble += f"continuing from {candidate.name}"
        return arrays, stored["values"], trouble
    if damaged is not None:
        raise CheckpointError(f"the checkpoint {damaged} is damaged, and there is no other; start a new run")
    raise CheckpointError(f"there is no checkpoint {path}; start a new run")


def fingerprint(series: DistanceSeries) -> str:
    """Hash of the data of a series: kind, sizes, numbers."""
    digest = hashlib.sha256(series.kind.encode())
    for matrix in series.matrices:
        digest.update(f"{matrix.shape}{matrix.dtype}".encode())
        digest.update(np.ascontiguousarray(matrix).data)
    return digest.hexdigest()


def has_checkpoint(path: Path) -> bool:
    """True if there is something to continue from."""
    return path.exists() or previous_of(path).exists()


def has_any_checkpoint(folder: Path) -> bool:
    """True if any chain of a run has left one."""
    return any([*folder.glob("chain-*.checkpoint"), *folder.glob("chain-*.checkpoint.previous")])


def previous_of(path: Path) -> Path:
    """Where the generation before is kept."""
    return path.with_name(path.name + ".previous")


def _whole_payload(path: Path) -> bytes | None:
    """What follows the first line, if the checksum in that line fits."""
    line, _, payload = path.read_bytes().partition(b"\n")
    expected = f"{FORMAT} {hashlib.sha256(payload).hexdigest()}".encode()
    return payload if line == expected else None


def _check_about(path: Path, found: About, wanted: About) -> None:
    for what, fields in wanted.items():
        differing = [name for name, value in fields.items() if found.get(what, {}).get(name) != value]
        if differing:
            changes = ", ".join(f"{name} was {found[what].get(name)}, now {fields[name]}" for name in differing)
            raise CheckpointError(
                f"the checkpoint {path.name} belongs to other {what} ({changes}); continue with the {what} it was made "
                "with, or start in an empty folder"
            )


def _sync_folder(folder: Path) -> None:
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
