"""Declared settings: checks, docstrings, and a new setting that appears everywhere after one line."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest

import tetiwd
from tetiwd import Gamma, Hyperparameters, SettingsError, TeTiWD, TiWD
from tetiwd.declare import Settings, declarations, documented, setting
from tetiwd.errors import in_python, in_toml
from tetiwd.io.settings import all_declarations
from tetiwd.notes.settings import NotesSettings
from tetiwd.params import AnswerSettings, SamplerSettings

ROOT = Path(tetiwd.__file__).parents[2]


@documented
@dataclass(frozen=True)
class Toy(Settings):
    """Settings to try."""

    table = "toy"
    count: int = setting(4, "How many.", least=2)
    limit: int | None = setting(None, "At most so many.", least=1)
    size: float = setting(1.5, "How large.")
    share: float = setting(0.5, "Which share.", share=True)
    prior: float | Gamma = setting(1.0, "A prior.")
    name: str = setting("x", "What it is called.")
    colour: Literal["red", "blue"] | None = setting("red", "Which colour.")
    mode: str = setting("a", "Which mode.", choices=("a", "b", "c"))
    loud: bool = setting(False, "Whether it is loud.")
    anything: Any = setting((), "Whatever.", check=lambda value: tuple(value))


@pytest.mark.parametrize(
    ("values", "python", "toml"),
    [
        ({"count": 1}, "count must be a whole number of at least 2, not 1", None),
        ({"count": True}, "count must be a whole number of at least 2, not True", None),
        ({"count": 2.0}, "count must be a whole number of at least 2, not 2.0", None),
        (
            {"limit": 0},
            "limit must be a whole number of at least 1 or None, not 0",
            "limit must be a whole number of at least 1 or left out, not 0",
        ),
        ({"size": 0}, "size must be a positive finite number, not 0", None),
        ({"size": "1"}, "size must be a positive finite number, not '1'", None),
        ({"share": 1}, "share must lie between 0 and 1, not 1", None),
        ({"prior": -1}, "prior must be a positive finite number, not -1", None),
        ({"name": ""}, "name must be a name, not ''", None),
        (
            {"colour": "green"},
            'colour must be "red", "blue" or None, not \'green\'',
            'colour must be "red", "blue" or left out, not \'green\'',
        ),
        ({"mode": None}, 'mode must be "a", "b" or "c", not None', None),
        ({"mode": ["a"]}, 'mode must be "a", "b" or "c", not [\'a\']', None),
        ({"loud": 1}, "loud must be True or False, not 1", "loud must be true or false, not 1"),
    ],
)
def test_values_are_checked_as_declared(values, python, toml):
    with pytest.raises(SettingsError) as caught:
        Toy(**values)
    assert caught.value.told(in_python) == python
    assert caught.value.told(in_toml) == (toml or python)


def test_values_that_make_sense():
    toy = Toy(count=2, limit=None, prior=Gamma(1, 2), colour=None, loud=True, anything=[1, 2])
    assert toy.anything == (1, 2)
    assert Toy() == Toy(count=4)


def test_docstrings_follow_from_declarations():
    assert "count : int, default 4\n    How many." in Toy.__doc__
    assert 'colour : {"red", "blue"}, default "red"\n    Which colour.' in Toy.__doc__


@pytest.mark.parametrize("estimator", [TeTiWD, TiWD])
def test_estimators_describe_every_parameter_in_the_words_of_the_declarations(estimator):
    text = " ".join(estimator.__doc__.split())
    for name in estimator._get_param_names():
        assert f"\n{name} : " in estimator.__doc__
    for one in (*declarations(Hyperparameters), *declarations(AnswerSettings)):
        if one.name in estimator._get_param_names():
            assert one.help in text
            assert estimator().get_params()[one.name] in (one.default, None)


def test_every_default_passes_its_own_check():
    for one in (*all_declarations(), *declarations(NotesSettings)):
        assert one.checked(one.default) == one.default


def test_option_names_are_unique():
    options = [part for one in all_declarations() if one.option for part in one.option.split("/")]
    assert len(set(options)) == len(options)
    assert SamplerSettings.table in {one.table for one in all_declarations()}


def test_reading_settings_does_not_import_the_sampler():
    code = "import sys, tetiwd.io.settings, tetiwd.cli; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"scipy", "pandas", "tetiwd.sampler", "tetiwd.kernels"} & set(loaded)


def test_one_line_adds_a_setting_everywhere(tmp_path):
    shutil.copytree(ROOT / "src" / "tetiwd", tmp_path / "tetiwd", ignore=shutil.ignore_patterns("__pycache__"))
    params = tmp_path / "tetiwd" / "params.py"
    line = '    toy: int = setting(7, "A toy of the test.", option="--toy", least=2)\n'
    before = '    seed: int = setting(0, "Random seed."'
    text = params.read_text("utf-8")
    assert text.count(before) == 1
    params.write_text(text.replace(before, line + before), "utf-8")
    (tmp_path / "x.csv").write_text("time,a\n1,2\n1,3\n1,5\n")
    (tmp_path / "mine.toml").write_text("[sampler]\ntoy = 1\n")
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}:{ROOT / 'tools'}", "COLUMNS": "120"}

    def output(*words):
        done = subprocess.run(
            [sys.executable, *words], capture_output=True, text=True, cwd=tmp_path, env=environment, check=False
        )
        return " ".join((done.stdout + done.stderr).split())

    assert "A toy of the test. [default: 7]" in output("-m", "tetiwd", "fit", "--help")
    fault = "must be a whole number of at least 2, not 1"
    assert f"Error: --toy {fault}" in output("-m", "tetiwd", "fit", "x.csv", "--toy", "1")
    assert f"Error: --toy {fault}" in output("-m", "tetiwd", "check", "x.csv", "--set", "sampler.toy=1")
    assert f"Error: mine.toml: toy {fault}" in output("-m", "tetiwd", "check", "x.csv", "--settings", "mine.toml")
    page = output("-c", "import command_docs; print(command_docs.page())")
    assert "| `--toy NUMBER` | A toy of the test. [default: 7] |" in page
    page = output("-c", "import settings_docs; print(settings_docs.page())")
    assert "| `toy` | `--toy` | `7` | A toy of the test. |" in page
    assert "toy = 7" in page
