"""What both estimators have in common: from parameters to a run, and from a run to fitted attributes."""

from abc import ABC, abstractmethod
from dataclasses import replace
from html import escape
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from tetiwd.analysis import Analysis
from tetiwd.chains import run_chains
from tetiwd.data import Constraints, DistanceSeries
from tetiwd.data.feature_distances import is_sparse
from tetiwd.data.metrics import Metric
from tetiwd.declare import declarations
from tetiwd.diagnostics import Diagnostics
from tetiwd.errors import DataError, Setting, SettingsError, give, quoted
from tetiwd.mode import check_heeded, find_mode
from tetiwd.mode_analysis import ModeAnalysis
from tetiwd.params import AnswerSettings, Hyperparameters, SamplerSettings, is_whole
from tetiwd.sample import Sample
from tetiwd.summarize.classify import Classification, classify
from tetiwd.summarize.clustering import Clustering
from tetiwd.workflow import names_after

if TYPE_CHECKING:
    import xarray as xr

    from tetiwd.summarize.outcomes import Outcomes

S = TypeVar("S", Hyperparameters, AnswerSettings)
FEWEST_OBJECTS = 3
MODES = ("posterior", "fast")
SAY_SQUARED: list[str | Setting] = [give("squared", True), " or ", Setting("squared", False), "; it is never guessed"]


class NoDrawsError(SettingsError, AttributeError):
    """Something was asked for that only draws can tell."""


def _no_draws(what: str) -> NoDrawsError:
    fault = f'there is no {what}: mode="fast" finds one clustering and takes no draws'
    return NoDrawsError(fault, ["fit with ", Setting("mode", MODES[0])])


class WishartClusterer(ClusterMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """Data in, a run, answers out; no mathematics."""

    metric: Metric
    squared: bool | None
    random_state: Any
    n_jobs: int
    verbose: bool
    settings: SamplerSettings | None
    constraints: Constraints | None
    mode: str
    analysis_: Analysis | ModeAnalysis

    def _given(self, group: type[S]) -> S:
        """Those parameters of the estimator that belong to a group of settings; None stands for the default."""
        parameters = {one.name: getattr(self, one.name, None) for one in declarations(group)}
        return group(**{name: value for name, value in parameters.items() if value is not None})

    def _clustered(self, X: Any, time: Any = None, ids: Any = None, names_from: Any = None) -> Clustering:
        """Fit, and keep what the methods need."""
        model, answers = self._given(Hyperparameters), self._given(AnswerSettings)
        if self.mode not in MODES:
            raise SettingsError(
                [Setting("mode"), f" must be {quoted(MODES[0])} or {quoted(MODES[1])}, not {self.mode!r}"]
            )
        for name in ("analysis_", "n_features_in_", "feature_names_in_"):  # of an earlier fit
            self.__dict__.pop(name, None)
        series, self._rows = self._series(X, time, ids)
        series = series if self.constraints is None else series.bound_by(self.constraints)
        settings = self.settings or SamplerSettings()
        if not isinstance(settings, SamplerSettings):
            raise SettingsError([Setting("settings"), f" must be SamplerSettings or None, not {settings!r}"])
        if self.random_state is not None:
            settings = replace(settings, seed=_seed(self.random_state))
        options: dict[str, Any] = {"n_threads": as_threads(self.n_jobs), "progress": bool(self.verbose)}
        analysis: Analysis | ModeAnalysis
        if self.mode == "fast":
            check_heeded(answers)
            found = find_mode(series, model, settings, **options)
            if found is None:  # Ctrl-C, and there is nothing to keep
                raise KeyboardInterrupt
            analysis = ModeAnalysis(found, answers)
        else:
            names = None if names_from is None else names_after(as_analysis(names_from), series)
            analysis = Analysis(run_chains(series, model, settings, **options), answers, names)
        self.analysis_, self.times_ = analysis, list(series.times)
        return analysis.clustering

    def _features(self, X: Any, *, reset: bool) -> Any:
        """Finite numbers, as scikit-learn checks them, with the names of their columns if these are known.

        Sparse rows (CSR) stay sparse.
        """
        fewest = FEWEST_OBJECTS if reset else 1
        values = validate_data(self, X, reset=reset, dtype=np.float64, accept_sparse="csr", ensure_min_samples=fewest)
        if not hasattr(self, "feature_names_in_") or is_sparse(values):
            return values
        import pandas as pd

        return pd.DataFrame(values, columns=self.feature_names_in_)

    def _from_features(self, X: Any, time: Any, ids: Any) -> tuple[DistanceSeries, Any]:
        """The series of a table of features, and the time of every row; one time if none is given."""
        features = self._features(X, reset=True)
        time = np.zeros(features.shape[0], dtype=int) if time is None else time
        series = DistanceSeries.from_features(features, time=time, metric=self.metric, squared=self.squared, ids=ids)
        return series, time

    def _given_series(
        self, series: DistanceSeries, time: Any, ids: Any
    ) -> tuple[DistanceSeries, list[NDArray[np.intp]]]:
        """A series as it is, and its rows."""
        if time is not None or ids is not None:
            raise DataError("a DistanceSeries has its own times and ids; leave them out")
        return series, one_after_the_other(series)

    @abstractmethod
    def _series(self, X: Any, time: Any, ids: Any) -> tuple[DistanceSeries, list[NDArray[np.intp]]]:
        """The series, and the rows of X that belong to every time."""

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "analysis_")

    def _with_draws(self, what: str) -> Analysis:
        """The analysis, if there are draws that it can tell this from."""
        check_is_fitted(self)
        if isinstance(self.analysis_, ModeAnalysis):
            raise _no_draws(what)
        return self.analysis_

    @property
    def diagnostics_(self) -> Diagnostics:
        """Do the MCMC chains agree?"""
        return self._with_draws("diagnostics_").sample.diagnostics

    @property
    def sample_(self) -> Sample:
        """All draws."""
        return self._with_draws("sample_").sample

    @property
    def posterior_(self) -> "xr.DataTree":
        """All draws as a DataTree in ArviZ's layout."""
        from tetiwd.io.posterior import to_datatree

        return to_datatree(self._with_draws("posterior_").sample)

    @property
    def _unassigned_probability(self) -> list[NDArray[np.float64]]:
        """Probability of every object to be unassigned, T × (n_t,)."""
        check_is_fitted(self)
        return self.analysis_.memberships.unassigned

    @property
    def membership_(self) -> list[NDArray[np.float64]]:
        """Probability of every object for every lineage at its time, and, in the last column, for another cluster.

        T × (n_t, n_lineages + 1). With ``mode="fast"`` all other objects stay where they are, so that these say less
        than the probabilities of a posterior.
        """
        check_is_fitted(self)
        return self.analysis_.memberships.probabilities

    def _takes_draws(self) -> bool:
        """True if new objects can be classified, which needs draws."""
        if self.mode == "fast":
            raise _no_draws("prediction")
        return True

    @available_if(_takes_draws)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any, time: Any = None) -> NDArray[np.float64]:
        """Probabilities of new objects for the clusters of one time.

        Parameters
        ----------
        X : array_like, shape (m, p), (m, n_t) or (m, N)
            Features of new objects; or their distances to the objects of that time; or, for a pooled matrix, to all
            rows.
        time : label, optional
            One of ``times_``; the last if not given.

        Returns
        -------
        ndarray, shape (m, clusters + 1)
            One column per cluster of that time, in increasing order of lineage, and one more for "none of these".

        Examples
        --------
        >>> from tetiwd import SamplerSettings, TeTiWD, simulate_separated
        >>> short = SamplerSettings(n_chains=2, n_warmup=50, n_draws=50)
        >>> D = simulate_separated(seed=1).D
        >>> model = TeTiWD(squared=True, dof=100, settings=short, random_state=0).fit(D)
        >>> new = simulate_separated(seed=1).D[-1][:3]  # squared distances of three objects to those of the last time
        >>> model.predict_proba(new).shape
        (3, 4)
        """
        classified = self._classified(X, time)
        return np.column_stack([classified.probabilities, classified.none])

    @available_if(_takes_draws)  # type: ignore[untyped-decorator]
    def predict(self, X: Any, time: Any = None) -> NDArray[np.int64]:
        """The most probable lineage of every new object.

        Parameters
        ----------
        X : array_like, shape (m, p), (m, n_t) or (m, N)
            As for :meth:`predict_proba`.
        time : label, optional
            One of ``times_``; the last if not given.

        Returns
        -------
        ndarray of int, shape (m,)
            Lineages; −1 for "none of these".

        Examples
        --------
        >>> from tetiwd import SamplerSettings, TeTiWD, simulate_separated
        >>> short = SamplerSettings(n_chains=2, n_warmup=50, n_draws=50)
        >>> D = simulate_separated(seed=1).D
        >>> model = TeTiWD(squared=True, dof=100, settings=short, random_state=0).fit(D)
        >>> model.predict(simulate_separated(seed=1).D[-1][:3]).shape
        (3,)
        """
        return self._classified(X, time).best

    def _classified(self, X: Any, time: Any) -> Classification:
        analysis = self._with_draws("prediction")
        if time is not None and time not in self.times_:
            raise DataError(f"there is no time {time!r}; there are {', '.join(map(str, self.times_))}")
        t = len(self.times_) - 1 if time is None else self.times_.index(time)
        sample, series = analysis.sample, analysis.sample.series
        if series.kind == "similarities":
            raise DataError(
                "for a series of similarities use tetiwd.classify(…, own=…), which takes those of new objects"
            )
        if series.features is not None:
            new = self._features(X, reset=False) if hasattr(self, "n_features_in_") else X
            distances, squared = series.features.squared_distances(new, t), True
            if sample.hyperparameters.moves:
                by_time = [series.features.squared_distances(new, s) for s in range(series.n_epochs)]
                distances = np.hstack(by_time)
        else:
            distances, squared = np.atleast_2d(np.asarray(X)), self._told("the new distances")
            if distances.shape[1] == sum(series.n_objects):
                rows = np.concatenate(self._rows) if sample.hyperparameters.moves else self._rows[t]
                distances = distances[:, rows]
        return classify(sample, analysis.clustering, distances, squared=squared, t=t)

    def _told(self, distances: str = "the distances") -> bool:
        if self.squared is None:
            raise DataError(f"it is not known whether {distances} are squared", SAY_SQUARED)
        return self.squared

    @property
    def _precomputed(self) -> bool:
        return isinstance(self.metric, str) and self.metric == "precomputed"

    def save(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the results folder that ``tetiwd fit`` writes, except checkpoints; readable without this package.

        Parameters
        ----------
        path : str or Path
            The folder.
        overwrite : bool
            True replaces a folder that is there already.

        Returns
        -------
        Path
            The folder.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> from tetiwd import SamplerSettings, TeTiWD, simulate_separated
        >>> short = SamplerSettings(n_chains=2, n_warmup=50, n_draws=50)
        >>> D = simulate_separated(seed=1).D
        >>> model = TeTiWD(squared=True, dof=100, settings=short, random_state=0).fit(D)
        >>> with TemporaryDirectory() as folder:
        ...     files = sorted(path.name for path in model.save(f"{folder}/run").iterdir())
        ...
        >>> "labels.csv" in files
        True
        """
        from tetiwd.quick_look import save_mode
        from tetiwd.workflow import save

        check_is_fitted(self)
        if isinstance(self.analysis_, ModeAnalysis):
            return save_mode(self.analysis_, path, overwrite=overwrite)
        return save(self.analysis_, path, overwrite=overwrite)

    def report(
        self,
        path: str | Path,
        *,
        overwrite: bool = False,
        show_ids: bool = False,
        outcomes: "Outcomes | None" = None,
        figures: str | Path | None = None,
    ) -> Path:
        """Write one HTML file that needs no network and no other file.

        Parameters
        ----------
        path : str or Path
            The file.
        overwrite : bool
            True replaces a file that is there already.
        show_ids : bool
            True shows ids of objects.
        outcomes : Outcomes, optional
            Rates by lineage, from :func:`tetiwd.outcomes_by_lineage`.
        figures : str or Path, optional
            Folder to which every figure is written as SVG, PNG and PDF.

        Returns
        -------
        Path
            The file.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> from tetiwd import SamplerSettings, TeTiWD, simulate_separated
        >>> short = SamplerSettings(n_chains=2, n_warmup=50, n_draws=50)
        >>> D = simulate_separated(seed=1).D
        >>> model = TeTiWD(squared=True, dof=100, settings=short, random_state=0).fit(D)
        >>> with TemporaryDirectory() as folder:
        ...     size = model.report(f"{folder}/report.html").stat().st_size
        ...
        >>> size > 10_000
        True
        """
        from tetiwd.plots import save_figures
        from tetiwd.report import check_target, write_mode_report, write_report
        from tetiwd.summarize.outcomes import Outcomes

        check_is_fitted(self)
        if not isinstance(outcomes, Outcomes | None):
            raise DataError(f"outcomes are made by outcomes_by_lineage(model.analysis_.alignment, …), not {outcomes!r}")
        if outcomes is None and figures is None and isinstance(self.analysis_, ModeAnalysis):
            return write_mode_report(self.analysis_, path, overwrite=overwrite, show_ids=show_ids)
        analysis, target = self._with_draws("report with outcomes or figures"), check_target(path, overwrite=overwrite)
        if figures is not None:
            save_figures(analysis, figures, overwrite=overwrite, outcomes=outcomes)
        return write_report(analysis, target, overwrite=overwrite, show_ids=show_ids, outcomes=outcomes)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._precomputed
        tags.input_tags.sparse = not self._precomputed
        return tags

    def _repr_html_(self) -> str:
        """A short summary and the picture of the lineages, once fitted."""
        from tetiwd.report import mode_summary_html, summary_html

        if not hasattr(self, "analysis_"):
            return f"<pre>{escape(repr(self))}</pre>"
        if isinstance(self.analysis_, ModeAnalysis):
            return mode_summary_html(self.analysis_)
        return summary_html(self.analysis_)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}


SHARED = {
    "squared": ("bool", "Whether given distances are squared. Never guessed: needed wherever X holds distances."),
    "random_state": (
        "int or RandomState",
        "Seed. If not given, that of ``settings``, so that the same data always give the same result.",
    ),
    "n_jobs": ("int", "Number of threads; -1 for one per processor. Results do not depend on it."),
    "verbose": ("bool", "Whether to show the progress of every chain."),
    "settings": ("SamplerSettings", "How to sample. If not given, the defaults of :class:`tetiwd.SamplerSettings`."),
    "constraints": ("Constraints", "What is known of some objects, see :class:`tetiwd.Constraints`."),
    "mode": (
        '{"posterior", "fast"}',
        '"posterior" samples; "fast" finds the most probable clustering it can within seconds, which says nothing '
        "about uncertainty.",
    ),
}


def as_analysis(earlier: Any) -> Analysis:
    """The answers of an earlier run: a fitted estimator, an analysis, or a run folder."""
    from tetiwd.workflow import load_run

    if isinstance(earlier, str | Path):
        return load_run(earlier)
    known = getattr(earlier, "analysis_", earlier)
    if not isinstance(known, Analysis):
        raise SettingsError([Setting("names_from"), f" must be a fitted model or the folder of a run, not {earlier!r}"])
    return known


def one_after_the_other(series: DistanceSeries) -> list[NDArray[np.intp]]:
    """Rows of every epoch when epochs come one after the other."""
    return np.split(np.arange(sum(series.n_objects)), np.cumsum(series.n_objects)[:-1])


def _seed(random_state: Any) -> int:
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31))


def as_threads(n_jobs: Any) -> int | None:
    """Threads as ``run_chains`` counts them."""
    if n_jobs is None:
        return 1
    if n_jobs != -1 and not is_whole(n_jobs, 1):
        fault = f" must be a whole number of at least 1, or -1 for all processors, not {n_jobs!r}"
        raise SettingsError([Setting("n_jobs"), fault])
    return None if n_jobs == -1 else int(n_jobs)
