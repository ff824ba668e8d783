"""Time labels: which epoch is when, and in which order epochs come."""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data.labels import as_list, check_values, kind_of, plain
from tetiwd.data.time_order import in_order_of_time
from tetiwd.errors import DataError, Setting, Where, plural


def check_times(times: Any, n_epochs: int) -> tuple[Any, ...]:
    """One label per epoch, all different, of one kind, increasing unless they are text."""
    values = as_list(times, "times", "one label per epoch")
    if len(values) != n_epochs:
        raise DataError(
            [f"{plural(n_epochs, 'epoch')} but ", Setting("times"), f" has {plural(len(values), 'label')}"],
            "give one per epoch",
        )
    check_values(values, "the time label of epoch", "time labels")
    first: dict[Any, int] = {}
    for t, value in enumerate(values):
        if value in first:
            raise DataError(
                f"the time label {value!r} occurs twice, at epochs {first[value]} and {t}",
                "put the objects of one time point into one epoch",
                where=Where(epoch=t),
            )
        first[value] = t
    if kind_of(values[0]) != "text":
        rank = {value: position for position, value in enumerate(_in_order(values))}
        for t, (earlier, later) in enumerate(pairwise(values)):
            if rank[later] < rank[earlier]:
                raise DataError(
                    f"time runs backwards: epoch {t} is {earlier} and epoch {t + 1} is {later}",
                    "sort the epochs",
                    where=Where(epoch=t + 1),
                )
    return tuple(values)


def rows_by_time(time: Any, n: int, what: str) -> tuple[tuple[Any, ...], list[NDArray[np.intp]]]:
    """The distinct times in order, and the rows of each.

    Numbers and dates are sorted, and so is text that is about time, such as "2003/04", "Q1 2004" or "day 30". Other
    text is refused, because its order would be a guess; an ordered Categorical brings its own order.
    """
    shape = getattr(time, "shape", None)
    values = as_list(time, "time", "one value per row")
    if len(values) != n or (shape is not None and len(shape) != 1):
        fault = f"{what} has {plural(n, 'row')} but time has shape {shape or (len(values),)}"
        raise DataError(fault, "give one value per row")
    check_values(values, "time at row", "the values of time")
    rows: dict[Any, list[int]] = {}
    for row, value in enumerate(values):
        rows.setdefault(value, []).append(row)
    declared = _declared_order(time)
    times = sorted_times(list(rows)) if declared is None else [value for value in declared if value in rows]
    return tuple(times), [np.array(rows[value], dtype=np.intp) for value in times]


def sorted_times(labels: list[Any]) -> list[Any]:
    """Different labels of one kind in order of time; text is refused where that order would be a guess."""
    if kind_of(labels[0]) != "text":
        return _in_order(labels)
    ordered = in_order_of_time(labels)
    if ordered is None:
        shown = ", ".join(repr(label) for label in labels[:6]) + ", …" * (len(labels) > 6)
        raise DataError(
            f"these times are text whose order in time is not known: {shown}",
            [
                "write dates as 2023-06-13, or list all times in order with ",
                Setting("times", python="an ordered pandas Categorical"),
            ],
        )
    return ordered


def _in_order(values: list[Any]) -> list[Any]:
    try:
        return sorted(values)
    except (TypeError, ValueError) as error:
        raise DataError(f"times cannot be put in order ({error})", "use numbers, dates or text") from error


def _declared_order(time: Any) -> list[Any] | None:
    """Categories of an ordered pandas Categorical, bare or as a Series."""
    categorical = getattr(time, "cat", time)
    if not getattr(categorical, "ordered", False):
        return None
    return [plain(value) for value in categorical.categories]
