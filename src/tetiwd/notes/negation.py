"""Which words of a sentence are negated.

A cue negates the words after it, up to punctuation or a conjunction. Lists continue: "no pain, cough or fever" negates
all three because of the "or", and after "denies" and "negative for" a list may have commas and "and". Negation by words
that follow ("progression was ruled out") is not recognised.
"""

from collections.abc import Iterator, Sequence

from tetiwd.notes.data import load

ENGLISH = load("english")
_LISTS = ENGLISH["negation"]
CUES, DENIALS, LIST_WORDS, CONJUNCTIONS, STOPS = (
    frozenset(_LISTS[name]) for name in ("cues", "denials", "list_words", "conjunctions", "stops")
)
NO_CUES, CUES_OF_TWO, DENIALS_OF_TWO = (
    frozenset(tuple(pair.split()) for pair in _LISTS[name])
    for name in ("no_cues", "cues_of_two_words", "denials_of_two_words")
)


def negated(tokens: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Every token that is no cue, with whether it is negated; tokens are words and single punctuation marks."""
    on = through_lists = False
    position = 0
    while position < len(tokens):
        token, pair = tokens[position], tuple(tokens[position : position + 2])
        if pair in NO_CUES:
            position += 1
            continue
        if pair in CUES_OF_TWO or pair in DENIALS_OF_TWO:
            on, through_lists = True, pair in DENIALS_OF_TWO
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
