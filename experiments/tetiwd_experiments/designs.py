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

Protocol = Literal["paper", "fresh"]


@dataclass(frozen=True)
class Design:
    """An experiment: one or several kinds of data, and how often they are drawn anew."""

    name: str
    story: str
    variants: dict[str, Callable[[int], Simulation]]  # a seed in, data out
    protocols: tuple[Protocol, ...] = ("paper", "fresh")


HOSPITAL, SMALLER = (704, 170, 123), (400, 60, 40)


def _unequal() -> dict[str, Callable[[int], Simulation]]:
    return {
        f"{'/'.join(map(str, sizes))} {kind}": partial(
            simulate_unequal, n_by_epoch=sizes, independent=kind == "independent"
        )
        for sizes in (HOSPITAL, SMALLER)
        for kind in ("model", "independent")
    }


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
