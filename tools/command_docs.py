"""docs/commands.md from the program itself: ``python tools/command_docs.py`` writes it, the tests compare."""

import inspect
from dataclasses import fields
from pathlib import Path
from typing import Any

import tomli_w
import typer

from tetiwd.cli import app
from tetiwd.cli.exit_codes import MEANING
from tetiwd.io.settings import RunSettings

PAGE = Path(__file__).parents[1] / "docs" / "commands.md"
INTRODUCTION = """\
# Commands

Made by `python tools/command_docs.py` from the program; `tetiwd COMMAND --help` says the same.

Results go to stdout, everything else to stderr, so that output can be piped. Without a terminal progress is a line now
and then. `--quiet` keeps only warnings and errors, `--json` prints the result for machines. Errors are one line;
`tetiwd --traceback COMMAND …` shows where they arose.
"""


def page() -> str:
    """The whole page."""
    group: Any = typer.main.get_command(app)
    parts = [INTRODUCTION, _exit_codes()]
    parts += [_section(name, command) for name, command in group.commands.items()]
    return "\n".join([*parts, _settings()])


def _exit_codes() -> str:
    rows = "\n".join(f"| {code} | {text} |" for code, text in MEANING.items())
    return f"## Exit codes\n\n| code | meaning |\n|---|---|\n{rows}\n"


def _settings() -> str:
    """All settings with their defaults, as a TOML file and in words."""
    defaults = RunSettings()
    lines = ["## Settings file", "", "Everything a file for `--settings` may hold, with the defaults:", "", "```toml"]
    lines += [tomli_w.dumps(defaults.to_tables()).strip(), "```", ""]
    for part in fields(defaults):
        text = inspect.getdoc(type(getattr(defaults, part.name))) or ""
        lines += [f"### [{part.name}]", "", "```text", text, "```", ""]
    return "\n".join(lines)


def _section(name: str, command: Any) -> str:
    text, examples = _text_and_examples(command.help)
    arguments = [own for own in command.params if own.param_type_name == "argument"]
    options = [own for own in command.params if own.param_type_name == "option" and own.name != "help"]
    usage = " ".join(
        ["tetiwd", name, *(_shown_argument(own) for own in arguments), *(["[OPTIONS]"] if options else [])]
    )
    lines = [f"## {name}", "", text, "", "```sh", usage, *examples, "```", ""]
    if arguments:
        lines += [f"- `{_shown_argument(own)}`: {own.help}" for own in arguments] + [""]
    panels: dict[str, list[Any]] = {}
    for own in options:
        panels.setdefault(getattr(own, "rich_help_panel", None) or "Options", []).append(own)
    for panel, several in panels.items():
        lines += [f"| {panel} | |", "|---|---|"]
        lines += [f"| `{_flags(own)}` | {own.help}{' Required.' if own.required else ''} |" for own in several] + [""]
    return "\n".join(lines)


def _text_and_examples(text: str) -> tuple[str, list[str]]:
    """Paragraphs, and the lines of examples among them."""
    paragraphs = inspect.cleandoc(text).split("\n\n")
    examples = [p.strip() for p in paragraphs if p.strip().startswith("tetiwd ")]
    words = [" ".join(p.split()) for p in paragraphs if not p.strip().startswith("tetiwd ")]
    words = [p.removesuffix("Examples:").removesuffix("Example:").strip() for p in words]
    return "\n\n".join(p for p in words if p), examples


def _shown_argument(argument: Any) -> str:
    name = (argument.metavar or argument.name).strip("{}").upper()
    return f"{name}..." if argument.nargs == -1 else name


def _flags(option: Any) -> str:
    return ", ".join([*option.opts, *option.secondary_opts])


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
    print(f"Wrote {PAGE.name}.")
