"""Negation: which words of a sentence stand under a "no".

A cue negates the words behind it, up to punctuation or a conjunction. Lists go on: "no pain, cough or fever" negates
all three because of the "or", and after "denies" and "negative for" commas and "and" go on as well. What is negated by
words behind it ("progression was ruled out") is not recognised.
"""

from collections.abc import Iterator, Sequence

CUES = frozenset({"no", "not", "without", "never", "neither", "nor", "none", "cannot", "non", "w/o"})
DENIALS = frozenset({"denies", "denied", "deny", "denying"})
CUES_OF_TWO = {  # cue of two words → do commas and "and" go on?
    ("negative", "for"): True,
    ("absence", "of"): False,
    ("free", "of"): False,
    ("free", "from"): False,
    ("failed", "to"): False,
    ("fails", "to"): False,
    ("lack", "of"): False,
    ("rather", "than"): False,
    ("instead", "of"): False,
}
NO_CUES = frozenset({("not", "only"), ("no", "doubt")})
STOPS = frozenset(".;:!?()[]")
CONJUNCTIONS = frozenset(
    {"although", "and", "as", "because", "but", "except", "however", "if", "so", "though", "whereas", "while", "yet"}
)
LIST_WORDS = frozenset({"or", "nor"})


def negated(tokens: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Every token that is no cue, with whether it is negated; tokens are words and single punctuation marks."""
    on = through_lists = False
    position = 0
    while position < len(tokens):
        token, pair = tokens[position], tuple(tokens[position : position + 2])
        if pair in NO_CUES:
            position += 1
            continue
        if pair in CUES_OF_TWO:
            on, through_lists = True, CUES_OF_TWO[pair]
            position += 2
            continue
        position += 1
        if token in CUES or token in DENIALS or token.endswith("n't"):
            on, through_lists = True, token in DENIALS
            continue
        if on and _ends(token, tokens, position, through_lists):
            on = False
        yield token, on


def _ends(token: str, tokens: Sequence[str], position: int, through_lists: bool) -> bool:
    """Does the negation end at this token, behind which ``position`` is?"""
    if token in STOPS:
        return True
    if token == ",":
        return not through_lists and not _or_follows(tokens, position)
    return token in CONJUNCTIONS and not (token == "and" and through_lists)


def _or_follows(tokens: Sequence[str], position: int) -> bool:
    """Is this the inside of a list whose last word comes with "or"?"""
    for token in tokens[position:]:
        if token in LIST_WORDS:
            return True
        if token in STOPS or token in CONJUNCTIONS:
            return False
    return False
