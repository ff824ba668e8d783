"""JSON and TOML that anybody may have written: what would exhaust the parser is a ValueError like any other fault."""

import json
import re
import tomllib
from typing import Any

MOST_DOTS = 8  # in a key; ours have two at most
MOST_DOTTED = 1000  # keys with more than one dot
NO_KEY = re.compile(  # strings and comments; one that does not end takes the rest, and no parser comes to that
    r'"""(?:\\.|[^\\])*?(?:"{3,5}|\Z)|' + r"'''.*?(?:'{3,5}|\Z)|"
    r'"(?:\\.|[^"\\\n])*(?:"|$)|' + r"'[^'\n]*(?:'|$)|#[^\n]*",
    re.DOTALL | re.MULTILINE,
)


def from_json(text: str) -> Any:
    """What a JSON text holds; a ValueError also if it is nested too deeply, or holds text that cannot be written."""
    try:
        value = json.loads(text)
        if "\\ud" in text.lower():  # half a character, perhaps
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    return value


def from_toml(text: str) -> dict[str, Any]:
    """The tables of a TOML text; a ValueError also if it is nested too deeply, or has keys of very many parts."""
    words = re.split(r"[^\w. \t-]", NO_KEY.sub("s", text))
    dots = [n for n in (word.count(".") for word in words) if n > 1]
    if max(dots, default=0) > MOST_DOTS or len(dots) > MOST_DOTTED:
        raise ValueError("it has keys of too many parts")
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
