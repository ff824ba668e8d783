"""Tables of what is known of objects: pairs that belong together or apart, and labels."""

from pathlib import Path
from typing import Any

from tetiwd.data import Constraints
from tetiwd.errors import DataError
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.files import File, find_file, in_file
from tetiwd.io.open_table import open_table
from tetiwd.io.tables import Columns, as_ids, is_missing, listed

KINDS = {"must": "must_link", "cannot": "cannot_link", "must_link": "must_link", "cannot_link": "cannot_link"}
OF_PAIRS = ("object", "other", "kind")
OF_LABELS = ("object", "label")


def constraint_files(settings: DataSettings) -> list[File]:
    """The files that the settings name."""
    return [find_file(path) for path in (settings.constraints, settings.fixed_labels) if path is not None]


def read_constraints(settings: DataSettings) -> Constraints | None:
    """What the files say that the settings name; None if they name none."""
    if settings.constraints is None and settings.fixed_labels is None:
        return None
    pairs = {"must_link": [], "cannot_link": []} if settings.constraints is None else read_pairs(settings.constraints)
    labels = {} if settings.fixed_labels is None else read_labels(settings.fixed_labels)
    return Constraints(pairs["must_link"], pairs["cannot_link"], labels, settings.labels_are_lineages)


def read_pairs(path: str | Path) -> dict[str, list[Any]]:
    """Pairs by kind: columns object, other and kind, and, if there are such, time, other_time and weight."""
    pairs: dict[str, list[Any]] = {"must_link": [], "cannot_link": []}
    columns = _columns(path, OF_PAIRS, ("time", "other_time", "weight"))
    times = columns.get("time")
    other_times = columns.get("other_time", times)
    for row, kind in enumerate(columns["kind"]):
        known = KINDS.get(str(kind).strip().lower().replace("-", "_"))
        if known is None:
            where = columns.where(row, "kind")
            raise DataError(f"{kind!r} is no kind of constraint", 'write "must" or "cannot"', where=where)
        pair = [_named(columns["object"][row], times, row), _named(columns["other"][row], other_times, row)]
        weight = columns["weight"][row] if "weight" in columns else None
        pairs[known].append(tuple(pair) if is_missing(weight) else (*pair, weight))
    return pairs


def read_labels(path: str | Path) -> dict[Any, Any]:
    """The label of every object: columns object and label, and time if there is such a column."""
    columns = _columns(path, OF_LABELS, ("time",))
    labels: dict[Any, Any] = {}
    for row, label in enumerate(columns["label"]):
        if is_missing(label):
            continue
        name = _named(columns["object"][row], columns.get("time"), row)
        if labels.get(name, label) != label:
            where = columns.where(row, "label")
            raise DataError(f"{name!r} has two labels, {labels[name]!r} and {label!r}", "give one", where=where)
        labels[name] = label
    return labels


class _Read(dict[str, list[Any]]):
    """Columns of text by name, and where their rows are."""

    def __init__(self, columns: Columns, names: list[str]) -> None:
        super().__init__({name: columns.text[name] for name in names})
        self["object"] = as_ids(self["object"])
        if "other" in self:
            self["other"] = as_ids(self["other"])
        self.where = columns.where


def _columns(path: str | Path, needed: tuple[str, ...], optional: tuple[str, ...]) -> _Read:
    file = find_file(path)
    with in_file(file.name):
        table = open_table(file)
        lacking = next((name for name in needed if name not in table.names), None)
        if lacking is not None:
            fault = f"has no column {lacking!r}"
            raise DataError(fault, f"it needs {listed(needed)}, and may have {listed(optional)}")
        names = [*needed, *(name for name in optional if name in table.names)]
        return _Read(table.read(names, []), names)


def _named(name: Any, times: list[Any] | None, row: int) -> Any:
    """An object, with its time if that is known."""
    return name if times is None or is_missing(times[row]) else (times[row], name)
