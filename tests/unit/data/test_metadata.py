"""Columns of metadata: their kinds, and how rows find their objects."""

import datetime

import numpy as np
import pandas as pd
import pytest

from tetiwd import DistanceSeries, metadata_for
from tetiwd.data.metadata import as_covariate
from tetiwd.errors import DataError


def series(ids=(["a", "b", "c"], ["b", "c", "d"]), times=(2001, 2002)):
    return DistanceSeries.from_distances([1.0 - np.eye(3)] * 2, squared=True, ids=ids, times=times)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1.5", None, "-2e3"], "number"),
        ([1, 2.5, float("nan")], "number"),
        (["yes", "NO", None], "yes or no"),
        ([True, False, True], "yes or no"),
        (["1", "0", "1"], "yes or no"),
        (["2014-08-05", "2014-08", None], "date"),
        ([datetime.date(2014, 8, 5), None, None], "date"),
        (["b", "a", "b"], "category"),
        (["1_000", "2", "3"], "category"),
        (["inf", "2", "3"], "category"),
        ([f"n{i}" for i in range(61)], "names"),
    ],
)
def test_kinds_of_columns(values, kind):
    column = as_covariate("x", values)
    assert column.kind == kind
    assert np.isfinite(column.values).tolist() == [not (v is None or v != v) for v in values]


def test_dates_are_days():
    first, second = as_covariate("x", ["2014-08-05", "2014-08-07"]).values
    assert second - first == 2


def test_rows_are_found_by_id():
    table = pd.DataFrame({"who": ["d", "c", "b", "z"], "age": [4.0, 3.0, 2.0, 9.0]})
    found = metadata_for(series(), table, id="who")
    assert found.columns == {"age": [None, 2, 3, 2, 3, 4]}
    assert found.remarks == ("1 of 6 objects has no row",)
    assert metadata_for(series(), table.set_index("who")).columns == found.columns


def test_rows_are_found_by_id_and_time():
    table = pd.DataFrame({"id": list("abcbcd"), "year": [2001.0] * 3 + [2002.0] * 3, "x": range(6)})
    found = metadata_for(series(), table, id="id", time="year")
    assert found.columns == {"x": [0, 1, 2, 3, 4, 5]}
    assert found.varies


def test_without_ids_rows_of_a_time_come_in_order():
    table = pd.DataFrame({"year": [2002, 2001, 2002, 2001, 2001, 2002], "x": list("dabcef")})
    found = metadata_for(series(ids=None), table, time="year")
    assert found.columns == {"x": list("acedbf")}


@pytest.mark.parametrize(
    ("table", "options", "says"),
    [
        ({"id": ["a", "a"], "x": [1, 2]}, {"id": "id"}, "the id 'a' occurs twice; give every object one row, or name"),
        ({"id": ["q"], "x": [1]}, {"id": "id"}, "no row belongs to an object of the data; they have 'a'"),
        ({"id": ["a"], "x": [1]}, {"id": "name"}, "has no column 'name'; its columns are id, x"),
        ({"id": ["a"]}, {"id": "id"}, "no columns besides ids and times"),
    ],
)
def test_tables_that_cannot_be_joined(table, options, says):
    with pytest.raises(DataError, match=says):
        metadata_for(series(), pd.DataFrame(table), **options)


def test_without_ids_and_times_nothing_can_be_joined():
    table = pd.DataFrame({"year": [2001, 2002], "x": [1, 2]})
    with pytest.raises(DataError, match="the data have no ids"):
        metadata_for(series(ids=None), table)
    with pytest.raises(DataError, match="has 1 row for time 2001, but the data have 3 objects"):
        metadata_for(series(ids=None), table, time="year")


def test_columns_that_are_not_there_or_empty():
    found = metadata_for(series(), pd.DataFrame({"x": [None] * 3}, index=list("abc")))
    with pytest.raises(DataError, match="has no column 'y'"):
        found.covariate("y")
    with pytest.raises(DataError, match="no value of 'x' is known"):
        found.covariate("x")
