"""A state that has the objects and data of some epochs only; of the others it knows the clusters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tetiwd.data.negative_type import Kind
from tetiwd.state import ChainState

NOTHING = np.empty((0, 0))


@dataclass(frozen=True)
class Part:
    """What a state needs to know of a series, with the data of some epochs."""

    kind: Kind
    unit: float
    n_objects: tuple[int, ...]
    data: Mapping[int, Any]
    ties: ClassVar[None] = None  # constraints and hosts exclude each other

    @property
    def n_epochs(self) -> int:
        """Number of epochs T."""
        return len(self.n_objects)

    @property
    def matrices(self) -> tuple[Any, ...]:
        """The data of every epoch; nothing where they are elsewhere."""
        return tuple(self.data.get(t, NOTHING) for t in range(self.n_epochs))


class PartialState(ChainState):
    """A state with the data of some epochs.

    Parameters
    ----------
    part
        The series, as far as it is here.
    labelled
        Epochs whose labels are kept here; those with data by default.
    """

    def __init__(self, part: Part, labelled: Sequence[int] | None = None) -> None:
        self._held: list[int] = []  # nothing is added up before labels are known
        known = set(part.data) if labelled is None else set(labelled)
        labels = [np.zeros(n if t in known else 0, dtype=np.int64) for t, n in enumerate(part.n_objects)]
        super().__init__(part, labels, unit=part.unit)  # type: ignore[arg-type]  # all that it asks of a series
        self._held = sorted(part.data)

    @property
    def held(self) -> Sequence[int]:
        """Epochs whose objects and data are here."""
        return self._held
