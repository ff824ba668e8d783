"""What changed between two runs: lineages, the objects in them, and how much the clusters of every time agree.

Lineages of two runs are matched by the objects that they have in common, whatever their numbers. Clusters of a time are
compared by the adjusted Rand index and the variation of information, over the objects that both runs have. Intervals
come from pairs of draws, one of each run.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.analysis import Analysis
from tetiwd.errors import DataError
from tetiwd.partitions import Ints, numbered
from tetiwd.summarize.clustering import UNASSIGNED, each_alone
from tetiwd.summarize.losses import ARI, VI, losses_to_draws
from tetiwd.summarize.naming import matched, names_of, places_of

if TYPE_CHECKING:
    import pandas as pd

N_PAIRS = 200  # of draws, from which intervals come


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two runs side by side; the first is the earlier one. Tables are pandas DataFrames."""

    first: Analysis
    second: Analysis

    def __post_init__(self) -> None:
        if not self._common:
            raise DataError(
                "the two runs have no objects in common",
                "objects are matched by id, by row if a time has as many objects as before, or by features",
            )

    def times(self) -> "pd.DataFrame":
        """One row per time of either run: objects, clusters, and how much both clusterings agree.

        ``ari`` and ``vi`` compare the two point estimates; their intervals compare draws of one run with draws of the
        other. ``clusters`` are those of the point estimates, ``mean_clusters`` of the draws.
        """
        import pandas as pd

        rows = []
        for time in self._times:
            s, t = self._epoch(self.first, time), self._epoch(self.second, time)
            row: dict[str, Any] = {"time": time}
            for which, analysis, epoch in ((1, self.first, s), (2, self.second, t)):
                row |= _size(analysis, epoch, which)
            rows.append(row | self._agreement(s, t))
        return pd.DataFrame(rows)

    def lineages(self) -> "pd.DataFrame":
        """One row per lineage of either run, matched where they share objects.

        ``change`` is "kept" (same number), "renamed", "new" or "lost"; sizes count objects of all times, and ``common``
        those in both runs that both lineages have. A lineage without a partner has ``""`` in its place.
        """
        import pandas as pd

        partner = dict(self.matches)
        one, other = self.first.clustering, self.second.clustering
        rows = []
        for g in one.lineages.tolist():
            h = partner.get(g)
            change = "lost" if h is None else "kept" if g == h else "renamed"
            rows.append((change, g, h, _n(one, g), 0 if h is None else _n(other, h), self._n_common(g, h)))
        new = sorted(set(other.lineages.tolist()) - set(partner.values()))
        rows += [("new", None, h, 0, _n(other, h), 0) for h in new]
        names = ["change", "lineage_1", "lineage_2", "objects_1", "objects_2", "common"]
        shown = [["" if cell is None else cell for cell in row] for row in rows]
        table = pd.DataFrame(shown, columns=names)
        called = {**one.names, **other.names}
        if called:
            numbers = [row[2] if row[2] is not None else row[1] for row in rows]
            table.insert(1, "name", [called[g].name if g in called else "" for g in numbers])
        return table

    def moved(self, *, ids: bool = False) -> "pd.DataFrame":
        """Objects in both runs that are not where the match of their lineage is: one row per time and pair of lineages.

        Each run has numbers of its own. ``expected_lineage_2`` is the lineage of the second run that matches
        ``from_lineage_1``, ``""`` if none does; the objects are in ``to_lineage_2`` instead. −1 stands for unassigned
        objects. ``ids`` adds their ids, or their rows where they have none.
        """
        import pandas as pd

        partner = dict(self.matches)
        rows: list[dict[str, Any]] = []
        for time, s, t, places in self._common:
            here = np.flatnonzero(places >= 0)
            before, after = self.first.clustering.labels[s][places[here]], self.second.clustering.labels[t][here]
            expected = np.array([partner.get(int(g), -2) if g != UNASSIGNED else UNASSIGNED for g in before])
            for g, h in sorted(
                set(zip(before[expected != after].tolist(), after[expected != after].tolist(), strict=True))
            ):
                who = here[(before == g) & (after == h)]
                same = UNASSIGNED if g == UNASSIGNED else partner.get(g, "")
                row = {"time": time, "from_lineage_1": g, "expected_lineage_2": same, "to_lineage_2": h}
                row["objects"] = len(who)
                if ids:
                    known = self.second.sample.series.ids
                    row["ids"] = " ".join(str(x) for x in (who if known is None else known[t][who]).tolist())
                rows.append(row)
        columns = ["time", "from_lineage_1", "expected_lineage_2", "to_lineage_2", "objects", *(["ids"] if ids else [])]
        table = pd.DataFrame(rows, columns=columns)
        one, other = self.first.clustering.names, self.second.clustering.names
        if one or other:
            table.insert(2, "from_name", names_of(table.from_lineage_1, one))
            table.insert(5, "to_name", names_of(table.to_lineage_2, other))
        return table

    def parameters(self) -> "pd.DataFrame":
        """Parameters of both runs, with intervals where they were drawn, and how they were sampled."""
        import pandas as pd

        rows = []
        for name in ("alpha", "new_scale", "xi", "kappa", "df_A", "tau", "rho", "delta"):
            cells = [_interval(analysis, name) for analysis in (self.first, self.second)]
            if any(cells):
                rows.append((name, *cells))
        for name, said in (
            ("dof", lambda a: f"{float(np.median(_dof(a))):.4g}"),
            ("geometry", lambda a: str(a.sample.hyperparameters.geometry)),
            ("unit", lambda a: f"{a.sample.series.unit:.4g}"),
            ("draws", lambda a: str(sum(map(len, a.sample.draws)))),
            ("chains agree", lambda a: "yes" if a.sample.diagnostics.converged else "no"),
        ):
            rows.append((name, said(self.first), said(self.second)))
        return pd.DataFrame(rows, columns=["parameter", "run_1", "run_2"])

    @cached_property
    def matches(self) -> list[tuple[int, int]]:
        """Lineages of the first run and of the second that are the same."""
        return matched(*self.labels)

    @cached_property
    def labels(self) -> tuple[Ints, Ints]:
        """Lineages in both runs of all objects that both have."""
        mine, theirs = [], []
        for _, s, t, places in self._common:
            here = np.flatnonzero(places >= 0)
            mine.append(self.first.clustering.labels[s][places[here]])
            theirs.append(self.second.clustering.labels[t][here])
        return np.concatenate(mine), np.concatenate(theirs)

    @cached_property
    def _common(self) -> list[tuple[Any, int, int, Ints]]:
        """Times that both have, their epochs, and the places of the second run's objects among those of the first."""
        one, other = self.first.sample.series, self.second.sample.series
        found = []
        for t, time in enumerate(other.times):
            s = self._epoch(self.first, time)
            places = None if s is None else places_of(other, t, one, s)
            if s is not None and places is not None and (places >= 0).any():
                found.append((time, s, t, places))
        return found

    @property
    def _times(self) -> list[Any]:
        """Times of the first run, then those that only the second has."""
        known = list(map(str, self.first.sample.series.times))
        return [*self.first.sample.series.times, *(t for t in self.second.sample.series.times if str(t) not in known)]

    def _epoch(self, analysis: Analysis, time: Any) -> int | None:
        names = list(map(str, analysis.sample.series.times))
        return names.index(str(time)) if str(time) in names else None

    def _n_common(self, g: int, h: int | None) -> int:
        mine, theirs = self.labels
        return 0 if h is None else int(((mine == g) & (theirs == h)).sum())

    def _agreement(self, s: int | None, t: int | None) -> dict[str, Any]:
        known = next((places for _, one, other, places in self._common if one == s and other == t), None)
        if s is None or t is None or known is None:
            return {"common": 0}
        here = np.flatnonzero(known >= 0)
        one, other = self.first.clustering.labels[s][known[here]], self.second.clustering.labels[t][here]
        mine, theirs = (np.unique(each_alone(labels), return_inverse=True)[1] for labels in (one, other))
        drawn = _pairs(self.first.sample.partitions.at(s)[:, known[here]], self.second.sample.partitions.at(t)[:, here])
        row: dict[str, Any] = {"common": len(here)}
        tail = (1 - self.first.settings.level) / 2
        for loss, flip in ((ARI(), True), (VI(), False)):
            values = np.array([float(losses_to_draws(a, b[None], loss)[0]) for a, b in zip(*drawn, strict=True)])
            point = float(losses_to_draws(mine, theirs[None].astype(np.int32), loss)[0])
            values, point = (1 - values, 1 - point) if flip else (values, point)
            low, high = np.quantile(values, [tail, 1 - tail]).tolist()
            row |= {loss.name: point, f"{loss.name}_lower": low, f"{loss.name}_upper": high}
        return row


def compare(first: Any, second: Any) -> Comparison:
    """What changed from one run to another.

    Parameters
    ----------
    first, second : TeTiWD, TiWD or Analysis
        Two runs: fitted models, or their answers, such as those of :func:`tetiwd.load_run`. Objects are matched by
        their ids, or by their rows at times with equally many objects.

    Returns
    -------
    Comparison
        ``times()``, ``lineages()``, ``moved()`` and ``parameters()`` are tables of what changed.

    Examples
    --------
    >>> from tetiwd import SamplerSettings, TeTiWD, simulate_separated
    >>> short = SamplerSettings(n_chains=2, n_warmup=50, n_draws=50)
    >>> D = simulate_separated(seed=1).D
    >>> model = TeTiWD(squared=True, dof=100, settings=short, random_state=0).fit(D)
    >>> from tetiwd import compare
    >>> other = TeTiWD(squared=True, dof=50, settings=short, random_state=1).fit(D)
    >>> compare(model.analysis_, other.analysis_).times()[["time", "objects_1", "objects_2", "common"]].head(2)
       time  objects_1  objects_2  common
    0     0         20         20      20
    1     1         20         20      20
    """
    return Comparison(_answers_of(first), _answers_of(second))


def _answers_of(run: Any) -> Analysis:
    answers = getattr(run, "analysis_", run)
    if not isinstance(answers, Analysis):
        remedy = "give a fitted model, or load_run(folder); a quick look has no draws to compare"
        raise DataError(f"{run!r} is no run with draws", remedy)
    return answers


def _size(analysis: Analysis, t: int | None, which: int) -> dict[str, Any]:
    if t is None:
        return {f"objects_{which}": 0, f"clusters_{which}": 0, f"mean_clusters_{which}": np.nan}
    drawn = np.concatenate([draws.n_clusters[:, t] for draws in analysis.sample.draws])
    return {
        f"objects_{which}": analysis.sample.series.n_objects[t],
        f"clusters_{which}": analysis.clustering.n_clusters[t],
        f"mean_clusters_{which}": float(drawn.mean()),
    }


def _pairs(mine: NDArray[Any], theirs: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Evenly spaced draws of both runs, as partitions numbered from 0."""
    n = min(N_PAIRS, len(mine), len(theirs))
    rows = [np.linspace(0, len(draws) - 1, n).round().astype(int) for draws in (mine, theirs)]
    return numbered(mine[rows[0]]).astype(np.int64), numbered(theirs[rows[1]])


def _interval(analysis: Analysis, name: str) -> str:
    """Mean and interval of a parameter, "" if the run does not have it."""
    draws = analysis.sample.draws
    if name not in ("alpha", "new_scale", "xi") and name not in draws[0].axes:
        return ""
    values, tail = np.concatenate([one.array(name) for one in draws]), (1 - analysis.settings.level) / 2
    low, high = np.quantile(values, [tail, 1 - tail]).tolist()
    return f"{values.mean():.4g}" if low == high else f"{values.mean():.4g} ({low:.4g} to {high:.4g})"


def _dof(analysis: Analysis) -> tuple[float, ...]:
    return analysis.sample.hyperparameters.dof_by_epoch(analysis.sample.series.n_epochs)


def _n(clustering: Any, lineage: int) -> int:
    return int((clustering.flat == lineage).sum())
