"""Settings that make no sense, in the words of whoever gave them: a settings file, --set, or an option."""

import pytest

from tetiwd import SettingsError
from tetiwd.cli.dialect import options_of
from tetiwd.io.settings import RunSettings, all_declarations, parse_assignment, read_settings

BY_OPTION = {one.option: one for one in all_declarations() if one.option}

IN_FILE = [
    ("[model\nxi 3", ["line 1", "valid TOML"]),
    ("[data]\nid='\xe4'", ["valid TOML"]),
    ("[model]\ndfA = 3", ["[model]", "dfA", "did you mean df_A?"]),
    ("[modell]\nxi=3", ["[modell]", "did you mean model?"]),
    ("model=3", ["[model]", "must be a table"]),
    ("seed=3", ["[seed]", "sampler"]),
    ("[sampler]\nn_draws='many'", ["n_draws", "'many'", "whole number"]),
    ("[model]\ncoupling='no'", ["coupling must be true or false, not 'no'"]),
    ("[model]\nmax_clusters=0", ["max_clusters must be a whole number of at least 1 or left out, not 0"]),
    ("[model]\nxi={shape='a', scale=2.0}", ["Gamma shape", "'a'"]),
    ("[data]\nkind='similarities'\nsquared=true", ["squared = true is about", 'kind = "similarities"']),
    ("[data]\ncolumns=['a', 'a']", ["columns names 'a' twice"]),
]
ASSIGNED = [
    ("model.dfA=3", ["[model]", "dfA", "df_A"]),
    ("modell.xi=3", ["[modell]", "model"]),
    ("xi=3", ["'xi=3'", "model.xi=0.5"]),
    ("model.xi", ["'model.xi'", "model.xi=0.5"]),
    ("model.xi=abc", ["--xi must be", "positive", "'abc'"]),
    ("model.alpha=nan", ["--set model.alpha must be", "nan"]),
    ("model.geometry=flat", ["--geometry must be", "isotropic", "moving", "'flat'"]),
    ("model.coupling=maybe", ["--set model.coupling must be true or false, not 'maybe'"]),
    ("model.max_clusters=0", ["--max-clusters must be", "left out", "0"]),
    ("model.dof=[]", ["--dof must be"]),
    ("sampler.seed=-1", ["--seed must be", "-1"]),
    ("sampler.n_uncoupled=abc", ["n_uncoupled", "abc"]),
    ("sampler.n_uncoupled=5000", ["--set sampler.n_uncoupled must not exceed --warmup 200", "5000"]),
    ("sampler.init=middle", ["--set sampler.init must be", "ward", "'middle'"]),
    ("sampler.thin=1.5", ["--set sampler.thin must be", "1.5"]),
    ("answers.level=2", ["--level must lie between 0 and 1"]),
    ("answers.loss=x", ["--loss must be", "binder"]),
    ("answers.at_most=0", ["--at-most must be", "median", "left out", "0"]),
    ("data.min_objects=0", ["--set data.min_objects must be", "0"]),
    ("data.kind=[1]", ["--set data.kind must be", "similarities"]),
    ("data.symmetrize=median", ["--set data.symmetrize must be", "mean", "'median'"]),
    ("data.standardize=1", ["--set data.standardize must be true or false"]),
    ("data.repair=magic", ["--set data.repair must be", "clip", "'magic'"]),
    ("data.first=j", ["--first, --second and --distance must be three different columns"]),
    ("run.status=3", ["[run]", "cannot be set"]),
]
TYPED = [
    ("--dof", "many", ["--dof must be", "spectrum", "'many'"]),
    ("--dof", "", ["--dof", "''"]),
    ("--dof", "3,x", ["--dof", "'3,x'"]),
    ("--dof", "0", ["--dof", "positive finite", "0"]),
    ("--dof", "nan", ["--dof", "positive finite", "nan"]),
    ("--dof", "inf", ["--dof", "positive finite", "inf"]),
    ("--dof", "3,-3", ["--dof", "positive finite", "-3"]),
    *(("--at-most", bad, ["--at-most must be", "at least 1", "median", bad]) for bad in ("0", "mean", "-1", "2.5", "")),
    ("--columns", "a,a", ["--columns names 'a' twice"]),
    ("--columns", "a,", ["--columns must be a list of names"]),
    ("--by", "decade", ["--by must be", "quarter", "'decade'"]),
    ("--links", "none", ["--links must be", "place", "'none'"]),
    ("--loss", "l2", ["--loss must be", "binder", "'l2'"]),
    ("--draws", 0, ["--draws must be", "at least 1"]),
    ("--chains", 0, ["--chains must be", "at least 1"]),
    ("--warmup", -1, ["--warmup must be", "at least 0"]),
    ("--xi", 0.0, ["--xi must be", "positive"]),
    ("--max-clusters", 0, ["--max-clusters must be", "at least 1"]),
]


def told(error):
    return error.told(options_of())


@pytest.mark.parametrize(("text", "says"), IN_FILE)
def test_a_settings_file_is_told_in_toml(text, says, tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(text, "latin-1")
    with pytest.raises(SettingsError) as caught:
        read_settings(file)
    message = told(caught.value)
    assert message.startswith(f"{file}: ")
    assert "--" not in message
    for word in says:
        assert word in message


@pytest.mark.parametrize(("text", "says"), ASSIGNED)
def test_assignments_are_told_as_options(text, says):
    with pytest.raises(SettingsError) as caught:
        RunSettings.from_tables(parse_assignment(text))
    for word in says:
        assert word in told(caught.value)


@pytest.mark.parametrize(("option", "typed", "says"), TYPED)
def test_typed_values_are_told_as_options(option, typed, says):
    declaration = BY_OPTION[option]
    value = typed if declaration.parse is None else declaration.parse(typed)
    with pytest.raises(SettingsError) as caught:
        RunSettings.from_tables({declaration.table: {declaration.name: value}})
    for word in says:
        assert word in told(caught.value)


@pytest.mark.parametrize(
    ("option", "typed", "value"),
    [
        ("--dof", "auto", "auto"),
        ("--dof", "3", 3.0),
        ("--dof", "3,4.5", [3.0, 4.5]),
        ("--at-most", "5", 5),
        ("--at-most", "median", "median"),
        ("--columns", "a, b", ["a", "b"]),
        ("--times", "2001,2.5, late", [2001, 2.5, "late"]),
    ],
)
def test_texts_of_options_become_values(option, typed, value):
    assert BY_OPTION[option].parse(typed) == value
