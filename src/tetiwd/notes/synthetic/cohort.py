"""The cohort behind synthetic notes: which patients are seen in which window, in which group, and on which days."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.errors import SettingsError
from tetiwd.notes.synthetic.random_choices import Draws
from tetiwd.notes.synthetic.texts import FROM_SECOND, ONLY_FIRST, Group
from tetiwd.params import is_whole

if TYPE_CHECKING:
    import pandas as pd

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

RETURNS = 0.25  # share of a window's patients who had missed the window before, if there are so many
NEWCOMERS = 0.2  # share of a later calendar window's patients who had not been seen before
RUSH = 5.0  # how much more a group attracts in the window in which it is born or returns
SPREAD_OF_FIRST = 730  # days in which first notes lie
MARGIN = 10  # days next to the limits of a patient's own windows without notes: years have 365 days, or 366


def lives_of(groups: Sequence[Group], n_windows: int, group_returns: bool) -> Bools:
    """Is a group there in a window? (groups, windows)."""
    lives = np.ones((len(groups), n_windows), dtype=bool)
    if len(groups) >= 3 and n_windows >= 2:
        for g, group in enumerate(groups):
            lives[g, 1:] &= group.name != ONLY_FIRST
            lives[g, :1] &= group.name != FROM_SECOND
    if group_returns:
        if len(groups) < 4 or n_windows < 3:
            raise SettingsError(
                f"a group can return only with 4 groups and 3 windows at least; there are {len(groups)} and "
                f"{n_windows}: set n_groups and n_by_window, or leave out group_returns"
            )
        lives[-1, 1] = False
    return lives


def check_sizes(n_by_window: Sequence[int], lives: Bools, aligned: str) -> None:
    """Raise if windows cannot have so many patients."""
    if aligned not in ("object", "calendar"):
        raise SettingsError(f'aligned must be "object" or "calendar", not {aligned!r}')
    for t, (n, least) in enumerate(zip(n_by_window, lives.sum(axis=0).tolist(), strict=True)):
        if not is_whole(n, least):
            raise SettingsError(
                f"n_by_window[{t}] must be a whole number of at least {least}, one patient for every group of window "
                f"{t + 1}, not {n!r}"
            )
        if aligned == "object" and n > n_by_window[0]:
            raise SettingsError(
                f"n_by_window[{t}] is {n}, but all patients are there in window 1, which has {n_by_window[0]}: windows "
                'begin with the first note of a patient; use fewer, or aligned="calendar"'
            )


def draw_cohort(
    draws: Draws, n_by_window: Sequence[int], groups: Sequence[Group], lives: Bools, aligned: str, change: float
) -> Ints:
    """The group of every patient in every window, −1 where the patient is not seen; (patients, windows)."""
    share, loyalty = (np.array([getattr(kind, name) for kind in groups]) for name in ("share", "loyalty"))
    group = np.full((sum(n_by_window), len(n_by_window)), -1, dtype=np.int64)
    last = np.full(len(group), -1, dtype=np.int64)  # the group a patient was in when last seen
    n_seen = 0
    for t, n in enumerate(n_by_window):
        was_here = group[:n_seen, t - 1] >= 0
        here, away = np.flatnonzero(was_here), np.flatnonzero(~was_here)
        n_new = round(NEWCOMERS * n) if aligned == "calendar" else 0
        n_stay = min(n - n_new - min(round(RETURNS * n), len(away)), len(here))
        n_back = min(n - n_new - n_stay, len(away))
        n_new = n - n_stay - n_back
        chosen = np.concatenate(
            [
                draws.some_of(here, loyalty[last[here]], n_stay),
                draws.some_of(away, loyalty[last[away]], n_back),
                np.arange(n_seen, n_seen + n_new),
            ]
        )
        groups_now = last[chosen]
        moves = (groups_now < 0) | ~lives[groups_now, t] | (draws.uniform(n) < change)
        fresh = (t > 0) & lives[:, t] & ~lives[:, t - 1]
        groups_now[moves] = draws.weighted(share * lives[:, t] * np.where(fresh, RUSH, 1.0), int(moves.sum()))
        for lonely in np.flatnonzero(lives[:, t] & (np.bincount(groups_now, minlength=len(groups)) == 0)):
            groups_now[np.argmax(groups_now == np.bincount(groups_now).argmax())] = lonely
        last[chosen] = group[chosen, t] = groups_now
        n_seen += n_new
    return group[:n_seen]


def events_of(names: NDArray[Any], lives: Bools) -> "pd.DataFrame":
    """What happens to groups, in the words and at the times of ``Lineages.events``."""
    import pandas as pd

    rows = []
    for t in range(1, lives.shape[1]):
        before, now, ever = lives[:, t - 1], lives[:, t], lives[:, :t].any(axis=1)
        for event, concerned in (("born", now & ~ever), ("died", before & ~now), ("returned", now & ~before & ever)):
            rows += [(t + 1, event, name) for name in names[concerned]]
    return pd.DataFrame(rows, columns=["window", "event", "group"])


def draw_days(draws: Draws, patient: Ints, window: Ints, n_notes: Ints, aligned: str, first_year: int) -> NDArray[Any]:
    """The day of every note, spread over its window."""
    whose = np.repeat(np.arange(len(patient)), n_notes)
    number = np.arange(len(whose)) - np.repeat(np.cumsum(n_notes) - n_notes, n_notes)  # of the note in its window
    place = (number + draws.uniform(len(whose))) / n_notes[whose]  # from 0 to 1
    if aligned == "calendar":
        begins = np.datetime64(f"{first_year:04}", "Y") + window[whose].astype("timedelta64[Y]")
        return begins.astype("datetime64[D]") + (place * 365).astype("timedelta64[D]")
    later = draws.below(SPREAD_OF_FIRST, int(patient[-1]) + 1).astype("timedelta64[D]")
    first = np.datetime64(f"{first_year:04}-01-01", "D") + later
    offset = (365.25 * window[whose]).astype(np.int64) + MARGIN + (place * (365 - 2 * MARGIN)).astype(np.int64)
    offset[(window[whose] == 0) & (number == 0)] = 0
    return first[patient[whose]] + offset.astype("timedelta64[D]")
