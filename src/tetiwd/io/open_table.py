"""The table of a file, whichever its format."""

from tetiwd.io.csv_table import CsvTable, text_table
from tetiwd.io.files import File
from tetiwd.io.obs_table import H5AD, ObsTable
from tetiwd.io.parquet_table import ParquetTable
from tetiwd.io.tables import PARQUET

Table = CsvTable | ParquetTable | ObsTable


def open_table(file: File) -> Table:
    """The table of a file, opened once."""
    if file.ending not in (*PARQUET, *H5AD):
        return text_table(file)
    kind = ParquetTable if file.ending in PARQUET else ObsTable
    if not isinstance(file.table, kind):
        file.table = kind(file)
    return file.table
