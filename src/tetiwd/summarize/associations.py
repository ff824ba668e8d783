"""What distinguishes a lineage: covariates of its members against those of everybody else.

Every object counts once. It is a member if it has ever been in the lineage, with the mean of its values while it was
there; anybody else counts with the mean at all times. Values are compared within times: numbers and dates by their
ranks among the objects of a time, and members only with others who were first seen at the same time, so that what
changes for everybody distinguishes nobody. Effects are Cliff's delta for numbers and dates, the difference of shares
for categories, and the hazard ratio for survival.

p values are those of permutation tests on the clustering, which has not seen the covariates; q values control the false
discovery rate over all rows of the table. Intervals are posterior, by the Bayesian bootstrap in every draw, so that
they hold both chance and uncertain membership.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data.metadata import Covariate, Metadata
from tetiwd.errors import DataError, Setting, SettingsError
from tetiwd.params import LEVEL, check_share
from tetiwd.partitions import evenly_spaced
from tetiwd.summarize.alignment import Alignment
from tetiwd.summarize.appearances import Appearances
from tetiwd.summarize.bootstrap import interval, weighted_difference
from tetiwd.summarize.permutation import FEWEST, compare_within, q_values, ranks_within
from tetiwd.summarize.strata import Strata
from tetiwd.summarize.survival import log_rank

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
FEWEST_DRAWS, MOST_DRAWS = 50, 200  # that intervals are made of
MOST_VALUES = 10**8  # times draws, for a lineage
COLUMNS = (
    "covariate", "value", "lineage", "members", "others", "here", "elsewhere",
    "measure", "effect", "lower", "upper", "p", "q",
)  # fmt: skip
DELTA, DIFFERENCE, RATIO = "Cliff's delta", "difference of shares", "hazard ratio"


@dataclass(frozen=True, eq=False, repr=False)
class Associations:
    """Comparisons of every lineage with the rest, for every covariate."""

    rows: "pd.DataFrame"
    level: float
    remarks: tuple[str, ...] = ()

    def table(self) -> "pd.DataFrame":
        """One row per covariate (and word of a category) and lineage.

        ``members`` and ``others`` count objects whose value is known. ``here`` and ``elsewhere`` are medians of
        numbers (of dates in days since year 1), shares of a category, or events per unit of time. ``effect`` is of the
        kind ``measure`` says, with an interval from ``lower`` to ``upper``; ``q`` is the false discovery rate at which
        the row would be listed.
        """
        return self.rows.copy()

    def found(self, rate: float = 0.1) -> "pd.DataFrame":
        """Rows whose q value is at most so large, the smallest first."""
        check_share("rate", rate)
        return self.rows[self.rows.q <= rate].sort_values("q", kind="stable", ignore_index=True)

    def __repr__(self) -> str:
        return f"Associations({len(self.rows)} comparisons, {len(self.found())} with q ≤ 0.1)"


def associations(
    alignment: Alignment,
    metadata: Metadata,
    covariates: Sequence[str] | None = None,
    *,
    survival: tuple[str, str] | None = None,
    level: float = LEVEL,
    seed: int = 0,
) -> Associations:
    """Compare every lineage with the rest.

    Parameters
    ----------
    alignment : Alignment
        The draws matched with a clustering, from :func:`align`.
    metadata : Metadata
        Columns joined to the objects, from :func:`tetiwd.metadata_for`.
    covariates : sequence of str, optional
        Columns to compare; None for all but those of ``survival``.
    survival : tuple of str, optional
        Two columns: the time until an event or the end of observation, and whether the event happened.
    level : float
        Probability of the intervals.
    seed : int
        Seed of the intervals.

    Returns
    -------
    Associations
        ``table()`` has one row per covariate and lineage with effect, interval, p and q value; ``found(rate)`` those at
        a false discovery rate.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from tetiwd import DistanceSeries, Partitions, align, associations, metadata_for, representative
    >>> labels = np.repeat([0, 1], 20)
    >>> draws = Partitions.from_labels(np.tile(labels, (5, 1)))
    >>> series = DistanceSeries.from_features(labels[:, None] + 0.1 * np.arange(40)[:, None] % 1, time=np.zeros(40))
    >>> table = pd.DataFrame({"when": np.zeros(40), "age": 40 + 10 * labels + np.arange(40) % 5})
    >>> known = metadata_for(series, table, time="when")
    >>> found = associations(align(draws, representative(draws)), known)
    >>> found.table()[["covariate", "lineage", "q"]].round(3)
      covariate  lineage    q
    0       age        0  0.0
    1       age        1  0.0
    """
    import pandas as pd

    check_share("level", level)
    chosen = [name for name in metadata.names if name not in (survival or ())] if covariates is None else covariates
    columns, remarks = [], []
    for name in chosen:
        column = metadata.covariate(name)
        if column.kind == "names":
            remarks.append(f"{name} has {len(column.levels)} different words, too many to compare")
        else:
            columns.append(column)
    work = _Work(alignment, Appearances.of(alignment.partitions), level, seed)
    rows = work.compared(columns)
    if survival is not None:
        rows += work.survived(metadata, *_two_names(survival))
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    table["q"] = q_values(table.p.to_numpy(dtype=float))
    return Associations(table, level, tuple(remarks))


def _two_names(survival: Any) -> tuple[str, str]:
    if isinstance(survival, str) or len(survival) != 2:
        fault = f" must be two columns, the time and whether the event happened, not {survival!r}"
        raise SettingsError([Setting("survival"), fault])
    return survival[0], survival[1]


@dataclass(frozen=True, eq=False)
class _Work:
    """What all comparisons of one alignment share."""

    alignment: Alignment
    appearances: Appearances
    level: float
    seed: int

    @cached_property
    def strata(self) -> Strata:
        """Objects that were first seen at the same time."""
        return Strata.of(self.appearances.first)

    def compared(self, columns: Sequence[Covariate]) -> list[dict[str, Any]]:
        """Rows of all covariates: per lineage, and per word of a category."""
        contrasts = [contrast for column in columns for contrast in self._contrasts(column)]
        if not contrasts:
            return []
        scores = np.column_stack([contrast.scores for contrast in contrasts])
        factor = np.array([1.0 if contrast.is_share else 2.0 for contrast in contrasts])  # from ranks to Cliff's delta
        by_lineage = []
        for g in range(self.alignment.n_lineages):
            member = self.alignment.clustering.flat[:, None] == g
            inside, values = self.appearances.ever(member), self.appearances.one_value_each(scores, member)
            found = compare_within(values, inside, self.strata)
            effect = np.clip(factor * found.difference, -1, 1)  # ranks among all, means of some: may overshoot
            ends = np.clip(factor * self._interval(scores, g, contrasts), -1, 1)
            lower, upper = np.where(np.isfinite(effect), ends, np.nan)
            by_lineage.append((member[:, 0], inside[:, 0], values, found, effect, lower, upper))
        rows = []
        for c, contrast in enumerate(contrasts):
            for g, (member, inside, values, found, effect, lower, upper) in enumerate(by_lineage):
                here, elsewhere = self._shown(contrast, values[:, c], member, inside)
                rows.append(
                    {
                        "covariate": contrast.column.name,
                        "value": contrast.word,
                        "lineage": g,
                        "members": int(found.n_inside[c]),
                        "others": int(found.n_outside[c]),
                        "here": here,
                        "elsewhere": elsewhere,
                        "measure": DIFFERENCE if contrast.is_share else DELTA,
                        "effect": effect[c],
                        "lower": lower[c],
                        "upper": upper[c],
                        "p": found.p[c],
                    }
                )
        return rows

    def _contrasts(self, column: Covariate) -> list["_Contrast"]:
        """What is compared of a covariate: every word, yes, or ranks within times."""
        if column.kind == "category":
            is_word = np.where(column.known[:, None], column.values[:, None] == np.arange(len(column.levels)), np.nan)
            return [_Contrast(column, word, is_word[:, c]) for c, word in enumerate(column.levels)]
        if column.kind == "yes or no":
            return [_Contrast(column, "yes", column.values)]
        return [_Contrast(column, "", ranks_within(column.values[:, None], self.appearances.epoch)[:, 0])]

    def _shown(self, contrast: "_Contrast", values: Floats, member: Bools, inside: Bools) -> tuple[float, float]:
        """Share or median among members, and among everybody else."""
        if contrast.is_share:
            here, elsewhere = (values[some & np.isfinite(values)] for some in (inside, ~inside))
            return _or_nan(np.mean, here), _or_nan(np.mean, elsewhere)
        known, others = contrast.column.known, ~inside[self.appearances.who]
        here, elsewhere = (contrast.column.values[some & known] for some in (member, others))
        return _or_nan(np.median, here), _or_nan(np.median, elsewhere)

    def _interval(self, scores: Floats, lineage: int, contrasts: "Sequence[_Contrast]") -> Floats:
        """Ends of the interval of the difference for every column of scores, (2, m)."""
        rng = np.random.default_rng([self.seed, lineage])
        draws = self._draws(max(FEWEST_DRAWS, min(MOST_DRAWS, MOST_VALUES // scores.size)))
        ends = np.array([(0.0, 1.0) if contrast.is_share else (-0.5, 0.5) for contrast in contrasts]).T
        drawn = np.full((len(draws), scores.shape[1]), np.nan)
        for i, s in enumerate(draws):
            member = self.alignment.words[s][:, None] == lineage
            inside = self.appearances.ever(member)
            if inside.any() and not inside.all():
                values = self.appearances.one_value_each(scores, member)
                drawn[i] = weighted_difference(values, inside[:, 0], self.strata, ends, rng)
        return interval(drawn, self.level)

    def survived(self, metadata: Metadata, time: str, event: str) -> list[dict[str, Any]]:
        """Rows about the time until an event, which an object has once."""
        t, e, use = self._times_and_events(metadata, time, event)
        first, k = self.appearances.first[use], self.alignment.n_lineages
        inside = self._ever_in_each(self.alignment.clustering.flat)[use]
        found = log_rank(t, e, inside, first)
        rng = np.random.default_rng([self.seed, k])
        draws = self._draws(MOST_DRAWS)
        drawn = np.full((len(draws), k), np.nan)
        for i, s in enumerate(draws):
            at_draw = log_rank(t, e, self._ever_in_each(self.alignment.words[s])[use], first)
            spread = 1 / np.sqrt(np.where(at_draw.variance > 0, at_draw.variance, np.nan))
            drawn[i] = at_draw.log_ratio + rng.normal(size=k) * spread
        members = inside.sum(axis=0)
        tested = (np.minimum(members, len(t) - members) >= FEWEST) & (found.variance > 0)
        lower, upper = np.where(tested, np.exp(interval(drawn, self.level)), np.nan)
        effect, p = np.where(tested, [np.exp(found.log_ratio), found.p], np.nan)
        return [
            {
                "covariate": time,
                "value": event,
                "lineage": g,
                "members": int(members[g]),
                "others": len(t) - int(members[g]),
                "here": _rate(t, e, inside[:, g]),
                "elsewhere": _rate(t, e, ~inside[:, g]),
                "measure": RATIO,
                "effect": effect[g],
                "lower": lower[g],
                "upper": upper[g],
                "p": p[g],
            }
            for g in range(k)
        ]

    def _times_and_events(self, metadata: Metadata, time: str, event: str) -> tuple[Floats, Bools, Bools]:
        """Of the objects for which both are known, and which objects these are."""
        duration, happened = metadata.covariate(time), metadata.covariate(event)
        if duration.kind not in ("number", "yes or no") or (duration.values[duration.known] < 0).any():
            raise DataError(f"{time!r} must hold the time until the event, as a number", ["see ", Setting("survival")])
        if happened.kind != "yes or no":
            raise DataError(f"{event!r} must say whether the event happened", "write 1 or 0")
        both = np.column_stack([duration.values, happened.values])
        values = self.appearances.one_value_each(both, np.zeros((len(both), 1), dtype=bool))
        known = np.isfinite(both)
        if (np.abs(both - values[self.appearances.who])[known] > 1e-9 * np.abs(both[known])).any():
            raise DataError(f"{time!r} and {event!r} differ between the rows of one object", "give it one time")
        use = np.asarray(np.isfinite(values).all(axis=1))
        return values[use, 0], np.asarray(values[use, 1] == 1), use

    def _draws(self, n: int) -> NDArray[np.int64]:
        """So many draws, evenly spaced; repeated if there are fewer."""
        return np.resize(evenly_spaced(self.alignment.n_draws, n), n)

    def _ever_in_each(self, lineage: NDArray[Any]) -> Bools:
        """Which objects are ever in which lineage? (n_objects, n_lineages)."""
        ever = np.zeros((self.appearances.n_objects, self.alignment.n_lineages + 1), dtype=bool)
        ever[self.appearances.who, lineage] = True  # −1 is the last one
        return ever[:, :-1]


@dataclass(frozen=True, eq=False)
class _Contrast:
    """Scores of a covariate, or of one word of a category, that are compared."""

    column: Covariate
    word: str
    scores: Floats  # (N,)

    @property
    def is_share(self) -> bool:
        """True if means of scores are shares, False if they are ranks."""
        return self.column.kind in ("category", "yes or no")


def _or_nan(summary: Any, values: Floats) -> float:
    return float(summary(values)) if len(values) else np.nan


def _rate(duration: Floats, event: Bools, some: Bools) -> float:
    """Events per unit of time."""
    total = duration[some].sum()
    return float(event[some].sum() / total) if total > 0 else np.nan
