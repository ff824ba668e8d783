"""Places of times along an axis: to scale where times are numbers or dates."""

import datetime
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data.time_order import read_date

Floats = NDArray[np.float64]
NEARLY_EVEN = 0.15  # months have 28 to 31 days
CLOSEST = 0.3  # of the mean step; times that are closer would hide each other
NOT_TO_SCALE = "times are not to scale"


def places_of(times: Sequence[Any]) -> Floats:
    """A place for every time, from 0 to their number less one; steps of 1 if times have no scale, or cannot show it."""
    even, moments = np.arange(len(times), dtype=float), _moments(times)
    if moments is None or not _uneven(moments):
        return even
    places = (moments - moments[0]) / (moments[-1] - moments[0]) * (len(times) - 1)
    return places if np.diff(places).min() >= CLOSEST else even


def scale_note(times: Sequence[Any], places: Floats | None = None) -> str:
    """A remark if the steps of a picture are not those of the times; its places are even if none are given."""
    moments = _moments(times)
    if moments is None or not _uneven(moments) or (places is not None and _uneven(places)):
        return ""
    return NOT_TO_SCALE


def _uneven(moments: Floats) -> bool:
    steps = np.diff(moments)
    return bool(np.ptp(steps) > NEARLY_EVEN * steps.mean())


def _moments(times: Sequence[Any]) -> Floats | None:
    """Times as numbers that increase; None where they have no scale, or there are fewer than three."""
    numbers = [_moment(time) for time in times]
    known = np.array([number for number in numbers if number is not None])
    if len(known) < max(3, len(times)) or not np.isfinite(known).all() or not (np.diff(known) > 0).all():
        return None
    return known


def _moment(time: Any) -> float | None:
    if isinstance(time, int | float | np.number) and not isinstance(time, bool):
        return float(time)
    if not isinstance(time, str | datetime.date | np.datetime64):
        return None
    date = read_date(str(time).strip())
    return None if date is None else (date[0] - datetime.datetime(1, 1, 1)).total_seconds()
