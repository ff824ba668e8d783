"""Bugs that only show in the distribution of draws, planted in the compiled sampler, fail Geweke's test.

(Bugs in weights and ratios are planted in test_conditional_ratios.py, endless tuning in unit/test_chains.py.)
"""

from math import sqrt

import pytest

from geweke import MODELS, check, z_scores
from small_worlds import plain
from tetiwd import _kernels
from tetiwd._jit import COMPILED
from tetiwd.moves import assignments, geometry

CALLERS = {"draw_row": ["weigh_candidates", "assign_objects"], "log_proposal_ratio": ["move_geometry"]}


def row_with_wrong_degrees_of_freedom(rng, births, e, df_A, x, h):
    n_active = births.lengths[0]
    variance = births.residual[e] / df_A
    for i in range(n_active):
        x[i] = rng.standard_normal()
    _kernels.solve_upper(births.factor, n_active, x)
    for i in range(n_active):
        c = births.active[i]
        h[c] = births.beta[e, c] + sqrt(variance) * x[i]
    return variance * _kernels.draw_chi_square(rng, df_A)  # forgets the rows that are there


def row_that_ignores_the_epoch_before(rng, births, e, df_A, x, h):
    n_active = births.lengths[0]
    variance = births.residual[e] / df_A
    for i in range(n_active):
        x[i] = rng.standard_normal()
    _kernels.solve_upper(births.factor, n_active, x)
    for i in range(n_active):
        h[births.active[i]] = sqrt(variance) * x[i]  # forgets beta
    return variance * _kernels.draw_chi_square(rng, df_A - n_active)


def no_hastings_term(A, A_new, k, df):
    return 0.0


def plant(monkeypatch, name, bug):
    """Replace a kernel and compile everything anew that calls it."""
    from numba import njit

    monkeypatch.setattr(_kernels, name, njit(bug))
    for caller in CALLERS[name]:
        monkeypatch.setattr(_kernels, caller, njit(error_model="numpy")(plain(getattr(_kernels, caller))))
    monkeypatch.setattr(assignments, "assign_objects", _kernels.assign_objects)
    monkeypatch.setattr(geometry, "move_geometry", _kernels.move_geometry)


BUGS = [
    ("draw_row", row_with_wrong_degrees_of_freedom),
    ("draw_row", row_that_ignores_the_epoch_before),
    ("log_proposal_ratio", no_hastings_term),
]


@pytest.mark.skipif(not COMPILED, reason="too slow without the compiler")
@pytest.mark.parametrize(("kernel", "bug"), BUGS, ids=lambda value: getattr(value, "__name__", value))
def test_a_planted_bug_is_caught(monkeypatch, kernel, bug):
    plant(monkeypatch, kernel, bug)
    with pytest.raises(AssertionError):
        check(z_scores(MODELS["full"], "distances", 3_000))
