"""Settings of a run as four tables, [data], [model], [sampler] and [answers], to and from TOML."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Self

from tetiwd.declare import Declaration, declarations
from tetiwd.errors import Setting, SettingsError, in_toml
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.plain_texts import from_toml
from tetiwd.memory import require_memory
from tetiwd.params import AnswerSettings, Hyperparameters, SamplerSettings
from tetiwd.priors import Beta, Gamma

LARGEST = 1 << 24  # bytes; thousands of times more than settings have, unless they hold the labels of all objects
BYTES_PER_BYTE = 200  # that tables take at most in memory
WRITTEN_BY_A_RUN = ("run", "inputs", "resolved", "versions")  # further tables of run.toml, which say what happened


@dataclass(frozen=True)
class RunSettings:
    """Everything a run can be told; each part has defaults of its own."""

    data: DataSettings = field(default_factory=DataSettings)
    model: Hyperparameters = field(default_factory=Hyperparameters)
    sampler: SamplerSettings = field(default_factory=SamplerSettings)
    answers: AnswerSettings = field(default_factory=AnswerSettings)

    def __post_init__(self) -> None:
        if self.answers.n_next is not None and not self.model.coupling:
            fault = " is about a forecast, which needs links through time"
            forecast = Setting("n_next", self.answers.n_next)
            raise SettingsError([forecast, fault], ["leave out this or ", Setting("coupling", False)])

    @classmethod
    def from_tables(cls, tables: Mapping[str, Any]) -> Self:
        """From nested tables, as TOML has them; whatever is missing has its default, unknown names are refused."""
        defaults, parts = cls(), {}
        for table, values in tables.items():
            if table in WRITTEN_BY_A_RUN:
                continue
            _check_known(table, [part.name for part in fields(cls)], "there is no table [{}]")
            if not isinstance(values, Mapping):
                raise SettingsError(f"[{table}] must be a table of settings, not {values!r}")
            part = getattr(defaults, table)
            known = [declaration.name for declaration in declarations(type(part))]
            for name in values:
                _check_known(name, known, f"[{table}] has no setting {{}}")
            parts[table] = _replaced(table, part, values)
        return replace(defaults, **parts)

    def to_tables(self) -> dict[str, dict[str, Any]]:
        """As nested tables of plain values; settings that are None are left out."""
        tables: dict[str, dict[str, Any]] = {}
        for part in (self.data, self.model, self.sampler, self.answers):
            values = {one.name: to_toml(getattr(part, one.name)) for one in declarations(type(part))}
            tables[part.table] = {name: value for name, value in values.items() if value is not None}
        return tables


def all_declarations() -> list[Declaration]:
    """Every setting of a run, table after table."""
    return [
        one for part in (DataSettings, Hyperparameters, SamplerSettings, AnswerSettings) for one in declarations(part)
    ]


def read_settings(path: str | Path) -> dict[str, Any]:
    """The tables of a TOML file, which must make sense by themselves."""
    content = _content(path)
    try:
        tables = from_toml(content.decode().replace("\r\n", "\n"))
    except ValueError as error:  # of TOML, of UTF-8, or a number with thousands of digits
        fault, remedy = f"{path}: is not valid TOML ({error})", 'strings need quotes, as in loss = "vi"'
        raise SettingsError(fault, remedy) from error
    try:
        RunSettings.from_tables(tables)
    except SettingsError as error:
        error.located(file=str(path))
        error.dialect = in_toml
        raise
    return tables


def _content(path: str | Path) -> bytes:
    """All of a file, unless it is larger than settings are."""
    try:
        with open(path, "rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read ({error.strerror})", "give the name of a TOML file") from error
    if len(content) > LARGEST:
        raise SettingsError(f"{path}: has more than {LARGEST >> 20} MiB", "this is not a file of settings")
    require_memory(BYTES_PER_BYTE * len(content), f"reading {path}", "give fewer settings")
    return content


def merged(*several: Mapping[str, Any]) -> dict[str, Any]:
    """Tables of settings laid over each other; later ones win."""
    result: dict[str, Any] = {}
    for tables in several:
        for table, values in tables.items():
            whole = isinstance(values, Mapping) and isinstance(result.get(table), Mapping)
            result[table] = {**result[table], **values} if whole else values
    return result


def parse_assignment(text: str) -> dict[str, dict[str, Any]]:
    """The tables of one assignment such as ``model.xi=0.5``; a value that is not TOML counts as text."""
    place, equals, value = text.partition("=")
    table, dot, name = place.strip().partition(".")
    if not (equals and dot and table and name):
        raise SettingsError(f"{text!r} is not an assignment", "write table.name=value, for example model.xi=0.5")
    if table in WRITTEN_BY_A_RUN:
        raise SettingsError(f"[{table}] says what happened in a run and cannot be set", f"leave out {text!r}")
    try:
        return {table: {name: from_toml(f"value = {value}")["value"]}}
    except ValueError:
        return {table: {name: value.strip()}}


def _replaced(table: str, part: Any, values: Mapping[str, Any]) -> Any:
    """A part of the settings with these values; those of a wrong kind are refused, wherever that is noticed."""
    try:
        return replace(part, **{name: _from_toml(value) for name, value in values.items()})
    except SettingsError:
        raise
    except (ArithmeticError, TypeError, ValueError) as error:
        shown = ", ".join(f"{name} = {value!r}" for name, value in values.items())
        raise SettingsError(f"[{table}] has a value of the wrong kind ({error}): {shown}", "correct it") from error


def _check_known(name: str, known: list[str], message: str) -> None:
    if name in known:
        return
    close = get_close_matches(name, known, n=1)
    hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(known)}"
    raise SettingsError(message.format(name), hint)


def _from_toml(value: Any) -> Any:
    """A table of shape and scale is a Gamma prior, one of a and b a Beta prior; lists are tuples."""
    if isinstance(value, Mapping):
        if set(value) == {"a", "b"}:
            return Beta(**value)
        if set(value) != {"shape", "scale"}:
            raise SettingsError(f"a Gamma prior is written {{shape = 1.0, scale = 1.0}}, not {dict(value)}")
        return Gamma(**value)
    return tuple(value) if isinstance(value, list) else value


def to_toml(value: Any) -> Any:
    """A value of a setting as a settings file has it."""
    if isinstance(value, Gamma):
        return {"shape": value.shape, "scale": value.scale}
    if isinstance(value, Beta):
        return {"a": value.a, "b": value.b}
    if isinstance(value, tuple):
        return [to_toml(item) for item in value]
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if hasattr(value, "tolist"):
        return value.tolist()
    return [to_toml(item) for item in value] if isinstance(value, list) else str(value)
