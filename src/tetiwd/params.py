"""Settings of a run: the model's hyperparameters, how to sample, and how draws become answers."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, Literal

from tetiwd.declare import Settings, declarations, documented, setting
from tetiwd.declare import check_positive as check_positive
from tetiwd.declare import check_share as check_share
from tetiwd.declare import check_whole as check_whole
from tetiwd.declare import is_whole as is_whole
from tetiwd.errors import Setting, SettingsError, plural, value_of
from tetiwd.priors import Beta, Gamma, Prior, ShareOrPrior, checked_share, checked_unless_zero

MODEL, RUN = "Model", "Run"  # headings of options
WAYS_TO_DOF = ("moments", "rank", "spectrum", "dispersion")  # estimators; "auto" tries values around the first
LINKS = ("auto", "model", "objects", "place")
LOSSES = ("auto", "vi", "binder", "ari")
AtMost = int | Literal["median"] | None
LEVEL = 0.9  # probability of intervals
CHECKPOINT_SECONDS = 60.0  # between two checkpoints of a chain
SCALE_MOVES = ("spreads", "alpha", "xi", "new_scale", "stretch", "kappa", "df_A", "level", "tau", "widen")
IF_LEARNED = ("kappa", "df_A", "tau")  # numbers of the paper's model that are recorded, and moved, if they have a prior
OF_MOTION = ("rho", "delta", "shift")  # settings that only moving centres have
OF_LINKS = ("max_clusters", "coupling")  # settings that only the paper's model has
MOTION_MOVES = ("alpha", "level", "spreads", "new_scale", "rho", "xi", "tau", "stretch", "delta", "kappa", "shift")
WARMUP_OF_FIXED, WARMUP = 1000, 200  # sweeps before a fixed number of draws, and before as many as it takes
MOST_UNEQUAL = 3.0  # ratio of the spread of a cluster to the common one, either way
LARGEST_TAU = 1000.0  # all possible spreads are equally probable long before
SPREADS_OF_MOTION = Gamma(1.0, 0.5)  # prior of tau in the model of moving centres, unless another is given
LARGEST_MATRIX = 2**30  # bytes of distances between features that are kept unless something else is said
LARGEST_CROSS = 5000  # rows whose distances between epochs are kept unless something else is said; they take 200 MB


def check_seed(seed: Any) -> None:
    """Refuse anything but a whole number that is not negative."""
    check_whole("seed", seed, 0)


def check_way_to_dof(how: str, ways: Sequence[str] = WAYS_TO_DOF) -> None:
    """Refuse anything but the name of an estimator."""
    if how not in ways:
        ways = ", ".join(f'"{way}"' for way in ways)
        fault = f" must be {ways}, a number, or one number per epoch, not {how!r}"
        raise SettingsError([Setting("dof", refused=True), fault])


def _checked_dof(dof: Any) -> Any:
    """A name, a positive number, or a tuple of them; a zero-dimensional array is a number."""
    plain = dof.tolist() if hasattr(dof, "tolist") else dof
    if isinstance(plain, str):
        check_way_to_dof(plain, ("auto", *WAYS_TO_DOF))
        return plain
    value = tuple(plain) if isinstance(plain, Sequence) else plain
    for number in value or [plain] if isinstance(value, tuple) else [value]:
        check_positive("dof", number)
    return value


def _parsed_dof(text: str) -> Any:
    """A name, a number, or one number per time with commas between them."""
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        return text
    return numbers if len(numbers) > 1 else numbers[0]


def check_at_most(at_most: Any) -> Any:
    """Refuse anything but a limit for the number of clusters."""
    if not (at_most is None or at_most == "median" or is_whole(at_most, 1)):
        name, allowed = Setting("at_most", refused=True), ' must be a whole number of at least 1, "median" or '
        raise SettingsError([name, allowed, value_of(None), f", not {at_most!r}"])
    return at_most


def _checked_init(init: Any) -> Any:
    if isinstance(init, str) and init not in ("ward", "one"):
        fault = f' must be "ward", "one", or labels per epoch, not {init!r}'
        raise SettingsError([Setting("init", refused=True), fault])
    return init


def _checked_rho(rho: Any) -> Any:
    return checked_share("rho", rho)


def _checked_delta(delta: Any) -> Any:
    return checked_share("delta", delta)


def _checked_tau(tau: Any) -> Any:
    checked = None if tau is None else checked_unless_zero("tau", tau)
    if isinstance(checked, Real) and float(checked) > LARGEST_TAU:
        raise SettingsError([Setting("tau", refused=True), f" must be at most {LARGEST_TAU:g}, not {tau!r}"])
    return checked


def _checked_shift(shift: Any) -> Any:
    return checked_unless_zero("shift", shift)


@documented
@dataclass(frozen=True)
class Hyperparameters(Settings):
    """Everything the joint density conditions on. The defaults suit rescaled data (mean half-distance 1).

    Examples
    --------
    >>> from tetiwd import Gamma, Hyperparameters
    >>> model = Hyperparameters(dof=20, xi=Gamma(1.0, 1.0))
    >>> model.df_A  # follows from dof
    100.0
    """

    table = "model"
    group = MODEL
    dof: float | Sequence[float] | str = setting(
        "auto",
        "Degrees of freedom of the likelihood: how far to trust the distances, and so how fine clusters are. One "
        'number, one per time, or how to find it: "auto" tries several values in short runs and takes the one with the '
        'best clusters; "moments", "rank", "spectrum" and "dispersion" estimate it from the distances.',
        option="--dof",
        check=_checked_dof,
        parse=_parsed_dof,
        metavar="NAME|NUMBER,...",
    )
    df_A: Prior = setting(
        None,
        "Degrees of freedom of the Wishart process of A_t, more than the number of clusters minus one. Large values "
        "tie the geometry of one time closely to that of the next. A number, or a Gamma prior to sample it. If not "
        "given, the larger of 100 and twice the dof.",
    )
    alpha: Prior = setting(
        Gamma(1.0, 1.0),
        "Variance within clusters, in units of the mean half-distance: a number, or a Gamma prior to sample it.",
    )
    xi: Prior = setting(
        1.0,
        "Dirichlet rate, the rate of new clusters: a number, or a Gamma prior to sample it.",
        option="--xi",
        option_help="Dirichlet rate, the rate of new clusters.",
    )
    new_scale: Prior = setting(
        Gamma(1.0, 1.0), "Scale of a new cluster's row in A: a number, or a Gamma prior to sample it."
    )
    max_clusters: int | None = setting(
        None,
        "Upper limit on clusters per time, the truncation level k of the partition prior. If not given, there is none "
        "(Dirichlet process).",
        option="--max-clusters",
        least=1,
    )
    geometry: Literal["auto", "full", "isotropic", "moving", "pooled"] = setting(
        "auto",
        'Which model. "full" gives clusters distances of their own (the paper\'s A_t). "isotropic" keeps all of them '
        "equally far apart, A = new_scale · I: the static model of Vogt et al. (2010) and its coupled version. "
        '"moving" also uses the distances between times: the centre of every lineage moves from one time to the next. '
        '"pooled" is the same with centres that stay where they are. "auto" tries "full" and "moving" in short runs if '
        "distances between times are known, and takes the one with the better clusters; if the distances are nearly "
        'those of a tree, as between sequences that evolve, "pooled" is tried as well. Otherwise, and for more than '
        '5,000 objects, it is "full".',
        option="--geometry",
    )
    coupling: bool = setting(
        True,
        "Whether clusters are linked through time. Without links times share only alpha, xi, new_scale and df_A.",
    )
    kappa: Prior = setting(
        1.0,
        "How much the sizes of one time count at the next; 1 is the paper's urn, close to 0 they hardly matter. A "
        "number, or a Gamma prior to sample it. Without links it has no meaning.",
    )
    tau: Prior | None = setting(
        None,
        "How much clusters, or the lineages of moving centres, differ in their spread (the variance within them), as "
        "the standard deviation of its logarithm: a number, 0 for equal spreads, or a Gamma prior to sample it. If not "
        "given, 0, but Gamma(1, 0.5) for moving centres.",
        check=_checked_tau,
    )
    rho: ShareOrPrior = setting(
        Beta(1.0, 1.0),
        "Moving centres: correlation of the place of a lineage at one time with that at the next: a number up to 1, or "
        "a Beta prior to sample it.",
        check=_checked_rho,
    )
    delta: ShareOrPrior = setting(
        0.9,
        "Moving centres: weight, per time of absence, with which an absent lineage may return: a number up to 1, or a "
        "Beta prior to sample it.",
        check=_checked_delta,
    )
    shift: Prior = setting(
        0.0,
        "Moving centres: variance of a displacement that all objects of a time have in common, such as a batch effect, "
        "in units of the mean half-distance: a number, 0 for none, or a Gamma prior to sample it.",
        check=_checked_shift,
    )

    @property
    def moves(self) -> bool:
        """True for the model of moving centres, at any speed."""
        return self.geometry in ("moving", "pooled")

    @property
    def full(self) -> bool:
        """True for the paper's model, which "auto" stands for until a choice has been made."""
        return self.geometry in ("auto", "full")

    @property
    def speaks_of_motion(self) -> bool:
        """True if a setting was given that only moving centres have."""
        return self._unusual(*OF_MOTION)

    @property
    def speaks_of_links(self) -> bool:
        """True if a setting was given that only the paper's model has."""
        return self._unusual(*OF_LINKS) or self.df_A not in (None, self._usual_df_A())

    def without_auto(self) -> "Hyperparameters":
        """What "auto" stands for if there is one model only: moving centres if a setting of theirs was given."""
        if self.geometry != "auto":
            return self
        return self.with_geometry("moving" if self.speaks_of_motion else "full")

    def with_dof(self, dof: Sequence[float]) -> "Hyperparameters":
        """The same with other degrees of freedom; df_A follows them, unless it was given."""
        df_A: Any = None if self.df_A == self._usual_df_A() else self.df_A
        return replace(self, dof=tuple(dof), df_A=df_A)

    def with_geometry(self, geometry: Literal["full", "moving", "pooled"]) -> "Hyperparameters":
        """The same for one of the models between which "auto" chooses."""
        return replace(self, geometry=geometry)

    def _unusual(self, *names: str) -> bool:
        usual = {one.name: one.default for one in declarations(type(self))}
        return any(getattr(self, name) != usual[name] for name in names)

    @property
    def scale_moves(self) -> tuple[str, ...]:
        """Names of the moves on parameters, whose acceptance is recorded."""
        if self.moves:
            return tuple(name for name in MOTION_MOVES if name != "shift" or self.shift != 0)
        absent = set(IF_LEARNED) - set(self.learned)
        if "tau" in absent:
            absent.add("widen")
        if self.tau_used == 0:
            absent |= {"spreads", "level"}
        return tuple(name for name in SCALE_MOVES if name not in absent)

    @property
    def learned(self) -> tuple[str, ...]:
        """Those numbers of the paper's model that are usually fixed, but have a prior here."""
        priors = {"kappa": self.kappa, "df_A": self.df_A if self.full else 0.0, "tau": self.tau_used}
        return tuple(name for name in IF_LEARNED if isinstance(priors[name], Gamma))

    def fixed(self, names: Iterable[str]) -> dict[str, float]:
        """Those of the parameters that have no prior, with their values."""
        used = {name: getattr(self, name) for name in names} | {"rho": self.rho_used, "tau": self.tau_used}
        return {name: float(used[name]) for name in names if isinstance(used[name], Real)}

    @property
    def rho_used(self) -> ShareOrPrior:
        """The prior of rho; 1 where centres stay where they are."""
        return 1.0 if self.geometry == "pooled" else self.rho

    @property
    def tau_used(self) -> Prior:
        """The prior of tau, whether or not one was given."""
        if self.tau is not None:
            return self.tau
        return SPREADS_OF_MOTION if self.moves else 0.0

    def check_together(self) -> None:
        """Fill in df_A where dof is known; it must leave room for the clusters."""
        self._check_geometry()
        if self.df_A is None and not isinstance(self.dof, str):
            object.__setattr__(self, "df_A", self._usual_df_A())
        if self.df_A is None or isinstance(self.df_A, Gamma) or self.max_clusters is None or not self.full:
            return
        if self.df_A <= self.max_clusters - 1:
            raise SettingsError(
                [
                    Setting("df_A", self.df_A), " leaves room for fewer clusters than ",
                    Setting("max_clusters", self.max_clusters),
                ],
                [Setting("df_A"), " must exceed ", Setting("max_clusters"), f" − 1 = {self.max_clusters - 1}"],
            )  # fmt: skip

    def _usual_df_A(self) -> float | None:
        if isinstance(self.dof, str):
            return None
        return max(100.0, 2.0 * float(max(self.dof) if isinstance(self.dof, Sequence) else self.dof))

    def _check_geometry(self) -> None:
        """Refuse settings that the model of this geometry does not have."""
        if self.geometry == "auto":
            if self.speaks_of_motion and self._unusual(*OF_LINKS):
                self.with_geometry("moving")  # says which of them has no meaning
            return
        usual = {one.name: one.default for one in declarations(type(self))}
        foreign = OF_LINKS if self.moves else OF_MOTION
        for name in (*foreign, "rho") if self.geometry == "pooled" else foreign:
            if getattr(self, name) != usual[name]:
                given = Setting(name, getattr(self, name))
                raise SettingsError([given, " has no meaning with ", Setting("geometry", self.geometry)])

    def dof_by_epoch(self, n_epochs: int) -> tuple[float, ...]:
        """One number per epoch, whichever way numbers were given."""
        if isinstance(self.dof, str):
            raise SettingsError(
                [Setting("dof", self.dof), " has to be estimated from data first"], "give series.dof() or a number"
            )
        if not isinstance(self.dof, Sequence):
            return (float(self.dof),) * n_epochs
        if len(self.dof) != n_epochs:
            raise SettingsError(
                [Setting("dof"), f" has {plural(len(self.dof), 'value')} for {plural(n_epochs, 'epoch')}"],
                "give one number or one per epoch",
            )
        return tuple(map(float, self.dof))


@documented
@dataclass(frozen=True)
class SamplerSettings(Settings):
    """How to sample: everything that changes the run but not the posterior.

    Examples
    --------
    >>> from tetiwd import SamplerSettings, TeTiWD
    >>> settings = SamplerSettings(n_chains=2, n_draws=500, seed=7)
    >>> settings.n_warmup
    1000
    >>> model = TeTiWD(settings=settings)
    """

    table = "sampler"
    group = RUN
    n_chains: int = setting(4, "Number of MCMC chains.", option="--chains", least=1)
    n_warmup: int = setting(
        None,
        "Warm-up sweeps of each chain, during which proposals are tuned and nothing is kept. If not given, "
        f"{WARMUP_OF_FIXED} before a fixed number of draws, otherwise {WARMUP}, after which the first quarter of the "
        "draws is discarded as well.",
        option="--warmup",
    )
    n_draws: int | None = setting(
        None,
        "Draws kept of each chain. If not given, chains run until they agree and there are enough effective draws.",
        option="--draws",
        least=1,
    )
    max_draws: int = setting(
        4000,
        "Draws of each chain, with those to be discarded, after which a run ends even if its chains do not agree. It "
        "ends earlier if, after half of these draws, the chains are still far from agreement.",
        option="--max-draws",
        least=1,
    )
    max_minutes: float | None = setting(
        None,
        "Minutes of sampling after which a run ends in any case. Only this limit makes the number of draws depend on "
        "the machine; tetiwd resume goes on from there. If not given, there is none.",
        option="--minutes",
    )
    n_discarded: int | None = setting(
        None,
        "Draws before those that are kept. If not given, a quarter of all draws, or none in a run with a fixed number "
        "of draws.",
    )
    thin: int = setting(1, "Sweeps per draw.", least=1)
    n_uncoupled: int | None = setting(
        None,
        "Warm-up sweeps that treat times separately before clusters are linked. If not given, a quarter of the "
        "warm-up, at most 50.",
    )
    n_held: int = setting(
        0,
        "Times at the beginning that new data do not change: only for a run that extends an earlier one, whose draws "
        "they are taken from. An approximation.",
    )
    n_aux: int = setting(2, "Empty clusters that an object is offered besides those in use.", least=1)
    n_geometry_steps: int = setting(1, "Passes over the rows of every A_t per sweep.")
    n_split_merge: int = setting(1, "Attempts per sweep and time to split or merge clusters.")
    n_scale_steps: int = setting(
        2,
        "Metropolis steps per sweep on each of alpha, xi and new_scale, on kappa, df_A and tau if they have priors, "
        "and on spreads.",
    )
    init: Any = setting(
        "ward",
        'Start: "ward" cuts a Ward tree at a different height for every chain, "one" puts each time into one cluster '
        "(the paper); or labels, one integer array per time, where equal integers at consecutive times are linked.",
        check=_checked_init,
    )
    anneal: Literal["posterior", "likelihood"] | None = setting(
        "posterior",
        'How a chain is cooled to a single partition at its end: "posterior" raises all conditionals to a growing '
        'power, "likelihood" lets the degrees of freedom grow (the paper), None skips it.',
    )
    n_anneal: int = setting(60, "Number of annealing sweeps.")
    geometry_every: int = setting(
        10, "A_t is kept with every so many draws, which classifying new objects needs; 0 keeps none."
    )
    spread_epochs: bool = setting(
        False,
        "Whether every time is updated by itself, given those before and after it, so that times can be on different "
        "machines. Clusters are then split and merged at one time, never along a lineage. Only the paper's model.",
        option="--spread-epochs",
        option_help="Update every time by itself, given those before and after it, so that times can be on different "
        "machines. Clusters are then split and merged at one time, never along a lineage.",
    )
    seed: int = setting(0, "Random seed.", option="--seed")

    def check_together(self) -> None:
        """Fill in the warm-up, which contains the uncoupled sweeps."""
        if self.n_warmup is None:
            object.__setattr__(self, "n_warmup", WARMUP if self.automatic else WARMUP_OF_FIXED)
        if self.n_uncoupled is not None and self.n_uncoupled > self.n_warmup:
            limit = Setting("n_warmup", self.n_warmup)
            raise SettingsError([Setting("n_uncoupled"), " must not exceed ", limit, f", but is {self.n_uncoupled!r}"])

    @property
    def automatic(self) -> bool:
        """True if the run ends when its chains agree."""
        return self.n_draws is None

    @property
    def most_draws(self) -> int:
        """Draws of one chain after warm-up, at most, with those that will be discarded."""
        return self.max_draws if self.n_draws is None else (self.n_discarded or 0) + self.n_draws

    @property
    def n_sweeps(self) -> int:
        """Sweeps of one chain in all, at most."""
        return self.n_warmup + self.most_draws * self.thin

    @property
    def n_apart(self) -> int:
        """Uncoupled sweeps at the start of warm-up; none if the user gave labels."""
        if not isinstance(self.init, str):
            return 0
        return min(50, self.n_warmup // 4) if self.n_uncoupled is None else self.n_uncoupled


@documented
@dataclass(frozen=True)
class AnswerSettings(Settings):
    """How draws become answers.

    Examples
    --------
    >>> from tetiwd import Analysis, AnswerSettings, SamplerSettings, run_chains, DistanceSeries, simulate_separated
    >>> series = DistanceSeries.from_distances(simulate_separated(seed=1).D, squared=True)
    >>> sample = run_chains(series, settings=SamplerSettings(n_chains=2, n_warmup=50, n_draws=50))
    >>> Analysis(sample, AnswerSettings(loss="binder", level=0.8)).clustering.loss
    'binder'
    """

    table = "answers"
    group = "Answers"
    loss: str = setting(
        "auto",
        "Loss that the point estimate minimises: variation of information, Binder's loss, or one minus the adjusted "
        'Rand index. "auto" is variation of information, except at times that it leaves in one cluster: these are '
        "divided if the draws agree on how.",
        option="--loss",
        choices=LOSSES,
    )
    at_most: AtMost = setting(
        None,
        'Upper limit on clusters per time in the point estimate: a number, or "median" for as many as the median draw '
        "has. If not given, there is none.",
        option="--at-most",
        check=check_at_most,
        parse=lambda text: int(text) if text.isdecimal() else text,
        metavar="NUMBER|median",
    )
    min_size: int = setting(
        2,
        "Smallest cluster: objects of a lineage that is never as large at any time are reported as unassigned. 1 "
        "makes every object part of a cluster.",
        option="--min-size",
        least=1,
    )
    links: str = setting(
        "auto",
        'How clusters are linked into lineages: by the "model", by shared "objects", or by "place" (distances between '
        'times); "auto" takes objects, else places, else the model.',
        option="--links",
        choices=LINKS,
    )
    level: float = setting(LEVEL, "Probability of all intervals.", option="--level", share=True)
    n_next: int | None = setting(
        None, "Objects expected at the next time. If not given, as many as at the last.", option="--n-next", least=1
    )
