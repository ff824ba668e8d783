"""Settings in errors as options of the command line: ``add --symmetrize`` for ``symmetrize="mean"``."""

from typing import Any

from tetiwd.declare import NO_SWITCH, Declaration, declarations
from tetiwd.errors import NO_VALUE, Dialect, Setting, as_toml, in_toml
from tetiwd.io.settings import all_declarations
from tetiwd.notes.settings import NotesSettings


def options_of(command: Any = None) -> Dialect:
    """The dialect of a command: its own options, those of ``tetiwd fit``, or ``--set`` where there is no option."""
    declared = {one.name: one for one in (*declarations(NotesSettings), *all_declarations())}
    options = {} if command is None else {one.name: max(one.opts, key=len) for one in command.params}

    def written(setting: Setting) -> str:
        if not setting.name:
            return in_toml(setting)
        if setting.name in declared:
            text, lacking = _declared(declared[setting.name], setting)
        elif setting.name in options:
            text, lacking = _with_value(options[setting.name], setting.value, " "), False
        else:
            return in_toml(setting)
        if setting.give:
            return f"leave out {text}" if lacking else f"add {text}"
        return f"no {text}" if lacking else text

    return written


def _declared(declaration: Declaration, setting: Setting) -> tuple[str, bool]:
    """The option for a setting, and whether its value is the one that the option must be left out for."""
    value, option = setting.value, declaration.option
    if option is None or (declaration.is_flag and (setting.refused or not _is_switched(declaration, value))):
        return _with_value(f"--set {declaration.table}.{declaration.name}", value, "="), False
    if not declaration.is_flag:
        return _with_value(option, value, " "), False
    yes, _, no = option.partition("/")
    if no:
        return f"{yes} or {no}" if value is NO_VALUE else yes if value else no, False
    return yes, value is not NO_VALUE and value == declaration.default


def _is_switched(declaration: Declaration, value: Any) -> bool:
    """Whether giving or leaving out a switch leads to this value."""
    on = True if declaration.switch is NO_SWITCH else declaration.switch
    off = False if "/" in (declaration.option or "") else declaration.default
    return value is NO_VALUE or value in (on, off)


def _with_value(option: str, value: Any, between: str) -> str:
    """An option with its value, unless that is a list or a mere yes."""
    if value is NO_VALUE or value is True or isinstance(value, list | tuple):
        return f"{option}=true" if value is True and between == "=" else option
    return f"{option}{between}{value if isinstance(value, str) else as_toml(value)}"
