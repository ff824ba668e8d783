"""What a user says about the input: the [data] table of a settings file."""

import datetime
from dataclasses import dataclass
from typing import Any

from tetiwd.data.series import LARGEST_CROSS
from tetiwd.errors import Setting, SettingsError, give
from tetiwd.params import is_whole

CHOICES: dict[str, tuple[str | None, ...]] = {
    "kind": ("distances", "similarities"),
    "by": (None, "year", "quarter", "month", "week", "day"),
    "symmetrize": (None, "mean"),
    "missing": ("error", "drop"),
    "dtype": ("float64", "float32"),
    "repair": (None, "shift", "clip"),
}
FLAGS = ("standardize", "drop_small")
NAMES = ("format", "first", "second", "distance", "obsp")
NAMES_OR_NONE = ("metric", "id", "time", "objects")


@dataclass(frozen=True)
class DataSettings:
    """How input files are to be read; None where nothing is said.

    Parameters
    ----------
    format
        "arrays" (npy, npz), "matrix" (square tables), "long" (one row per pair), "features" (one row per object),
        "h5ad", "fasta"; "auto" looks at the name of the file and, for tables, at its first lines.
    kind
        "distances", or "similarities" (dot products).
    squared
        True if the numbers are squared distances, False if they are plain. Never guessed; not needed for similarities,
        for sequences, or for features with a metric of which it is known.
    metric
        Features: "euclidean" unless something else is said. Sequences: "hamming" (the default) or "p-distance".
    standardize
        Features: every column is brought to mean 0 and standard deviation 1 over all epochs.
    id, time
        Names of the columns with the ids and the times of objects; "id" and "time" if there are such columns.
    columns
        Feature columns; if none are named, all columns of numbers but those of id and time.
    first, second, distance
        Columns of a long table.
    objects
        A table with id and time of every object, for one matrix over all times and for sequences.
    times
        Labels of the epochs where there is one file or array per epoch; files then count in the order given.
    by
        "year", "quarter", "month", "week" or "day": dates are put into epochs of this length.
    obsp
        Which obsp matrix of an h5ad file.
    symmetrize
        "mean" averages D_ij and D_ji where they differ.
    min_objects, drop_small
        Smallest epoch that is accepted, and whether smaller ones are left out instead of refused.
    missing
        "drop" leaves out rows with missing values instead of refusing them.
    cross
        Keep distances between epochs, which tell best which cluster is which later, where there are any: one matrix
        over all times, features, sequences. They are kept for up to 5000 rows unless something else is said.
    dtype
        "float32" keeps distances in half the memory. What is float32 in a file stays float32 in any case.
    repair
        "shift" or "clip" negative eigenvalues away; see :meth:`tetiwd.DistanceSeries.repair`.
    """

    format: str = "auto"
    kind: str = "distances"
    squared: bool | None = None
    metric: str | None = None
    standardize: bool = False
    id: str | None = None
    time: str | None = None
    columns: tuple[str, ...] = ()
    first: str = "i"
    second: str = "j"
    distance: str = "distance"
    objects: str | None = None
    times: tuple[Any, ...] | None = None
    by: str | None = None
    obsp: str = "distances"
    symmetrize: str | None = None
    min_objects: int = 3
    drop_small: bool = False
    missing: str = "error"
    cross: bool | None = None
    dtype: str = "float64"
    repair: str | None = None

    def __post_init__(self) -> None:
        for name, allowed in CHOICES.items():
            _check_choice(name, getattr(self, name), allowed)
        for name in FLAGS:
            if not isinstance(getattr(self, name), bool):
                raise SettingsError(f"{name} must be true or false, not {getattr(self, name)!r}")
        for name in (*NAMES, *NAMES_OR_NONE):
            value = getattr(self, name)
            if not (isinstance(value, str) and value) and not (name in NAMES_OR_NONE and value is None):
                raise SettingsError(f"{name} must be a name, not {value!r}")
        if self.cross is not None and not isinstance(self.cross, bool):
            raise SettingsError(f"cross must be true or false, not {self.cross!r}")
        if not is_whole(self.min_objects, 1):
            raise SettingsError(f"min_objects must be a whole number from 1 on, not {self.min_objects!r}")
        object.__setattr__(self, "columns", _checked_columns(self.columns))
        object.__setattr__(self, "times", _checked_times(self.times))
        self._check_long_columns()
        self._check_squared()

    def _check_squared(self) -> None:
        if self.squared is not None and not isinstance(self.squared, bool):
            raise SettingsError(f"squared must be true or false, not {self.squared!r}")
        if self.kind == "similarities" and self.squared is not None:
            raise SettingsError('squared is about distances; leave it out with kind = "similarities"')
        if self.kind == "similarities" and self.cross:
            raise SettingsError('cross = true keeps distances; it does not go with kind = "similarities"')

    def _check_long_columns(self) -> None:
        if len({self.first, self.second, self.distance}) < 3:
            raise SettingsError(
                f"first, second and distance must be three different columns, not {self.first!r}, {self.second!r} and "
                f"{self.distance!r}"
            )

    def keeps_cross(self, n_rows: int) -> bool:
        """Whether distances between epochs are kept; unasked only for so many rows."""
        return n_rows <= LARGEST_CROSS if self.cross is None else self.cross

    def are_squared(self) -> bool:
        """Whether numbers that come as distances are squared; an error if nobody said so."""
        if self.squared is None:
            raise SettingsError(
                "it is not known whether the distances are squared",
                [
                    give("squared", True),
                    " if the numbers are squared distances, ",
                    Setting("squared", False),
                    " if they are plain distances; it is never guessed",
                ],
            )
        return self.squared


def _check_choice(name: str, value: Any, allowed: tuple[str | None, ...]) -> None:
    if not (value is None or isinstance(value, str)) or value not in allowed:
        listed = ", ".join(f'"{choice}"' for choice in allowed if choice is not None)
        raise SettingsError(f"{name} must be one of {listed}{' or left out' * (None in allowed)}, not {value!r}")


def _checked_columns(columns: Any) -> tuple[str, ...]:
    if not isinstance(columns, list | tuple) or not all(isinstance(name, str) and name for name in columns):
        raise SettingsError(f'columns must be a list of names, such as ["length", "depth"], not {columns!r}')
    twice = next((name for name in columns if columns.count(name) > 1), None)
    if twice is not None:
        raise SettingsError(f"columns names {twice!r} twice; name every column once")
    return tuple(columns)


def _checked_times(times: Any) -> tuple[Any, ...] | None:
    if times is None:
        return None
    one = str | int | float | datetime.date
    if not isinstance(times, list | tuple) or not times or any(isinstance(t, bool) for t in times):
        raise SettingsError(f"times must be a list with one label per epoch, not {times!r}")
    wrong = next((t for t in times if not isinstance(t, one)), None)
    if wrong is not None:
        raise SettingsError(f"times must hold text, numbers or dates, not {wrong!r}")
    return tuple(times)
