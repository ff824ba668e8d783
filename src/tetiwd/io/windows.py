"""From the times of objects to epochs: as they are, or as the year, quarter, month, week or day of a date."""

import datetime
from collections.abc import Callable, Sequence
from typing import Any

from tetiwd.errors import DataError
from tetiwd.io.dates import as_numbers, read_date

FINE_ENOUGH = {
    "year": ("year", "month", "day"),
    "quarter": ("month", "day"),
    "month": ("month", "day"),
    "week": ("day",),
    "day": ("day",),
}


class EpochOfRows(list[Any]):
    """The epoch of every row, together with all epochs in order of time."""

    ordered = True  # what DistanceSeries asks an ordered Categorical

    def __init__(self, labels: Sequence[Any], categories: Sequence[Any], *, as_they_come: bool = False) -> None:
        super().__init__(labels)
        self.categories = list(categories)
        self.as_they_come = as_they_come  # nothing is known about their order in time

    def take(self, rows: Sequence[int]) -> "EpochOfRows":
        """The same for some of the rows."""
        labels = [self[row] for row in rows]
        present = set(labels)
        return EpochOfRows(labels, [label for label in self.categories if label in present])


def epochs_of(
    times: Sequence[Any], by: str | None, where: Callable[[int], str], declared: Sequence[Any] | None = None
) -> EpochOfRows:
    """The epoch of every row from its time: a number, text, or a date written as ISO text.

    Numbers and dates are sorted. Other text keeps the order in which it first appears, or the order that was declared.
    ``where`` says for an error where the time of a row stands.
    """
    if by is not None:
        return _windows(times, by, where)
    texts = [time for time in times if isinstance(time, str)]
    values: Sequence[Any] = times
    if declared is not None:
        return EpochOfRows(values, [label for label in declared if label in set(values)])
    if len(texts) == len(times):
        numbers = as_numbers(texts)
        if numbers is None:
            return _in_order_of_text(texts)
        values = numbers
    try:
        return EpochOfRows(values, sorted(set(values)))
    except TypeError:
        mixed = next(row for row, value in enumerate(values) if isinstance(value, str) != isinstance(values[0], str))
        raise DataError(
            f"{where(0)}: {values[0]!r} and {where(mixed)}: {values[mixed]!r} are times of different kinds; "
            "write them all in one way"
        ) from None


def describe_order(epochs: Sequence[Any], source: str) -> str:
    """A note that says in which order epochs come."""
    shown = [str(label) for label in epochs]
    if len(shown) > 12:
        shown = [*shown[:5], "…", *shown[-5:]]
    return f"order of epochs ({source}): {', '.join(shown)}"


def remark_on_order(epochs: EpochOfRows, remarks: list[str]) -> None:
    """A note where the order of epochs is only that of the rows."""
    if epochs.as_they_come and len(epochs.categories) > 1:
        remarks.append(describe_order(epochs.categories, "as they first appear, because they are text"))


def _in_order_of_text(texts: list[str]) -> EpochOfRows:
    different = list(dict.fromkeys(texts))
    dates = {text: read_date(text) for text in different}
    if all(dates.values()):
        different.sort(key=lambda text: dates[text] or ())
        return EpochOfRows(texts, different)
    return EpochOfRows(texts, different, as_they_come=True)


def _windows(times: Sequence[Any], by: str, where: Callable[[int], str]) -> EpochOfRows:
    known: dict[Any, Any] = {}
    begins: dict[Any, datetime.datetime] = {}
    for row, time in enumerate(times):
        if time in known:
            continue
        found = read_date(str(time).strip())
        if found is None:
            raise DataError(
                f'{where(row)}: {time!r} is not a date, which by = "{by}" needs; write dates as 2014-08-05, or leave '
                "out by"
            )
        moment, precision = found
        if precision not in FINE_ENOUGH[by]:
            raise DataError(
                f"{where(row)}: {time!r} does not say which {by} it is; give whole dates, or a longer by, such as "
                f'"{precision}"'
            )
        known[time] = label = _label(moment, by)
        begins[label] = min(moment, begins.get(label, moment))
    return EpochOfRows([known[time] for time in times], sorted(begins, key=lambda label: begins[label]))


def _label(moment: datetime.datetime, by: str) -> Any:
    if by == "year":
        return moment.year
    if by == "quarter":
        return f"{moment.year:04}-Q{(moment.month + 2) // 3}"
    if by == "week":
        year, week, _ = moment.isocalendar()
        return f"{year:04}-W{week:02}"
    day = moment.date().isoformat()
    return day[:7] if by == "month" else day
