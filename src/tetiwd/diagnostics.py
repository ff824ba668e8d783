"""Do the chains agree? Rank-normalised R-hat and effective sample sizes of quantities that do not depend on names."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import floor, inf, isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.convergence import bulk_ess, rank_r_hat, split_r_hat, tail_ess
from tetiwd.draws import SCALARS, Draws

LARGEST_R_HAT = 1.05  # these two decide when a run ends, and what is said about it
SMALLEST_ESS = 100
FEWEST_DRAWS = 4  # of a chain that can be judged
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
            f"{self.name}: mean {self.mean:.4g}, R-hat {shown_r_hat(self.r_hat or 0)}, "
            f"effective draws {whole_draws(self.ess_bulk)} (bulk) {whole_draws(self.ess_tail)} (tail)"
        )


@dataclass(frozen=True)
class Diagnostics:
    """All quantities, and a verdict in words."""

    quantities: tuple[Quantity, ...]
    verdict: str
    converged: bool

    @property
    def apart(self) -> list[Quantity]:
        """Quantities on which chains differ."""
        return [q for q in self.quantities if q.r_hat is not None and q.r_hat > LARGEST_R_HAT]

    @property
    def thin(self) -> list[Quantity]:
        """Quantities with too few effective draws."""
        return [q for q in self.quantities if q.ess_bulk is not None and q.ess_bulk < SMALLEST_ESS]

    @property
    def agree(self) -> bool:
        """True if chains agree on everything, with enough effective draws: more of them would change little."""
        return bool(self.quantities) and not self.apart and not self.thin

    @property
    def standing(self) -> str:
        """How far the chains are from agreeing, in a few words."""
        if all(q.constant for q in self.quantities):
            return ""
        r_hat = max(q.r_hat for q in self.quantities if q.r_hat is not None)
        return f"R-hat {shown_r_hat(r_hat)}, {whole_draws(self.fewest_effective)} of {SMALLEST_ESS} effective draws"

    @property
    def fewest_effective(self) -> float:
        """Effective draws of the quantity that has fewest; infinitely many if all are constant."""
        return min((q.ess_bulk for q in self.quantities if q.ess_bulk is not None), default=inf)

    def draws_wanted(self, n: int) -> float:
        """How many draws would be enough, if n have given these effective draws and it goes on like this."""
        return n * SMALLEST_ESS / self.fewest_effective if self.fewest_effective > 0 else inf

    def __getitem__(self, name: str) -> Quantity:
        for quantity in self.quantities:
            if quantity.name == name:
                return quantity
        raise KeyError(f"{name!r}; there are {', '.join(q.name for q in self.quantities)}")

    def __str__(self) -> str:
        return "\n".join([self.verdict, *map(str, self.quantities)])


def whole_draws(ess: float | None) -> str:
    """An effective sample size without a fraction; rounded down, so that what is too few looks like it."""
    return "none" if ess is None else f"{floor(ess):,}" if isfinite(ess) else "infinitely many"


def shown_r_hat(r_hat: float) -> str:
    """R-hat with two digits, or more where these would hide that it is too large."""
    digits = 2
    while LARGEST_R_HAT < r_hat < LARGEST_R_HAT + 0.5 * 10.0**-digits and digits < 6:
        digits += 1
    return f"{r_hat:.{digits}f}"


def diagnose(draws_by_chain: Sequence[Draws], times: Sequence[Any], seed: int = 0) -> Diagnostics:
    """Compare chains on label-free scalars. Chains of unequal length are cut to the shortest."""
    lengths = [len(draws) for draws in draws_by_chain]
    n = min(lengths)
    if n < FEWEST_DRAWS:
        return Diagnostics((), f"Too few draws to judge: {', '.join(map(str, lengths))} by MCMC chain.", False)
    series = _label_free(draws_by_chain, times, n, seed)
    quantities = _measured(series)
    measured, stuck = Diagnostics(quantities, "", False), _stuck_geometry(draws_by_chain, times)
    verdict = _verdict(len(draws_by_chain), measured, series) + stuck
    return replace(measured, verdict=verdict, converged=measured.agree and not stuck)


def _stuck_geometry(draws_by_chain: Sequence[Draws], times: Sequence[Any]) -> str:
    """A sentence if rows of A hardly move at some epoch; chains may then agree without having looked around."""
    if "geometry_acceptance" not in draws_by_chain[0].axes:  # a model without A
        return ""
    rates = np.concatenate([draws.statistics["geometry_acceptance"] for draws in draws_by_chain])
    free = np.flatnonzero(np.isfinite(rates).all(axis=0))  # NaN where A is not free to move
    if not len(free) or rates[:, free].mean(axis=0).min() >= SMALLEST_ACCEPTANCE:
        return ""
    t = int(free[rates[:, free].mean(axis=0).argmin()])
    return (
        f" But cluster geometry hardly moves at {times[t]} ({rates[:, t].mean():.1%} of proposals are accepted), as "
        "happens where distances are far from those of points: look at series.negative_type() and series.repair()."
    )


def _label_free(draws_by_chain: Sequence[Draws], times: Sequence[Any], n: int, seed: int) -> dict[str, NDArray[Any]]:
    """Name → (chains, draws)."""
    scalars = [*SCALARS, *(name for name, axis in draws_by_chain[0].axes.items() if axis == "draw")]
    series = {name: np.array([d.array(name)[:n] for d in draws_by_chain]) for name in scalars}
    series = {name: values for name, values in series.items() if not name.endswith("acceptance")}
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


def _measured(series: dict[str, NDArray[np.float64]]) -> tuple[Quantity, ...]:
    """R-hat and effective sample sizes of all quantities at once."""
    names, values = list(series), np.array(list(series.values()))
    finite = np.isfinite(values).all(axis=(1, 2))
    constant = np.ptp(values, axis=(1, 2)) == 0
    still = (np.ptp(values, axis=2) == 0).all(axis=1)  # every chain, each elsewhere
    moving = values[finite & ~still]
    r_hat, bulk, tail = np.full((3, len(names)), np.inf)
    bulk[:] = tail[:] = np.where(finite, values.shape[1], 0.0)
    if len(moving):
        which = np.flatnonzero(finite & ~still)
        r_hat[which], bulk[which], tail[which] = _r_hat(moving), bulk_ess(moving), tail_ess(moving)
    r_hat[~np.isfinite(r_hat)] = np.inf
    return tuple(
        Quantity(name, float(values[i].mean()), None, None, None)
        if constant[i]
        else Quantity(name, float(values[i].mean()), float(r_hat[i]), float(bulk[i]), float(tail[i]))
        for i, name in enumerate(names)
    )


def _r_hat(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """R-hat by ranks. Ranks of a quantity that mostly sits at one value are ties, and folding them makes differences
    out of nothing; there the values themselves are compared. One chain is compared with itself, half with half."""
    n = values[0].size
    in_order = np.sort(values.reshape(len(values), n), axis=1)
    mostly_one_value = (in_order[:, : n - n // 2] == in_order[:, n // 2 :]).any(axis=1)
    halves = values if values.shape[1] > 1 else values[:, :, : n // 2 * 2].reshape(len(values), 2, -1)
    if halves.shape[2] < FEWEST_DRAWS:
        return np.full(len(values), np.inf)
    return np.where(mostly_one_value, split_r_hat(halves), rank_r_hat(halves))


def _verdict(n_chains: int, measured: Diagnostics, series: dict[str, NDArray[Any]]) -> str:
    apart, thin = measured.apart, measured.thin
    if apart:
        clusters = [q for q in apart if q.name.startswith("k at ")]
        shown = max(clusters or apart, key=lambda q: q.r_hat or 0)
        if n_chains == 1:
            halves = f"its halves differ in {shown.name} (R-hat {shown_r_hat(shown.r_hat or 0)})"
            return f"The one MCMC chain has not settled: {halves}. Run longer."
        return f"MCMC chains disagree on {_where(shown, series[shown.name])}. Run longer before trusting the result."
    if thin:
        worst = min(thin, key=lambda q: q.ess_bulk or 0)
        agreement = "MCMC chains agree" if n_chains > 1 else "One MCMC chain only"
        return (
            f"{agreement}, but {worst.name} has only {whole_draws(worst.ess_bulk)} effective draws "
            f"(at least {SMALLEST_ESS} are needed). Run longer."
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
        return f"{quantity.name} (R-hat {shown_r_hat(quantity.r_hat or 0)}; means by chain {means})"
    parts = [f"{k} in chain{'s' if len(who) > 1 else ''} {', '.join(who)}" for k, who in sorted(groups.items())]
    return f"{quantity.name}: {', '.join(parts[:-1])} and {parts[-1]}"
