"""The likelihood of one candidate for one object: by definition, O(n³), ÷ its cost inside the sampler.

n = 200, 8 clusters, a settled chain. Ours is the median time of one pass over all objects, divided by objects ×
candidates (the existing clusters and ``n_aux`` births). It includes everything a pass does, such as drawing rows of A
for new clusters and moving objects. The definition is ``log_likelihood_dense`` on one thread. The two alternate, 15
times.
"""

import numpy as np

from benchmarks.cases import DOF, chain_on, seconds, series_of
from benchmarks.table import Row, at_least
from tetiwd.model import log_likelihood_dense
from tetiwd.moves import update_assignments
from tetiwd.state import models_of

N, K, N_ROUNDS = 200, 8, 15


def rows() -> list[Row]:
    """Definition ÷ ours."""
    series = series_of(1, N, K)
    chain = chain_on(series)
    for _ in range(80):
        chain.step()
    state, n_aux = chain.state, chain.settings.n_aux
    models = models_of(state, chain.hyperparameters)
    z, D = state.z[0], series.D[0] / state.unit
    times = []
    for _ in range(N_ROUNDS):
        k = int(state.n_clusters[0])
        A = state.A[0, :k, :k].copy()
        dense = seconds(lambda A=A: log_likelihood_dense(D, z, A, state.alpha, DOF), 3)
        one_pass = seconds(lambda: update_assignments(state, models, n_aux, chain.streams.epochs, coupled=True), 20)
        times.append((dense, one_pass / (N * (k + n_aux))))
    dense, ours = np.median(times, axis=0)
    note = f" ({dense * 1e3:.1f} ms ÷ {ours * 1e6:.2f} µs)"
    return [at_least(f"likelihood of one candidate, definition ÷ ours, n = {N}", dense / ours, 10_000, note=note)]
