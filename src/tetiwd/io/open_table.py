"""The table of a file, whichever its format."""

from tetiwd.io.csv_table import CsvTable, text_table
from tetiwd.io.files import File
from tetiwd.io.parquet_table import ParquetTable
from tetiwd.io.tables import PARQUET

Table = CsvTable | ParquetTable


def open_table(file: File) -> Table:
    """The table of a file, opened once."""
    if file.ending not in PARQUET:
        return text_table(file)
    if not isinstance(file.table, ParquetTable):
        file.table = ParquetTable(file)
    return file.table
