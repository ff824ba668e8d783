"""Files made by somebody who knows the format and means harm: valid to the library beneath, but for what they say.

Every family is a function that writes files into the working folder from a random generator, and returns how they are
read, and what that needs to know.
"""

from collections.abc import Callable

from verification.crafted import arrays, folders, hdf5, sparse, tables, texts
from verification.crafted.chance import Crafted, Rng

FAMILIES: dict[str, Callable[[Rng], Crafted]] = {
    "sparse matrices": sparse.write,
    "HDF5": hdf5.write,
    "npy and npz": arrays.write,
    "JSON and TOML": texts.write,
    "Parquet and CSV": tables.write,
    "run folders": folders.write,
}
N_INPUTS = {  # a minute or two each
    "sparse matrices": 1000,
    "HDF5": 700,
    "npy and npz": 2000,
    "JSON and TOML": 400,
    "Parquet and CSV": 1500,
    "run folders": 120,
}
