"""Do the chains agree? Rank-normalised R-hat and effective sample sizes of quantities that do not depend on names."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.draws import SCALARS, Draws

LARGEST_R_HAT = 1.1
SMALLEST_ESS = 100
SMALLEST_ACCEPTANCE = 0.1  # of rows of A; nine out of ten is usual
N_PAIRS = 20  # pairs of objects per epoch whose togetherness is followed
N_LINKED_PAIRS = 200  # the same of consecutive epochs, of which fewer are linked


@dataclass(frozen=True)
class Quantity:
    """Convergence of one quantity; R-hat and sizes are None where it is constant."""

    name: str
    mean: float
    r_hat: float | None
    ess_bulk: float | None
    ess_tail: float | None

    @property
    def constant(self) -> bool:
        """True if the quantity never changed in any chain."""
        return self.r_hat is None

    def __str__(self) -> str:
        if self.constant:
            return f"{self.name}: constant at {self.mean:.4g}"
        return (
            f"{self.name}: mean {self.mean:.4g}, R-hat {self.r_hat:.2f}, "
            f"effective draws {self.ess_bulk:.0f} (bulk) {self.ess_tail:.0f} (tail)"
        )


@dataclass(frozen=True)
class Diagnostics:
    """All quantities, and a verdict in words."""

    quantities: tuple[Quantity, ...]
    verdict: str
    converged: bool

    def __getitem__(self, name: str) -> Quantity:
        for quantity in self.quantities:
            if quantity.name == name:
                return quantity
        raise KeyError(f"{name!r}; there are {', '.join(q.name for q in self.quantities)}")

    def __str__(self) -> str:
        return "\n".join([self.verdict, *map(str, self.quantities)])


def diagnose(draws_by_chain: Sequence[Draws], times: Sequence[Any], seed: int = 0) -> Diagnostics:
    """Compare chains on label-free scalars. Chains of unequal length are cut to the shortest."""
    lengths = [len(draws) for draws in draws_by_chain]
    n = min(lengths)
    if n < 4:
        return Diagnostics((), f"Too few draws to judge: {', '.join(map(str, lengths))} by MCMC chain.", False)
    series = _label_free(draws_by_chain, times, n, seed)
    quantities = tuple(_measure(name, values) for name, values in series.items())
    apart = [q for q in quantities if q.r_hat is not None and q.r_hat > LARGEST_R_HAT]
    thin = [q for q in quantities if q.ess_bulk is not None and q.ess_bulk < SMALLEST_ESS]
    stuck = _stuck_geometry(draws_by_chain, times)
    verdict = _verdict(len(draws_by_chain), apart, thin, series) + stuck
    return Diagnostics(quantities, verdict, not apart and not thin and not stuck)


def _stuck_geometry(draws_by_chain: Sequence[Draws], times: Sequence[Any]) -> str:
    """A sentence if rows of A hardly move at some epoch; chains may then agree without having looked around."""
    rates = np.concatenate([draws.statistics["geometry_acceptance"] for draws in draws_by_chain])
    rates = rates[np.isfinite(rates).all(axis=1)]  # NaN where A is not free to move
    if not len(rates) or rates.mean(axis=0).min() >= SMALLEST_ACCEPTANCE:
        return ""
    t = int(rates.mean(axis=0).argmin())
    return (
        f" But cluster geometry hardly moves at {times[t]} ({rates[:, t].mean():.1%} of proposals are accepted), as "
        "happens where distances are far from those of points: look at series.negative_type() and series.repair()."
    )


def _label_free(draws_by_chain: Sequence[Draws], times: Sequence[Any], n: int, seed: int) -> dict[str, NDArray[Any]]:
    """Name → (chains, draws)."""
    series = {name: np.array([getattr(d, name)[:n] for d in draws_by_chain]) for name in SCALARS}
    rng = np.random.default_rng(seed)
    for t, time in enumerate(times):
        series[f"k at {time}"] = np.array([d.n_clusters[:n, t] for d in draws_by_chain])
        series[f"entropy at {time}"] = np.array([d.entropy[:n, t] for d in draws_by_chain])
        size = draws_by_chain[0].n_objects[t]
        first = rng.integers(size, size=N_PAIRS)
        pairs = np.column_stack([first, (first + rng.integers(1, max(2, size), size=N_PAIRS)) % size])
        together = [
            (d.labels_at(t)[:n, pairs[:, 0]] == d.labels_at(t)[:n, pairs[:, 1]]).mean(axis=1) for d in draws_by_chain
        ]
        series[f"pairs together at {time}"] = np.array(together)
        if t > 0:
            before = rng.integers(draws_by_chain[0].n_objects[t - 1], size=N_LINKED_PAIRS)
            now = rng.integers(size, size=N_LINKED_PAIRS)
            linked = [(d.labels_at(t - 1)[:n, before] == d.labels_at(t)[:n, now]).mean(axis=1) for d in draws_by_chain]
            series[f"pairs linked from {times[t - 1]} to {time}"] = np.array(linked)
    return {name: values.astype(float) for name, values in series.items()}


def _measure(name: str, values: NDArray[np.float64]) -> Quantity:
    from arviz_stats.base import array_stats  # type: ignore[attr-defined]

    mean = float(values.mean())
    if not np.isfinite(values).all():
        return Quantity(name, mean, np.inf, 0.0, 0.0)
    if np.ptp(values) == 0:
        return Quantity(name, mean, None, None, None)
    if (np.ptp(values, axis=1) == 0).all():  # every chain stands still, each elsewhere
        return Quantity(name, mean, np.inf, float(len(values)), float(len(values)))
    # ranks of a quantity that mostly sits at one value are ties, and folding them makes differences out of nothing
    mostly_one_value = np.unique(values, return_counts=True)[1].max() > values.size / 2
    halves = values if len(values) > 1 else values[:, : values.shape[1] // 2 * 2].reshape(2, -1)
    with np.errstate(divide="ignore", invalid="ignore"):
        r_hat = float(array_stats.rhat(halves, method="split" if mostly_one_value else "rank"))
        bulk = float(array_stats.ess(values, method="bulk"))
        tail = float(array_stats.ess(values, method="tail", prob=(0.05, 0.95)))
    return Quantity(name, mean, r_hat if np.isfinite(r_hat) else np.inf, bulk, tail)


def _verdict(n_chains: int, apart: list[Quantity], thin: list[Quantity], series: dict[str, NDArray[Any]]) -> str:
    if apart:
        clusters = [q for q in apart if q.name.startswith("k at ")]
        shown = max(clusters or apart, key=lambda q: q.r_hat or 0)
        if n_chains == 1:
            halves = f"its halves differ in {shown.name} (R-hat {shown.r_hat:.2f})"
            return f"The one MCMC chain has not settled: {halves}. Run longer."
        return f"MCMC chains disagree on {_where(shown, series[shown.name])}. Run longer before trusting the result."
    if thin:
        worst = min(thin, key=lambda q: q.ess_bulk or 0)
        agreement = "MCMC chains agree" if n_chains > 1 else "One MCMC chain only"
        return (
            f"{agreement}, but {worst.name} has only {worst.ess_bulk:.0f} effective draws "
            f"(at least {SMALLEST_ESS} are wanted). Run longer."
        )
    if n_chains == 1:
        return "One MCMC chain only: it moves well, but whether other starts agree is not known."
    return f"All {n_chains} MCMC chains agree."


def _where(quantity: Quantity, values: NDArray[np.float64]) -> str:
    """ "k at 2003: 4 in chains 1, 2 and 6 in chains 3, 4"."""
    counted = quantity.name.startswith("k at ")
    groups: dict[int, list[str]] = {}
    for chain, row in enumerate(values if counted else [], start=1):
        n_clusters, counts = np.unique(row, return_counts=True)
        groups.setdefault(int(n_clusters[counts.argmax()]), []).append(str(chain))
    if len(groups) <= 1:
        means = ", ".join(f"{mean:.1f}" if counted else f"{mean:.4g}" for mean in values.mean(axis=1))
        return f"{quantity.name} (R-hat {quantity.r_hat:.2f}; means by chain {means})"
    parts = [f"{k} in chain{'s' if len(who) > 1 else ''} {', '.join(who)}" for k, who in sorted(groups.items())]
    return f"{quantity.name}: {', '.join(parts[:-1])} and {parts[-1]}"
