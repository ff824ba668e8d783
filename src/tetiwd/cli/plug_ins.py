"""Commands of other packages: entry points of the group ``tetiwd.commands``, loaded only when they are asked for."""

from collections.abc import Callable
from importlib.metadata import entry_points
from operator import attrgetter
from typing import Any

import typer
from typer.core import TyperGroup

from tetiwd.cli.console import Console

GROUP = "tetiwd.commands"
LONGEST_SENTENCE = 1000  # characters
ELSEWHERE = {"experiment": "tetiwd-experiments (in a clone of the repository: pip install ./experiments)"}


class Commands(TyperGroup):
    """The commands of tetiwd, then those of other packages by name.

    Other packages are loaded for ``--help`` and for names that are not commands of tetiwd, so that its own commands
    neither wait for them nor fail with them.
    """

    plugged_in = False

    def list_commands(self, ctx: Any) -> list[str]:
        """Names of all commands."""
        self._plug_in()
        return super().list_commands(ctx)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of this name, or None; a usage error if it is known where the command can be had."""
        if cmd_name not in self.commands:
            self._plug_in()
        command = super().get_command(ctx, cmd_name)
        if command is None and cmd_name in ELSEWHERE:
            ctx.fail(f"The command {cmd_name!r} needs the package {ELSEWHERE[cmd_name]}.")
        return command

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """All commands with the whole first sentence of their help, on as many lines as it takes."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [(name, one.get_short_help_str(LONGEST_SENTENCE)) for name, one in commands if not one.hidden]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def _plug_in(self) -> None:
        if self.plugged_in:
            return
        self.plugged_in = True
        for entry_point in sorted(entry_points(group=GROUP), key=attrgetter("name")):
            if entry_point.name in self.commands:  # no package replaces a command of tetiwd
                continue
            try:
                self.commands[entry_point.name] = _as_command(entry_point.name, entry_point.load())
            except Exception as error:
                why = f"{type(error).__name__}: {error}"
                Console().remark(f"The command {entry_point.name!r} ({entry_point.value}) cannot be loaded: {why}")


def _as_command(name: str, function: Callable[..., None]) -> Any:
    """The command of a function, as typer makes it for one of tetiwd."""
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command(name)(function)
    return typer.main.get_command(alone)
