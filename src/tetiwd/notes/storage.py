"""Notes in a run folder, so that its report can be written again; ``notes/`` holds texts and ids."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tetiwd.errors import RunFolderError
from tetiwd.io.run_folder import RunFolder
from tetiwd.notes.cache import Cache, key_of
from tetiwd.notes.counts import Counts
from tetiwd.notes.pipeline import NotesSeries, notes_to_series
from tetiwd.notes.settings import NotesSettings
from tetiwd.notes.tidy import Notes
from tetiwd.writing import write_text

FOLDER, ABOUT, STAGE = "notes", "notes.json", "table"


def has_notes(run: Path) -> bool:
    """Was this run made from notes?"""
    return (run / FOLDER / ABOUT).is_file()


@dataclass(frozen=True)
class NotesShown:
    """Which private parts of the notes a report shows, and which outcomes are good."""

    ids: bool = False
    text: bool = False
    good: tuple[str, ...] = ()


def keep_notes(run: Path, notes: Notes, settings: NotesSettings, shown: NotesShown | None = None) -> None:
    """Store notes and settings in a run folder, beside the cached stages."""
    key = key_of(STAGE, [notes.fingerprint()], {})
    arrays = {"whose": notes.whose, "days": notes.days.astype("datetime64[D]").astype(np.int64)}
    objects = [json.dumps(object_id) for object_id in notes.objects]
    folder = RunFolder(run).attach(FOLDER)
    Cache(folder).store(STAGE, key, arrays, {"texts": list(notes.texts), "objects": objects})
    about = {
        "key": key,
        "settings": asdict(settings),
        "outcomes": {name: list(values) for name, values in notes.outcomes.items()},
        "counts": asdict(notes.counts),
        "shown": asdict(shown or NotesShown()),
    }
    write_text(folder / ABOUT, json.dumps(about, indent=1))


def load_notes(run: Path) -> tuple[NotesSeries, NotesShown]:
    """The notes of a run with their distances, from the cached stages, and what its report may show."""
    try:
        about: dict[str, Any] = json.loads((run / FOLDER / ABOUT).read_text("utf-8"))
        counts = about["counts"] | {"small_windows": tuple(map(tuple, about["counts"]["small_windows"]))}
        settings = NotesSettings(**about["settings"])
        shown = NotesShown(bool(about["shown"]["ids"]), bool(about["shown"]["text"]), tuple(about["shown"]["good"]))
        arrays, texts = Cache(run / FOLDER).load(STAGE, about["key"]) or ({}, {})
        notes = Notes(
            objects=tuple(json.loads(object_id) for object_id in texts["objects"]),
            whose=arrays["whose"],
            days=arrays["days"].astype("datetime64[D]"),
            texts=tuple(texts["texts"]),
            outcomes={name: tuple(values) for name, values in about["outcomes"].items()},
            counts=Counts(**counts),
        )
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise RunFolderError(f"{run / FOLDER} is damaged", "run notes again") from error
    return notes_to_series(notes, settings, cache=run / FOLDER), shown
