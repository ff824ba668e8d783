"""Synthetic clinical notes with planted patient groups, to try things on: no sentence comes from a real note.

Who is seen when, and in which group, is drawn first, then the notes, then their sentences from templates. Every random
choice is made with uniform numbers alone, so that a seed gives the same notes on every machine.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from tetiwd.errors import RunFolderError, SettingsError
from tetiwd.notes.invented_text import NAMES, note_texts, sentences_about, topics_of
from tetiwd.notes.random_choices import Draws
from tetiwd.notes.vocabulary import BACKGROUND, FROM_SECOND, GROUPS, ONLY_FIRST, Group
from tetiwd.params import check_seed, is_whole

if TYPE_CHECKING:
    import pandas as pd

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Count = int | tuple[int, int]  # a number, or the least and the most

SOURCE = "synthetic"
LIKE_THE_PAPER: dict[str, Any] = {"notes_per_window": (2, 5), "sentences_per_note": (40, 75)}  # 200,000 sentences

RETURNS = 0.25  # share of a window's patients who had missed the window before, if there are so many
NEWCOMERS = 0.2  # share of a later calendar window's patients who had not been seen before
RUSH = 5.0  # how much more a group attracts in the window in which it is born or returns
SPREAD_OF_FIRST = 730  # days in which first notes lie
MARGIN = 10  # days next to the limits of a patient's own windows without notes: years have 365 days, or 366


@dataclass(frozen=True, eq=False)
class SyntheticNotes:
    """Notes and the truth behind them. Windows are numbered from 1.

    A group is born in the first window that has it and has died in the first that has it no more.
    """

    table: "pd.DataFrame"  # one row per note: patient, date, text, died (1 or 0, one for a patient), note_source
    truth: "pd.DataFrame"  # one row per patient and window with notes: patient, window, group
    events: "pd.DataFrame"  # what happens to groups: window, event (born, died, returned), group
    groups: "pd.DataFrame"  # one row per group: group, description, death_rate, and the number of patients by window
    n_sentences: int  # without headings

    def __repr__(self) -> str:
        sizes = self.truth.groupby("window").size()
        return (
            f"SyntheticNotes({len(self.table)} notes, {self.n_sentences} sentences, {len(self.groups)} groups; "
            f"{', '.join(map(str, sizes))} patients by window)"
        )


def synthetic_notes(
    seed: int = 0,
    n_by_window: Sequence[int] = (704, 170, 123),
    n_groups: int = 6,
    *,
    notes_per_window: Count = (2, 4),
    sentences_per_note: Count = (10, 18),
    difficulty: float = 0.6,
    aligned: Literal["object", "calendar"] = "object",
    change: float = 0.1,
    group_returns: bool = False,
    typos: float = 0.02,
    first_year: int = 2011,
) -> SyntheticNotes:
    """Invented notes of brain tumour patients who belong to groups, come, go, return, change group and die.

    With three groups or more and two windows or more, one group is born in window 2 and one dies after window 1.

    Parameters
    ----------
    seed
        A whole number; the same number gives the same notes.
    n_by_window
        Patients with notes in every window. Windows last one year.
    n_groups
        Groups in all, at most nine; not all of them live in every window.
    notes_per_window, sentences_per_note
        A number, or the least and the most: of notes per patient and window, of sentences per note. There are about 40
        sentences per patient and window; ``**LIKE_THE_PAPER`` makes as many as the paper has, 200,000 in all.
    difficulty
        Share of the sentences that tell nothing about the group: at 0 all sentences do, at 1 none.
    aligned
        Which windows are meant: "object", years that begin with a patient's first note (so that everybody is there in
        window 1), or "calendar", calendar years from ``first_year`` on (so that patients may come later).
    change
        Probability that the group of a patient is drawn anew from one window to the next. Patients of a group that
        dies change in any case.
    group_returns
        Should the last group be missing in window 2 and return in window 3?
    typos
        Share of the sentences with a typing error.
    first_year
        Calendar year in which the first notes are written.
    """
    import pandas as pd

    check_seed(seed)
    groups = _groups(n_groups)
    for name, share in {"difficulty": difficulty, "change": change, "typos": typos}.items():
        _check_share(name, share)
    n_notes = _limits("notes_per_window", notes_per_window)
    n_sentences = _limits("sentences_per_note", sentences_per_note)
    if not is_whole(first_year, 1900) or first_year > 2100:
        raise SettingsError(f"first_year must be a calendar year from 1900 to 2100, not {first_year!r}")
    if np.ndim(n_by_window) != 1 or not len(n_by_window):
        raise SettingsError(f"n_by_window must list the number of patients in every window, not {n_by_window!r}")
    lives = _lives(groups, len(n_by_window), group_returns)
    _check_sizes(n_by_window, lives, aligned)
    draws = Draws(seed)
    group = _cohort(draws, n_by_window, groups, lives, aligned, change)  # (patients, windows), −1 where not seen
    last = group[np.arange(len(group)), group.shape[1] - 1 - np.argmax(group[:, ::-1] >= 0, axis=1)]
    died = draws.uniform(len(last)) < np.array([own.death_rate for own in groups])[last]
    patient, window = np.nonzero(group >= 0)
    own_group = group[patient, window]

    per_window = draws.between(n_notes, len(patient))
    days = _days(draws, patient, window, per_window, aligned, first_year)
    whose = np.repeat(np.arange(len(patient)), per_window)
    illness = draws.below(len(BACKGROUND), len(group))[patient[whose]]
    traits = draws.traits(len(group))[patient[whose]]
    lengths = draws.between(n_sentences, len(whose))
    texts = note_texts(draws, groups, own_group[whose], illness, traits, days, lengths, difficulty, typos)

    digits = max(4, len(str(len(group))))
    ids = np.array([f"{SOURCE}-{number:0{digits}}" for number in range(1, len(group) + 1)], dtype=object)
    names = np.array([own.name for own in groups], dtype=object)
    table = pd.DataFrame(
        {
            "patient": ids[patient[whose]],
            "date": days.astype("datetime64[ns]"),
            "text": texts,
            "died": died[patient[whose]].astype(np.int64),
            "note_source": SOURCE,
        }
    )
    truth = pd.DataFrame({"patient": ids[patient], "window": window + 1, "group": names[own_group]})
    return SyntheticNotes(table, truth, _events(names, lives), _described(groups, group), int(lengths.sum()))


def synthetic_sentences(
    n: int, seed: int = 0, n_groups: int = 6, *, difficulty: float = 0.6, typos: float = 0.02
) -> "pd.DataFrame":
    """So many synthetic sentences of patients of all groups, each with its topic; a second or two for 200,000."""
    import pandas as pd

    check_seed(seed)
    if not is_whole(n, 1):
        raise SettingsError(f"n must be a whole number of at least 1, not {n!r}")
    _check_share("difficulty", difficulty)
    _check_share("typos", typos)
    groups, draws = _groups(n_groups), Draws(seed)
    specific = draws.uniform(n) >= difficulty
    group = draws.weighted([own.share for own in groups], n)
    illness = draws.below(len(BACKGROUND), n)
    topic = topics_of(draws, groups, group, illness, specific, draws.uniform(n))
    days = np.datetime64("2011-01-01", "D") + draws.below(3 * 365, n)
    text = sentences_about(draws, topic, days, draws.traits(n), typos)
    return pd.DataFrame({"text": text, "topic": np.array(NAMES, dtype=object)[topic], "note_source": SOURCE})


def write_synthetic_notes(path: str | Path, seed: int = 0, **settings: Any) -> SyntheticNotes:
    """Write the table of synthetic notes as a CSV file, which must not be there yet. Settings go to synthetic_notes."""
    from tetiwd.writing import write_table

    target = Path(path)
    if target.suffix.lower() != ".csv":
        raise SettingsError(f"synthetic notes are written as CSV; {target} should end with .csv")
    if target.exists():
        raise RunFolderError(f"{target} is there already; choose another name")
    if not target.parent.is_dir():
        raise RunFolderError(f"cannot write {target} (there is no folder {target.parent}); choose another place")
    notes = synthetic_notes(seed, **settings)
    try:
        write_table(target, notes.table)
    except OSError as error:
        raise RunFolderError(f"cannot write {target} ({error.strerror}); choose another place") from error
    return notes


def _groups(n_groups: int) -> tuple[Group, ...]:
    if not is_whole(n_groups, 1) or n_groups > len(GROUPS):
        raise SettingsError(f"n_groups must be a whole number from 1 to {len(GROUPS)}, not {n_groups!r}")
    return GROUPS[:n_groups]


def _check_share(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) <= 1:
        raise SettingsError(f"{name} must be a number from 0 to 1, not {value!r}")


def _limits(name: str, count: Any) -> tuple[int, int]:
    """The least and the most."""
    pair = (count, count) if is_whole(count, 1) else count
    if isinstance(pair, tuple | list) and len(pair) == 2 and is_whole(pair[0], 1) and is_whole(pair[1], int(pair[0])):
        return int(pair[0]), int(pair[1])
    raise SettingsError(f"{name} must be a whole number of at least 1, or the least and the most, not {count!r}")


def _lives(groups: Sequence[Group], n_windows: int, group_returns: bool) -> Bools:
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


def _check_sizes(n_by_window: Sequence[int], lives: Bools, aligned: str) -> None:
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


def _cohort(
    draws: Draws, n_by_window: Sequence[int], groups: Sequence[Group], lives: Bools, aligned: str, change: float
) -> Ints:
    """The group of every patient in every window, −1 where the patient is not seen; (patients, windows)."""
    share, loyalty = (np.array([getattr(own, name) for own in groups]) for name in ("share", "loyalty"))
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
        own = last[chosen]
        moves = (own < 0) | ~lives[own, t] | (draws.uniform(n) < change)
        fresh = (t > 0) & lives[:, t] & ~lives[:, t - 1]
        own[moves] = draws.weighted(share * lives[:, t] * np.where(fresh, RUSH, 1.0), int(moves.sum()))
        for lonely in np.flatnonzero(lives[:, t] & (np.bincount(own, minlength=len(groups)) == 0)):
            own[np.argmax(own == np.bincount(own).argmax())] = lonely
        last[chosen] = group[chosen, t] = own
        n_seen += n_new
    return group[:n_seen]


def _events(names: NDArray[Any], lives: Bools) -> "pd.DataFrame":
    """What happens to groups, in the words and at the times of ``Lineages.events``."""
    import pandas as pd

    rows = []
    for t in range(1, lives.shape[1]):
        before, now, ever = lives[:, t - 1], lives[:, t], lives[:, :t].any(axis=1)
        for event, concerned in (("born", now & ~ever), ("died", before & ~now), ("returned", now & ~before & ever)):
            rows += [(t + 1, event, name) for name in names[concerned]]
    return pd.DataFrame(rows, columns=["window", "event", "group"])


def _described(groups: Sequence[Group], group: Ints) -> "pd.DataFrame":
    """One row per group, with its sizes."""
    import pandas as pd

    told = {name: [getattr(own, name) for own in groups] for name in ("name", "description", "death_rate")}
    sizes = {
        f"window_{t + 1}": np.bincount(own[own >= 0], minlength=len(groups)) for t, own in enumerate(group.transpose())
    }
    return pd.DataFrame(told | sizes).rename(columns={"name": "group"})


def _days(draws: Draws, patient: Ints, window: Ints, n_notes: Ints, aligned: str, first_year: int) -> NDArray[Any]:
    """The day of every note, spread over its window."""
    whose = np.repeat(np.arange(len(patient)), n_notes)
    number = np.arange(len(whose)) - np.repeat(np.cumsum(n_notes) - n_notes, n_notes)  # of the note in its window
    place = (number + draws.uniform(len(whose))) / n_notes[whose]  # from 0 to 1
    if aligned == "calendar":
        begins = (np.datetime64(f"{first_year:04}", "Y") + window[whose]).astype("datetime64[D]")
        return begins + (place * 365).astype(np.int64)
    first = np.datetime64(f"{first_year:04}-01-01", "D") + draws.below(SPREAD_OF_FIRST, int(patient[-1]) + 1)
    offset = (365.25 * window[whose]).astype(np.int64) + MARGIN + (place * (365 - 2 * MARGIN)).astype(np.int64)
    offset[(window[whose] == 0) & (number == 0)] = 0
    return first[patient[whose]] + offset
