"""Sentences of synthetic notes, from templates; none comes from a real note.

Topics, groups of patients and words, and how templates are written, are in ``data/synthetic_notes.toml``.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.notes.data import load
from tetiwd.notes.synthetic.random_choices import Draws, at

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

CHOICE = re.compile(r"\[([^\]]*)\]")
SLOT = re.compile(r"\{([^}]*)\}")
NUMBERS = re.compile(r"([\d.]+?)\.\.([\d.]+)(?::([\d.]+))?")
WORTH_A_TYPO = re.compile(r"[a-z]{4,}")


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
TOPICS = BOILERPLATE | BACKGROUND | SPECIFIC
NAMES = tuple(TOPICS)
STRAYS = 0.08  # share of the specific sentences that belong to any group
OWN_ILLNESS = 0.15  # share of the other sentences that speak of the patient's other illness
ASIDES = 0.3  # share of the sentences with words before that any sentence may have, and of those with words after
LOOKS_BACK = 60  # days before the note that a date in it may lie


def note_texts(
    draws: Draws,
    groups: Sequence[Group],
    group: Ints,
    illness: Ints,
    traits: Floats,
    days: NDArray[Any],
    lengths: Ints,
    difficulty: float,
    typos: float,
) -> list[str]:
    """The text of every note: sections with headings, sentences in random order within them."""
    n_specific = np.minimum((lengths * (1 - difficulty) + draws.uniform(len(lengths))).astype(np.int64), lengths)
    note = np.repeat(np.arange(len(lengths)), lengths)
    number = np.arange(len(note)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    specific = number < n_specific[note]
    rank = np.where(specific, number, number - n_specific[note])
    out_of = np.where(specific, n_specific[note], lengths[note] - n_specific[note])
    place = (rank + draws.uniform(len(note))) / out_of  # evenly spread, so that a note seldom says the same twice
    topic = topics_of(draws, groups, group[note], illness[note], specific, place)
    sentences = sentences_about(draws, topic, days[note], traits[note], typos)

    section = np.array([SECTIONS.index(named.section) for named in TOPICS.values()])[topic]
    heading = draws.uniform(len(lengths) * len(SECTIONS))
    order = np.lexsort((draws.uniform(len(note)), section, note))
    parts: list[list[str]] = [[] for _ in range(len(lengths))]
    before = -1
    for row, part in zip(order.tolist(), (note * len(SECTIONS) + section)[order].tolist(), strict=True):
        lines = parts[part // len(SECTIONS)]
        if part != before:
            choices = HEADINGS[SECTIONS[part % len(SECTIONS)]]
            lines += [choices[int(heading[part] * len(choices))] + ":", sentences[row]]
        else:
            lines[-1] += " " + sentences[row]
        before = part
    return ["\n".join(lines) for lines in parts]


def topics_of(
    draws: Draws, groups: Sequence[Group], group: Ints, illness: Ints, specific: Bools, place: Floats
) -> Ints:
    """What every sentence is about. ``place`` from 0 to 1 picks one of the topics that are possible."""
    position = {name: number for number, name in enumerate(NAMES)}
    n = len(group)
    topic = at(np.ones(len(BOILERPLATE)), place)
    topic = np.where(draws.uniform(n) < OWN_ILLNESS, len(BOILERPLATE) + illness, topic)
    speaks_of = np.where(draws.uniform(n) < STRAYS, draws.below(len(groups), n), group)
    for g, kind in enumerate(groups):
        rows = np.flatnonzero(specific & (speaks_of == g))
        about = np.array([position[name] for name in kind.weights])
        topic[rows] = about[at(list(kind.weights.values()), place[rows])]
    return topic


def sentences_about(draws: Draws, topic: Ints, days: NDArray[Any], traits: Floats, typos: float) -> list[str]:
    """One sentence for every topic, written on these days about patients of these traits."""
    said = np.empty(len(topic), dtype=object)
    for number, name in enumerate(NAMES):
        rows = np.flatnonzero(topic == number)
        said[rows] = _worded(draws, TOPICS[name], days[rows], traits[rows])
    sentences = [text[0].upper() + text[1:-1] for text in said.tolist()]
    for asides, frame in ((LEADS, "{0}: {1}"), (TAILS, "{1}{0}")):
        rows = np.flatnonzero(draws.uniform(len(sentences)) < ASIDES)
        words = _worded(draws, Topic("", asides), days[rows], traits[rows])
        for row, aside in zip(rows.tolist(), words.tolist(), strict=True):
            sentences[row] = frame.format(aside, sentences[row])
    sentences = [text if text.endswith(".") else text + "." for text in sentences]
    for row in np.flatnonzero(draws.uniform(len(sentences)) < typos).tolist():
        sentences[row] = _mistyped(sentences[row], draws.uniform(3).tolist())
    return sentences


def _worded(draws: Draws, topic: Topic, days: NDArray[Any], traits: Floats) -> NDArray[Any]:
    """Sentences of one topic."""
    said = np.empty(len(days), dtype=object)
    frames, weights = wordings(topic)
    which = draws.weighted(weights, len(days))
    for number, (frame, slots) in enumerate(frames):
        rows = np.flatnonzero(which == number)
        words = [_filled(draws, slot, days[rows], traits[rows]) for slot in slots]
        said[rows] = list(map(frame.format, *words)) if slots else frame
    return said


def _filled(draws: Draws, slot: str, days: NDArray[Any], traits: Floats) -> list[str]:
    """Words, numbers or dates for one slot of sentences."""
    n = len(days)
    if slot == "date":
        earlier: NDArray[Any] = days - (1 + draws.below(LOOKS_BACK, n)).astype("timedelta64[D]")
        return list(map(_written, np.datetime_as_string(earlier).tolist(), draws.below(3, n).tolist()))
    words = options(slot)
    if slot in TRAITS:
        return words[(traits[:, TRAITS.index(slot)] * len(words)).astype(np.int64)].tolist()
    return words[draws.below(len(words), n)].tolist()


def _written(day: str, style: int) -> str:
    """An ISO date in one of three ways of writing dates."""
    year, month, number = day.split("-")
    if style == 0:
        return f"{month}/{number}/{year}"
    return day if style == 1 else f"{MONTHS[int(month) - 1]} {int(number)}, {year}"


def _mistyped(sentence: str, chances: Sequence[float]) -> str:
    """The sentence with a letter dropped or doubled, or two swapped, in one of its longer words."""
    words = list(WORTH_A_TYPO.finditer(sentence))
    if not words:
        return sentence
    word = words[int(chances[0] * len(words))]
    place = word.start() + 1 + int(chances[1] * (len(word[0]) - 2))
    one, two = sentence[place], sentence[place + 1]
    wrong = (two, one + one + two, two + one if one != two else one)[int(chances[2] * 3)]
    return sentence[:place] + wrong + sentence[place + 2 :]


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
