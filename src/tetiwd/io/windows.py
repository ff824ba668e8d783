"""From the times of objects to epochs: as they are, or as the year, quarter, month, week or day of a date."""

import datetime
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tetiwd.data.checks import located
from tetiwd.data.labels import kind_of
from tetiwd.data.time_order import read_date
from tetiwd.data.times import check_times, sorted_times
from tetiwd.errors import DataError, Setting, Where
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.tables import is_missing
from tetiwd.io.text_values import as_numbers

if TYPE_CHECKING:
    import pandas as pd

EpochOfRows: TypeAlias = "pd.Categorical"  # ordered: the epoch of every row, together with all epochs in order of time

FINE_ENOUGH = {
    "year": ("year", "month", "day"),
    "quarter": ("month", "day"),
    "month": ("month", "day"),
    "week": ("day",),
    "day": ("day",),
}


def with_order(labels: Sequence[Any], order: Sequence[Any]) -> EpochOfRows:
    """The epochs of all rows from their labels and the order of these."""
    import pandas as pd

    code = {label: t for t, label in enumerate(order)}
    return pd.Categorical.from_codes([code[label] for label in labels], pd.Index(order, dtype=object), ordered=True)


def rows_by_epoch(time: EpochOfRows) -> Iterator[tuple[Any, NDArray[np.intp]]]:
    """Every epoch and its rows, in order of time."""
    for t, label in enumerate(time.categories):
        yield label, np.flatnonzero(time.codes == t)


def epochs_of(
    times: Sequence[Any],
    settings: DataSettings,
    where: Callable[[int], Where],
    declared: Sequence[Any] | None = None,
) -> EpochOfRows:
    """The epoch of every row from its time: a number, text, or a date written as ISO text.

    Their order is that of ``settings.times``, or the declared one of a column that has one, or that of time; text
    whose order in time is not known is refused. ``where`` says for an error where the time of a row stands.
    """
    for row, time in enumerate(times):
        if is_missing(time):
            raise DataError("there is no time", "fill it in, or take the object out", where=where(row))
    labels, ordered = _labels(times, settings, where)
    if settings.times is not None:
        return with_order(labels, _as_listed(labels, settings.times, where))
    if ordered is not None:
        return with_order(labels, ordered)
    if declared is not None:
        return with_order(times, declared).remove_unused_categories()
    return with_order(labels, _sorted(labels, where))


def labels_of(times: Sequence[Any], settings: DataSettings, where: Callable[[int], Where]) -> list[Any]:
    """The label of the epoch that every row belongs to, whatever the order of epochs."""
    return _labels(times, settings, where)[0]


def _labels(
    times: Sequence[Any], settings: DataSettings, where: Callable[[int], Where]
) -> tuple[list[Any], list[Any] | None]:
    """Labels, and their order where it is known."""
    if settings.by is not None:
        return _windows(times, settings, where)
    labels = list(times)
    if all(isinstance(time, str) for time in times):
        labels = as_numbers(times) or labels
    return labels, None


def describe_order(epochs: Sequence[Any], source: str) -> str:
    """A remark about the order of epochs."""
    shown = [str(label) for label in epochs]
    if len(shown) > 12:
        shown = [*shown[:5], "…", *shown[-5:]]
    return f"order of epochs ({source}): {', '.join(shown)}"


def period_that_suits(sizes: Mapping[Any, int], least: int) -> str | None:
    """The shortest period that gives every time point so many objects, if the labels are dates; years if none does."""
    dates = {label: read_date(str(label).strip()) for label in sizes}
    if any(date is None for date in dates.values()):
        return None
    known = [(date, sizes[label]) for label, date in dates.items() if date is not None]
    for by, fine_enough in reversed(FINE_ENOUGH.items()):
        counts: Counter[Any] = Counter()
        for (moment, _), n in known:
            counts[_label(moment, by)] += n
        if all(precision in fine_enough for (_, precision), _ in known) and min(counts.values()) >= least:
            return by if len(counts) < len(sizes) else None
    return "year" if any(precision != "year" for (_, precision), _ in known) else None


def _as_listed(labels: Sequence[Any], listed: Sequence[Any], where: Callable[[int], Where]) -> list[Any]:
    """The labels of the data in the order of the user's list; labels are compared as text."""
    by_text = {_as_text(label): label for label in labels}
    texts = [_as_text(label) for label in listed]
    first = where(0)
    place = Where(file=first.file, column=first.column)
    extra = [text for text in texts if text not in by_text]
    lacking = [text for text in by_text if text not in texts]
    if extra or lacking:
        faults = [f"only the setting has {', '.join(extra)}"] * bool(extra)
        faults += [f"only the data have {', '.join(lacking)}"] * bool(lacking)
        raise DataError(
            [Setting("times"), " and the data disagree: ", ", ".join(faults)],
            ["list every time of the data once, or leave out ", Setting("times")],
            where=place,
        )
    with located(file=place.file, column=place.column):
        return list(check_times([by_text[text] for text in texts], len(texts)))


def _as_text(label: Any) -> str:
    """A label as it is compared: 1 and 1.0 are the same."""
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


def _sorted(labels: Sequence[Any], where: Callable[[int], Where]) -> list[Any]:
    for row, label in enumerate(labels):
        if kind_of(label) != kind_of(labels[0]):
            fault = f"{label!r} and {labels[0]!r} are times of different kinds"
            raise DataError(fault, "write them all in one way", where=where(row))
    with located(file=where(0).file, column=where(0).column):
        return sorted_times(list(dict.fromkeys(labels)))


def _windows(
    times: Sequence[Any], settings: DataSettings, where: Callable[[int], Where]
) -> tuple[list[Any], list[Any]]:
    by, first_month = settings.by or "year", settings.year_begins
    known: dict[Any, Any] = {}
    begins: dict[Any, datetime.datetime] = {}
    for row, time in enumerate(times):
        if time in known:
            continue
        date = read_date(str(time).strip())
        if date is None:
            raise DataError(
                [f"{time!r} is not a date, which ", Setting("by", by), " needs"],
                ["write dates as 2014-08-05, or leave out ", Setting("by")],
                where=where(row),
            )
        moment, precision = date
        if precision == "year" and by == "year" and first_month > 1:
            raise DataError(
                [f"{time!r} has no month, which ", Setting("year_begins", first_month), " needs"],
                ["give the month, or leave out ", Setting("year_begins")],
                where=where(row),
            )
        if precision not in FINE_ENOUGH["month" if first_month > 1 else by]:
            raise DataError(
                f"{time!r} does not say which {by} it is",
                ["give whole dates, or use a longer ", Setting("by"), f', such as "{precision}"'],
                where=where(row),
            )
        known[time] = label = _label(moment, by, first_month)
        begins[label] = min(moment, begins.get(label, moment))
    return [known[time] for time in times], sorted(begins, key=lambda label: begins[label])


def _label(moment: datetime.datetime, by: str, first_month: int = 1) -> Any:
    if by == "year" and first_month > 1:
        year = moment.year - (moment.month < first_month)
        return f"{year:04}/{(year + 1) % 100:02}"
    if by == "year":
        return moment.year
    if by == "quarter":
        return f"{moment.year:04}-Q{(moment.month + 2) // 3}"
    if by == "week":
        return f"{moment.isocalendar().year:04}-W{moment.isocalendar().week:02}"
    return moment.date().isoformat()[: 7 if by == "month" else 10]
