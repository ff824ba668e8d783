"""What the model takes as given: hyperparameters, each a number (fixed) or a Gamma prior (sampled)."""

from dataclasses import dataclass
from math import inf, lgamma, log
from numbers import Real
from typing import Any

from tetiwd.errors import SettingsError


def check_positive(name: str, value: Any) -> None:
    """Refuse anything but a positive finite number."""
    if not isinstance(value, Real) or value is True or not 0 < float(value) < inf:
        raise SettingsError(f"{name} must be a positive finite number, not {value!r}")


@dataclass(frozen=True)
class Gamma:
    """Gamma prior with density proportional to x^(shape − 1) exp(−x / scale)."""

    shape: float
    scale: float

    def __post_init__(self) -> None:
        for name in ("shape", "scale"):
            check_positive(f"Gamma {name}", getattr(self, name))

    @property
    def mean(self) -> float:
        """Expected value."""
        return self.shape * self.scale

    def log_density(self, x: float) -> float:
        """Log density at x, with its constant."""
        if not 0 < x < inf:
            return -inf
        return (self.shape - 1) * log(x) - x / self.scale - lgamma(self.shape) - self.shape * log(self.scale)


Fixed = float
Prior = Fixed | Gamma


@dataclass(frozen=True)
class Hyperparameters:
    """Everything the joint density conditions on. The defaults suit rescaled data (mean half-distance 1).

    Parameters
    ----------
    dof
        Degrees of freedom of the likelihood, one number or one per epoch.
    df_A
        Degrees of freedom of the Wishart chain of A_t; must exceed the number of clusters minus one.
        Large values tie the geometry of consecutive epochs closely together.
    alpha, xi, new_scale
        Within-cluster variance, Dirichlet rate, and scale of a new cluster's row in A. A number keeps the
        quantity fixed; a :class:`Gamma` lets it be sampled under that prior.
    max_clusters
        Truncation level k of the partition prior, or None for the Dirichlet process.
    """

    dof: float | tuple[float, ...]
    df_A: float = 100.0
    alpha: Prior = Gamma(1.0, 1.0)
    xi: Prior = 1.0
    new_scale: Prior = Gamma(1.0, 1.0)
    max_clusters: int | None = None

    def __post_init__(self) -> None:
        for value in self.dof if isinstance(self.dof, tuple) else (self.dof,):
            check_positive("dof", value)
        check_positive("df_A", self.df_A)
        for name in ("alpha", "xi", "new_scale"):
            if not isinstance(getattr(self, name), Gamma):
                check_positive(name, getattr(self, name))
        if self.max_clusters is not None and (self.max_clusters != int(self.max_clusters) or self.max_clusters < 1):
            raise SettingsError(f"max_clusters must be a whole number of at least 1 or None, not {self.max_clusters!r}")
        if self.max_clusters is not None and self.df_A <= self.max_clusters - 1:
            raise SettingsError(
                f"df_A = {self.df_A:g} leaves room for fewer clusters than max_clusters = {self.max_clusters}; "
                f"df_A must exceed max_clusters − 1 = {self.max_clusters - 1}"
            )

    def dof_by_epoch(self, n_epochs: int) -> tuple[float, ...]:
        """One number per epoch, whichever way dof was given."""
        if not isinstance(self.dof, tuple):
            return (float(self.dof),) * n_epochs
        if len(self.dof) != n_epochs:
            raise SettingsError(
                f"dof has {len(self.dof)} values for {n_epochs} epochs; give one number or one per epoch"
            )
        return self.dof


def log_prior(prior: Prior, value: float) -> float:
    """Log density of a quantity under its prior; 0 where the quantity is fixed at this value, −inf elsewhere."""
    if isinstance(prior, Gamma):
        return prior.log_density(value)
    return 0.0 if value == prior else -inf
