"""A reader: the name of a format, its file endings, the settings it heeds, and the function that reads."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields

from tetiwd.data import DistanceSeries
from tetiwd.errors import Setting, SettingsError
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.files import File

EVERY_READER_HEEDS = frozenset(
    {"format", "squared", "time", "times", "by", "year_begins", "min_objects", "drop_small", "dtype", "repair"}
    | {"constraints", "fixed_labels", "labels_are_lineages"}
)


@dataclass(frozen=True)
class Reader:
    """How files of one format become a series.

    ``read`` takes the files, the settings and a list to which it adds remarks for the user. ``recognises`` looks into
    a file whose ending several readers share; the first reader that recognises it reads it.
    """

    name: str
    endings: tuple[str, ...]
    heeds: frozenset[str]
    read: Callable[[Sequence[File], DataSettings, list[str]], DistanceSeries]
    recognises: Callable[[File, DataSettings], bool] = field(default=lambda file, settings: True)
    known_as: str | None = None  # another format whose name stands for this one, too, where the ending fits


def check_heeded(settings: DataSettings, reader: Reader, readers: Sequence[Reader], name: str) -> None:
    """Refuse settings that this reader would ignore."""
    for setting in fields(settings):
        value = getattr(settings, setting.name)
        if value == setting.default or setting.name in EVERY_READER_HEEDS | reader.heeds:
            continue
        heeding = [other for other in readers if setting.name in other.heeds]
        names = {other.name for other in heeding}
        suited = ", ".join(other.name for other in heeding if other.known_as not in names)
        raise SettingsError(
            [
                Setting(setting.name, value),
                f" is for the format{'s' if ',' in suited else ''} {suited}, ",
                f'but {name} is read as "{reader.name}"',
            ],
            ["leave out ", Setting(setting.name), ", or say with ", Setting("format"), " how to read the input"],
        )
