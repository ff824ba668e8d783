"""Versions of this package and of every library that can change a number."""

import platform
from importlib.metadata import PackageNotFoundError, version

import tetiwd

LIBRARIES = ("numpy", "scipy", "pandas", "xarray", "h5netcdf")


def versions() -> dict[str, str]:
    """Name → version; libraries that are not installed are left out."""
    libraries = {name: known for name in LIBRARIES if (known := version_of(name)) is not None}
    return {"tetiwd": tetiwd.__version__, "python": platform.python_version()} | libraries


def version_of(package: str) -> str | None:
    """The version of a package; None if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None
