"""From values to HTML that runs, loads and leaks nothing: escaping, hashes of what may run, data for scripts."""

import json
from base64 import b64encode
from collections.abc import Iterable, Sequence
from hashlib import sha256
from importlib.resources import files
from re import escape as literal
from re import split
from typing import TYPE_CHECKING, Any

from tetiwd.plots.colours import lineage_colour, text_colour
from tetiwd.plots.text import clean, times_as_text

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

N_COLOURS = 40  # lineages beyond them begin again with the first
UNSAFE_IN_SCRIPTS = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def render(template: str, *, package: str = "tetiwd.report", **values: Any) -> str:
    """A template of a package with everything escaped that is not our own markup; it can import those of this one."""
    return environment(package).get_template(template).render(**values)


def environment(package: str = "tetiwd.report") -> "Environment":
    """Jinja as the pages need it."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader("tetiwd.report")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def trusted(text: str) -> "Markup":
    """Markup that this package has made itself, never text of a user."""
    from markupsafe import Markup

    return Markup(text)


def style_sheet(*more: str) -> str:
    """The style sheet, with the colours of the lineages, and more rules if there are any."""
    colours = (
        f".c{lineage} {{ background: {colour}; color: {text_colour(colour)}; }}"
        for lineage, colour in ((lineage, lineage_colour(lineage)) for lineage in range(N_COLOURS))
    )
    return "\n".join([_own_file("report.css"), *colours, ".c-1 { background: #8A8F98; color: #000; }", *more])


def script() -> str:
    """The one script of the page."""
    return _own_file("report.js")


def content_security_policy(style: str, script: str) -> str:
    """Only this style sheet and this script, pictures inside the file, and no connection to anywhere."""
    rules = (
        "default-src 'none'",
        f"script-src '{_hash(script)}'",
        f"style-src '{_hash(style)}'",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
    )
    return "; ".join(rules)


def json_for_script(data: Any) -> "Markup":
    """JSON that can stand in a script element: nothing in it ends the element or begins another."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return trusted("".join(UNSAFE_IN_SCRIPTS.get(own, own) for own in text))


class Wording:
    """Times as people read them, in any sentence: short, without control characters, and unable to turn text around."""

    def __init__(self, times: Sequence[Any], longest: int = 40) -> None:
        import pandas as pd

        self.labels = tuple(clean(label, longest) or f"epoch {t}" for t, label in enumerate(times_as_text(times)))
        given = ((str(time), label) for time, label in zip(times, self.labels, strict=True))
        self.shorter = sorted(
            ((time, label) for time, label in given if time != label), key=lambda pair: len(pair[0]), reverse=True
        )
        self.foreign = sorted({label for label in self.labels if not label.isascii()}, key=len, reverse=True)
        in_tables = pd.Series(list(times))  # where dates of numpy become those of pandas
        self._number = {time: t for own in (times, in_tables) for t, time in enumerate(own)}

    def epoch(self, time: Any) -> int:
        """The number of a time."""
        return self._number[time]

    def label(self, time: Any) -> str:
        """A time for people."""
        return self.labels[self.epoch(time)]

    def sentence(self, text: str, longest: int = 700) -> "Markup":
        """A sentence that may name times."""
        from markupsafe import escape

        for time, label in self.shorter:
            text = text.replace(time, label)
        text = clean(text, longest)
        if not self.foreign:
            return escape(text)
        parts = split(f"({'|'.join(map(literal, self.foreign))})", text)
        return trusted("").join(
            trusted("<bdi>{}</bdi>").format(own) if i % 2 else escape(own) for i, own in enumerate(parts)
        )

    def sentences(self, texts: Iterable[str]) -> "list[Markup]":
        """Several of them."""
        return [self.sentence(text) for text in texts]


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _own_file(name: str) -> str:
    """A file of this package; line ends as browsers see them when they check the hash."""
    text = files("tetiwd.report").joinpath("templates", name).read_text("utf-8")
    return text.replace("\r\n", "\n")
