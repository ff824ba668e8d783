"""Which data sets an experiment draws, and with which seeds; a repeat is one data set and all methods."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from tetiwd.errors import SettingsError
from tetiwd.params import check_seed, check_whole
from tetiwd_experiments.baselines.methods import METHODS, OURS, methods_named
from tetiwd_experiments.baselines.wishart import Effort
from tetiwd_experiments.defaults import FULL, N_DRAWS, N_WARMUP
from tetiwd_experiments.designs import DESIGNS, Design, Protocol, design_named


@dataclass(frozen=True)
class Repeat:
    """One data set to be clustered by every method."""

    design: str
    variant: str
    protocol: Protocol
    number: int
    data_seed: int
    effort: Effort  # with the seed of whatever is random in a method
    methods: tuple[str, ...]

    @property
    def name(self) -> str:
        """A name for a file."""
        variant = list(DESIGNS[self.design].variants).index(self.variant) + 1
        return f"{self.design}-{variant}-{self.protocol}-{self.number:03d}"


@dataclass(frozen=True)
class Plan:
    """Everything that decides the results of an experiment.

    Parameters
    ----------
    design
        "separated", "overlapping", "independent", "unequal", "moving" or "control".
    n_repeats
        Repeats of every variant and protocol.
    protocols
        "paper" takes one data set and repeats what is random in the methods; "fresh" draws a data set per repeat.
        None for both, or what suits the design.
    methods
        Names of methods; ours is always among them. None for those of the design, which are all unless it says so.
    n_warmup, n_draws
        Sweeps of every sampler before and after recording begins.
    seed
        Data set i has seed 1000 · seed + i, and the samplers that look at it 1000 · (seed + 1) + i.
    """

    design: str
    n_repeats: int = FULL
    protocols: tuple[Protocol, ...] | None = None
    methods: tuple[str, ...] | None = None
    n_warmup: int = N_WARMUP
    n_draws: int = N_DRAWS
    seed: int = 0

    def __post_init__(self) -> None:
        check_seed(self.seed)
        for name, least in (("n_repeats", 2), ("n_warmup", 0), ("n_draws", 2)):
            check_whole(name, getattr(self, name), least)
        object.__setattr__(self, "protocols", tuple(self.protocols or self.of_design.protocols))
        _check_names("protocol", self.protocols or (), ("paper", "fresh"))
        names = tuple(method.name for method in methods_named(self.methods or self.of_design.methods or tuple(METHODS)))
        object.__setattr__(self, "methods", names)

    @property
    def of_design(self) -> Design:
        """What is simulated."""
        return design_named(self.design)

    @property
    def reference(self) -> str:
        """The method that is compared with the others: the design's, or ours if that does not run."""
        wanted = self.of_design.reference
        return wanted if wanted in (self.methods or ()) else OURS

    def repeats(self) -> list[Repeat]:
        """Everything to do; repeats are the outer loop, so that partial results are balanced."""
        repeats = []
        for number in range(self.n_repeats):
            effort = Effort(self.n_warmup, self.n_draws, seed=1000 * (self.seed + 1) + number)
            for variant in self.of_design.variants:
                for protocol in self.protocols or ():
                    data_seed = 1000 * self.seed + (number if protocol == "fresh" else 0)
                    methods = self.methods or ()
                    repeats.append(Repeat(self.design, variant, protocol, number, data_seed, effort, methods))
        return repeats

    def to_dict(self) -> dict[str, Any]:
        """As a settings file has it."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in vars(self).items()}

    @classmethod
    def from_dict(cls, settings: dict[str, Any]) -> "Plan":
        """From a settings file, which may say more."""
        known: dict[str, Any] = {field.name: settings[field.name] for field in fields(cls)}
        return cls(**known | {name: tuple(value) for name, value in known.items() if isinstance(value, list)})


def _check_names(what: str, names: Sequence[str], known: Sequence[str]) -> None:
    unknown = [name for name in names if name not in known]
    if unknown:
        raise SettingsError(f"there is no {what} {unknown[0]!r}", f"there are {', '.join(known)}")
