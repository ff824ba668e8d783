"""Errors in the words of whoever reads them: Python, a settings file, or options."""

from types import SimpleNamespace

import pytest

from tetiwd.cli.dialect import options_of
from tetiwd.errors import DataError, Setting, Where, give, in_python, in_toml, value_of

COMMAND = SimpleNamespace(
    params=[
        SimpleNamespace(name="n_threads", opts=["--threads"]),
        SimpleNamespace(name="out", opts=["-o", "--out"]),
        SimpleNamespace(name="overwrite", opts=["--overwrite"]),
        SimpleNamespace(name="date_format", opts=["--date-format"]),
    ]
)
WAYS = [  # a setting in Python, in TOML, and as an option
    (Setting("n_draws"), "n_draws", "n_draws", "--draws"),
    (Setting("n_draws", 30), "n_draws=30", "n_draws = 30", "--draws 30"),
    (give("n_draws", 30), "pass n_draws=30", "set n_draws = 30", "add --draws 30"),
    (Setting("metric", "cosine"), 'metric="cosine"', 'metric = "cosine"', "--metric cosine"),
    (Setting("df_A", 200.0), "df_A=200.0", "df_A = 200.0", "--set model.df_A=200.0"),
    (Setting("df_A"), "df_A", "df_A", "--set model.df_A"),
    (give("repair", "shift"), 'pass repair="shift"', 'set repair = "shift"', "add --set data.repair=shift"),
    (give("min_objects", 2), "pass min_objects=2", "set min_objects = 2", "add --set data.min_objects=2"),
    (Setting("coupling", False), "coupling=False", "coupling = false", "--set model.coupling=false"),
    (Setting("coupling", True), "coupling=True", "coupling = true", "--set model.coupling=true"),
    (Setting("squared"), "squared", "squared", "--squared or --plain"),
    (Setting("squared", True), "squared=True", "squared = true", "--squared"),
    (give("squared", False), "pass squared=False", "set squared = false", "add --plain"),
    (Setting("cross", True), "cross=True", "cross = true", "--cross"),
    (Setting("cross", False), "cross=False", "cross = false", "--no-cross"),
    (give("symmetrize", "mean"), 'pass symmetrize="mean"', 'set symmetrize = "mean"', "add --symmetrize"),
    (Setting("symmetrize"), "symmetrize", "symmetrize", "--symmetrize"),
    (Setting("symmetrize", refused=True), "symmetrize", "symmetrize", "--set data.symmetrize"),
    (Setting("kind", "similarities"), 'kind="similarities"', 'kind = "similarities"', "--similarities"),
    (give("kind", "distances"), 'pass kind="distances"', 'set kind = "distances"', "leave out --similarities"),
    (Setting("kind", "distances"), 'kind="distances"', 'kind = "distances"', "no --similarities"),
    (Setting("kind", refused=True), "kind", "kind", "--set data.kind"),
    (give("missing", "drop"), 'pass missing="drop"', 'set missing = "drop"', "add --drop-missing"),
    (give("drop_small", True), "pass drop_small=True", "set drop_small = true", "add --drop-small"),
    (Setting("standardize", False), "standardize=False", "standardize = false", "no --standardize"),
    (Setting("times", (1, "b")), "times=(1, 'b')", 'times = [1, "b"]', "--times"),
    (Setting("at_most", "median"), 'at_most="median"', 'at_most = "median"', "--at-most median"),
    (Setting("window", "1y"), 'window="1y"', 'window = "1y"', "--window 1y"),
    (Setting("first", "a"), 'first="a"', 'first = "a"', "--first a"),
    (Setting("n_threads", 1), "n_threads=1", "n_threads = 1", "--threads 1"),
    (Setting("out"), "out", "out", "--out"),
    (give("overwrite", True), "pass overwrite=True", "set overwrite = true", "add --overwrite"),
    (Setting("date_format"), "date_format", "date_format", "--date-format"),
    (Setting("n_runs"), "n_runs", "n_runs", "n_runs"),
    (give("kind", "similarities", python="use from_similarities"), "use from_similarities", None, "add --similarities"),
    (value_of(True), "True", "true", "true"),
    (value_of(None), "None", "left out", "left out"),
]


@pytest.mark.parametrize(("setting", "python", "toml", "option"), WAYS, ids=lambda own: str(own)[:60])
def test_settings_in_every_dialect(setting, python, toml, option):
    assert in_python(setting) == python
    assert toml is None or in_toml(setting) == toml
    assert options_of(COMMAND)(setting) == option


def test_a_message_is_put_together_once_for_every_reader():
    fault = ["is not symmetric at ('a', 'b')"]
    error = DataError(fault, ["to average, ", give("symmetrize", "mean")], where=Where(matrix="D[2]"))
    error.located(file="d.csv")
    assert str(error) == """d.csv: D[2] is not symmetric at ('a', 'b'); to average, pass symmetrize="mean\""""
    assert error.told(options_of()) == "d.csv: D[2] is not symmetric at ('a', 'b'); to average, add --symmetrize"
    error.dialect = in_toml  # the fault is in a settings file, whoever reads it
    assert error.told(options_of()).endswith('set symmetrize = "mean"')
