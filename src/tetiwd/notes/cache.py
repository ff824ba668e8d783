"""A cache of the outputs of stages.

Every output has a folder, named after its stage and a hash of everything it depends on. Arrays are npz, texts are JSON,
one per line: nothing that could be executed, and readable without this package. A folder appears in one step when it is
complete; ``stage.json`` in it has the hashes of its files, and damaged outputs are computed again. The cache holds
sentences of the notes, so only its owner may look inside.
"""

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.errors import SettingsError
from tetiwd.io.npy import DAMAGED_ARCHIVE

FORMAT = 1  # raise it when the files change, or the output of a stage
ABOUT, ARRAYS, TEXTS = "stage.json", "arrays.npz", "{}.jsonl"

Arrays = dict[str, NDArray[Any]]
Texts = dict[str, list[str]]


def key_of(stage: str, inputs: Sequence[str], settings: Mapping[str, Any]) -> str:
    """A hash of everything the output of a stage depends on."""
    about = json.dumps([FORMAT, stage, list(inputs), dict(settings)], sort_keys=True)
    return hashlib.sha256(about.encode()).hexdigest()


class Cache:
    """A folder of outputs; without a folder nothing is kept."""

    def __init__(self, folder: str | Path | None) -> None:
        self.folder = None if folder is None else Path(folder)
        if self.folder is None:
            return
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise SettingsError(
                f"cannot use {self.folder} as cache ({error.strerror or error})", "name a folder that can be written"
            ) from error

    def load(self, stage: str, key: str) -> tuple[Arrays, Texts] | None:
        """A stored output; None if there is none, or it is damaged."""
        place = self._place(stage, key)
        if place is None or not place.is_dir():
            return None
        try:
            about = json.loads((place / ABOUT).read_text("utf-8"))
            if about["key"] != key:
                return None
            contents = {name: (place / name).read_bytes() for name in about["files"]}
            if any(hashlib.sha256(contents[name]).hexdigest() != digest for name, digest in about["files"].items()):
                return None
            with np.load(place / ARRAYS, allow_pickle=False) as stored:
                arrays = {name: stored[name] for name in stored.files}
            texts = {
                name: [json.loads(line) for line in contents[TEXTS.format(name)].decode("ascii").splitlines()]
                for name in about["texts"]
            }
        except (*DAMAGED_ARCHIVE, KeyError, TypeError, AttributeError, RecursionError):
            return None
        return arrays, texts

    def store(self, stage: str, key: str, arrays: Arrays, texts: Texts) -> None:
        """Store the output of a stage in place of a damaged one."""
        place = self._place(stage, key)
        if place is None or self.folder is None:
            return
        try:
            fresh = Path(tempfile.mkdtemp(prefix=".new-", dir=self.folder))
            try:
                np.savez(fresh / ARRAYS, allow_pickle=False, **arrays)
                for name, lines in texts.items():
                    (fresh / TEXTS.format(name)).write_text("".join(json.dumps(line) + "\n" for line in lines), "ascii")
                files = {file.name: _sha256(file) for file in sorted(fresh.iterdir())}
                about = {"stage": stage, "key": key, "files": files, "texts": sorted(texts)}
                (fresh / ABOUT).write_text(json.dumps(about, indent=1), "utf-8")
                for file in fresh.iterdir():
                    _sync(file)
                if place.exists():
                    shutil.rmtree(place)
                with suppress(FileExistsError):  # another process was faster; it has made the same
                    os.rename(fresh, place)
            finally:
                shutil.rmtree(fresh, ignore_errors=True)
        except OSError as error:
            raise SettingsError(
                f"cannot write to the cache {self.folder} ({error.strerror or error})", "make room, or name another"
            ) from error

    def _place(self, stage: str, key: str) -> Path | None:
        return None if self.folder is None else self.folder / f"{stage}-{key[:16]}"


def _sha256(file: Path) -> str:
    with open(file, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _sync(file: Path) -> None:
    with open(file, "rb+") as stream:
        os.fsync(stream.fileno())
