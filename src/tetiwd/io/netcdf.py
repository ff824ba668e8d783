"""Reading NetCDF files that may be damaged."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tetiwd.errors import DataError, TetiwdError


@contextmanager
def reading(path: Path, remedy: str) -> Iterator[None]:
    """Turn every exception that a damaged file causes into one error about the file."""
    import h5py

    try:
        with h5py.File(path, "r") as stored:
            stored.visit(str)  # looks at every group before a library opens the file that would fail half-way
        yield
    except (TetiwdError, MemoryError):
        raise
    except Exception as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise DataError(f"{path.name} cannot be read ({reason}); {remedy}") from error
