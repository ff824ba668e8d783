"""Chances: one of several things, and values that a format can hold and its reader may not expect."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

Rng = np.random.Generator
Crafted = tuple[Callable[[Any], Any], Any]  # the function that reads it, and what that needs to know
T = TypeVar("T")

WHOLE = (
    *(0, 1, -1, 2, 3, 5, 6, 7, 12, 127, 128, 255, 256, 10**6, 10**9, 2**31 - 1, 2**31, 2**32),
    *(2**40, 10**15, 2**62, 2**63 - 1, -2, -128, -(2**31), -(2**40), -(2**63)),
)
NUMBERS = (0.5, -0.0, 1e-320, 1e20, 1e308, -1e308, float("nan"), float("inf"), float("-inf"))
WORDS = (
    *("", " ", "a", "nan", "None", "true", "0", "1", "-1", "1e308", "1e999", "0x10", "1_000", "9" * 400, "9" * 5000),
    *("2001", "2001-02-30", "2001-01-01T25:00", "0000-00-00", "99999-01-01", "\u0661\u0662", "\uff11", "\u00b2"),
    *("\u202e", "\ufeff", "e\u0301", "\U0001f600", "a\nb", "a\rb", "a\tb", "\x1b[31m", "\x7f", "=1+1", "'", '"', '""'),
    *("../../x", "/", ".", "a.b.c", "%s", "{}", "<script>", "auto", "euclidean", "#ff0000", "a" * 3000),
)


def one_of(values: Sequence[T], rng: Rng) -> T:
    """One of them."""
    return values[int(rng.integers(len(values)))]


def some_of(values: Sequence[T], n: int, rng: Rng) -> list[T]:
    """So many of them, perhaps some more than once."""
    return [one_of(values, rng) for _ in range(n)]


def a_few(rng: Rng) -> int:
    """One, or sometimes more."""
    return int(rng.geometric(0.6))
