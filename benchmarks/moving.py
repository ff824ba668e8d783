"""Moving centres: one sweep ÷ one read of D*, and ÷ one sweep of the paper's model on the same data.

Lineages that drift and come and go, clearly separated; the chains start from the truth. Otherwise as in ``sweep``.
"""

import numpy as np

from benchmarks.cases import ENDLESS, seconds
from benchmarks.sweep import N_READINGS, N_SETTLED
from benchmarks.table import Row, at_most, number
from tetiwd import DistanceSeries, Hyperparameters, SamplerSettings
from tetiwd.model.moving import draw_moving_objects
from tetiwd.sampler import Chain

DOF, N_SETTLING = 20, 40
CASES = {(15, 93, 15): (0.5, 10.0, None), (5, 200, 8): (1.0, None, 1.0)}  # T, n, lineages: share present, two goals


def rows() -> list[Row]:
    """Both ratios for every case."""
    table = []
    for (T, n, C), (share, most_reads, most_of_paper) in CASES.items():
        series, labels = drifting(T, n, C, share)
        moving, full = (settled(series, labels, geometry) for geometry in ("moving", "full"))
        reading = seconds(lambda D=series.cross: D.sum(), N_READINGS)
        name, note = f"moving centres, {T} × {n}, {C} lineages", f" ({moving * 1e3:.2f} ms)"
        table.append(row(f"{name}: settled sweep ÷ reading D*", moving / reading, most_reads, note))
        table.append(row(f"{name}: settled sweep ÷ that of the paper", moving / full, most_of_paper, ""))
    return table


def row(name: str, ratio: float, goal: float | None, note: str) -> Row:
    """One line of the table; some have no goal."""
    return Row(name, number(ratio) + note) if goal is None else at_most(name, ratio, goal, note=note)


def drifting(T: int, n: int, C: int, share: float) -> tuple[DistanceSeries, list[np.ndarray]]:
    """Objects of lineages that drift, of which a share is present at every epoch; and where they belong."""
    rng = np.random.default_rng(0)
    labels = []
    for _ in range(T):
        present = np.flatnonzero(rng.random(C) < share)
        labels.append(rng.choice(present if len(present) else np.arange(C), size=n))
    X = draw_moving_objects(labels, {"new_scale": 1.0, "rho": 0.9}, dict.fromkeys(range(C), 0.3), DOF, rng)
    return DistanceSeries.from_features(np.concatenate(X), time=np.repeat(np.arange(T), n), cross=True), labels


def settled(series: DistanceSeries, labels: list[np.ndarray], geometry: str) -> float:
    """Seconds per sweep once a chain has settled."""
    settings = SamplerSettings(n_chains=1, n_warmup=ENDLESS, init=labels)
    chain = Chain(series, Hyperparameters(dof=DOF, geometry=geometry), settings)
    for _ in range(N_SETTLING):
        chain.step()
    return seconds(chain.step, N_SETTLED)
