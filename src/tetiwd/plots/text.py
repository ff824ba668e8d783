"""Text in pictures: labels of users made short and harmless, and numbers in words."""

import unicodedata
from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any

FONT = "system-ui, -apple-system, Segoe UI, Roboto, Helvetica, Arial, sans-serif"
BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"  # can turn text around
LONGEST_LABEL, LONGEST_TIME = 18, 80  # characters of a time below its column, and in hover text


def clean(text: str, longest: int) -> str:
    """Text of a user as one short line: no control or direction characters, an ellipsis in the middle of long text."""
    text = str(text)
    if len(text) > 4000:
        text = text[:2000] + text[-2000:]
    if not (text.isascii() and text.isprintable()):
        text = "".join(" " if letter.isspace() else letter for letter in text if letter.isspace() or _harmless(letter))
    text = " ".join(text.split())
    if len(text) <= longest:
        return text
    tail = (longest - 1) // 3
    return text[: longest - 1 - tail].rstrip() + "…" + text[len(text) - tail :].lstrip()


def label(text: Any, longest: int = LONGEST_LABEL) -> str:
    """Text of a user for matplotlib, which reads text between dollars as mathematics."""
    return clean(str(text), longest).replace("$", r"\$")


def times_as_text(times: Iterable[Any]) -> tuple[str, ...]:
    """Times as text; dates without the time of the day if they are all at midnight."""
    labels = [str(time) for time in times]
    for midnight in (" 00:00:00", "T00:00:00.000000000", "T00:00:00.000000", "T00:00:00"):
        if all(label.endswith(midnight) for label in labels):
            return tuple(label.removesuffix(midnight) for label in labels)
    return tuple(labels)


def named_times(times: Iterable[Any]) -> tuple[str, ...]:
    """Times as harmless text, for hover text and the like; an empty label becomes the number of the epoch."""
    return tuple(clean(time, LONGEST_TIME) or f"epoch {t}" for t, time in enumerate(times_as_text(times)))


def epoch_numbers(times: Sequence[Any]) -> dict[Any, int]:
    """Time → number of its epoch, for times as they are and as tables of pandas hold them."""
    import pandas as pd

    return {time: t for column in (times, pd.Series(list(times))) for t, time in enumerate(column)}


def fitted(text: str, width: float) -> str:
    """A label that is neither too long nor wider than this."""
    shorter = (clean(text, longest) for longest in range(LONGEST_LABEL, 3, -1))
    return next((candidate for candidate in shorter if text_width(candidate) <= width), clean(text, 3))


def _harmless(character: str) -> bool:
    return character not in BIDI and unicodedata.category(character) not in ("Cc", "Cs", "Cn", "Co")


def text_width(text: str) -> float:
    """Approximate width of text in pixels, 12 pixels high, in a common sans-serif font."""
    return sum(map(_character_width, text))


def _character_width(character: str) -> float:
    if unicodedata.combining(character):
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return 12.0
    if character in "iljtfrI.,;:'|!()[] ":
        return 3.8
    return 10.5 if character in "mwMW@%<>=+#~" else 8.4 if character.isupper() else 7.0


def count(n: int, what: str) -> str:
    """A number with its noun: "1 object", "1,200 objects"."""
    return f"{n:,} {what}" + ("" if n == 1 else "s")


def short(n: int) -> str:
    """A number of objects in at most six characters: 812, 9,431, 54.3k, 1.2M, 187M."""
    for unit, letter in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if n >= max(unit, 10**4):
            return f"{n / unit:.1f}".removesuffix(".0") + letter if n < 99.95 * unit else f"{n / unit:.0f}{letter}"
    return f"{n:,}"


def probably(p: float) -> str:
    """ ", probability 0.77", to follow a statement; nothing if it is not known."""
    if not isfinite(p):
        return ""
    words = "below 0.01" if 0 < p < 0.005 else "above 0.99" if 0.995 <= p < 1 else f"{p:.2f}"
    return f", probability {words}"
