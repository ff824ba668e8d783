"""Commands from functions: options from declared settings, a console, and errors as one line with an exit code."""

import errno
import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import typer

from tetiwd.address_space import check_room_for_libraries, left_of_address_space
from tetiwd.cli import exit_codes
from tetiwd.cli import options as o
from tetiwd.cli.console import Console
from tetiwd.cli.dialect import options_of
from tetiwd.declare import NO_SWITCH, Declaration, Settings, declarations
from tetiwd.errors import MemoryLimitError, RunFolderError, TetiwdError
from tetiwd.io.settings import RunSettings, merged, parse_assignment, read_settings

Group = type[Settings] | tuple[Any, ...]  # all settings of a group, or the group and the names of some
Tables = dict[str, dict[str, Any]]
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def command(*groups: Group) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a function a command with the options of these settings.

    A parameter ``given`` of the function gets the tables of the settings that were typed; ``settings`` gets complete
    settings, and adds ``--settings`` and ``--set``; ``console`` adds ``--quiet`` and ``--json``.
    """
    declared = [one for group in groups for one in _declared(group) if one.option is not None]

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        made = {"given", "settings", "console"} & set(inspect.signature(function).parameters)

        @functools.wraps(function)
        def run(ctx: typer.Context, **typed: Any) -> None:
            with_json = bool(typed.get("as_json"))
            try:
                check_room_for_libraries()
                function(**_arguments(typed, declared, made))
            except KeyboardInterrupt:
                exec("")  # Python remembers an exec that was interrupted, and would end by SIGINT instead of our code
                Console().remark("Stopped.")
                raise typer.Exit(exit_codes.INTERRUPTED) from None
            except (typer.Exit, typer.Abort, SystemExit):
                raise
            except Exception as error:
                if ctx.find_root().params.get("traceback"):
                    raise
                message, code = _explained(error, ctx.command)
                Console(as_json=with_json).complain(message, type(error).__name__, code)
                raise typer.Exit(code) from None

        parameters = list(_parameters(function, declared, made))
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        run.__doc__ = with_examples_whole(function.__doc__ or "")
        return run

    return decorate


def with_examples_whole(text: str) -> str:
    """The help of a command, its examples each kept on one line: they are there to be copied."""
    paragraphs = inspect.cleandoc(text).split("\n\n")
    return "\n\n".join(f"\b\n{one}" if one.startswith("  tetiwd ") else one for one in paragraphs)


def _declared(group: Group) -> Iterator[Declaration]:
    settings, *names = group if isinstance(group, tuple) else (group,)
    return (one for one in declarations(settings) if not names or one.name in names)


def _parameters(
    function: Callable[..., None], declared: list[Declaration], made: set[str]
) -> Iterator[inspect.Parameter]:
    """What typer sees: the function's own parameters, the declared options, and those of settings and console."""
    yield _parameter("ctx", typer.Context)
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name not in made:
            yield parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
    for one in declared:
        yield _parameter(one.name, *_option(one))
    if "settings" in made:
        yield _parameter("settings_file", o.SettingsFile, None)
        yield _parameter("assignments", o.Assignments, None)
    if "console" in made:
        yield _parameter("quiet", o.Quiet, False)
        yield _parameter("as_json", o.Json, False)


def _parameter(name: str, annotation: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _option(one: Declaration) -> tuple[Any, Any]:
    """Type and default of a declared option; None or False if it is not given."""
    plain_flag = one.is_flag and "/" not in (one.option or "")
    takes = bool if one.is_flag else str if one.parse or one.kinds[0] not in (int, float) else one.kinds[0]
    metavar = None if one.is_flag else one.metavar or "|".join(one.choices) or ("NAME" if takes is str else "NUMBER")
    help = one.option_help or one.help
    if not one.is_flag and one.default not in (None, ()):
        shown = f"{one.default:g}" if isinstance(one.default, float) else one.default
        help = f"{help} [default: {shown}]"
    option = o.option(one.option or "", panel=one.group, text=help, metavar=metavar)
    return o.annotated(takes if plain_flag else takes | None, option), False if plain_flag else None


def _arguments(typed: Mapping[str, Any], declared: list[Declaration], made: set[str]) -> dict[str, Any]:
    """The arguments of the function, from those of the command line."""
    arguments, given = dict(typed), Tables()
    for one in declared:
        value = arguments.pop(one.name)
        if value is None or (value is False and "/" not in (one.option or "")):
            continue
        value = value if one.switch is NO_SWITCH else one.switch
        given.setdefault(one.table, {})[one.name] = value if one.parse is None else one.parse(value)
    if "given" in made:
        arguments["given"] = given
    if "settings" in made:
        file, assignments = arguments.pop("settings_file"), arguments.pop("assignments")
        tables = [] if file is None else [read_settings(file)]
        arguments["settings"] = RunSettings.from_tables(
            merged(*tables, given, *map(parse_assignment, assignments or []))
        )
    if "console" in made:
        arguments["console"] = Console(quiet=arguments.pop("quiet"), as_json=arguments.pop("as_json"))
    return arguments


def _explained(error: Exception, asked: Any) -> tuple[str, int]:
    """What to say about an error, and the exit code. One that is not ours is the system's, or a bug."""
    if isinstance(error, TetiwdError):
        return error.told(options_of(asked)), exit_codes.exit_code_of(error)
    if isinstance(error, MemoryError) or (isinstance(error, ImportError) and left_of_address_space() is not None):
        reason = f" ({error})" if str(error) else ""
        message = f"there is not enough memory{reason}; use smaller data, or raise its limit"
        return message, exit_codes.exit_code_of(MemoryLimitError())
    if isinstance(error, OSError) and error.errno in NO_ROOM:
        message = f"there is no room to write ({error.strerror}); make room and try again"
        return message, exit_codes.exit_code_of(RunFolderError())
    if isinstance(error, OSError) and error.filename is not None and error.strerror is not None:
        message = f"{error.filename} cannot be used ({error.strerror}); choose another name or place"
        return message, exit_codes.exit_code_of(RunFolderError())
    remarks = "".join(f" ({remark})" for remark in getattr(error, "__notes__", ()))
    message = f"{type(error).__name__}: {error}{remarks}; this is a bug in tetiwd: run again with --traceback"
    return message, exit_codes.BUG
