"""The table of a file, whichever its format."""

from tetiwd.io.files import File
from tetiwd.io.tables import PARQUET, Table


def open_table(file: File) -> Table:
    """The table of a file, opened once."""
    if file.table is None and file.ending in PARQUET:
        from tetiwd.io.parquet_table import ParquetTable

        file.table = ParquetTable(file)
    elif file.table is None:
        from tetiwd.io.csv_table import text_table

        return text_table(file)
    table: Table = file.table
    return table
