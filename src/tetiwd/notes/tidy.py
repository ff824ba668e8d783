"""Tidy notes: every one has an id, a date and a text; rows without them, and duplicates, are dropped and counted."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data.metadata import NO, YES
from tetiwd.errors import DataError, Where
from tetiwd.io.tables import as_ids, is_missing, listed
from tetiwd.notes.counts import Counts
from tetiwd.notes.dating import Dates

if TYPE_CHECKING:
    import pandas as pd

INVENTED = "synthetic-"  # how ids begin that stand for nobody


@dataclass(frozen=True, eq=False, repr=False)
class Notes:
    """Dated notes in the order of the table."""

    objects: tuple[Any, ...]  # ids of all objects, in order
    whose: NDArray[np.int64]  # (notes,) position of its object
    days: NDArray[np.datetime64]  # (notes,)
    texts: tuple[str, ...]
    outcomes: Mapping[str, tuple[bool | None, ...]]  # name → one value per object, None where it is not known
    counts: Counts

    def __len__(self) -> int:
        return len(self.texts)

    def __repr__(self) -> str:
        return f"Notes({len(self)} notes of {len(self.objects)} objects, {self.days.min()} to {self.days.max()})"

    @property
    def synthetic(self) -> bool:
        """Were the notes invented by :func:`tetiwd.notes.synthetic.synthetic_notes`?"""
        return all(str(object_id).startswith(INVENTED) for object_id in self.objects)

    def fingerprint(self) -> str:
        """Hash of ids, dates and texts."""
        digest = hashlib.sha256(repr(self.objects).encode())
        digest.update(np.ascontiguousarray(self.whose).data)
        digest.update(np.ascontiguousarray(self.days.astype(np.int64)).data)
        for text in self.texts:
            encoded = text.encode("utf-8", "surrogatepass")
            digest.update(len(encoded).to_bytes(8, "little"))
            digest.update(encoded)
        return digest.hexdigest()


def notes_from_table(
    table: "pd.DataFrame",
    *,
    id: str = "id",
    date: str = "date",
    text: str = "text",
    outcomes: Sequence[str] = (),
    date_format: str | None = None,
) -> Notes:
    """Notes from a DataFrame with one note per row; see :func:`tetiwd.notes.read_notes`."""
    names = (id, date, text, *outcomes)
    for name in names:
        if name not in table.columns:
            shown = listed(list(map(str, table.columns)))
            raise DataError(f"the table has no column {name!r}", f"its columns are {shown}")
    columns = {name: table[name].astype(object).where(table[name].notna(), None) for name in names}
    values = {name: column.tolist() for name, column in columns.items()}
    return tidy(
        values[id], values[date], values[text], {name: values[name] for name in outcomes}, date_format=date_format
    )


def tidy(
    ids: Sequence[Any],
    dates: Sequence[Any],
    texts: Sequence[Any],
    outcomes: Mapping[str, Sequence[Any]],
    *,
    date_format: str | None = None,
    mended_lines: int = 0,
) -> Notes:
    """Notes from columns of values, None or text like "NA" where there is none."""
    import pandas as pd

    n = len(ids)
    if n == 0:
        raise DataError("there are no notes: the table has no rows")
    when = Dates(dates, date_format)
    who = [None if is_missing(object_id) else _plain_id(object_id) for object_id in ids]
    stripped = ["" if is_missing(text) else str(text).strip() for text in texts]
    rows = pd.DataFrame({"who": who, "text": ["" if is_missing(text) else text for text in stripped]}, dtype=object)
    rows["day"] = when.days.astype("datetime64[s]")
    left_out: dict[str, Any] = {}
    for why, wrong in (
        ("without_id", rows.who.isna()),
        ("without_date", when.missing),
        ("unreadable_dates", when.unreadable),
        ("without_text", rows.text == ""),
        ("duplicates", rows.duplicated()),
    ):
        left_out[why] = int(wrong[rows.index].sum())  # a row counts for the first reason only
        rows = rows[~wrong[rows.index]]
    if rows.empty:
        counted = ", ".join(f"{n:,} {why.replace('_', ' ')}" for why, n in left_out.items() if n)
        raise DataError(f"no row is left that has an id, a date and text ({counted})", "check the names of the columns")
    objects, whose = _numbered(as_ids(rows.who.tolist()))
    known, changing = _by_object(outcomes, dict(zip(rows.who, whose.tolist(), strict=True)), who, len(objects))
    counts = Counts(
        rows=n,
        mended_lines=mended_lines,
        notes=len(rows),
        objects=len(objects),
        whole_months_or_years=int(when.imprecise[rows.index].sum()),
        changing_outcomes=changing,
        **left_out,
    )
    return Notes(objects, whose, when.days[rows.index], tuple(rows.text), known, counts)


def _plain_id(value: Any) -> Any:
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and value.is_integer():
        return int(value)  # a column of whole numbers with gaps
    return value if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _numbered(ids: Sequence[Any]) -> tuple[tuple[Any, ...], NDArray[np.int64]]:
    """Different ids in order, and the position of each."""
    if len({isinstance(object_id, str) for object_id in ids}) > 1:
        ids = [str(object_id) for object_id in ids]
    objects, whose = np.unique(np.array(ids, dtype=object), return_inverse=True)
    return tuple(objects), whose.astype(np.int64)


def _by_object(
    outcomes: Mapping[str, Sequence[Any]], position: Mapping[Any, int], who: Sequence[Any], n_objects: int
) -> tuple[dict[str, tuple[bool | None, ...]], int]:
    """True if any row of an object says yes, False if some say no, otherwise None; and how many objects have both.

    Rows that were dropped as notes count as well if they name an object with notes.
    """
    known: dict[str, tuple[bool | None, ...]] = {}
    changing: set[int] = set()
    for name, values in outcomes.items():
        yes, no = np.zeros(n_objects, dtype=bool), np.zeros(n_objects, dtype=bool)
        for row, (object_id, value) in enumerate(zip(who, values, strict=True)):
            word = "" if is_missing(value) else str(value).strip().lower()
            if not word or object_id not in position:
                continue
            if word not in YES | NO:
                where = Where(row=row + 1, column=name)
                raise DataError(f"{value!r} is neither yes nor no", "write 1 or 0", where=where)
            (yes if word in YES else no)[position[object_id]] = True
        changing.update(np.flatnonzero(yes & no).tolist())
        known[name] = tuple(True if a else False if b else None for a, b in zip(yes, no, strict=True))
    return known, len(changing)
