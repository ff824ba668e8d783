"""Versions of this package and of every library that can change a number."""

import platform
from importlib.metadata import PackageNotFoundError, version

import tetiwd

LIBRARIES = ("numpy", "scipy", "numba", "pandas", "xarray", "h5netcdf", "arviz-stats")


def versions() -> dict[str, str]:
    """Name → version; libraries that are not installed are left out."""
    known = {"tetiwd": tetiwd.__version__, "python": platform.python_version()}
    for name in LIBRARIES:
        try:
            known[name] = version(name)
        except PackageNotFoundError:
            continue
    return known
