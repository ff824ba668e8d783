"""Text about time: every way of writing it is sorted from any order, and what is uncertain is not."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tetiwd.data.time_order import in_order_of_time, read_date

ORDERED = {
    "seasons with a slash": ["1998/99", "1999/00", "2000/01", "2001/02", "2010/11"],
    "seasons with a hyphen": ["1998-99", "1999-00", "2000-01"],
    "seasons that could be months": ["2003-04", "2004-05", "2010-11"],
    "months": ["2003-04", "2003-11", "2004-01"],
    "months with a slash": ["2003/04", "2003/11", "2004/01"],
    "months first": ["04/2003", "11/2003", "1/2004"],
    "months by name": ["Jan 2004", "Feb 2004", "Sept 2004", "March 2005", "2005 April"],
    "quarters": ["Q3 2003", "2003 Q4", "2004-Q1", "2004Q2", "2004_q3"],
    "halves": ["H2 2003", "2004-H1"],
    "weeks": ["2003-W52", "2004-W01", "W7 2004", "2004 W10"],
    "winters": ["winter 2003", "Winter 2004", "2005 winter"],
    "winters over two years": ["winter 1999/00", "winter 2000/01", "winter 2001-2002"],
    "ranges": ["1990-1994", "1995-1999", "2000–2004", "2005 to 2009"],
    "ranges and years": ["2009-2010", "2011-2013", "2014", "2015-2016"],
    "ranges that overlap": ["2001-2003", "2002-2004", "2003-2005"],
    "ranges of days": ["1-7", "8-14", "15-21", "100-107"],
    "whole years": ["2001/2002", "2002/2003"],
    "dates": ["2013", "2013-02", "2013-02-28", "2013-02-28T12:00"],
    "dates with slashes": ["2013/02/28", "2013/03/01", "2013/12/01"],
    "visits": ["visit 1", "visit 2", "visit 10"],
    "days": ["day 0.5", "day 7", "day 30", "day 120"],
    "decades": ["1980s", "1990s", "2000s"],
    "letters": ["T1", "T2", "T11"],
    "one label": ["late"],
    "none": [],
}


@pytest.mark.parametrize("case", ORDERED)
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_any_order_becomes_that_of_time(case, data):
    shuffled = data.draw(st.permutations(ORDERED[case]))
    assert in_order_of_time(shuffled) == ORDERED[case]


@pytest.mark.parametrize(
    "labels",
    [
        ["late", "early"],
        ["winter 2003", "spring 2003"],
        ["winter 2003", "winter 2003/04"],
        ["Jan 2004", "January 2004"],
        ["2004 Q1", "2004 H1"],
        ["2004 Q5", "2004 Q1"],
        ["2004/13", "2004/14"],
        ["day 30", "week 2"],
        ["day 3", "day -3"],
        ["2004-Q1", "2004"],
        ["5-3", "7-2"],
        ["2001-2009", "2003-2004"],
        ["2001-2009", "2004", "2010"],
        ["05/08/2014", "06/08/2014"],
        ["Jan", "Feb"],
        ["before", "2004"],
        ["", "2004"],
        ["2013/02/30", "2013/02/31"],
        ["2004", "7" * 5000],
    ],
)
def test_what_is_uncertain_has_no_order(labels):
    assert in_order_of_time(labels) is None


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text(max_size=12), min_size=2, max_size=5, unique=True))
def test_any_text_is_sorted_or_refused(labels):
    ordered = in_order_of_time(labels)
    assert ordered is None or sorted(ordered) == sorted(labels)


def test_dates():
    assert read_date("2009-XX-XX")[1] == "year"
    assert read_date("2014-08-05T10:00:00+02:00")[1] == "day"
    assert read_date("2014-13") is None
