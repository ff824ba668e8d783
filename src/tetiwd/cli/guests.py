"""Packages that add sections to the report of a run; each is asked whether the run is one of its own."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tetiwd.report import SectionMaker

    Guest = Callable[..., tuple[SectionMaker | None, bool]]

GUESTS = {  # name of an attached folder → function to ask
    "metadata": "tetiwd.cli.sides:metadata_of_run",
    "sequences": "tetiwd.cli.sides:sequences_of_run",
    "notes": "tetiwd.notes.report.section:report_of_run",
}


@dataclass(frozen=True)
class Additions:
    """Sections for the report of a run, and whether the report lists ids."""

    sections: "Sequence[SectionMaker]" = ()
    show_ids: bool = False


def made_from_notes(run_folder: Path) -> bool:
    """True if the data of a run are distances between notes."""
    return (run_folder / "notes").is_dir()


def additions(run_folder: Path, *, show_ids: bool | None = None, show_text: bool | None = None) -> Additions:
    """What guests add to the report of a run. What may be shown is as asked for now, or else as when it was made."""
    sections, list_ids = [], bool(show_ids)
    for folder, place in GUESTS.items():
        if not (run_folder / folder).is_dir():  # so that nothing is imported for runs that need no guest
            continue
        module, name = place.split(":")
        guest: Guest = getattr(import_module(module), name)
        section, with_ids = guest(run_folder, show_ids=show_ids, show_text=show_text)
        list_ids = list_ids or with_ids
        if section is not None:
            sections.append(section)
    return Additions(sections, list_ids)
