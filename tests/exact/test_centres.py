"""Centres by filtering are centres by inversion, and sums that are kept do not drift away."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lineage_worlds import moving, random_nodes
from plain_kernels import plain
from reference import rng_for
from tetiwd.model.nodes import lineage_covariance
from tetiwd.moves.lineages import update_objects
from tetiwd.node_state import motion_of

centres = plain.modules["centres"]


@settings(max_examples=60, deadline=None)
@given(
    sizes=st.lists(st.integers(0, 30), min_size=1, max_size=8),
    rho=st.sampled_from([1e-5, 0.3, 0.9, 1 - 1e-6]),
    spread=st.floats(0.05, 5),
    scale=st.floats(0.05, 5),
)
def test_filtering_equals_inversion(sizes, rho, spread, scale):
    T, counts = len(sizes), np.array([sizes])
    own = centres.Centres(T)
    centres.smooth(own, counts, 0, spread, rho, scale)
    A = lineage_covariance(T, rho, scale)
    h = np.sqrt(counts[0])
    inner = spread * np.eye(T) + h[:, None] * A * h
    V = A - A * h @ np.linalg.solve(inner, h[:, None] * A)
    rows = np.zeros((T, T))
    for t in range(T):
        centres.row_of(own, t, 1.0, rows, t)
    assert rows == pytest.approx(V, rel=1e-8, abs=1e-12)
    assert np.asarray(own.V) == pytest.approx(V.diagonal(), rel=1e-8, abs=1e-12)
    assert np.asarray(own.Y) == pytest.approx(1 - V @ counts[0] / spread, rel=1e-7, abs=1e-9)
    objects = np.repeat(np.arange(T), sizes)
    covariance = spread * np.eye(len(objects)) + A[np.ix_(objects, objects)]
    assert own.log_det == pytest.approx(np.linalg.slogdet(covariance)[1], rel=1e-8, abs=1e-8)


def test_no_drift_after_a_hundred_thousand_moves():
    h = moving(dof=1.0)
    state, rng, n_moved = random_nodes(5, (12, 0, 15, 9), h), rng_for(1301), 0
    while n_moved < 100_000:
        n_moved += int(update_objects(state, motion_of(state, h), 2, rng).sum())
    kept = {name: getattr(state, name).copy() for name in ("R", "S", "counts")}
    state.check_invariants()
    state.rebuild()
    for name, values in kept.items():
        fresh = getattr(state, name)
        assert np.abs(values - fresh).max() <= 1e-9 * np.abs(fresh).max(), name
