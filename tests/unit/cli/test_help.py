"""What --help says can be read to the end, and its examples can be copied."""

import inspect

import pytest
import typer
from typer.testing import CliRunner

from tetiwd.cli import app

PROGRAM = typer.main.get_command(app)
COMMANDS = [name for name, one in PROGRAM.commands.items() if not one.hidden]


def help_of(*words):
    result = CliRunner().invoke(app, [*words, "--help"])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_list_of_commands_has_whole_sentences():
    listed = " ".join(help_of().split())
    assert "..." not in listed.split(" Commands: ")[1].split(" Exit codes. ")[0]
    for name in COMMANDS:
        sentence = " ".join(PROGRAM.commands[name].help.split()).split(". ")[0].removesuffix(".")
        assert f" {name} {sentence}." in listed


@pytest.mark.parametrize("name", COMMANDS)
def test_every_example_is_on_a_line_of_its_own(name):
    written = inspect.cleandoc(PROGRAM.commands[name].callback.__wrapped__.__doc__)
    examples = [line.strip() for line in written.splitlines() if line.startswith("  tetiwd ")]
    shown = [line.strip() for line in help_of(name).splitlines()]
    assert [line for line in shown if line.startswith("tetiwd ")][: len(examples)] == examples


def test_a_setting_says_what_it_takes():
    said = " ".join(help_of("fit").split())
    for shown in ("--time NAME", "--xi NUMBER", "--draws NUMBER", "--threads NUMBER", "--checkpoint-seconds SECONDS"):
        assert f"{shown} " in said
