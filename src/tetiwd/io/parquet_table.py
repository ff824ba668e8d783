"""Parquet tables, through pyarrow."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data.memory import require_memory
from tetiwd.errors import DataError, Where
from tetiwd.io.files import File, in_file
from tetiwd.io.tables import Columns, check_unambiguous


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
            require_memory(16 * self.n_rows * len(wanted), "the table", "use fewer rows or columns")
            try:
                with self._stored as stored:
                    table = stored.read(columns=[*dict.fromkeys([*text, *wanted])])
                if table.num_rows != self.n_rows:
                    raise DataError(f"says it has {self.n_rows} rows, but there are {table.num_rows}", "write it again")
                arrays = {name: _numbers_of(table.column(name)) for name in wanted}
                texts = {name: [_plain(value) for value in table.column(name).to_pylist()] for name in text}
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


def _damaged(error: Exception) -> DataError:
    reason = (str(error).splitlines() or [type(error).__name__])[0]
    return DataError(f"is not a Parquet file, or damaged ({reason})", "write it again")


def _is_number(kind: Any) -> bool:
    import pyarrow.types as types

    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind))


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
