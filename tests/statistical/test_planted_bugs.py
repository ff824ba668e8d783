"""Bugs that only show in the distribution of draws, planted in the compiled sampler, fail Geweke's test.

(Bugs in weights and ratios are planted in test_conditional_ratios.py, endless tuning in unit/test_chains.py.)
"""

from math import sqrt

import pytest

from geweke import MODELS, check, z_scores
from tetiwd import _kernels
from tetiwd._jit import COMPILED
from tetiwd.moves import assignments, geometry, split_merge

CALLERS = {
    "draw_row": ["offer_births", "assign_objects"],
    "log_density_of_row": ["move_rows"],
    "log_choice_of_ends": ["split_or_merge_epoch"],
    "log_wishart_constant": ["log_around", "split_or_merge_epoch"],
}


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


def no_density_of_the_row(law, h, schur):
    return 0.0


def no_choice_of_ends(neighbour, b):
    return 0.0


def no_constant(k, df):
    return 0.0


def plant(monkeypatch, name, bug):
    """Replace a kernel and compile everything anew that calls it."""
    from numba import njit

    monkeypatch.setattr(_kernels, name, njit(bug))
    for caller in CALLERS[name]:
        monkeypatch.setattr(_kernels, caller, njit(error_model="numpy")(getattr(_kernels, caller).py_func))
    monkeypatch.setattr(assignments, "assign_objects", _kernels.assign_objects)
    monkeypatch.setattr(geometry, "move_rows", _kernels.move_rows)
    monkeypatch.setattr(split_merge, "split_or_merge_epoch", _kernels.split_or_merge_epoch)


BUGS = [
    ("draw_row", row_with_wrong_degrees_of_freedom),
    ("log_density_of_row", no_density_of_the_row),
    ("draw_row", row_that_ignores_the_epoch_before),
    ("log_choice_of_ends", no_choice_of_ends),
    ("log_wishart_constant", no_constant),
]


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="too slow without the compiler")
@pytest.mark.parametrize(("kernel", "bug"), BUGS, ids=lambda value: getattr(value, "__name__", value))
def test_a_planted_bug_is_caught(monkeypatch, kernel, bug):
    plant(monkeypatch, kernel, bug)
    alone = {"n_geometry_steps": 0, "n_split_merge": 0} if kernel == "draw_row" else {}  # others would make up for it
    scores = z_scores(MODELS["full"], "distances", 2_000, **alone)
    with pytest.raises(AssertionError):
        check(scores)
