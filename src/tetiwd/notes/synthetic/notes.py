"""Synthetic notes from a seed: first the cohort is drawn, then the notes, then their sentences from templates.

Every random choice is made with uniform numbers alone, so that a seed gives the same notes on every machine.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from tetiwd.errors import RunFolderError, SettingsError
from tetiwd.notes.synthetic.cohort import check_sizes, draw_cohort, draw_days, events_of, lives_of
from tetiwd.notes.synthetic.random_choices import Draws
from tetiwd.notes.synthetic.texts import BACKGROUND, GROUPS, TRAITS, Group, note_texts
from tetiwd.params import check_seed, is_whole

if TYPE_CHECKING:
    import pandas as pd

Ints = NDArray[np.int64]
Count = int | tuple[int, int]  # a number, or the least and the most

SOURCE = "synthetic"
LIKE_THE_PAPER: dict[str, Any] = {"notes_per_window": (2, 5), "sentences_per_note": (40, 75)}  # 200,000 sentences


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

    def write(self, folder: str | Path) -> Path:
        """Write notes.csv, truth.csv and events.csv into a new folder; returns the file of the notes."""
        from tetiwd.writing import write_table

        target = Path(folder)
        if target.exists():
            raise RunFolderError(f"{target} is there already", "choose another name")
        target.mkdir(parents=True)
        for name, table in {"notes": self.table, "truth": self.truth, "events": self.events}.items():
            write_table(target / f"{name}.csv", table)
        return target / "notes.csv"

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
    lives = lives_of(groups, len(n_by_window), group_returns)
    check_sizes(n_by_window, lives, aligned)
    draws = Draws(seed)
    group = draw_cohort(draws, n_by_window, groups, lives, aligned, change)  # (patients, windows), −1 where not seen
    last = group[np.arange(len(group)), group.shape[1] - 1 - np.argmax(group[:, ::-1] >= 0, axis=1)]
    died = draws.uniform(len(last)) < np.array([kind.death_rate for kind in groups])[last]
    patient, window = np.nonzero(group >= 0)
    own_group = group[patient, window]

    per_window = draws.between(n_notes, len(patient))
    days = draw_days(draws, patient, window, per_window, aligned, first_year)
    whose = np.repeat(np.arange(len(patient)), per_window)
    illness = draws.below(len(BACKGROUND), len(group))[patient[whose]]
    traits = draws.uniform((len(group), len(TRAITS)))[patient[whose]]
    lengths = draws.between(n_sentences, len(whose))
    texts = note_texts(draws, groups, own_group[whose], illness, traits, days, lengths, difficulty, typos)

    digits = max(4, len(str(len(group))))
    ids = np.array([f"{SOURCE}-{number:0{digits}}" for number in range(1, len(group) + 1)], dtype=object)
    names = np.array([kind.name for kind in groups], dtype=object)
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
    return SyntheticNotes(table, truth, events_of(names, lives), _described(groups, group), int(lengths.sum()))


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


def _described(groups: Sequence[Group], group: Ints) -> "pd.DataFrame":
    """One row per group, with its sizes."""
    import pandas as pd

    told = {name: [getattr(kind, name) for kind in groups] for name in ("name", "description", "death_rate")}
    sizes = {
        f"window_{t + 1}": np.bincount(members[members >= 0], minlength=len(groups))
        for t, members in enumerate(group.transpose())
    }
    return pd.DataFrame(told | sizes).rename(columns={"name": "group"})
