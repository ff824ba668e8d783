"""What the model takes as given: hyperparameters, each a number (fixed) or a Gamma prior (sampled)."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, lgamma, log
from numbers import Integral, Real
from typing import Any, Literal

from tetiwd.errors import SettingsError

WAYS_TO_DOF = ("auto", "rank", "spectrum", "dispersion")
SCALE_MOVES = ("alpha", "xi", "new_scale", "stretch")  # stretch moves new_scale together with every A_t


def check_positive(name: str, value: Any) -> None:
    """Refuse anything but a positive finite number."""
    if not isinstance(value, Real) or value is True or not 0 < float(value) < inf:
        raise SettingsError(f"{name} must be a positive finite number, not {value!r}")


def is_whole(value: Any, least: int) -> bool:
    """True for a whole number that is not too small."""
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= least


def check_share(name: str, value: Any) -> None:
    """Refuse anything but a number between 0 and 1."""
    if not isinstance(value, Real) or not 0 < float(value) < 1:
        raise SettingsError(f"{name} must lie between 0 and 1, not {value!r}")


def check_seed(seed: Any) -> None:
    """Refuse anything but a whole number that is not negative."""
    if not is_whole(seed, 0):
        raise SettingsError(f"seed must be a whole number of at least 0, not {seed!r}")


def check_way_to_dof(how: str) -> None:
    """Refuse anything but the name of an estimator."""
    if how not in WAYS_TO_DOF:
        ways = ", ".join(f'"{way}"' for way in WAYS_TO_DOF)
        raise SettingsError(f"dof must be {ways}, a number, or one number per epoch, not {how!r}")


def _as_numbers(values: Any) -> Any:
    """A list or array as a tuple, a zero-dimensional array as a number; text and the empty list stay as they are."""
    plain = values.tolist() if hasattr(values, "tolist") else values
    return tuple(plain) if isinstance(plain, Sequence) and not isinstance(plain, str) and len(plain) else plain


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
        Degrees of freedom of the likelihood, one number or one per epoch. Or how to estimate them from the data, which
        is done before sampling (``DistanceSeries.dof``): "auto", "rank", "spectrum" or "dispersion".
    df_A
        Degrees of freedom of the Wishart chain of A_t; must exceed the number of clusters minus one. Large values tie
        the geometry of consecutive epochs closely together. None for the larger of 100 and twice the largest dof.
    alpha, xi, new_scale
        Within-cluster variance, Dirichlet rate, and scale of a new cluster's row in A. A number keeps the
        quantity fixed; a :class:`Gamma` lets it be sampled under that prior.
    max_clusters
        Truncation level k of the partition prior, or None for the Dirichlet process.
    geometry
        "full" gives clusters distances of their own (the paper's A_t); "isotropic" keeps all of them equally far apart,
        A = new_scale · I, which is the static model of Vogt et al. (2010) and its coupled version.
    coupling
        False treats every epoch by itself: no links, no memory; alpha, xi and new_scale are still shared.
    """

    dof: float | Sequence[float] | str = "auto"
    df_A: float = None  # type: ignore[assignment]
    alpha: Prior = Gamma(1.0, 1.0)
    xi: Prior = 1.0
    new_scale: Prior = Gamma(1.0, 1.0)
    max_clusters: int | None = None
    geometry: Literal["full", "isotropic"] = "full"
    coupling: bool = True

    def __post_init__(self) -> None:
        if isinstance(self.dof, Sequence) or hasattr(self.dof, "tolist"):
            object.__setattr__(self, "dof", _as_numbers(self.dof))
        if not isinstance(self.dof, str):
            values = self.dof if isinstance(self.dof, tuple) else (self.dof,)
            for value in values:
                check_positive("dof", value)
            if self.df_A is None:
                object.__setattr__(self, "df_A", max(100.0, 2.0 * max(values)))
        else:
            check_way_to_dof(self.dof)
        if self.df_A is not None:
            check_positive("df_A", self.df_A)
        for name in ("alpha", "xi", "new_scale"):
            if not isinstance(getattr(self, name), Gamma):
                check_positive(name, getattr(self, name))
        if self.max_clusters is not None and not is_whole(self.max_clusters, 1):
            raise SettingsError(f"max_clusters must be a whole number of at least 1 or None, not {self.max_clusters!r}")
        if self.geometry not in ("full", "isotropic"):
            raise SettingsError(f'geometry must be "full" or "isotropic", not {self.geometry!r}')
        if self.df_A is None or self.max_clusters is None:
            return
        if self.geometry == "full" and self.df_A <= self.max_clusters - 1:
            raise SettingsError(
                f"df_A = {self.df_A:g} leaves room for fewer clusters than max_clusters = {self.max_clusters}; "
                f"df_A must exceed max_clusters − 1 = {self.max_clusters - 1}"
            )

    def dof_by_epoch(self, n_epochs: int) -> tuple[float, ...]:
        """One number per epoch, whichever way numbers were given."""
        if isinstance(self.dof, str):
            raise SettingsError(f'dof="{self.dof}" has to be estimated from data first; give series.dof() or a number')
        if not isinstance(self.dof, Sequence):
            return (float(self.dof),) * n_epochs
        if len(self.dof) != n_epochs:
            raise SettingsError(
                f"dof has {len(self.dof)} values for {n_epochs} epochs; give one number or one per epoch"
            )
        return tuple(map(float, self.dof))


def log_prior(prior: Prior, value: float) -> float:
    """Log density of a quantity under its prior; 0 where the quantity is fixed at this value, −inf elsewhere."""
    if isinstance(prior, Gamma):
        return prior.log_density(value)
    return 0.0 if value == prior else -inf


@dataclass(frozen=True)
class SamplerSettings:
    """How to sample: everything that changes the run but not the posterior.

    Parameters
    ----------
    n_chains, n_warmup, n_draws, thin
        Chains; sweeps of each before recording, during which proposals are tuned; recorded draws; sweeps per draw.
    n_uncoupled
        How many of the warm-up sweeps treat epochs separately before clusters are linked; None for a quarter of the
        warm-up, at most 50.
    n_aux
        Clusters to be born that an object is offered besides those present.
    n_geometry_steps, n_split_merge, n_scale_steps
        Per sweep: passes over the rows of every A_t, tries to split or merge clusters of every epoch, and Metropolis
        steps on each of alpha, xi and new_scale.
    init
        "ward" starts every chain from a Ward cut of its own coarseness, "one" from one cluster per epoch (the paper),
        or give labels: one integer array per epoch, equal integers at consecutive epochs being linked.
    anneal
        How a single partition is frozen at the end: "posterior" raises all conditionals to a growing power,
        "likelihood" lets the degrees of freedom grow (the paper), None skips it.
    n_anneal
        Sweeps of that.
    geometry_every
        A_t is kept with every so many draws, for classifying new objects; 0 keeps none.
    seed
        Seed of everything random.
    """

    n_chains: int = 4
    n_warmup: int = 1000
    n_draws: int = 1000
    thin: int = 1
    n_uncoupled: int | None = None
    n_aux: int = 2
    n_geometry_steps: int = 1
    n_split_merge: int = 1
    n_scale_steps: int = 2
    init: Any = "ward"
    anneal: Literal["posterior", "likelihood"] | None = "posterior"
    n_anneal: int = 60
    geometry_every: int = 10
    seed: int = 0

    def __post_init__(self) -> None:
        lowest = {"n_chains": 1, "n_warmup": 0, "n_draws": 1, "thin": 1, "n_aux": 1, "n_geometry_steps": 0}
        lowest |= {"n_scale_steps": 0, "n_split_merge": 0, "n_anneal": 0, "geometry_every": 0, "seed": 0}
        for name, least in lowest.items():
            value = getattr(self, name)
            if not is_whole(value, least):
                raise SettingsError(f"{name} must be a whole number of at least {least}, not {value!r}")
        if self.n_uncoupled is not None and not 0 <= self.n_uncoupled <= self.n_warmup:
            raise SettingsError(
                f"n_uncoupled must lie between 0 and n_warmup = {self.n_warmup}, not {self.n_uncoupled!r}"
            )
        if isinstance(self.init, str) and self.init not in ("ward", "one"):
            raise SettingsError(f'init must be "ward", "one", or labels per epoch, not {self.init!r}')
        if self.anneal not in ("posterior", "likelihood", None):
            raise SettingsError(f'anneal must be "posterior", "likelihood" or None, not {self.anneal!r}')

    @property
    def n_sweeps(self) -> int:
        """Sweeps of one chain in all."""
        return self.n_warmup + self.n_draws * self.thin

    @property
    def n_apart(self) -> int:
        """Uncoupled sweeps at the start of warm-up; none if the user gave labels."""
        if not isinstance(self.init, str):
            return 0
        return min(50, self.n_warmup // 4) if self.n_uncoupled is None else self.n_uncoupled


AtMost = int | Literal["median"] | None


def check_at_most(at_most: Any) -> None:
    """Refuse anything but a limit on the number of clusters."""
    if not (at_most is None or at_most == "median" or is_whole(at_most, 1)):
        raise SettingsError(f'at_most must be a whole number of at least 1, "median" or None, not {at_most!r}')


@dataclass(frozen=True)
class AnswerSettings:
    """How draws become answers.

    Parameters
    ----------
    loss
        What the representative clustering keeps small: "vi", "binder" or "ari".
    at_most
        Most clusters that it may have at a time: a number, "median" for as many as the median draw has there, or None;
        see :func:`tetiwd.representative`.
    links
        What makes lineages: "auto", "model", "objects" or "place"; see :func:`tetiwd.representative`.
    level
        Probability of all intervals.
    n_next
        Objects expected at the next time; None for as many as at the last.
    """

    loss: str = "vi"
    at_most: AtMost = None
    links: str = "auto"
    level: float = 0.9
    n_next: int | None = None

    def __post_init__(self) -> None:
        if self.loss not in ("vi", "binder", "ari"):
            raise SettingsError(f'loss must be "vi", "binder" or "ari", not {self.loss!r}')
        check_at_most(self.at_most)
        if self.links not in ("auto", "model", "objects", "place"):
            raise SettingsError(f'links must be "auto", "model", "objects" or "place", not {self.links!r}')
        check_share("level", self.level)
        if self.n_next is not None and not is_whole(self.n_next, 1):
            raise SettingsError(f"n_next must be a whole number of at least 1 or None, not {self.n_next!r}")
