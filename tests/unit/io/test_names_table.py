"""Names of lineages come from tables of every format, whatever types their columns have there."""

import pandas as pd

from tetiwd.io.names_table import read_names


def test_numbers_in_parquet_files_are_words(tmp_path):
    table = pd.DataFrame({"lineage": [0, 1], "name": ["Alpha", None], "colour": [112233, 445566]})
    table.to_parquet(tmp_path / "names.parquet")
    assert read_names(tmp_path / "names.parquet") == [("0", "Alpha", "112233"), ("1", "", "445566")]
