"""Small files that would take very much memory: how each is written into the working folder, and what reads it."""

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from verification import mutation, readable

Bomb = tuple[Callable[[Any], Any], Any]  # the function that reads it, and what that needs to know
N_ROWS = 20_000_000


def packed_text(name: str, head: bytes, row: bytes) -> Bomb:
    """A text file of the same row again and again."""
    Path(name).write_bytes(mutation.bomb(head, row))
    return readable.read_input, [name]


def parquet_of_rows() -> Bomb:
    """Rows that are all the same."""
    _write_parquet({"id": "a", "time": "2001", "x": 1.0}, 1_000_000, N_ROWS // 1_000_000)
    return readable.read_input, ["x.parquet"]


def parquet_of_texts() -> Bomb:
    """One long id that all rows share."""
    _write_parquet({"id": "a" * 1_000_000, "kind": "b"}, 3_000, 1)
    return readable.read_metadata, ["x.parquet"]


def _write_parquet(row: dict[str, Any], n: int, groups: int) -> None:
    """A table of the same row so many times, in groups."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    same = np.zeros(n, dtype=np.int32)
    table = pa.table({name: pa.DictionaryArray.from_arrays(same, [value]) for name, value in row.items()})
    with pq.ParquetWriter("x.parquet", table.schema, store_schema=False) as writer:
        for _ in range(groups):
            writer.write_table(table)


def h5ad_of_data() -> Bomb:
    """Rows of obs, none of which is stored."""
    _write_h5ad()
    return readable.read_input, ["x.h5ad", "squared=true"]


def h5ad_of_metadata() -> Bomb:
    """The same, as a table of metadata."""
    _write_h5ad()
    return readable.read_metadata, ["x.h5ad"]


def _write_h5ad() -> None:
    import h5py

    with h5py.File("x.h5ad", "w") as stored:
        obs, obsp = stored.create_group("obs"), stored.create_group("obsp")
        obs.attrs.update({"encoding-type": "dataframe", "encoding-version": "0.2.0", "_index": "_index"})
        obs.attrs["column-order"] = ["time"]
        for name in ("_index", "time"):
            column = obs.create_dataset(name, (25 * N_ROWS,), "i1", chunks=(1_000_000,))
            column.attrs.update({"encoding-type": "array", "encoding-version": "0.2.0"})
        obsp["distances"] = 1 - np.eye(3)


def checkpoint_of_more() -> Bomb:
    """A checkpoint with an array that no chain has."""
    readable.copied(*readable.WHOLE_RUN)()
    path, shape = Path("run/checkpoint/chain-1.checkpoint"), (1 << 30,)
    line, _, payload = path.read_bytes().partition(b"\n")
    path.write_bytes(payload)
    with (
        zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("more.npy", "w") as stream,
    ):
        np.lib.format.write_array_header_1_0(stream, {"descr": "|i1", "fortran_order": False, "shape": shape})
        for _ in range(shape[0] >> 20):
            stream.write(bytes(1 << 20))
    path.write_bytes(readable.signed(line + b"\n" + path.read_bytes()))
    return readable.go_on, []


BOMBS: tuple[Callable[[], Bomb], ...] = (
    lambda: packed_text("x.csv.gz", b"time,a,b\n", b"1,0.5,2\n"),
    lambda: packed_text("s.fasta.gz", b"", b">a|2001\nACGT\n"),
    parquet_of_rows,
    parquet_of_texts,
    h5ad_of_data,
    h5ad_of_metadata,
    checkpoint_of_more,
)
