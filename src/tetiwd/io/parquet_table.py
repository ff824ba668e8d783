"""Parquet tables, through pyarrow."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.errors import DataError, Where
from tetiwd.io.files import File, in_file
from tetiwd.io.tables import (
    BYTES_PER_NUMBER,
    BYTES_PER_TEXT,
    BYTES_PER_VALUE,
    Columns,
    check_unambiguous,
    require_room,
)

TEXTS = ("string", "large_string", "string_view")


class ParquetTable:
    """A Parquet file, opened once and read once."""

    def __init__(self, file: File) -> None:
        self.file = file
        with in_file(file.name):
            try:
                import pyarrow.parquet as pq
            except ImportError as error:
                raise DataError(
                    "Parquet files need pyarrow, which is not installed",
                    'install it with pip install "tetiwd[parquet]", or write the table as CSV',
                ) from error
            try:
                self._stored = pq.ParquetFile(file.path)
                self._schema = self._stored.schema_arrow
                self.n_rows: int = self._stored.metadata.num_rows
            except Exception as error:  # a damaged file can fail anywhere, in any way
                raise _damaged(error) from error
            self.names: tuple[str, ...] = tuple(self._schema.names)
            if self.n_rows == 0:
                raise DataError("has no rows", "check how it was written")

    def is_number(self, name: str) -> bool:
        """Whether a column holds numbers."""
        return _is_number(self._schema.field(name).type)

    def read(self, text: Sequence[str], numbers: Sequence[str], maybe_numbers: Sequence[str] = ()) -> Columns:
        """These columns as text and these as numbers; ``maybe_numbers`` only where there are numbers in them."""
        no_numbers: dict[str, str] = {}
        with in_file(self.file.name):
            check_unambiguous(self.names, [*text, *numbers, *maybe_numbers])
            for name in (*numbers, *maybe_numbers):
                kind = self._schema.field(name).type
                if _is_number(kind):
                    continue
                if name in numbers:
                    raise DataError(f"column {name} holds {kind}, not numbers", "convert it, or leave it out")
                no_numbers[name] = str(kind)
            wanted = [name for name in (*numbers, *maybe_numbers) if name not in no_numbers]
            for name in text:
                kind = self._schema.field(name).type
                if not _is_plain(kind):
                    raise DataError(
                        f"column {name} holds {kind}, where text, a number or a date is expected",
                        "convert it, or leave it out",
                    )
            try:
                n_rows, unpacked = self._size_of(text)
                for_text = n_rows * sum(_bytes_per_row(self._schema.field(name).type) for name in text)
                require_room(for_text + unpacked + n_rows * BYTES_PER_NUMBER * len(wanted), n_rows)
                table = self._read([*dict.fromkeys([*text, *wanted])])
                if table.num_rows != self.n_rows:
                    raise DataError(f"says it has {self.n_rows} rows, but there are {table.num_rows}", "write it again")
                arrays = {name: _numbers_of(table.column(name)) for name in wanted}
                require_room(for_text + sum(_n_characters(table.column(name)) for name in text), n_rows)
                texts = {name: _values_of(table.column(name)) for name in text}
            except (DataError, MemoryError):
                raise
            except Exception as error:  # a damaged file can fail anywhere, in any way
                raise _damaged(error) from error
            for name, values in arrays.items():
                infinite = np.flatnonzero(np.isinf(values))
                if len(infinite):
                    raise DataError(
                        f"{values[infinite[0]]} is not finite",
                        "correct it, or leave out the row",
                        where=Where(row=int(infinite[0]) + 1, column=name),
                    )
        declared = {name: order for name in text if (order := _declared(table.column(name))) is not None}
        return Columns(
            self.file.name, self.n_rows, range(1, self.n_rows + 1), "row", texts, arrays, no_numbers, declared
        )

    def _size_of(self, text: Sequence[str]) -> tuple[int, int]:
        """Rows, and bytes that these columns take when they are unpacked, where rows with the same text share it."""
        stored = self._stored.metadata
        groups = [stored.row_group(i) for i in range(stored.num_row_groups)]
        places = [j for j in range(stored.num_columns) if stored.schema.column(j).path in text]
        unpacked = sum(max(0, group.column(j).total_uncompressed_size) for group in groups for j in places)
        return max(self.n_rows, sum(group.num_rows for group in groups)), unpacked

    def _read(self, names: list[str]) -> Any:
        """Columns; a text that many rows share is kept once, whatever its length."""
        import pyarrow.parquet as pq

        shared = [name for name in names if str(self._schema.field(name).type) in TEXTS]
        with (
            self._stored,
            pq.ParquetFile(self.file.path, metadata=self._stored.metadata, read_dictionary=shared) as stored,
        ):
            return stored.read(columns=names)


def _damaged(error: Exception) -> DataError:
    reason = (str(error).splitlines() or [type(error).__name__])[0]
    return DataError(f"is not a Parquet file, or damaged ({reason})", "write it again")


def _is_number(kind: Any) -> bool:
    import pyarrow.types as types

    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind))


def _is_plain(kind: Any) -> bool:
    """Whether values are text, numbers or dates, each of which takes little room."""
    import pyarrow.types as types

    if types.is_dictionary(kind):
        return _is_plain(kind.value_type)
    checks = (types.is_integer, types.is_floating, types.is_boolean, types.is_null, types.is_temporal)
    return str(kind) in TEXTS or any(check(kind) for check in checks)


def _bytes_per_row(kind: Any) -> int:
    """What a value takes, but for the characters of a long text."""
    import pyarrow.types as types

    return BYTES_PER_TEXT if str(kind) in TEXTS or types.is_temporal(kind) else BYTES_PER_VALUE


def _n_characters(column: Any) -> int:
    """The length of all texts of a column together, as many times as they occur."""
    import pyarrow.compute as pc
    import pyarrow.types as types

    total = 0
    for chunk in column.chunks:
        if types.is_dictionary(chunk.type) and str(chunk.type.value_type) in TEXTS:
            lengths = pc.binary_length(chunk.dictionary)
            total += pc.sum(pc.take(lengths, chunk.indices)).as_py() or 0
    return total


def _values_of(column: Any) -> list[Any]:
    """Values of a column; rows with the same text share it."""
    import pyarrow.types as types

    if not types.is_dictionary(column.type):
        return [_plain(value) for value in column.to_pylist()]
    values: list[Any] = []
    for chunk in column.chunks:
        known = [_plain(value) for value in chunk.dictionary.to_pylist()]
        values += [None if i is None else known[i] for i in chunk.indices.to_pylist()]
    return values


def _numbers_of(column: Any) -> NDArray[np.float64]:
    import pyarrow as pa

    return np.array(column.cast(pa.float64(), safe=False).to_numpy(), dtype=float)


def _plain(value: Any) -> Any:
    """Text, a number, or a date as ISO text."""
    if value is None or value != value:
        return None
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, bool | int | float):
        return value
    if hasattr(value, "isoformat"):
        return value.isoformat().removesuffix("T00:00:00")
    raise DataError(f"has a value of the kind {type(value).__name__} where text, a number or a date is expected")


def _declared(column: Any) -> list[Any] | None:
    """The values of an ordered categorical column, in their order."""
    import pyarrow.types as types

    if not types.is_dictionary(column.type) or not column.type.ordered or column.num_chunks == 0:
        return None
    return [_plain(value) for value in column.unify_dictionaries().chunk(0).dictionary.to_pylist()]
