"""Doors for data structures of other packages: AnnData, as scanpy uses it."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from tetiwd import __version__
from tetiwd.analysis import Analysis
from tetiwd.data import DistanceSeries
from tetiwd.draws import SCALARS
from tetiwd.errors import DataError
from tetiwd.estimators import TeTiWD
from tetiwd.estimators.common import SAY_SQUARED
from tetiwd.io.settings import RunSettings

if TYPE_CHECKING:
    import pandas as pd
    from anndata import AnnData

NO_CLUSTER = "unassigned"
USUAL = "X_pca"


def fit_anndata(
    adata: "AnnData",
    *,
    time_key: str,
    use_rep: str | None = None,
    id_key: str | None = None,
    key_added: str = "tetiwd",
    **parameters: Any,
) -> TeTiWD:
    """Cluster the cells (or other observations) of every time, and write the result into ``adata``.

    Parameters
    ----------
    adata : AnnData
        The data. It is changed in place.
    time_key : str
        Column of ``obs`` with the time of every observation. Ordered categories keep their order.
    use_rep : str, optional
        What to compare observations by: a name in ``obsm`` or ``layers``, "X", or a name in ``obsp`` for distances
        between all of them, with ``squared``. ``X_pca`` if not given and there, otherwise X.
    id_key : str, optional
        Column of ``obs`` that says who or what was observed, if some were observed several times.
    key_added : str
        Name of what is written, see below.
    **parameters : optional
        Parameters of :class:`tetiwd.TeTiWD`, such as ``metric``, ``dof``, ``constraints`` or ``random_state``.
        Constraints name observations as ``obs_names`` does, unless there is an ``id_key``.

    Returns
    -------
    TeTiWD
        The fitted model, with every other answer, ``save`` and ``report``.

    Notes
    -----
    With ``key_added="tetiwd"``, in forms that h5ad files can hold:

    - ``obs["tetiwd"]``: the lineage of every observation, or "unassigned";
    - ``obs["tetiwd_probability"]``, ``obs["tetiwd_next"]``, ``obs["tetiwd_next_probability"]`` and
      ``obs["tetiwd_unassigned_probability"]``: how certain that is, and the second choice;
    - ``obsm["tetiwd_membership"]``: the probability of every observation for every lineage, the last column for a
      cluster that is not among them;
    - ``uns["tetiwd"]``: settings, learned parameters, diagnostics, and the table of lineages.

    Examples
    --------
    >>> import numpy as np
    >>> from anndata import AnnData
    >>> from tetiwd.external import fit_anndata
    >>> adata = AnnData(np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]] * 2))
    >>> adata.obs["day"] = np.repeat([1, 2], 6)
    >>> model = fit_anndata(adata, time_key="day", mode="fast", dof=1)
    >>> adata.obs["tetiwd"].tolist()[:4]
    ['0', '0', '0', '1']
    """
    model = TeTiWD(**parameters)
    if time_key not in adata.obs:
        raise DataError(f"obs has no column {time_key!r}", f"its columns are {', '.join(map(str, adata.obs.columns))}")
    named = None if id_key is None and model.constraints is None else _ids(adata, id_key)
    series = _series(
        adata, use_rep or (USUAL if USUAL in adata.obsm else "X"), _times(adata.obs[time_key]), named, model
    )
    model.fit(series)
    _write(adata, key_added, model, series)
    return model


def _times(column: "pd.Series[Any]") -> Any:
    """The time of every observation; what scanpy has made a category of, but nobody has ordered, as it was."""
    return column.array if getattr(column.dtype, "ordered", None) else column.tolist()


def _ids(adata: "AnnData", id_key: str | None) -> list[Any]:
    if id_key is None:
        return list(adata.obs_names)
    if id_key not in adata.obs:
        raise DataError(f"obs has no column {id_key!r}", f"its columns are {', '.join(map(str, adata.obs.columns))}")
    return list(adata.obs[id_key])


def _series(adata: "AnnData", rep: str, time: Any, ids: list[Any] | None, model: TeTiWD) -> DistanceSeries:
    """Distances between the observations of every time."""
    if rep in adata.obsp:
        if model.squared is None:
            raise DataError("it is not known whether the distances are squared", SAY_SQUARED)
        distances = adata.obsp[rep]
        if issparse(distances):
            raise DataError(
                f"obsp {rep!r} is sparse, and distances that are not stored are unknown",
                "compute those of all pairs, or compare observations by a name in obsm",
            )
        return DistanceSeries.from_pooled(distances, time=time, squared=model.squared, ids=ids, keep_cross="if known")
    found = adata.X if rep == "X" else adata.obsm.get(rep, adata.layers.get(rep))
    if found is None:
        known = [name for part in (adata.obsm, adata.layers, adata.obsp) for name in part if name is not None]
        raise DataError(f"there is no {rep!r} in obsm, layers or obsp", f"use_rep may be {', '.join(['X', *known])}")
    X = csr_array(found) if issparse(found) else np.asarray(found, dtype=float)
    series = DistanceSeries.from_features(X, time=time, metric=model.metric, squared=model.squared, ids=ids)
    names = tuple(map(str, getattr(found, "columns", () if rep in adata.obsm else adata.var_names)))
    if not names or series.features is None:
        return series
    return replace(series, features=replace(series.features, names=names))


def _write(adata: "AnnData", key: str, model: TeTiWD, series: DistanceSeries) -> None:
    import pandas as pd

    rows = np.concatenate(series.rows or ())
    table = model.analysis_.memberships.table().set_index(rows).sort_index()
    lineages = [str(lineage) for lineage in range(model.analysis_.clustering.n_lineages)]
    for name, column in (("", "lineage"), ("_next", "next_lineage")):
        words = [NO_CLUSTER if lineage < 0 else str(lineage) for lineage in table[column]]
        used = [word for word in (*lineages, NO_CLUSTER) if word in words]
        adata.obs[key + name] = pd.Categorical(words, categories=used)
    adata.obs[f"{key}_probability"] = table.certainty.to_numpy()
    for column in ("next_probability", "unassigned_probability"):
        adata.obs[f"{key}_{column}"] = table[column].to_numpy()
    membership = np.concatenate(model.membership_)
    adata.obsm[f"{key}_membership"] = membership[np.argsort(rows)]
    adata.uns[key] = _about(model)


def _about(model: TeTiWD) -> dict[str, Any]:
    """The run in values that an h5ad file can hold."""
    analysis = model.analysis_
    run = analysis.sample if isinstance(analysis, Analysis) else analysis.mode
    settings = RunSettings(model=run.hyperparameters, sampler=run.settings, answers=analysis.settings).to_tables()
    about: dict[str, Any] = {
        "version": __version__,
        "times": np.array([str(time) for time in model.times_]),
        "n_clusters": np.array(model.n_clusters_),
        "settings": {table: _storable(values) for table, values in settings.items() if table != "data"},
        "lineages": {name: _as_array(values) for name, values in analysis.lineages.table().items()},
    }
    if not isinstance(analysis, Analysis):
        return about
    sample, found = analysis.sample, analysis.sample.diagnostics
    learned = {name: np.concatenate([draws.array(name) for draws in sample.draws]) for name in SCALARS}
    moving = {name: np.quantile(values, (0.5, 0.05, 0.95)) for name, values in learned.items() if np.ptp(values) > 0}
    about["parameters"] = moving  # median and 90 % interval
    about["diagnostics"] = {
        "verdict": found.verdict,
        "converged": found.converged,
        "quantity": np.array([one.name for one in found.quantities], dtype=str),
        **{name: _numbers([getattr(one, name) for one in found.quantities]) for name in ("mean", "r_hat", "ess_bulk")},
    }
    return about


def _storable(values: Any) -> Any:
    """Tables of settings with arrays for lists."""
    if isinstance(values, dict):
        return {name: _storable(value) for name, value in values.items()}
    return _as_array(values) if isinstance(values, list) else values


def _as_array(values: Any) -> NDArray[Any]:
    """Numbers, or text in place of anything else."""
    array = np.asarray(values)
    return array if array.dtype.kind in "biuf" else np.array([str(value) for value in array.ravel()])


def _numbers(values: list[Any]) -> NDArray[np.float64]:
    """NaN where there is none."""
    return np.array([np.nan if value is None else value for value in values], dtype=float)
