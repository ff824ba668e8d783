"""A checkpoint of one chain: written atomically, hashed, the previous one kept; no pickle on the way back.

A file is one line of JSON (format, sha256 of the rest, and what the run was about) followed by an npz archive.
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


def write_checkpoint(
    path: Path, about: dict[str, str], arrays: dict[str, NDArray[Any]], values: dict[str, Any]
) -> None:
    """Write a checkpoint; the one that was there becomes ``path`` with ``.previous`` appended."""
    buffer = io.BytesIO()
    text = np.frombuffer(json.dumps(values).encode(), dtype=np.uint8)
    np.savez(buffer, allow_pickle=False, **arrays, values_json=text)
    payload = buffer.getvalue()
    head = {"format": FORMAT, "sha256": hashlib.sha256(payload).hexdigest(), "about": about}
    fresh = path.with_name(path.name + ".new")
    with open(fresh, "wb") as file:
        file.write(json.dumps(head).encode() + b"\n" + payload)
        file.flush()
        os.fsync(file.fileno())
    if path.exists():
        os.replace(path, previous_of(path))
    os.replace(fresh, path)
    _sync_folder(path.parent)


def read_checkpoint(path: Path, about: dict[str, str]) -> tuple[dict[str, NDArray[Any]], dict[str, Any], str | None]:
    """Arrays, values and, if the newest file was damaged and the previous one is used, a sentence saying so."""
    trouble = None
    for candidate in (path, previous_of(path)):
        if not candidate.exists():
            continue
        try:
            head, payload = _split(candidate)
        except CheckpointError as error:
            trouble = str(error)
            continue
        _check_about(candidate, head["about"], about)
        with np.load(io.BytesIO(payload), allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        values = json.loads(arrays.pop("values_json").tobytes())
        return arrays, values, trouble and f"{trouble}; continuing from the previous one, {candidate.name}"
    raise CheckpointError(trouble or f"there is no checkpoint {path}")


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


def previous_of(path: Path) -> Path:
    """Where the generation before is kept."""
    return path.with_name(path.name + ".previous")


def _split(path: Path) -> tuple[dict[str, Any], bytes]:
    """Head and payload of a file that is whole."""
    content = path.read_bytes()
    line, _, payload = content.partition(b"\n")
    try:
        head = json.loads(line)
        known = head["format"] == FORMAT
        whole = head["sha256"] == hashlib.sha256(payload).hexdigest()
    except (ValueError, KeyError, TypeError):
        known = whole = False
    if not known or not whole:
        raise CheckpointError(f"the checkpoint {path.name} is damaged ({len(content)} bytes, checksum does not fit)")
    return head, payload


def _check_about(path: Path, found: dict[str, str], wanted: dict[str, str]) -> None:
    for what, value in wanted.items():
        if found.get(what) != value:
            raise CheckpointError(
                f"the checkpoint {path.name} belongs to other {what}; continue with the {what} it was made with, "
                "or start in an empty folder"
            )


def _sync_folder(folder: Path) -> None:
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
