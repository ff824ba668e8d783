"""With constraints the sampler visits linked partitions as often as the posterior, conditioned on them, says."""

from math import inf

import numpy as np
import pytest

from reference import canonical, linked_partitions
from small_worlds import small_series
from tetiwd import Constraints, Hyperparameters
from tetiwd.model import log_joint
from tetiwd.start import start_chain
from tetiwd.params import SamplerSettings
from visits import FIXED, check_visits, normalised, run

TOGETHER = Constraints(must_link=[((0, 0), (0, 2)), ((1, 1), (1, 2))])
APART = Constraints(cannot_link=[((0, 0), (0, 1)), ((1, 0), (1, 2)), ((1, 1), (1, 2))])
MIXED = Constraints(
    must_link=[((0, 0), (0, 1)), ((1, 0), (1, 1), 1.2)],
    cannot_link=[((0, 1), (0, 2)), ((1, 1), (1, 2), 0.7)],
)
LABELS = Constraints(labels={(0, 0): "a", (0, 2): "a", (0, 3): "b", (1, 1): "b", (1, 2): "a"})


def conditioned(series, h):
    """Normalised probabilities of all linked partitions with A = new_scale · I that respect what is known."""
    log_p = {}
    for labels in linked_partitions(series.n_objects):
        A = [FIXED["new_scale"] * np.eye(len(np.unique(own))) for own in labels]
        known = series.ties.log_weight(np.concatenate(labels))
        if known > -inf:
            log_p[canonical(labels)] = known + log_joint(series.matrices, labels, A, h, kind=series.kind)
    return normalised(log_p)


def started(series, h, init="one"):
    settings = SamplerSettings(init=init, n_chains=1)
    state = start_chain(series, h, settings, 0, unit=1.0)
    assert series.ties.log_weight(np.concatenate(state.labels())) > -inf
    return state


@pytest.mark.parametrize("kind", ["distances", "similarities"])
@pytest.mark.parametrize("move", ["assignments", "split and merge", "sweep"])
@pytest.mark.parametrize("known", [TOGETHER, APART, MIXED, LABELS], ids=["together", "apart", "mixed", "labels"])
def test_posterior_with_constraints_within_times(known, move, kind):
    h = Hyperparameters(dof=1.5, df_A=9, geometry="isotropic", **FIXED)
    series = small_series(8, (4, 3), kind).bound_by(known)
    visited = run(started(series, h), h, 6_000, move=move, seed=9)
    check_visits(visited, conditioned(series, h))
