"""Metadata kept with a run, so that every report of it has them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tetiwd.data import DistanceSeries
from tetiwd.data.metadata import Metadata
from tetiwd.errors import DataError
from tetiwd.io.files import in_file
from tetiwd.io.plain_texts import from_json
from tetiwd.writing import write_text

FOLDER, FILE = "metadata", "metadata.json"


@dataclass(frozen=True)
class KeptMetadata:
    """Columns joined to objects, and what they are used for."""

    metadata: Metadata
    known: str | None
    covariates: Sequence[str] | None
    survival: tuple[str, str] | None


def stretched(kept: KeptMetadata, old: DistanceSeries, series: DistanceSeries) -> KeptMetadata:
    """Metadata of an earlier series for one that goes on: objects that return keep their values, others have none."""
    n_old, returning = sum(old.n_objects), {}
    kept.metadata.check_size(n_old)
    if old.ids is not None and series.ids is not None and not kept.metadata.varies:
        returning = {str(id): row for row, id in enumerate(id for ids in old.ids for id in ids.tolist())}
    new = [] if series.ids is None else [str(id) for ids in series.ids[old.n_epochs :] for id in ids.tolist()]
    rows = [returning.get(id) for id in new] or [None] * (sum(series.n_objects) - n_old)
    columns = {
        name: [*values, *(None if row is None else values[row] for row in rows)]
        for name, values in kept.metadata.columns.items()
    }
    return replace(kept, metadata=replace(kept.metadata, columns=columns))


def keep_metadata(folder: Path, kept: KeptMetadata) -> None:
    """Write them into the folder that is attached to a run."""
    content = {
        "columns": kept.metadata.columns,
        "remarks": list(kept.metadata.remarks),
        "varies": kept.metadata.varies,
        "known": kept.known,
        "covariates": None if kept.covariates is None else list(kept.covariates),
        "survival": None if kept.survival is None else list(kept.survival),
    }
    write_text(folder / FILE, json.dumps(content, ensure_ascii=False))


def kept_metadata(run: Path) -> KeptMetadata | None:
    """The metadata that were kept with a run."""
    file = run / FOLDER / FILE
    if not file.is_file():
        return None
    with in_file(str(file)):
        try:
            content = from_json(file.read_text("utf-8"))
            metadata = Metadata(_columns(content["columns"]), tuple(content["remarks"]), bool(content["varies"]))
            survival = content["survival"]
            two = None if survival is None else (str(survival[0]), str(survival[1]))
            return KeptMetadata(metadata, content["known"], content["covariates"], two)
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise DataError(f"is damaged ({error})", "remove it, or run fit again") from error


def _columns(found: Any) -> dict[str, list[Any]]:
    """Columns of plain values, all of one length; a ValueError if they are anything else."""
    columns = dict(found)
    for name, values in columns.items():
        if not isinstance(values, list) or any(isinstance(value, list | dict) for value in values):
            raise ValueError(f"{name!r} is not a column")
    if len(set(map(len, columns.values()))) > 1:
        raise ValueError("its columns differ in length")
    return columns
