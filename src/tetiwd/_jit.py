"""The two decorators of compiled code. Without numba, or with TETIWD_JIT=0, everything runs as plain Python."""

import os
from collections.abc import Callable
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., object])


def _compiler(**options: Any) -> Callable[[F], F] | None:
    if os.environ.get("TETIWD_JIT", "1") == "0":
        return None
    try:
        from numba import njit
    except ImportError:
        return None
    how: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy"} | options
    return cast("Callable[[F], F]", njit(**how))


_compile = _compiler()
_compile_inside = _compiler(no_cpython_wrapper=True, no_cfunc_wrapper=True)
COMPILED = _compile is not None


def kernel(function: F) -> F:
    """Compile a function of flat arrays and numbers, where a compiler is there."""
    return function if _compile is None else _compile(function)


def helper(function: F) -> F:
    """The same for a function that only kernels call: without a way in from Python it compiles faster."""
    return function if _compile_inside is None else _compile_inside(function)
