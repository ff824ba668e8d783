"""The simulated data of every experiment."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

from tetiwd.errors import SettingsError
from tetiwd.model import (
    Simulation,
    simulate_independent,
    simulate_overlapping,
    simulate_separated,
    simulate_unequal,
)
from tetiwd_experiments.baselines.methods import MOVING, OURS

Protocol = Literal["paper", "fresh"]


@dataclass(frozen=True)
class Design:
    """An experiment: one or several kinds of data, and how often they are drawn anew."""

    name: str
    story: str
    variants: dict[str, Callable[[int], Simulation]]  # a seed in, data out
    protocols: tuple[Protocol, ...] = ("paper", "fresh")
    methods: tuple[str, ...] | None = None  # unless others are asked for; None for all
    reference: str = OURS  # the method that is compared with the others
    by_step: bool = False  # variants are sizes and steps, and are shown together


HOSPITAL, SMALLER = (704, 170, 123), (400, 60, 40)
STEPS = (0.0, 0.25, 0.5, 1.0)


def _unequal() -> dict[str, Callable[[int], Simulation]]:
    return {
        f"{'/'.join(map(str, sizes))} {kind}": partial(
            simulate_unequal, n_by_epoch=sizes, independent=kind == "independent"
        )
        for sizes in (HOSPITAL, SMALLER)
        for kind in ("model", "independent")
    }


def _moving() -> dict[str, Callable[[int], Simulation]]:
    """Equal and unequal epochs of clusters that stay (step 0), move, or are elsewhere at every epoch (step 1)."""
    variants: dict[str, Callable[[int], Simulation]] = {}
    for step in STEPS:
        for n in (30, 60, 200):
            variants[f"5×{n}, step {step:g}"] = partial(simulate_independent, n_by_epoch=(n,) * 5, step=step)
        for sizes in (SMALLER, HOSPITAL):
            variants[f"{'/'.join(map(str, sizes))}, step {step:g}"] = partial(
                simulate_unequal, n_by_epoch=sizes, independent=True, step=step
            )
    return variants


DESIGNS = {
    design.name: design
    for design in (
        Design(
            "separated",
            "3 well separated clusters, 5 epochs of 20 objects in 100 dimensions, from the model",
            {"separated": simulate_separated},
        ),
        Design(
            "overlapping",
            "5 highly overlapping clusters, 5 epochs of 200 objects in 40 dimensions, from the model",
            {"overlapping": simulate_overlapping},
        ),
        Design(
            "independent",
            "5 highly overlapping Gaussian clusters whose centres move, 5 epochs of 200 objects in 40 dimensions",
            {"independent": simulate_independent},
        ),
        Design(
            "unequal",
            "6 highly overlapping clusters in 40 dimensions, 3 epochs of unequal size, from the model and independent",
            _unequal(),
            protocols=("fresh",),
        ),
        Design(
            "moving",
            "5 or 6 highly overlapping Gaussian clusters whose centres stay, move a little, or jump, in 40 dimensions",
            _moving(),
            protocols=("fresh",),
            methods=(MOVING, "pooled TIWD", OURS, "static TIWD", "Te-Gauss"),
            reference=MOVING,
            by_step=True,
        ),
        Design(
            "control",
            "an easy case: 3 Gaussian clusters far apart, 3 epochs of 100 objects",
            {
                "control": partial(
                    simulate_independent, n_by_epoch=(100,) * 3, n_clusters=3, n_dimensions=10, variance=0.05, step=0.1
                )
            },
            protocols=("fresh",),
        ),
    )
}


def design_named(name: str) -> Design:
    """The design of this name."""
    if name not in DESIGNS:
        raise SettingsError(f"there is no experiment {name!r}", f"there are {', '.join(DESIGNS)}")
    return DESIGNS[name]
