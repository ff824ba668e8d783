"""What may stand in the [data] table: every field is checked, and the error says what is allowed."""

import datetime
import re
import tomllib
from dataclasses import asdict, fields

import pytest

from tetiwd.declare import declarations
from tetiwd.errors import SettingsError
from tetiwd.io.data_settings import DataSettings

CHOICES = {one.name: one.choices for one in declarations(DataSettings) if one.choices}

WRONG = [
    ("format", None, "format must be a name"),
    ("kind", "kernel", 'kind must be "distances" or "similarities", not \'kernel\''),
    ("by", "decade", 'by must be "year", "quarter", "month", "week", "day" or None, not \'decade\''),
    ("by", 5, 'by must be "year"'),
    ("by", ["year"], 'by must be "year"'),
    ("symmetrize", "max", 'symmetrize must be "mean" or None'),
    ("missing", "ignore", 'missing must be "error" or "drop"'),
    ("dtype", "float16", 'dtype must be "float64" or "float32"'),
    ("repair", "fix", 'repair must be "shift", "clip" or None'),
    ("squared", "yes", "squared must be True, False or None, not 'yes'"),
    ("squared", 1, "squared must be True, False or None, not 1"),
    ("standardize", "no", "standardize must be True or False"),
    ("drop_small", None, "drop_small must be True or False"),
    ("cross", 0, "cross must be True, False or None"),
    ("metric", 3, "metric must be a name or None, not 3"),
    ("metric", "", "metric must be a name or None, not ''"),
    ("id", ["id"], "id must be a name"),
    ("time", 2001, "time must be a name"),
    ("objects", "", "objects must be a name"),
    ("first", None, "first must be a name, not None"),
    ("obsp", "", "obsp must be a name"),
    ("distance", "i", "first, second and distance must be three different columns, not 'i', 'j' and 'i'"),
    ("min_objects", 0, "min_objects must be a whole number of at least 1, not 0"),
    ("min_objects", True, "min_objects must be a whole number"),
    ("min_objects", 2.5, "min_objects must be a whole number"),
    ("columns", "length", "columns must be a list of names"),
    ("columns", [1, 2], "columns must be a list of names"),
    ("columns", ["a", ""], "columns must be a list of names"),
    ("columns", ["a", "b", "a"], "columns names 'a' twice"),
    ("times", "2001", "times must be a list with one label per epoch, not '2001'"),
    ("times", [], "times must be a list with one label per epoch"),
    ("times", [True, False], "times must be a list"),
    ("times", [[1], [2]], "times must hold text, numbers or dates, not [1]"),
]


@pytest.mark.parametrize(("name", "value", "message"), WRONG)
def test_wrong_values_are_refused(name, value, message):
    with pytest.raises(SettingsError, match=re.escape(message)):
        DataSettings(**{name: value})


@pytest.mark.parametrize(("name", "value"), [(name, v) for name, allowed in CHOICES.items() for v in allowed])
def test_every_choice_is_accepted(name, value):
    assert getattr(DataSettings(**{name: value}), name) == value


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"squared": True}, 'squared=True is about distances; leave it out with kind="similarities"'),
        ({"cross": True}, "cross=True keeps distances; it does not go with"),
    ],
)
def test_similarities_contradict_some_settings(options, message):
    with pytest.raises(SettingsError, match=re.escape(message)):
        DataSettings(kind="similarities", **options)


def test_lists_of_a_settings_file_become_tuples():
    table = tomllib.loads('columns = ["a", "b"]\ntimes = [2014-08-05, 2014-09-05]')
    settings = DataSettings(**table)
    assert settings.columns == ("a", "b")
    assert settings.times == (datetime.date(2014, 8, 5), datetime.date(2014, 9, 5))
    assert settings == DataSettings(**asdict(settings))
    assert hash(settings) == hash(DataSettings(**table))


def test_every_field_has_a_default():
    assert all(getattr(DataSettings(), field.name) == field.default for field in fields(DataSettings))


def test_squared_is_asked_for():
    assert DataSettings(squared=False).are_squared() is False
    with pytest.raises(SettingsError, match="not known whether the distances are squared; pass squared=True if"):
        DataSettings().are_squared()
