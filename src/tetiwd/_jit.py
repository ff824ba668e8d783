"""The two decorators of compiled code. Without numba, or with TETIWD_JIT=0, everything runs as plain Python."""

import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., object])


def _numba() -> Any:
    """The compiler, or None."""
    if os.environ.get("TETIWD_JIT", "1") == "0":
        return None
    try:
        import numba
    except ImportError:
        return None
    return numba


def _compiler(**options: Any) -> Callable[[F], F] | None:
    numba = _numba()
    if numba is None:
        return None
    how: dict[str, Any] = {"cache": CACHE is not None, "nogil": True, "error_model": "numpy"} | options
    return cast("Callable[[F], F]", numba.njit(**how))


def _folder_for_cache() -> str | None:
    """Where compiled code is kept: the folder that numba chooses, else a temporary one; None if there is no place.

    Numba takes NUMBA_CACHE_DIR, the folder of the package, or the user's cache. In containers and on clusters all of
    them may be read-only, which numba calls an error.
    """
    numba = _numba()
    if numba is None:
        return None
    try:
        return str(numba.njit(cache=True)(_nothing).stats.cache_path)
    except RuntimeError:
        folder = _private_temporary_folder()
        if folder is not None:
            numba.config.CACHE_DIR = folder
        return folder


def _nothing() -> None:
    """A function to ask numba with where it would keep it."""


def _private_temporary_folder() -> str | None:
    """A folder that only this user can write, because code is loaded from it; None if that cannot be had."""
    if not hasattr(os, "getuid"):
        return None
    folder = Path(tempfile.gettempdir()) / f"tetiwd-compiled-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        facts = folder.lstat()
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return None
    private = stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.getuid() and not stat.S_IMODE(facts.st_mode) & 0o077
    return str(folder) if private else None


CACHE = _folder_for_cache()
_compile = _compiler()
_compile_inside = _compiler(no_cpython_wrapper=True, no_cfunc_wrapper=True)
COMPILED = _compile is not None


def kernel(function: F) -> F:
    """Compile a function of flat arrays and numbers, where a compiler is there."""
    return function if _compile is None else _compile(function)


def helper(function: F) -> F:
    """The same for a function that only kernels call: without a way in from Python it compiles faster."""
    return function if _compile_inside is None else _compile_inside(function)
