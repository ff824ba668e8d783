"""One declaration per setting: its type, default, range, meaning and command-line option.

A group of settings is a frozen dataclass whose fields are declared with :func:`setting`. From the declarations follow
the checks, the docstring, the options of the command line, and ``docs/reference/settings.md``.

    @documented
    @dataclass(frozen=True)
    class SamplerSettings(Settings):
        table = "sampler"
        n_chains: int = setting(4, "Number of MCMC chains.", option="--chains", least=1)
"""

import inspect
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from math import inf
from numbers import Integral, Real
from types import NoneType
from typing import Any, ClassVar, Literal, TypeVar, get_args, get_origin

from tetiwd.errors import Setting, SettingsError, quoted, value_of

C = TypeVar("C", bound=type)
NO_SWITCH: Any = object()  # the option takes a value


@dataclass(frozen=True)
class Declaration:
    """Everything there is to know about one setting."""

    name: str
    table: str  # of a settings file
    default: Any
    annotation: Any
    help: str
    option: str | None = None  # "--draws", "--squared/--plain"; None if there is only --set
    switch: Any = NO_SWITCH  # the value that a bare option such as --similarities stands for
    option_help: str = ""  # where the meaning of a switch is not that of the setting
    choices: tuple[Any, ...] = ()
    least: int = 0  # for whole numbers
    share: bool = False  # a number between 0 and 1
    check: Callable[[Any], Any] | None = None  # returns the value to keep
    parse: Callable[[str], Any] | None = None  # the value from the text of an option
    metavar: str | None = None
    group: str = ""  # heading of the option in --help

    @property
    def kinds(self) -> tuple[Any, ...]:
        """Types a value may have, the simplest first."""
        members = get_args(self.annotation) or (self.annotation,)
        return tuple(member for member in members if member is not NoneType)

    @property
    def is_optional(self) -> bool:
        """True if None is a value."""
        return self.default is None or NoneType in get_args(self.annotation)

    @property
    def is_flag(self) -> bool:
        """True if the option takes no value."""
        return self.switch is not NO_SWITCH or self.kinds[0] is bool

    def checked(self, value: Any) -> Any:
        """The value to keep; an error if it makes no sense."""
        if value is None and self.is_optional:
            return None
        if self.check is not None:
            return self.check(value)
        kind, *others = self.kinds
        if self.choices:
            if not isinstance(value, str) or value not in self.choices:
                raise self._refusal([quoted(choice) for choice in self.choices], value)
        elif any(isinstance(value, other) for other in others if isinstance(other, type)):
            pass
        elif kind is bool:
            if not isinstance(value, bool):
                raise self._refusal([value_of(True), value_of(False)], value)
        elif kind is int:
            if not is_whole(value, self.least):
                raise self._refusal([f"a whole number of at least {self.least}"], value)
        elif kind is float:
            (check_share if self.share else check_positive)(self.name, value)
        elif kind is str and not (isinstance(value, str) and value):
            raise self._refusal(["a name"], value)
        return value

    def _refusal(self, allowed: list[str | Setting], value: Any) -> SettingsError:
        *others, last = [*allowed, value_of(None)] if self.is_optional else allowed
        commas = [part for other in others for part in (", ", other)][1:]
        listed = [*commas, " or ", last] if others else [last]
        return SettingsError([Setting(self.name, refused=True), " must be ", *listed, f", not {value!r}"])


def setting(default: Any, help: str, **more: Any) -> Any:
    """Declare a setting as a field of a dataclass; ``more`` are further fields of :class:`Declaration`."""
    return field(default=default, metadata={"help": help, **more})


class Settings:
    """Base of all groups of settings: declared values are checked, then those that must suit each other."""

    table: ClassVar[str]
    group: ClassVar[str] = ""

    def __post_init__(self) -> None:
        for declaration in declarations(type(self)):
            value = declaration.checked(getattr(self, declaration.name))
            object.__setattr__(self, declaration.name, value)
        self.check_together()

    def check_together(self) -> None:
        """Refuse values that do not suit each other."""


def declarations(settings: type) -> tuple[Declaration, ...]:
    """The declarations of a group of settings, in order."""
    return tuple(_declaration(settings, declared) for declared in fields(settings))


def _declaration(settings: Any, declared: Any) -> Declaration:
    literals = [kind for kind in (declared.type, *get_args(declared.type)) if get_origin(kind) is Literal]
    choices = get_args(literals[0]) if literals else ()
    more = {"group": settings.group, "choices": choices, **declared.metadata}
    return Declaration(declared.name, settings.table, declared.default, declared.type, **more)


def documented(group: C) -> C:
    """Describe every setting of a group in its docstring."""
    return documented_by(group)(group)


def documented_by(*groups: type, **texts: tuple[str, str]) -> Callable[[C], C]:
    """Describe the parameters of a class in its docstring: from declarations, or by a type and a text of their own."""

    def describe(owner: C) -> C:
        declared = {one.name: one for group in groups for one in declarations(group)}
        section = ["Parameters", "----------"]
        for name, parameter in inspect.signature(owner).parameters.items():
            declaration = declared.get(name)
            if name in texts or declaration is None:
                kind, text = texts[name]
            else:
                kind, text = _kind_shown(declaration), declaration.help
            default = declaration.default if declaration and parameter.default is None else parameter.default
            section += [f"{name} : {kind}, default {quoted(default)}"]
            section += textwrap.wrap(text, 110, initial_indent="    ", subsequent_indent="    ")
        head, *rest = re.split(r"(?=\n\n(?:Attributes|Examples)\n)", inspect.cleandoc(owner.__doc__ or ""))
        owner.__doc__ = "\n".join([head, "", *section]) + "".join(rest)
        return owner

    return describe


def _kind_shown(declaration: Declaration) -> str:
    if declaration.choices:
        listed = "{" + ", ".join(quoted(choice) for choice in declaration.choices) + "}"
        return " or ".join(
            [*(kind.__name__ for kind in declaration.kinds if isinstance(kind, type) and kind is not str), listed]
        )
    return " or ".join(getattr(kind, "__name__", str(kind)) for kind in declaration.kinds)


def is_whole(value: Any, least: int) -> bool:
    """True for a whole number that is not too small."""
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= least


def check_positive(name: str, value: Any) -> None:
    """Refuse anything but a positive finite number."""
    if not isinstance(value, Real) or value is True or not 0 < float(value) < inf:
        raise SettingsError([Setting(name, refused=True), f" must be a positive finite number, not {value!r}"])


def check_share(name: str, value: Any) -> None:
    """Refuse anything but a number between 0 and 1."""
    if not isinstance(value, Real) or not 0 < float(value) < 1:
        raise SettingsError([Setting(name, refused=True), f" must lie between 0 and 1, not {value!r}"])


def check_whole(name: str, value: Any, least: int) -> None:
    """Refuse anything but a whole number that is not too small."""
    if not is_whole(value, least):
        raise SettingsError(
            [Setting(name, refused=True), f" must be a whole number of at least {least}, not {value!r}"]
        )
