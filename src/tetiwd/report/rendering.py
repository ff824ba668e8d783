"""From values to HTML that runs, loads and leaks nothing: escaping, hashes of style and script, data for scripts."""

import json
from base64 import b64encode
from collections.abc import Iterable, Sequence
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from tetiwd.plots.colours import lineage_colour, text_colour
from tetiwd.plots.text import clean, epoch_numbers, times_as_text
from tetiwd.summarize.naming import given_colours, lineage_name

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

N_COLOURS = 40  # further lineages repeat them
UNSAFE_IN_SCRIPTS = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def render(template: str, *, package: str = "tetiwd.report", **values: Any) -> str:
    """A template of a package with everything escaped that is not our own markup; it can import those of this one."""
    return environment(package).get_template(template).render(**values)


def environment(package: str = "tetiwd.report") -> "Environment":
    """Jinja with the settings of the pages."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader("tetiwd.report")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals["lineage_name"] = lineage_name
    return made


def trusted(text: str) -> "Markup":
    """Markup made by this package, never text of a user."""
    from markupsafe import Markup

    return Markup(text)


def style_sheet(*more: str) -> str:
    """The style sheet, with the colours of the lineages, and more rules if there are any."""
    colours = (
        f".c{lineage} {{ background: {colour}; color: {text_colour(colour)}; }}"
        for lineage, colour in ((lineage, lineage_colour(lineage)) for lineage in range(N_COLOURS))
    )
    own = (
        f".chip.g{g} {{ background: {colour}; color: {text_colour(colour)}; }}" for g, colour in given_colours().items()
    )
    return "\n".join([_template("report.css"), *colours, ".c-1 { background: #8A8F98; color: #000; }", *own, *more])


def script() -> str:
    """The one script of the page."""
    return _template("report.js")


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
    return trusted("".join(UNSAFE_IN_SCRIPTS.get(character, character) for character in text))


class Wording:
    """Times as people read them: short, without control characters, and unable to change the direction of text."""

    def __init__(self, times: Sequence[Any], longest: int = 40) -> None:
        self.labels = tuple(clean(label, longest) or f"epoch {t}" for t, label in enumerate(times_as_text(times)))
        self.inline = tuple(label if label.isascii() else isolated(label) for label in self.labels)
        self._epoch = epoch_numbers(times)

    def epoch(self, time: Any) -> int:
        """The number of a time."""
        return self._epoch[time]

    def label(self, time: Any) -> str:
        """A time for people."""
        return self.labels[self.epoch(time)]

    def sentence(self, text: str, longest: int = 700) -> str:
        """A sentence with words of users, made harmless."""
        return isolated(clean(text, longest)) if not text.isascii() else clean(text, longest)

    def sentences(self, texts: Iterable[str]) -> list[str]:
        """Several of them."""
        return [self.sentence(text) for text in texts]


def isolated(text: str) -> str:
    """Text whose direction cannot spread to the text around it, as ``<bdi>`` does in HTML."""
    return f"\u2068{text}\u2069"


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _template(name: str) -> str:
    """A file of this package, with the line ends that browsers use when they check the hash."""
    text = files("tetiwd.report").joinpath("templates", name).read_text("utf-8")
    return text.replace("\r\n", "\n")
