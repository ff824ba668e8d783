"""Commands of other packages: found, run like those of tetiwd, and never in the way of them."""

from importlib.metadata import EntryPoints

import pytest
from typer.testing import CliRunner

from tetiwd.cli import app, plug_ins

TOY = '''
"""A package with one command."""

from tetiwd.cli.command import command
from tetiwd.cli.console import Console
from tetiwd.errors import Setting, SettingsError


@command()
def count(n_sheep: int, *, aloud: bool = False, console: Console) -> None:
    """Count sheep."""
    if aloud:
        raise SettingsError([Setting("aloud"), " wakes everybody"], ["leave out ", Setting("aloud")])
    console.say(f"{n_sheep} sheep")
    console.result({"n_sheep": n_sheep})
'''
LOUD = 'raise RuntimeError("this package is broken")'


def tetiwd(*words, code=0):
    result = CliRunner().invoke(app, words)
    assert result.exit_code == code, result.output
    return result


@pytest.fixture
def install(tmp_path, monkeypatch):
    """A function that installs a package with one module and these commands."""
    monkeypatch.syspath_prepend(tmp_path)

    def install(module, text, **commands):
        (tmp_path / f"{module}.py").write_text(text, "utf-8")
        metadata = tmp_path / f"{module}-1.0.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n", "utf-8")
        lines = [f"{name} = {module}:{function}\n" for name, function in commands.items()]
        (metadata / "entry_points.txt").write_text(f"[{plug_ins.GROUP}]\n{''.join(lines)}", "utf-8")

    return install


def test_a_command_of_another_package_is_one_like_ours(install):
    install("toy_flock", TOY, sheep="count", again="count")
    assert tetiwd("sheep", "3").stdout == "3 sheep\n"
    assert tetiwd("sheep", "3", "--json").stdout == '{\n  "n_sheep": 3\n}\n'
    assert tetiwd("sheep", "3", "--aloud", code=4).stderr == "Error: --aloud wakes everybody; leave out --aloud\n"
    assert "Count sheep." in tetiwd("sheep", "-h").stdout
    assert "Did you mean 'sheep'?" in tetiwd("sheeep", code=2).stderr
    listed = [
        line.split()[0] for line in tetiwd("--help").stdout.splitlines() if line.startswith("  ") and line.split()
    ]
    assert listed.index("doctor") < listed.index("again") < listed.index("sheep")


def test_a_broken_package_breaks_nothing_else(install):
    install("toy_broken", LOUD, broken="count")
    install("toy_herd", TOY, sheep="count", missing="nothing_of_this_name")
    told = tetiwd("--help")
    assert "sheep" in told.stdout
    assert "doctor" in told.stdout
    assert told.stderr.splitlines() == [
        "The command 'broken' (toy_broken:count) cannot be loaded: RuntimeError: this package is broken",
        "The command 'missing' (toy_herd:nothing_of_this_name) cannot be loaded: "
        "AttributeError: module 'toy_herd' has no attribute 'nothing_of_this_name'",
    ]
    asked = tetiwd("broken", code=2).stderr
    assert "RuntimeError: this package is broken" in asked
    assert "No such command 'broken'" in asked


def test_commands_of_tetiwd_neither_load_other_packages_nor_give_way_to_them(install):
    install("toy_greedy", LOUD, simulate="count")
    result = tetiwd("simulate", "--help")
    assert "simulated objects" in result.stdout
    assert result.stderr == ""
    assert tetiwd("--help").stderr == ""


def test_without_its_package_the_command_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr(plug_ins, "entry_points", lambda group: EntryPoints())
    assert "experiment" not in tetiwd("--help").stdout
    assert "pip install ./experiments" in tetiwd("experiment", "control", code=2).stderr
