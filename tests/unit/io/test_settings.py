"""Settings to TOML and back, and every mistake in them named."""

import tomllib

import pytest
import tomli_w

from tetiwd import Gamma, Hyperparameters, SamplerSettings, SettingsError
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.settings import LARGEST, RunSettings, merged, parse_assignment, read_settings
from tetiwd.params import AnswerSettings


@pytest.mark.parametrize(
    "settings",
    [
        RunSettings(),
        RunSettings(
            data=DataSettings(squared=True, times=("a", "b"), symmetrize="mean"),
            model=Hyperparameters(dof=(2.0, 3.0), xi=Gamma(2.0, 0.5), alpha=0.25, max_clusters=7),
            sampler=SamplerSettings(n_chains=2, init="one", anneal="likelihood", n_uncoupled=3, seed=9),
            answers=AnswerSettings(loss="binder", at_most="median", links="model", level=0.5, n_next=3),
        ),
    ],
)
def test_there_and_back(settings):
    text = tomli_w.dumps(settings.to_tables())
    assert RunSettings.from_tables(tomllib.loads(text)) == settings


def test_later_tables_win():
    together = merged({"model": {"xi": 1.0, "dof": 3}}, {"model": {"xi": 2.0}}, {"sampler": {"seed": 4}})
    assert together == {"model": {"xi": 2.0, "dof": 3}, "sampler": {"seed": 4}}


@pytest.mark.parametrize(
    ("text", "tables"),
    [
        ("model.xi=0.5", {"model": {"xi": 0.5}}),
        ("model.xi = {shape = 2.0, scale = 0.5}", {"model": {"xi": {"shape": 2.0, "scale": 0.5}}}),
        ("answers.loss=binder", {"answers": {"loss": "binder"}}),
        ("data.times=[1, 2]", {"data": {"times": [1, 2]}}),
        ("data.squared=true", {"data": {"squared": True}}),
    ],
)
def test_assignments(text, tables):
    assert parse_assignment(text) == tables


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({"modell": {}}, r"there is no table \[modell\]; did you mean model\?"),
        ({"model": {"dofs": 3}}, r"\[model\] has no setting dofs; did you mean dof\?"),
        ({"sampler": {"zzz": 3}}, r"\[sampler\] has no setting zzz; there are n_chains"),
        ({"model": 3}, r"\[model\] must be a table of settings, not 3"),
        ({"model": {"xi": {"shape": 1.0}}}, "a Gamma prior is written"),
        ({"model": {"xi": -1}}, "xi must be a positive finite number"),
        ({"model": {"dof": "much"}}, 'dof must be "auto"'),
        ({"sampler": {"n_chains": 0}}, "n_chains must be a whole number of at least 1"),
        ({"sampler": {"n_chains": 2.5}}, "n_chains must be a whole number of at least 1"),
        ({"answers": {"level": 2}}, "level must lie between 0 and 1"),
        ({"answers": {"loss": "l2"}}, "loss must be"),
        ({"answers": {"n_next": 0}}, "n_next must be a whole number"),
        ({"data": {"kind": "xls"}}, "kind must be"),
        (
            {"model": {"delta": 10**400}},
            r"\[model\] has a value of the wrong kind \(int too large to convert to float\)",
        ),
    ],
)
def test_mistakes_are_named(tables, message):
    with pytest.raises(SettingsError, match=message):
        RunSettings.from_tables(tables)


@pytest.mark.parametrize("text", ["xi=3", "model.=3", ".xi=3", "model.xi", ""])
def test_what_is_no_assignment(text):
    with pytest.raises(SettingsError, match="is not an assignment"):
        parse_assignment(text)


def test_files_that_are_no_settings(tmp_path):
    with pytest.raises(SettingsError, match="cannot be read"):
        read_settings(tmp_path / "none.toml")
    for content in (b"\xff\xfe[model", b"[model]\nxi = " + b"7" * 5000):
        (tmp_path / "bad.toml").write_bytes(content)
        with pytest.raises(SettingsError, match="is not valid TOML"):
            read_settings(tmp_path / "bad.toml")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x = " + "[" * 100_000, "is not valid TOML .it is nested too deeply"),
        (".".join(["a"] * 20_000) + " = 1", "is not valid TOML .it has keys of too many parts"),
        ("#" * (LARGEST + 1), "has more than 16 MiB; this is not a file of settings"),
    ],
    ids=["deep", "dots", "large"],
)
def test_files_that_would_exhaust_the_parser_are_refused(text, says, tmp_path):
    (tmp_path / "s.toml").write_text(text)
    with pytest.raises(SettingsError, match=says):
        read_settings(tmp_path / "s.toml")
