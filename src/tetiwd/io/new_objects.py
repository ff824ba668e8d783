"""New objects to be classified: rows of features or of distances, with or without ids."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from tetiwd.data.ids import is_plain_range
from tetiwd.errors import DataError, Setting, Where, plural
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.files import File, find_file, in_file
from tetiwd.io.npy import load_arrays
from tetiwd.io.obs_table import H5AD
from tetiwd.io.open_table import open_table
from tetiwd.io.readers.feature_arrays import array_names, read_array_rows
from tetiwd.io.readers.h5ad_features import read_h5ad_rows
from tetiwd.io.tables import TABLES, Columns, as_ids, check_unambiguous, column_for, is_row_number, listed


@dataclass(frozen=True, eq=False)
class NewObjects:
    """Rows of numbers, and what is known by name."""

    ids: list[Any] | None
    values: Any  # (m, p): an array, or a sparse matrix
    names: list[str] | None  # of the columns

    def in_order(self, wanted: Sequence[str] | None, what: str, remarks: list[str]) -> Any:
        """The columns in the order of the run, whose features or objects have these names.

        ``what`` is "feature" or "object". Where one side has no names, or none in common, columns count by position,
        and a remark says so.
        """
        if wanted is None or not set(wanted) & set(self.names or ()):
            remarks += by_position(wanted, self.names, what)
            return self.values
        place = {name: position for position, name in enumerate(self.names or ())}
        absent = next((name for name in wanted if name not in place), None)
        if absent is not None:
            fault, remedy = f"has no column for {what} {absent!r}", f"name all {len(wanted)} {what}s, or none"
            raise DataError(fault, remedy)
        return self.values[:, [place[name] for name in wanted]]


def by_position(wanted: Sequence[str] | None, names: Sequence[str] | None, what: str) -> list[str]:
    """What to say where columns count by position, and the run or the file has names for them.

    Names that only count the columns, 0, 1, 2, …, are none: their order is the position.
    """
    from_names, to_match = {
        "feature": ("a table of features with named columns", "a table with a column for every feature of the run"),
        "object": ("distances with ids", "a table with a column for every object of the run"),
    }[what]
    if wanted is not None:
        article = "an" if what == "object" else "a"
        return [
            f"no column is named after {article} {what}, so column 1 is taken for {wanted[0]!r}, and so on; to match "
            f"them by name, give {to_match}, named after it"
        ]
    if names is None or is_plain_range(as_ids(names)):
        return []
    return [
        f"the {what}s of the run have no names, so column {names[0]!r} is taken for the first of them, and so on; to "
        f"match them by name, run fit again on {from_names}"
    ]


def read_new_objects(
    path: Path, id: str | None, settings: DataSettings, features: Sequence[str] | None = None
) -> NewObjects:
    """Rows from a table with a header or ``.npy``; rows of features also from ``.npz`` and ``.h5ad``.

    ``id`` names the ids. If it is None, they are called as in the run, whose settings these are, or as usual.
    ``features`` are the columns that are needed, if they are known by name; otherwise all columns but the ids count.
    """
    file = find_file(path)
    if file.ending not in (".npy", ".npz", *H5AD, *TABLES):
        raise DataError(
            f"new objects come as a table ({', '.join(TABLES)}), npy, npz or h5ad",
            "give their features, or their distances to the objects of one time",
            where=Where(file=file.name),
        )
    with in_file(file.name):
        if file.ending in TABLES:
            return _from_table(file, id, settings.id or "id", features)
        new = _from_h5ad(file, id, settings) if file.ending in H5AD else _from_arrays(file, id, settings)
        n_rows, n_columns = new.values.shape
        if new.ids is not None and len(new.ids) != n_rows:
            raise DataError(
                f"has {plural(len(new.ids), 'id')} for {plural(n_rows, 'row')}", "give one id per new object"
            )
        if features is not None and new.names is not None:
            _check_names(new.names, features)
        elif features is not None and n_columns != len(features):
            raise DataError(f"has {plural(n_columns, 'column')}", f"give {len(features)}: {listed(features)}")
        return new


def _from_arrays(file: File, id: str | None, settings: DataSettings) -> NewObjects:
    names = array_names(file)
    if id is not None and id not in names:
        raise DataError([f"has no array {id!r}, which ", Setting("id"), " names"], ["leave out ", Setting("id")])
    if file.ending == ".npz":
        return NewObjects(*read_array_rows(file, _known_in(names, id, settings)), None)
    array = load_arrays(file, lambda name: False)["D"]
    if array.ndim != 2:
        raise DataError(f"has shape {array.shape}", "give one row per new object")
    return NewObjects(None, array, None)


def _from_h5ad(file: File, id: str | None, settings: DataSettings) -> NewObjects:
    return NewObjects(*read_h5ad_rows(file, _known_in(open_table(file).names, id, settings)))


def _known_in(names: Sequence[str] | set[str], id: str | None, settings: DataSettings) -> DataSettings:
    """The settings of the run with the ids that are asked for, without names that this file does not have."""
    usual, time = (name if name in names else None for name in (settings.id, settings.time))
    return replace(settings, id=id or usual, time=time)


def _from_table(file: File, id: str | None, usual_id: str, features: Sequence[str] | None) -> NewObjects:
    table = open_table(file)
    id = column_for(table.names, id, usual_id, "id")
    text = [] if id is None else [id]
    if features is None:
        wanted = [name for name in table.names if name != id and not is_row_number(name)]
    else:
        wanted = list(features)
        _check_names(table.names, wanted)
    columns = table.read(text, wanted)
    _check_complete(columns)
    ids = None if id is None else as_ids(columns.text[id])
    values = np.empty((columns.n_rows, len(wanted)))
    for column, name in enumerate(wanted):
        values[:, column] = columns.numbers[name]
    return NewObjects(ids, values, wanted)


def _check_names(names: Sequence[str], features: Sequence[str]) -> None:
    known = set(names)
    absent = next((name for name in features if name not in known), None)
    if absent is not None:
        raise DataError(f"has no column {absent!r}", f"new objects need {listed(features)}")
    check_unambiguous(names, features)


def _check_complete(columns: Columns) -> None:
    for name, values in columns.numbers.items():
        gaps = np.isnan(values)
        if gaps.any():
            place = columns.where(int(gaps.argmax()), name)
            raise DataError("there is no value", "fill it in, or leave out the object", where=place)
