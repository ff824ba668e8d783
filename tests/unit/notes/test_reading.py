"""Reading tables of notes: formats, encodings, columns, and rows that are left out and counted."""

import csv
import gzip
import io

import numpy as np
import pandas as pd
import pytest

from tetiwd import DataError
from tetiwd.notes import notes_from_table, read_notes

ROWS = [("p1", "2014-08-05", "Gait is steady."), ("p2", "2014-08-06", "No weakness.")]


def as_csv(rows, names=("id", "date", "text"), **how):
    target = io.StringIO()
    csv.writer(target, lineterminator="\n", **how).writerows([names, *rows])
    return target.getvalue()


def write(folder, content, name="notes.csv"):
    file = folder / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return file


def check_rows(notes):
    assert notes.objects == ("p1", "p2")
    assert notes.whose.tolist() == [0, 1]
    assert notes.days.astype(str).tolist() == ["2014-08-05", "2014-08-06"]
    assert notes.texts == ("Gait is steady.", "No weakness.")
    assert notes.counts.rows == notes.counts.notes == notes.counts.objects == 2


FORMATS = {
    "commas": ("notes.csv", as_csv(ROWS)),
    "semicolons": ("notes.csv", as_csv(ROWS, delimiter=";")),
    "tabs": ("notes.tsv", as_csv(ROWS, delimiter="\t")),
    "tabs by another name": ("notes.txt", as_csv(ROWS, delimiter="\t")),
    "all quoted": ("notes.csv", as_csv(ROWS, quoting=csv.QUOTE_ALL)),
    "Windows line ends": ("notes.csv", as_csv(ROWS).replace("\n", "\r\n")),
    "line ends of old Macs": ("notes.csv", as_csv(ROWS).replace("\n", "\r")),
    "a mark at the beginning": ("notes.csv", "\ufeff" + as_csv(ROWS)),
    "no newline at the end": ("notes.csv", as_csv(ROWS).rstrip()),
    "comments and empty lines": ("notes.csv", "# from the clinic\n\n" + as_csv(ROWS) + "\n,,\n"),
    "packed": ("notes.csv.gz", gzip.compress(as_csv(ROWS).encode())),
    "packed, by another name": ("notes.csv", gzip.compress(as_csv(ROWS).encode())),
    "UTF-16 little": ("notes.csv", b"\xff\xfe" + as_csv(ROWS).encode("utf-16-le")),
    "UTF-16 big": ("notes.csv", b"\xfe\xff" + as_csv(ROWS).encode("utf-16-be")),
    "blanks around names": ("notes.csv", as_csv(ROWS, names=(" id", "date ", " text "))),
}


@pytest.mark.parametrize(("name", "content"), FORMATS.values(), ids=FORMATS.keys())
def test_formats(tmp_path, name, content):
    notes = read_notes(write(tmp_path, content, name))
    check_rows(notes)
    assert notes.counts.mended_lines == 0


@pytest.mark.parametrize("dates", ["text", "datetime64[ns]", "datetime64[us, UTC]", "date"])
def test_parquet(tmp_path, dates):
    table = pd.DataFrame(ROWS, columns=["id", "date", "text"])
    if dates == "date":
        table["date"] = pd.to_datetime(table["date"]).dt.date
    elif dates != "text":
        table["date"] = pd.to_datetime(table["date"]).astype("datetime64[ns]")
        table["date"] = table["date"].dt.tz_localize("UTC") if "UTC" in dates else table["date"]
    table.to_parquet(tmp_path / "notes.parquet")
    check_rows(read_notes(tmp_path / "notes.parquet"))


@pytest.mark.parametrize("dates", ["text", "datetime64[ns]", "datetime64[s]"])
def test_data_frames(dates):
    table = pd.DataFrame(ROWS, columns=["id", "date", "text"])
    check_rows(notes_from_table(table if dates == "text" else table.astype({"date": dates})))


def test_other_names_of_columns(tmp_path):
    file = write(tmp_path, as_csv([("x", *row) for row in ROWS], names=("ward", "patient", "written", "note")))
    check_rows(read_notes(file, id="patient", date="written", text="note"))


ENCODED = {  # bytes of a note → its text and whether it had to be mended
    "UTF-8": ("café naïve".encode(), "café naïve", 0),
    "Latin-1": ("café naïve".encode("latin-1"), "café naïve", 1),
    "Windows": ("“quoted” – 5 €".encode("cp1252"), "“quoted” – 5 €", 1),
    "bytes without a meaning": (b"caf\x81\xe9", "caf\ufffdé", 1),
    "a cut letter": ("café".encode()[:-1] + b" noir", "cafÃ noir", 1),
    "a NUL": (b"ca\0fe", "cafe", 1),
}


@pytest.mark.parametrize(("raw", "text", "n_mended"), ENCODED.values(), ids=ENCODED.keys())
def test_encodings(tmp_path, raw, text, n_mended):
    notes = read_notes(write(tmp_path, b"id,date,text\np1,2014-08-05," + raw + b"\np2,2014-08-06,plain\n"))
    assert notes.texts == (text, "plain")
    assert notes.counts.mended_lines == n_mended
    assert any("encoding" in line for line in notes.counts.narrate()) == bool(n_mended)


def test_lines_of_different_encodings(tmp_path):
    lines = [raw for raw, _, _ in ENCODED.values()]
    content = b"id,date,text\n" + b"".join(b"p%d,2014-08-05,%s\n" % (i, raw) for i, raw in enumerate(lines))
    notes = read_notes(write(tmp_path, content))
    assert notes.texts == tuple(text for _, text, _ in ENCODED.values())
    assert notes.counts.mended_lines == sum(n for _, _, n in ENCODED.values())


def test_every_single_byte_can_be_read(tmp_path):
    for byte in range(256):
        if byte in b'\n\r",':
            continue
        notes = read_notes(write(tmp_path, b"id,date,text\np1,2014-08-05,a" + bytes([byte]) + b"z\n"))
        assert notes.texts[0].startswith("a")
        assert notes.texts[0].endswith("z")


def test_notes_with_line_breaks_quotes_and_commas(tmp_path):
    text = 'Plan:\n1. MRI, "urgent"\r\n2. Return'
    notes = read_notes(write(tmp_path, as_csv([("p1", "2014-08-05", text)])))
    assert notes.texts == (text,)


def test_tabs_without_quoting(tmp_path):
    content = 'id\tdate\ttext\np1\t2014-08-05\t"Atypical" cells\np2\t2014-08-06\t5" of snow\n'
    assert read_notes(write(tmp_path, content, "notes.tsv")).texts == ('"Atypical" cells', '5" of snow')


def test_a_note_of_a_megabyte_or_more(tmp_path):
    before = csv.field_size_limit()
    text = "Gait is steady. " * 100_000
    notes = read_notes(write(tmp_path, as_csv([("p1", "2014-08-05", text)])))
    assert notes.texts == (text.strip(),)
    assert csv.field_size_limit() == before


def test_what_is_left_out_is_counted(tmp_path):
    rows = [
        *ROWS,
        ("", "2014-08-05", "Nobody's note."),
        ("NA", "2014-08-05", "Nobody's note."),
        ("p1", "", "Undated."),
        ("p1", "NaT", "Undated."),
        ("p1", "soon", "Undated."),
        ("p1", "0014-08-05", "Undated."),
        ("p1", "2014-08-05", "  "),
        ("p1", "2014-08-05", "nan"),
        ROWS[0],
        ("p1 ", " 2014-08-05 10:30", " Gait is steady. "),
        ("p1", "2014-08-06", "Gait is steady."),
        ("p2", "2014-08-05", "Gait is steady."),
    ]
    counts = read_notes(write(tmp_path, as_csv(rows))).counts
    assert counts.rows == 14
    assert (counts.without_id, counts.without_date, counts.unreadable_dates) == (2, 2, 2)
    assert (counts.without_text, counts.duplicates) == (2, 2)
    assert (counts.notes, counts.objects) == (4, 2)
    assert counts.narrate() == [
        "4 notes of 2 objects, from 14 rows",
        "left out 2 rows without an id",
        "left out 2 rows without a date",
        "left out 2 rows with a date that cannot be read",
        "left out 2 rows without text",
        "left out 2 rows that repeat another note of the same object and day",
    ]


DATES = {
    "ISO": (None, "2014-08-05", "2014-08-05"),
    "with a time": (None, "2014-08-05 23:59:59", "2014-08-05"),
    "with a time zone": (None, "2014-08-05T23:59:59+02:00", "2014-08-05"),
    "slashes": (None, "2014/8/5", "2014-08-05"),
    "no signs": (None, "20140805", "2014-08-05"),
    "month": (None, "2014-08", "2014-08-01"),
    "year": (None, "2014", "2014-01-01"),
    "American": ("%m/%d/%Y", "08/05/2014", "2014-08-05"),
    "European": ("%d.%m.%Y", "05.08.2014", "2014-08-05"),
}


@pytest.mark.parametrize(("format", "written", "day"), DATES.values(), ids=DATES.keys())
def test_dates(tmp_path, format, written, day):
    notes = read_notes(write(tmp_path, as_csv([("p1", written, "x")])), date_format=format)
    assert notes.days.astype(str).tolist() == [day]
    assert notes.counts.whole_months_or_years == (written in ("2014-08", "2014"))


def test_ids_are_numbers_where_all_are(tmp_path):
    rows = [("10", "2014-08-05", "x"), ("9", "2014-08-05", "x")]
    assert read_notes(write(tmp_path, as_csv(rows))).objects == (9, 10)
    assert read_notes(write(tmp_path, as_csv([*rows, ("007", "2014-08-05", "x")]))).objects == ("007", "10", "9")
    table = pd.DataFrame({"id": [10.0, np.nan, 9.0], "date": "2014-08-05", "text": "x"})
    assert notes_from_table(table).objects == (9, 10)
    mixed = pd.DataFrame({"id": [10, "p9"], "date": "2014-08-05", "text": "x"})
    assert notes_from_table(mixed).objects == ("10", "p9")


def test_outcomes(tmp_path):
    rows = [
        ("p1", "2014-08-05", "a", "0", ""),
        ("p1", "2015-08-05", "b", "1", ""),
        ("p2", "2014-08-05", "a", "no", "yes"),
        ("p3", "2014-08-05", "a", "", "NA"),
        ("p2", "", "undated, but it counts", "No", "TRUE"),
        ("p4", "", "an object without notes", "1", "1"),
    ]
    file = write(tmp_path, as_csv(rows, names=("id", "date", "text", "died", "moved")))
    notes = read_notes(file, outcomes=["died", "moved"])
    assert notes.objects == ("p1", "p2", "p3")
    assert notes.outcomes == {"died": (True, False, None), "moved": (None, True, None)}
    assert notes.counts.changing_outcomes == 1
    assert any("both yes and no" in line for line in notes.counts.narrate())


FAULTS = {
    "no such column": (as_csv(ROWS), {"id": "patient"}, r"no column 'patient' \(id\); its columns are id, date, text"),
    "one column for two": (as_csv(ROWS), {"id": "date"}, "'date' cannot be both id and date"),
    "no such outcome": (as_csv(ROWS), {"outcomes": ["died"]}, r"no column 'died' \(outcome died\)"),
    "an outcome of text": (as_csv(ROWS), {"outcomes": ["text"]}, "cannot be both text and outcome text"),
    "two columns of a name": (as_csv(ROWS, names=("id", "date", "id")), {"text": "date", "date": "id"}, "'date'|'id'"),
    "no rows": ("id,date,text\n", {}, "no rows"),
    "only comments": ("# nothing\n\n", {}, "no lines but comments"),
    "too few fields": ("id,date,text\np1,2014-08-05\n", {}, "line 2: has 2 fields"),
    "too many fields": ("id,date,text\np1,2014-08-05,a,b\n", {}, "line 2: has 4 fields"),
    "a stray quotation mark": ('id,date,text\np1,2014-08-05,"a"b"\n', {}, "line 2: .* stray quotation mark"),
    "a quotation mark without end": ('id,date,text\np1,2014-08-05,"a\n', {}, "cannot be taken apart"),
    "tabs torn both ways": ("id\tdate\ttext\np1\t2014-08-05\n", {}, "2 fields"),
    "other dates": (as_csv([("p1", "08/05/2014", "x")]), {}, "'08/05/2014' for example; .*date_format"),
    "another format": (as_csv(ROWS), {"date_format": "%d.%m.%Y"}, "no date is written as '%d.%m.%Y'"),
    "no dates": (as_csv([("p1", "", "x")]), {}, "no row has a date"),
    "nothing left": (as_csv([("", "2014-08-05", "x"), ("p1", "2014-08-05", "")]), {}, "no row is left .*1 without id"),
    "a picture": (b"\x89PNG\r\n\x1a\n" + b"\0\0\0\1" * 100, {}, "not a text file"),
    "outcomes of words": (
        as_csv([("p1", "2014-08-05", "x", "alive")], names=("id", "date", "text", "died")),
        {"outcomes": ["died"]},
        "row 1, column died: 'alive' is neither yes nor no",
    ),
}


@pytest.mark.parametrize(("content", "how", "message"), FAULTS.values(), ids=FAULTS.keys())
def test_faults(tmp_path, content, how, message):
    with pytest.raises(DataError, match=message) as caught:
        read_notes(write(tmp_path, content), **how)
    assert "notes.csv: " in str(caught.value)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        read_notes(tmp_path / "none.csv")
    with pytest.raises(DataError, match="is empty"):
        read_notes(write(tmp_path, b""))
    with pytest.raises(DataError, match="damaged or cut off"):
        read_notes(write(tmp_path, gzip.compress(as_csv(ROWS * 50).encode())[:-9]))
    with pytest.raises(DataError, match="Parquet"):
        read_notes(write(tmp_path, b"PAR1 not really", "notes.parquet"))
    pd.DataFrame(ROWS, columns=["id", "date", "note"]).to_parquet(tmp_path / "other.parquet")
    with pytest.raises(DataError, match="no column 'text'"):
        read_notes(tmp_path / "other.parquet")


def test_tables_that_lack_a_column():
    with pytest.raises(DataError, match="no column 'text'; its columns are id, when"):
        notes_from_table(pd.DataFrame({"id": ["p1"], "when": ["2014-08-05"]}), date="when")
    with pytest.raises(DataError, match="no rows"):
        notes_from_table(pd.DataFrame({"id": [], "date": [], "text": []}))


def test_a_fingerprint_changes_with_what_it_is_of():
    table = pd.DataFrame(ROWS, columns=["id", "date", "text"])
    same = notes_from_table(table).fingerprint()
    assert notes_from_table(table.copy()).fingerprint() == same
    for column, value in [("id", "p0"), ("date", "2014-08-04"), ("text", "Else.")]:
        changed = table.copy()
        changed.loc[0, column] = value
        assert notes_from_table(changed).fingerprint() != same


def test_names_of_people_do_not_show_in_a_representation():
    shown = repr(notes_from_table(pd.DataFrame(ROWS, columns=["id", "date", "text"])))
    assert shown == "Notes(2 notes of 2 objects, 2014-08-05 to 2014-08-06)"
