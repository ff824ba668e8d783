"""Draws from a file: only numbers that a sampler can have drawn."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.errors import DataError

ABOVE_ZERO = ("alpha", "xi", "new_scale")
NOT_NEGATIVE = ("rho", "tau", "delta", "kappa", "shift", "df_A")  # where they were sampled
FINITE = ("log_joint",)
ROUNDING = 1e-9  # of the largest value, by which a tiny variance may seem to be negative


def check_numbers(columns: Mapping[str, NDArray[Any]]) -> None:
    """Refuse parameters that are not finite or have an impossible sign; columns are (chain, draw, ...)."""
    for name in (*ABOVE_ZERO, *NOT_NEGATIVE, *FINITE):
        if name not in columns:
            continue
        values = columns[name]
        sound = np.isfinite(values)
        if name in ABOVE_ZERO:
            sound &= values > 0
        elif name in NOT_NEGATIVE:
            sound &= values >= 0
        if not sound.all():
            chain, draw = np.argwhere(~sound)[0][:2]
            raise _impossible(f"{name} is {values[chain, draw]:g} in draw {draw + 1} of chain {chain + 1}")


def sound_covariance(A: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same matrix, if it can be a covariance."""
    if not np.isfinite(A).all():
        raise _impossible("a matrix A has values that are not finite")
    least = -ROUNDING * np.abs(A).max()
    if not np.allclose(A, A.T, rtol=0, atol=-least) or (np.linalg.eigvalsh(A) < least).any():
        raise _impossible("a matrix A is not a covariance")
    return A


def _impossible(fault: str) -> DataError:
    return DataError(f"results.nc holds draws that cannot be: {fault}", "write it again with tetiwd resume")
