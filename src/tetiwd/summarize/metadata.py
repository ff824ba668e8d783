"""A table of metadata joined to the objects of a series, for people who write Python."""

from typing import TYPE_CHECKING, Any

from tetiwd.data.metadata import Metadata, join
from tetiwd.errors import DataError, Setting

if TYPE_CHECKING:
    import pandas as pd

    from tetiwd.data import DistanceSeries


def metadata_for(
    series: "DistanceSeries", table: "pd.DataFrame", *, id: str | None = None, time: str | None = None
) -> Metadata:
    """Join a table to the objects of a series.

    Parameters
    ----------
    series : DistanceSeries
        The data, ``analysis.sample.series``.
    table : DataFrame
        One row per object, or, with ``time``, one per object and time.
    id : str, optional
        Column with the ids of objects; the index of the table if not given. Without ids in the series, rows of a time
        belong to its objects in their order.
    time : str, optional
        Column with the times, written as those of the series.

    Returns
    -------
    Metadata
        The columns, with a value for every object.

    Examples
    --------
    >>> import pandas as pd
    >>> import numpy as np
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]] * 2)
    >>> year = np.repeat([2020, 2021], 6)
    >>> from tetiwd import DistanceSeries, metadata_for
    >>> series = DistanceSeries.from_features(X, time=year, ids=list("abcdef") * 2)
    >>> table = pd.DataFrame({"who": list("abcdef"), "sex": list("mfmfmf")})
    >>> metadata_for(series, table, id="who").columns["sex"][:3]
    ['m', 'f', 'm']
    """
    for name in filter(None, (id, time)):
        if name not in table.columns:
            shown = ", ".join(map(str, table.columns))
            raise DataError(f"the table has no column {name!r}", f"its columns are {shown}")
    columns: dict[str, list[Any]] = {
        str(name): table[name].tolist() for name in table.columns if name not in (id, time)
    }
    if not columns:
        raise DataError("the table has no columns besides ids and times", ["see ", Setting("id")])
    return join(
        columns,
        ids=table.index.tolist() if id is None else table[id].tolist(),
        times=None if time is None else table[time].tolist(),
        series_ids=series.ids,
        series_times=series.times,
        n_objects=series.n_objects,
    )
