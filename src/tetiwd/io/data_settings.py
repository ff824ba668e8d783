"""What a user says about the input: the [data] table of a settings file."""

import datetime
from collections import Counter
from dataclasses import dataclass
from typing import Any

from tetiwd.declare import Settings, documented, is_whole, setting
from tetiwd.errors import Setting, SettingsError, give
from tetiwd.io.text_values import as_numbers
from tetiwd.params import LARGEST_CROSS

PERIODS = ("year", "quarter", "month", "week", "day")


def _checked_columns(columns: Any) -> tuple[str, ...]:
    name = Setting("columns", refused=True)
    if not isinstance(columns, list | tuple) or not all(isinstance(column, str) and column for column in columns):
        raise SettingsError([name, f' must be a list of names, such as ["length", "depth"], not {columns!r}'])
    twice = next((column for column, n in Counter(columns).items() if n > 1), None)
    if twice is not None:
        raise SettingsError([name, f" names {twice!r} twice"], "name every column once")
    return tuple(columns)


def _checked_times(times: Any) -> tuple[Any, ...]:
    name = Setting("times", refused=True)
    if not isinstance(times, list | tuple) or not times or any(isinstance(time, bool) for time in times):
        raise SettingsError([name, f" must be a list with one label per epoch, not {times!r}"])
    wrong = next((time for time in times if not isinstance(time, str | int | float | datetime.date)), None)
    if wrong is not None:
        raise SettingsError([name, f" must hold text, numbers or dates, not {wrong!r}"])
    return tuple(times)


def _checked_month(month: Any) -> int:
    if not is_whole(month, 1) or month > 12:
        raise SettingsError([Setting("year_begins"), f" must be a month from 1 to 12, not {month!r}"])
    return int(month)


def _checked_landmarks(n_landmarks: Any) -> int | None:
    if n_landmarks is not None and not is_whole(n_landmarks, 3):
        raise SettingsError([Setting("landmarks"), f" must be a whole number, at least 3, not {n_landmarks!r}"])
    return None if n_landmarks is None else int(n_landmarks)


def _parsed_columns(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")]


def _parsed_times(text: str) -> list[Any]:
    labels = [label.strip() for label in text.split(",")]
    return [(as_numbers([label]) or [label])[0] for label in labels]


@documented
@dataclass(frozen=True)
class DataSettings(Settings):
    """How to read input files."""

    table = "data"
    group = "Input"
    format: str = setting(
        "auto",
        "Format of the files: arrays (npy, npz), matrix (square tables), long (tables with one row per pair), features "
        "(one row per object in tables, npy, npz or h5ad files), h5ad or fasta; auto detects it.",
        option="--format",
    )
    kind: str = setting(
        "distances",
        "Whether the numbers are distances, or similarities (dot products).",
        option="--similarities",
        switch="similarities",
        option_help="The numbers are similarities (dot products).",
        choices=("distances", "similarities"),
    )
    squared: bool | None = setting(
        None,
        "Whether the numbers are squared distances. Never guessed; not needed for similarities, sequences, and "
        "features with a metric for which it is known. Bray–Curtis, Jaccard, Manhattan, cosine and Hamming "
        "dissimilarities are squared distances.",
        option="--squared/--plain",
        option_help="Whether the numbers are squared distances or plain ones. Never guessed. Bray–Curtis, Jaccard, "
        "Manhattan, cosine and Hamming dissimilarities are squared distances.",
    )
    metric: str | None = setting(
        None,
        'How to compare features ("euclidean" by default; "cosine", "hellinger", ...) or sequences ("hamming" by '
        'default, or "p-distance").',
        option="--metric",
    )
    standardize: bool = setting(
        False, "Scale every feature to mean 0 and standard deviation 1 over all times.", option="--standardize"
    )
    id: str | None = setting(
        None, 'Column with the ids of objects. If not given, "id" if there is such a column.', option="--id"
    )
    subject: str | None = setting(
        None,
        "Column of the table of objects that says whom or what an object is a sample of, if the objects themselves "
        "have other ids. The same subject at two times is the same object.",
        option="--subject",
    )
    time: str | None = setting(
        None, 'Column with the times. If not given, "time" if there is such a column.', option="--time"
    )
    columns: tuple[str, ...] = setting(
        (),
        "Feature columns. If not given, all columns of numbers except ids and times.",
        option="--columns",
        check=_checked_columns,
        parse=_parsed_columns,
        metavar="NAME,NAME,...",
    )
    first: str = setting("i", "Column of a long table with the first object of a pair.", option="--first")
    second: str = setting("j", "Column of a long table with the second object of a pair.", option="--second")
    distance: str = setting("distance", "Column of a long table with the distances.", option="--distance")
    objects: str | None = setting(
        None,
        "Table with the id and time of every object, for one matrix over all times or for sequences.",
        option="--objects",
        metavar="FILE",
    )
    times: tuple[Any, ...] | None = setting(
        None,
        "Labels of the time points in their order: one per file or array, or all that occur in a column of times.",
        option="--times",
        check=_checked_times,
        parse=_parsed_times,
        metavar="LABEL,LABEL,...",
    )
    by: str | None = setting(None, "Group dates into time points of this length.", option="--by", choices=PERIODS)
    year_begins: int = setting(
        1,
        "Month in which years begin that dates are grouped into: 7 makes a year from July to June.",
        option="--year-begins",
        check=_checked_month,
        metavar="MONTH",
    )
    obsp: str = setting("distances", "Name of the matrix in obsp of an h5ad file.")
    obsm: str | None = setting(
        None,
        "Name of the features in obsm of an h5ad file, or X for its matrix X. If not given, the distances in obsp are "
        'read, or X with format "features".',
        option="--obsm",
        option_help="Features of an h5ad file: a name in obsm, such as X_pca, or X for its matrix X.",
    )
    symmetrize: str | None = setting(
        None,
        '"mean" averages the two distances of a pair where they differ.',
        option="--symmetrize",
        switch="mean",
        option_help="Average the two distances of a pair where they differ.",
        choices=("mean",),
    )
    min_objects: int = setting(3, "Fewest objects that a time point may have.", least=1)
    drop_small: bool = setting(
        False, "Leave out time points with too few objects instead of refusing them.", option="--drop-small"
    )
    missing: str = setting(
        "error",
        '"drop" leaves out rows with missing values instead of refusing them.',
        option="--drop-missing",
        switch="drop",
        option_help="Leave out rows with missing values.",
        choices=("error", "drop"),
    )
    cross: bool | None = setting(
        None,
        "Whether to keep distances between times, which tell best how clusters are linked. If not given, they are kept "
        f"for up to {LARGEST_CROSS} rows, where the input has them, and for any number where no matrix is kept.",
        option="--cross/--no-cross",
    )
    matrix: bool | None = setting(
        None,
        "Whether to keep all distances between features. Without them, sums of distances are computed from the "
        "features, for metrics that are Euclidean: memory is O(n), the answers are the same. If not given, they are "
        "kept unless they take more than 1 GiB or do not fit.",
        option="--matrix/--no-matrix",
    )
    landmarks: int | None = setting(
        None,
        "Compute only the distances of features to so many objects, from which all others follow approximately: for "
        "metrics that are not Euclidean, where all distances do not fit into memory. 200 is a good number.",
        option="--landmarks",
        check=_checked_landmarks,
    )
    dtype: str = setting(
        "float64",
        '"float32" keeps distances in half the memory. Distances that are float32 in a file stay so.',
        choices=("float64", "float32"),
    )
    repair: str | None = setting(
        None,
        'Make distances Euclidean that are not: "shift" or "clip" their negative eigenvalues.',
        choices=("shift", "clip"),
    )

    constraints: str | None = setting(
        None,
        'Table of pairs that are known to belong together or apart: columns "object", "other" and "kind" ("must" or '
        '"cannot"), and, if wanted, "weight", "time" and "other_time".',
        option="--constraints",
        metavar="FILE",
    )
    fixed_labels: str | None = setting(
        None,
        'Table of objects whose label is known: columns "object" and "label", and "time" if labels change. Equal '
        "labels are one cluster, different labels different ones.",
        option="--fixed-labels",
        metavar="FILE",
    )
    labels_are_lineages: bool = setting(
        False,
        "Whether equal labels at different times mean one lineage, and different ones different lineages.",
        option="--labels-are-lineages",
    )

    def check_together(self) -> None:
        """Three columns of a long table; nothing about distances where there are none."""
        if len({self.first, self.second, self.distance}) < 3:
            shown = f" must be three different columns, not {self.first!r}, {self.second!r} and {self.distance!r}"
            raise SettingsError([Setting("first"), ", ", Setting("second"), " and ", Setting("distance"), shown])
        if self.subject is not None and self.objects is None:
            fault: list[str | Setting] = [Setting("subject", self.subject), " names a column of the table of objects"]
            raise SettingsError(fault, ["name that table with ", Setting("objects")])
        if self.labels_are_lineages and self.fixed_labels is None:
            fault = [Setting("labels_are_lineages", True), " is about labels that are known"]
            raise SettingsError(fault, ["name their file with ", Setting("fixed_labels")])
        if self.year_begins != 1 and self.by != "year":
            fault = [Setting("year_begins", self.year_begins), " is about windows of years"]
            raise SettingsError(fault, give("by", "year"))
        similarities = Setting("kind", "similarities")
        if self.kind == "similarities" and self.squared is not None:
            raise SettingsError(
                [Setting("squared", self.squared), " is about distances"], ["leave it out with ", similarities]
            )
        if self.kind == "similarities" and self.cross:
            raise SettingsError([Setting("cross", True), " keeps distances"], ["it does not go with ", similarities])

    def keeps_cross(self, n_rows: int) -> bool:
        """Whether distances between epochs are kept; unasked only for so many rows."""
        return n_rows <= LARGEST_CROSS if self.cross is None else self.cross

    def are_squared(self) -> bool:
        """Whether the distances are squared; an error if that is not known."""
        if self.squared is None:
            raise SettingsError(
                "it is not known whether the distances are squared",
                [
                    give("squared", True),
                    " if they are, ",
                    give("squared", False),
                    " if they are plain; it is never guessed",
                ],
            )
        return self.squared
