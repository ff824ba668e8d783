"""Priors of the numbers in a model. Where a number is given in place of a prior, it is fixed."""

from dataclasses import dataclass
from math import inf, lgamma, log, log1p
from numbers import Real
from typing import Any

from tetiwd.declare import check_positive
from tetiwd.errors import Setting, SettingsError


@dataclass(frozen=True)
class Gamma:
    """Gamma prior with density proportional to x^(shape − 1) exp(−x / scale).

    Parameters
    ----------
    shape, scale : float
        Positive numbers; the mean is their product.

    Examples
    --------
    >>> from tetiwd import Gamma, TeTiWD
    >>> Gamma(shape=2.0, scale=0.5).mean
    1.0
    >>> model = TeTiWD(xi=Gamma(2.0, 0.5))  # learn the rate of new clusters
    """

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
        """Log density, with its constant.

        Parameters
        ----------
        x : float
            Where to evaluate it.

        Returns
        -------
        float
            The log density.
        """
        if not 0 < x < inf:
            return -inf
        return (self.shape - 1) * log(x) - x / self.scale - lgamma(self.shape) - self.shape * log(self.scale)


@dataclass(frozen=True)
class Beta:
    """Beta prior of a number between 0 and 1, with density proportional to x^(a − 1) (1 − x)^(b − 1).

    Parameters
    ----------
    a, b : float
        Its two shapes, positive.

    Examples
    --------
    >>> from tetiwd import Beta
    >>> Beta(2.0, 1.0).mean
    0.6666666666666666
    """

    a: float
    b: float

    def __post_init__(self) -> None:
        for name in ("a", "b"):
            check_positive(f"Beta {name}", getattr(self, name))

    @property
    def mean(self) -> float:
        """Expected value."""
        return self.a / (self.a + self.b)

    def log_density(self, x: float) -> float:
        """Log density, with its constant.

        Parameters
        ----------
        x : float
            Where to evaluate it.

        Returns
        -------
        float
            The log density.
        """
        if not 0 < x < 1:
            return -inf
        constant = lgamma(self.a + self.b) - lgamma(self.a) - lgamma(self.b)
        return constant + (self.a - 1) * log(x) + (self.b - 1) * log1p(-x)


Fixed = float
Prior = Fixed | Gamma
ShareOrPrior = Fixed | Beta  # of a number between 0 and 1


def log_prior(prior: Prior | ShareOrPrior, value: float) -> float:
    """Log density of a quantity under its prior; 0 where the quantity is fixed at this value, −inf elsewhere."""
    if isinstance(prior, Gamma | Beta):
        return prior.log_density(value)
    return 0.0 if value == prior else -inf


def checked_share(name: str, value: Any) -> Any:
    """A number above 0 and up to 1, or a Beta prior; anything else is refused."""
    if not isinstance(value, Beta) and (not isinstance(value, Real) or not 0 < float(value) <= 1):
        fault = f" must be a number above 0 and up to 1, or a Beta prior, not {value!r}"
        raise SettingsError([Setting(name, refused=True), fault])
    return value


def checked_unless_zero(name: str, value: Any) -> Any:
    """A positive number or 0, or a Gamma prior; anything else is refused."""
    if not isinstance(value, Gamma) and (not isinstance(value, Real) or value is True or not 0 <= float(value) < inf):
        fault = f" must be 0, a positive number or a Gamma prior, not {value!r}"
        raise SettingsError([Setting(name, refused=True), fault])
    return value
