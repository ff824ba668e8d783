"""Outcomes by lineage: how often something happens to the members of every lineage, with credible intervals.

In every draw the members of a lineage with and without the outcome are counted, and a rate is drawn from the Beta
posterior of those counts; so intervals hold both the uncertainty of a rate in a small group and that of who is in it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.errors import DataError, SettingsError
from tetiwd.params import LEVEL, check_positive, check_share
from tetiwd.summarize.alignment import Alignment
from tetiwd.summarize.coclustering import check_epoch

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
N_RATES = 20_000  # in all, at least


@dataclass(frozen=True, eq=False, repr=False)
class Outcomes:
    """Rates by lineage."""

    name: str
    level: float
    events: NDArray[np.int64]  # (n_lineages,) in the clustering
    members: NDArray[np.int64]  # (n_lineages,) with a known outcome
    rates: Floats  # (draws of rates, n_lineages)
    rest: Floats  # the same for everybody else

    def table(self) -> "pd.DataFrame":
        """One row per lineage: events, members, the rate with its interval, and whether it is higher than elsewhere."""
        import pandas as pd

        tail = (1 - self.level) / 2
        lower, upper = np.quantile(self.rates, [tail, 1 - tail], axis=0)
        return pd.DataFrame(
            {
                "lineage": np.arange(len(self.events)),
                "events": self.events,
                "members": self.members,
                "rate": self.rates.mean(axis=0),
                "lower": lower,
                "upper": upper,
                "probability_higher_than_rest": (self.rates > self.rest).mean(axis=0),
            }
        )

    def __repr__(self) -> str:
        return f"Outcomes({self.name}: {self.rates.shape[1]} lineages, {self.events.sum()} events)"


def outcomes_by_lineage(
    alignment: Alignment,
    outcome: Mapping[Any, Any] | Sequence[Any],
    *,
    name: str = "outcome",
    t: int | None = None,
    prior: tuple[float, float] = (0.5, 0.5),
    level: float = LEVEL,
    seed: int = 0,
) -> Outcomes:
    """Rates of a yes-or-no outcome by lineage.

    Parameters
    ----------
    alignment : Alignment
        The draws matched with a clustering, from :func:`align`.
    outcome : mapping or sequence
        By id, {id: True or False}: every object counts once in a lineage it has ever been in (needs ids). Or one array
        per epoch: every appearance counts. 1, 0, True, False; None or NaN where it is not known, and ids left out, do
        not count.
    name : str
        Name of the outcome, for tables.
    t : int, optional
        Epoch to look at by itself; None for all.
    prior : tuple of float
        Of a rate: Beta(a, b); Jeffreys' by default.
    level : float
        Probability of the intervals.
    seed : int
        Seed of the intervals.

    Returns
    -------
    Outcomes
        ``table()`` has one row per lineage with events, members, rate and interval.

    Examples
    --------
    >>> from tetiwd import Partitions, align, representative, outcomes_by_lineage
    >>> draws = Partitions.from_labels(
    ...     [
    ...         [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1]],  # three draws at the first time
    ...         [[0, 0, 0, 0, 1, 1], [0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 1]],
    ...     ],
    ...     times=[2020, 2021],
    ...     ids=[list("abcdef"), list("abcdef")],
    ... )
    >>> alignment = align(draws, representative(draws))
    >>> ill = {"a": True, "b": True, "c": False, "d": False, "e": False, "f": False}
    >>> outcomes_by_lineage(alignment, ill).table()[["lineage", "events", "members"]]
       lineage  events  members
    0        0       2        4
    1        1       0        3
    """
    check_share("level", level)
    if np.shape(prior) != (2,):
        raise SettingsError(f"prior must be the two numbers of a Beta distribution, not {prior!r}")
    for number in prior:
        check_positive("prior", number)
    partitions = alignment.partitions
    t = None if t is None else check_epoch(t, partitions.n_epochs)
    values, who = _by_column(partitions.ids, outcome, partitions.n_objects)
    chosen = np.isfinite(values)
    if t is not None:
        here = np.zeros(len(values), dtype=bool)
        here[partitions.columns[t]] = True
        chosen &= here
    if not chosen.any():
        raise DataError(f"no outcome of {name!r} is known for any of these objects; look at ids and missing values")
    values, who, words = values[chosen], who[chosen], alignment.words[:, chosen]
    k = alignment.n_lineages
    ever = _ever(np.concatenate([alignment.clustering.flat[chosen][None], words]), who, k)
    happened = np.zeros(int(who.max()) + 1)
    happened[who] = values
    known = np.zeros_like(happened)
    known[who] = 1
    events, members = ever @ happened, ever @ known
    rng = np.random.default_rng(seed)
    n_each = -(-N_RATES // alignment.n_draws)
    y, n = np.repeat(events[1:], n_each, axis=0), np.repeat(members[1:], n_each, axis=0)
    a, b = prior
    rates = rng.beta(a + y, b + n - y)
    rest = rng.beta(a + happened.sum() - y, b + (known.sum() - n) - (happened.sum() - y))
    return Outcomes(name, level, events[0].astype(np.int64), members[0].astype(np.int64), rates, rest)


def _ever(words: NDArray[Any], who: NDArray[np.int64], k: int) -> Floats:
    """Has an object ever been in a lineage? (draws, lineages, objects)."""
    ever = np.zeros((len(words), k + 1, int(who.max()) + 1))
    ever[np.arange(len(words))[:, None], words, who[None, :]] = 1  # −1, others, is the last one
    return ever[:, :-1]


def _by_column(
    ids: tuple[NDArray[Any], ...] | None, outcome: Any, n_objects: Sequence[int]
) -> tuple[Floats, NDArray[np.int64]]:
    """Outcome of every object of every epoch, NaN where unknown, and a number for who it is."""
    if isinstance(outcome, Mapping):
        if ids is None:
            raise DataError("outcomes by id need ids; give one array per epoch, or make the series with ids")
        everybody = [id for epoch in ids for id in epoch.tolist()]
        number = {id: i for i, id in enumerate(dict.fromkeys(everybody))}
        if not number.keys() & outcome.keys():
            raise DataError(f"no id of the data has an outcome; the data have {everybody[0]!r}, for example")
        who = np.array([number[id] for id in everybody])
        return np.array([_as_number(outcome.get(id)) for id in everybody]), who
    if len(outcome) != len(n_objects) or any(
        np.shape(values) != (n,) for values, n in zip(outcome, n_objects, strict=True)
    ):
        raise DataError(f"outcomes must be one array per epoch with {tuple(n_objects)} entries, or a dict by id")
    flat = [_as_number(value) for epoch in outcome for value in epoch]
    return np.array(flat), np.arange(len(flat))


def _as_number(value: Any) -> float:
    import pandas as pd

    if np.ndim(value) == 0 and pd.isna(value):
        return np.nan
    if value in (0, 1):
        return float(value)
    raise DataError(f"an outcome is True or False, 1 or 0, or missing; found {value!r}")
