"""Who is who: every appearance of an object at a time, and the object that appears.

Where ids are not known, every appearance counts as an object of its own.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.partitions import Ints, Partitions

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Appearances:
    """All appearances, epoch after epoch."""

    epoch: Ints  # (N,) when
    who: Ints  # (N,) the object, from 0

    @classmethod
    def of(cls, partitions: Partitions) -> "Appearances":
        """Those of the objects that were divided."""
        epoch = np.repeat(np.arange(partitions.n_epochs), partitions.n_objects)
        if partitions.ids is None:
            return cls(epoch, np.arange(len(epoch)))
        number: dict[Any, int] = {}
        return cls(epoch, np.array([number.setdefault(id, len(number)) for at in partitions.ids for id in at.tolist()]))

    @property
    def n_objects(self) -> int:
        """Different objects."""
        return int(self.who.max()) + 1

    @cached_property
    def first(self) -> Ints:
        """The epoch at which every object is seen first, (n_objects,)."""
        first = np.full(self.n_objects, self.epoch.max())
        np.minimum.at(first, self.who, self.epoch)
        return first

    @cached_property
    def _of_object(self) -> Any:
        from scipy.sparse import csr_array

        ones, N = np.ones(len(self.who)), len(self.who)
        return csr_array((ones, (self.who, np.arange(N))), shape=(self.n_objects, N))

    def sums(self, values: NDArray[Any]) -> Floats:
        """Sums over the appearances of every object, (n_objects, …) from (N, …)."""
        if self.n_objects == len(self.who):  # nobody returns, and objects are numbered in their order
            return np.asarray(values, dtype=float)
        return np.asarray(self._of_object @ np.asarray(values, dtype=float))

    def ever(self, member: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which objects are ever a member? (n_objects, …) from (N, …)."""
        return self.sums(member) > 0

    def one_value_each(self, scores: Floats, member: NDArray[np.bool_]) -> Floats:
        """One value per object: its mean while it is a member, or at all times if it never is; NaN where unknown.

        (n_objects, m) from the scores of all appearances (N, m), NaN where they are unknown; members are (N, m), or
        (N, 1) if they are the same for all columns.
        """
        counted = (member | ~self.ever(member)[self.who]) & np.isfinite(scores)
        n = self.sums(counted)
        return self.sums(np.where(counted, scores, 0.0)) / np.where(n > 0, n, np.nan)
