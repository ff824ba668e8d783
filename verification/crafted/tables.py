"""Tables in Parquet and CSV: columns of odd types and cells with odd texts, written as their formats ask for."""

import csv
import datetime
import decimal
import gzip
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from verification import readable
from verification.crafted import reading
from verification.crafted.chance import NUMBERS, WHOLE, WORDS, Crafted, Rng, a_few, one_of, some_of

Cells = list[list[str]]  # rows, the first of which has the names of columns
LONG = "time,i,j,distance\n" + "".join(
    f"{t},p{i},p{j},{abs(i - j)}\n" for t in (1, 2) for i in range(5) for j in range(i + 1, 5)
)
MORE_CELLS = (
    "a\0b",
    "\0",
    "a" * 200_000,
    "\u0661.\u0665",
    "\u00bd",
    "1,5",
    "1 000",
    "1\u00a0000",
    "\u22121",
    "+1",
    "1e5",
    "1d5",
    ".5",
)


def write(rng: Rng) -> Crafted:
    """A valid table with changed columns and cells, in one of the formats."""
    stem, valid, read, more = one_of(KINDS, rng)
    cells = list(csv.reader(io.StringIO(valid)))
    kind = one_of(("parquet", "csv", "csv", "tsv", "csv.gz"), rng)
    if kind == "parquet":
        _write_parquet(Path(f"{stem}.parquet"), cells, rng)
    else:
        for _ in range(a_few(rng)):
            one_of(CHANGES, rng)(cells, rng)
        content = _as_text(cells, "\t" if kind == "tsv" else ",", rng)
        Path(f"{stem}.{kind}").write_bytes(gzip.compress(content, 1, mtime=0) if kind.endswith(".gz") else content)
    return read, [word.format(f"{stem}.{kind}") for word in more]


KINDS: tuple[tuple[str, str, Callable[[Any], Any], list[str]], ...] = (
    ("x", readable.FEATURES, reading.data, ["{}"]),
    ("x", readable.DATED, reading.data, ["{}", "by='year'"]),
    ("x", LONG, reading.data, ["{}", "squared=true", "missing='drop'"]),
    ("x", LONG, reading.data, ["{}", "squared=true"]),
    ("about", readable.METADATA, readable.read_metadata, ["{}"]),
    ("pairs", readable.PAIRS, readable.read_constraints, ["constraints='{}'"]),
    ("labels", readable.LABELS, readable.read_constraints, ["fixed_labels='{}'"]),
    ("outcomes", "id,died\np1,1\np2,0\np3,\n", readable.read_outcomes, ["{}"]),
    ("names", "lineage,name,colour\n0,a,#ff0000\n1,b,\n", readable.read_names, ["{}"]),
    ("notes", readable.NOTES, readable.read_notes, ["{}"]),
    ("new", "id,a,b\nu,1,2\nv,3,4\n", reading.new_rows, ["{}"]),
    ("new", readable.NEW, readable.read_new_distances, ["{}"]),
)


# CSV


def change_cells(cells: Cells, rng: Rng) -> None:
    """Odd texts in a few cells, or all over a column."""
    i, word = int(rng.integers(len(cells) or 1)), _word(rng)
    if not cells or not cells[i]:
        return
    j = int(rng.integers(len(cells[i])))
    for row in cells[1:] if rng.random() < 0.3 else [cells[i]]:
        if j < len(row):
            row[j] = word


def change_names(cells: Cells, rng: Rng) -> None:
    """A column is called otherwise, perhaps as another one."""
    if cells and cells[0]:
        names = (*cells[0], _word(rng), "", "id", "time", "i", "distance")
        cells[0][int(rng.integers(len(cells[0])))] = one_of(names, rng)


def change_rows(cells: Cells, rng: Rng) -> None:
    """Rows that are longer, shorter, empty, there again, or in another order."""
    if not cells:
        return
    i = int(rng.integers(len(cells)))
    rows: tuple[Callable[[], None], ...] = (
        lambda: cells[i].append(_word(rng)),
        lambda: cells[i].__delitem__(slice(-1, None)),
        lambda: cells.insert(i, []),
        lambda: cells.insert(i, list(cells[i])),
        lambda: cells[i].extend([""] * 3000),
        lambda: cells.__delitem__(slice(i, None)),
        lambda: cells.reverse(),
    )
    one_of(rows, rng)()


CHANGES = (change_cells, change_cells, change_cells, change_names, change_rows)


def _word(rng: Rng) -> str:
    texts = (one_of(WORDS, rng), one_of(MORE_CELLS, rng), str(one_of(WHOLE, rng)), str(one_of(NUMBERS, rng)))
    return one_of(texts, rng)


def _as_text(cells: Cells, separator: str, rng: Rng) -> bytes:
    """The table with quotes in some style, in some encoding."""
    stream = io.StringIO()
    quoting: Any = one_of((csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC), rng)
    end = one_of(("\n", "\n", "\r\n", "\r", "\n\n"), rng)
    csv.writer(stream, delimiter=separator, quoting=quoting, lineterminator=end).writerows(cells)
    text = stream.getvalue()
    if rng.random() < 0.2:
        quotes = ('"' + text, text + '"', text.replace('"', ""), text.replace(separator, f'"{separator}', 1), text[:-1])
        text = one_of(quotes, rng)
    encoding = one_of(("utf-8",) * 8 + ("utf-8-sig", "utf-16", "latin-1", "cp1252"), rng)
    return text.encode(encoding, "replace")


# Parquet


def _write_parquet(path: Path, cells: Cells, rng: Rng) -> None:
    """The table with columns of other types, in small groups of rows, perhaps without Arrow's own schema."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    names, n = list(cells[0]), len(cells) - 1
    columns = [_column([row[j] for row in cells[1:]]) for j in range(len(names))]
    failures = (pa.ArrowException, ValueError, TypeError, OverflowError, NotImplementedError)
    for _ in range(a_few(rng)):
        j = int(rng.integers(len(names)))
        if rng.random() < 0.2:
            names[j] = one_of((*names, *WORDS[:12], "a.b", "list.element"), rng)
            continue
        try:
            columns[j] = one_of(ODD_COLUMNS, rng)(n, rng)
        except failures:
            continue
    table = pa.Table.from_arrays(columns, names=names)
    if rng.random() < 0.2:
        table = table.replace_schema_metadata({b"pandas": one_of((b"{", b"{}", b'{"index_columns": 5}', b"\xff"), rng)})
    options: dict[str, Any] = {
        "compression": one_of(("none", "snappy", "gzip", "zstd"), rng),
        "store_schema": bool(rng.random() < 0.6),
        "use_dictionary": bool(rng.random() < 0.5),
        "version": one_of(("1.0", "2.4", "2.6"), rng),
    }
    try:
        pq.write_table(table, path, row_group_size=one_of((1, 3, 1000), rng), **options)
    except failures:
        pq.write_table(pa.table({"a": [None] * n}), path)


def _column(values: list[str]) -> Any:
    """Numbers if they are, else texts."""
    import pyarrow as pa

    try:
        return pa.array([float(value) for value in values])
    except ValueError:
        return pa.array(values)


def of_type(n: int, rng: Rng) -> Any:
    """Whole numbers that stand for something in another type, down to its limits."""
    import pyarrow as pa

    kinds = (
        *(pa.int8(), pa.uint64(), pa.int64(), pa.date32(), pa.date64(), pa.time32("s"), pa.time64("ns"), pa.float32()),
        *(
            pa.timestamp(unit, zone)
            for unit in ("s", "ms", "us", "ns")
            for zone in (None, "UTC", "Asia/Kolkata", "+23:59")
        ),
        *(pa.duration(unit) for unit in ("s", "ns")),
    )
    kind = one_of(kinds, rng)
    width = 4 if kind.bit_width == 32 else 1 if kind.bit_width == 8 else 8
    values = np.array(some_of(WHOLE, n, rng), np.int64).astype(f"i{width}")
    mask = rng.random(n) < 0.1
    data = pa.py_buffer(values.tobytes())
    return pa.Array.from_buffers(kind, n, [pa.py_buffer(np.packbits(~mask, bitorder="little").tobytes()), data])


def of_values(n: int, rng: Rng) -> Any:
    """Values of one kind, and lists and tables of them."""
    import pyarrow as pa

    day = datetime.date(1, 1, 1)
    values: tuple[tuple[Any, Any], ...] = (
        ([1, None, 3], pa.list_(pa.int64())), ([1.5] * 2, pa.list_(pa.float64(), 2)), ({"a": 1, "b": None}, None),
        ([("a", 1), ("a", 2)], pa.map_(pa.string(), pa.int64())), ([[["a"]]], None), ({"a": {"b": [{"c": 1}]}}, None),
        (decimal.Decimal("1e20"), pa.decimal256(70, 3)), (decimal.Decimal("-1.5"), pa.decimal128(3, 1)),
        (b"\xff\xfe", pa.binary()), (b"abc", pa.binary(3)), (b"", pa.binary()), (day, None),
        (datetime.datetime(9999, 12, 31, 23, 59, 59), None), (True, None), (one_of(WORDS, rng), pa.large_string()),
        (None, pa.null()), (datetime.time(1), None), (one_of(WORDS, rng), pa.string_view()),
        (np.float16(1), pa.float16()), ("a\0b", None), ("a" * 100_000, None),
    )  # fmt: skip
    value, kind = one_of(values, rng)
    return pa.array([None if rng.random() < 0.1 else value for _ in range(n)], kind)


def of_words(n: int, rng: Rng) -> Any:
    """Texts that may be anything."""
    import pyarrow as pa

    return pa.array([None if rng.random() < 0.1 else _word(rng) for _ in range(n)])


def of_numbers(n: int, rng: Rng) -> Any:
    """Numbers that may be anything."""
    import pyarrow as pa

    return pa.array(some_of(NUMBERS, n, rng), pa.float64())


def of_dictionary(n: int, rng: Rng) -> Any:
    """Places in a dictionary of values, with some that are missing there, or twice."""
    import pyarrow as pa

    values = one_of((of_type, of_values, of_words, of_numbers), rng)(3, rng)
    places = pa.array(
        [one_of((0, 1, 2, None), rng) for _ in range(n)], one_of((pa.int8(), pa.int32(), pa.uint16()), rng)
    )
    return pa.DictionaryArray.from_arrays(places, values, ordered=bool(rng.random() < 0.5))


ODD_COLUMNS = (of_type, of_type, of_values, of_values, of_words, of_numbers, of_dictionary)
