"""The vocabulary of synthetic notes: topics with their sentences, and the groups of patients that use them.

The words themselves, and how templates are written, are in ``data/synthetic_notes.toml``.
"""

import re
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.notes.data import load

CHOICE = re.compile(r"\[([^\]]*)\]")
SLOT = re.compile(r"\{([^}]*)\}")
NUMBERS = re.compile(r"([\d.]+?)\.\.([\d.]+)(?::([\d.]+))?")


@dataclass(frozen=True)
class Topic:
    """Sentences that say much the same."""

    section: str  # where in a note they stand
    templates: tuple[str, ...]


@dataclass(frozen=True)
class Group:
    """A kind of patient."""

    name: str
    description: str
    share: float  # of patients, relative to other groups
    loyalty: float  # how likely a patient is seen again, relative to other groups
    death_rate: float  # of patients whose last notes are of this kind
    only: list[str]  # topics of this group alone
    shared: list[str]  # topics that other groups may have as well; half as frequent

    @property
    def weights(self) -> dict[str, float]:
        """How often the topics occur, relative to each other."""
        return dict.fromkeys(self.only, 1.0) | dict.fromkeys(self.shared, 0.5)


def _topics(tables: dict[str, Any]) -> dict[str, Topic]:
    return {name: Topic(table["section"], tuple(table["templates"])) for name, table in tables.items()}


_DATA = load("synthetic_notes")
HEADINGS: dict[str, list[str]] = _DATA["headings"]
SECTIONS = tuple(HEADINGS)
WORDS: dict[str, list[str]] = _DATA["words"]
TRAITS = tuple(_DATA["traits"])  # words that are the same in all notes of a patient
LEADS, TAILS = tuple(_DATA["leads"]), tuple(_DATA["tails"])  # what may stand before and after any sentence
MONTHS = tuple(_DATA["months"])
BOILERPLATE = _topics(_DATA["boilerplate"])  # what the note of anybody may say
BACKGROUND = _topics(_DATA["background"])  # other illnesses; every patient has one of them, whatever the group
SPECIFIC = _topics(_DATA["specific"])  # what is said of some groups only
GROUPS = tuple(Group(**table) for table in _DATA["groups"])  # the first of them are used if fewer are asked for
ONLY_FIRST: str = _DATA["only_first"]  # dies after the first window
FROM_SECOND: str = _DATA["from_second"]  # is born in the second window


@cache
def wordings(topic: Topic) -> tuple[list[tuple[str, list[str]]], list[float]]:
    """All wordings of a topic, each as a frame and the slots to be filled in, and how frequent they are."""
    frames, weights = [], []
    for template in topic.templates:
        parts = [part.split("|") if place % 2 else [part] for place, part in enumerate(CHOICE.split(template))]
        variants = ["".join(chosen) for chosen in product(*parts)]
        frames += [(SLOT.sub("{}", variant), SLOT.findall(variant)) for variant in variants]
        weights += [1 / len(variants)] * len(variants)
    return frames, weights


@cache
def options(slot: str) -> NDArray[Any]:
    """What may stand in a slot: words, or the numbers of a range."""
    if slot in WORDS:
        return np.array(WORDS[slot], dtype=object)
    limits = NUMBERS.fullmatch(slot)
    if limits is None:
        raise KeyError(f"no words for {{{slot}}}")
    step = limits[3] or "1"
    decimals = len(step.partition(".")[2])
    low, high, width = (round(float(number) * 10**decimals) for number in (limits[1], limits[2], step))
    return np.array([f"{n / 10**decimals:.{decimals}f}" for n in range(low, high + 1, width)], dtype=object)
