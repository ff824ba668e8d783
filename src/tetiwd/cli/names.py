"""Names of lineages on the command line: from an earlier run, from a table, or from both."""

from pathlib import Path
from typing import TYPE_CHECKING

from tetiwd.errors import Setting, SettingsError

if TYPE_CHECKING:
    from tetiwd.data import DistanceSeries
    from tetiwd.summarize.naming import LineageName, Names


def names_for(series: "DistanceSeries", earlier: Path | None, file: Path | None) -> "Names | None":
    """What is known of the names of lineages before a run begins."""
    from tetiwd.summarize.naming import Names
    from tetiwd.workflow import load_run, names_after

    given = names_in_file(file)
    if earlier is not None:
        return names_after(load_run(earlier), series, given)
    return Names(by_user=given) if given else None


def names_in_file(file: Path | None) -> "dict[int, LineageName]":
    """Names that the user gives."""
    from tetiwd.io.files import in_file
    from tetiwd.io.names_table import read_names
    from tetiwd.summarize.naming import check_names

    if file is None:
        return {}
    rows = read_names(file)
    with in_file(str(file)):
        return check_names(rows)


def check_no_names(earlier: Path | None, file: Path | None) -> None:
    """A quick look has lineages of its own, which no other run knows."""
    for name, given in (("names_from", earlier), ("names", file)):
        if given is not None:
            raise SettingsError([Setting(name), " has no effect on a quick look"], ["leave out ", Setting("fast")])
