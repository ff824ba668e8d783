"""Notes inside the folder of a run: what goes in comes out, and damage is noticed."""

import json
import stat

import numpy as np
import pytest

from tetiwd.errors import RunFolderError
from tetiwd.notes import NotesSettings, notes_from_table, notes_to_series
from tetiwd.notes.storage import NotesShown, has_notes, keep_notes, load_notes
from tetiwd.notes.synthetic import synthetic_notes


@pytest.fixture(scope="module")
def notes():
    table = synthetic_notes(1, n_by_window=(30, 20), n_groups=2).table
    return notes_from_table(table, id="patient", outcomes=["died"])


SETTINGS = NotesSettings(window="6m", resolution=3.0)


def test_what_goes_in_comes_out(notes, tmp_path):
    assert not has_notes(tmp_path)
    made = notes_to_series(notes, SETTINGS, cache=tmp_path / "notes")
    keep_notes(tmp_path, notes, SETTINGS, NotesShown(ids=True, good=("died",)))
    again, shown = load_notes(tmp_path)
    assert has_notes(tmp_path)
    assert again.settings == SETTINGS
    assert again.notes.texts == notes.texts
    assert again.notes.objects == notes.objects
    assert again.notes.outcomes == notes.outcomes
    assert again.notes.counts == notes.counts
    np.testing.assert_array_equal(again.notes.days, notes.days)
    assert again.notes.synthetic
    for a, b in zip(again.series.matrices, made.series.matrices, strict=True):
        np.testing.assert_array_equal(a, b)
    assert shown == NotesShown(ids=True, good=("died",))


def test_only_the_owner_may_look_inside(notes, tmp_path):
    keep_notes(tmp_path, notes, SETTINGS)
    assert stat.S_IMODE((tmp_path / "notes").stat().st_mode) == 0o700


def test_numbers_stay_numbers_as_ids(tmp_path):
    import pandas as pd

    rows = [(i, f"2011-0{1 + i % 3}-02", f"The scan is stable. Visit {w}.") for i in range(4) for w in ("a", "b")]
    notes = notes_from_table(pd.DataFrame(rows, columns=["id", "date", "text"]))
    keep_notes(tmp_path, notes, NotesSettings())
    about = json.loads((tmp_path / "notes" / "notes.json").read_text("utf-8"))
    assert about["counts"]["notes"] == len(notes)
    assert load_notes(tmp_path)[0].notes.objects == (0, 1, 2, 3)


@pytest.mark.parametrize("damage", ["about", "table", "gone"])
def test_damage_is_noticed(notes, tmp_path, damage):
    keep_notes(tmp_path, notes, SETTINGS)
    table = next((tmp_path / "notes").glob("table-*"))
    if damage == "about":
        (tmp_path / "notes" / "notes.json").write_text("{")
    elif damage == "table":
        (table / "texts.jsonl").write_text('"other"\n')
    else:
        for file in table.iterdir():
            file.unlink()
        table.rmdir()
    with pytest.raises(RunFolderError, match="damaged; run notes again"):
        load_notes(tmp_path)


def test_real_notes_are_not_called_synthetic():
    import pandas as pd

    table = pd.DataFrame({"id": ["p1", "synthetic-2"], "date": "2011-01-01", "text": ["Fine today.", "Not so fine."]})
    assert not notes_from_table(table).synthetic
