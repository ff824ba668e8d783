"""The one decorator of compiled code. Without numba, or with TETIWD_JIT=0, kernels run as plain Python."""

import os
from collections.abc import Callable
from typing import TypeVar, cast

F = TypeVar("F", bound=Callable[..., object])


def _compiler() -> Callable[[F], F] | None:
    if os.environ.get("TETIWD_JIT", "1") == "0":
        return None
    try:
        from numba import njit
    except ImportError:
        return None
    return cast("Callable[[F], F]", njit(cache=True, nogil=True, error_model="numpy"))


_compile = _compiler()
COMPILED = _compile is not None


def kernel(function: F) -> F:
    """Compile a function of flat arrays and numbers, where a compiler is there."""
    return function if _compile is None else _compile(function)
