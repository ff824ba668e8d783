"""The words of a sentence: lower case, one token for all numbers and one for all dates, negated words marked."""

import re
import unicodedata

from tetiwd.notes.negation import ENGLISH, negated

NUMBER, DATE, NOT = "#number", "#date", "not_"

STOP_WORDS = frozenset(ENGLISH["stop_words"])
UNITS = frozenset(ENGLISH["units"])

MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
DAY = r"[0-3]?[0-9](?:st|nd|rd|th)?"
YEAR = r"(?:1[89]|2[01])[0-9]{2}"
DATES = re.compile(
    rf"""(?<![\w/.-])(?:
      {YEAR}([-/.])[01]?[0-9]\1[0-3]?[0-9](?:t[0-9:.]+z?)?       # 2014-08-05, with a time or not
    | [0-3]?[0-9]([-/.])[0-3]?[0-9]\2(?:{YEAR}|[0-9]{{2}})       # 8/5/2014, 05.08.14
    | [01]?[0-9]/{YEAR}                                          # 8/2014
    | {MONTH}\.?\s+{DAY}(?:\s*,?\s*{YEAR})                       # August 5, 2014
    | {DAY}\s+(?:of\s+)?{MONTH}\.?,?\s+{YEAR}                    # 5 August 2014
    | {DAY}-{MONTH}-(?:{YEAR}|[0-9]{{2}})                        # 05-aug-2014
    | {MONTH}\.?,?\s+(?:of\s+)?{YEAR}                            # August 2014
    )(?![\w/-])""",
    re.VERBOSE,
)
ABBREVIATION = re.compile(r"(?<![\w.])(?:[^\W0-9_]\.){2,}")  # b.i.d.
PLAIN_DATE = " \x00 "  # stands for a date while a sentence is taken apart
TOKENS = re.compile(
    r"""\x00
    | w/o(?!\w)
    | [0-9]+(?:[.,:/x×^-][0-9]+)*(?:[^\W0-9_]+[0-9]*)?           # 12, 1.5, 120/80, 10:30, 5mg, 19q, 3d
    | [^\W_](?:[^\W_]|['’](?=[^\W_]))*                           # words, t2, b12, don't
    | [.;:!?()\[\],]""",
    re.VERBOSE,
)
LETTERS_BEHIND = re.compile(r"([0-9.,:/x×^-]*[0-9])([^\W0-9_]+[0-9]*)")


def words_of(sentence: str) -> list[str]:
    """The words of a sentence in order; negated ones begin with ``not_``."""
    text = unicodedata.normalize("NFKC", sentence.replace("\x00", " ")).casefold().replace("’", "'")
    text = ABBREVIATION.sub(lambda match: match[0].replace(".", "") + " ", DATES.sub(PLAIN_DATE, text))
    tokens = [part for token in TOKENS.findall(text) for part in _parts(token)]
    return [
        NOT + word if under_no and word not in (NUMBER, DATE) else word
        for word, under_no in negated(tokens)
        if word not in STOP_WORDS and (len(word) > 1 or word.isalpha())
    ]


def _parts(token: str) -> list[str]:
    """A token as words: a number without its value and unit, a word without its 's."""
    if token == "\x00":
        return [DATE]
    if token[0].isdigit():
        match = LETTERS_BEHIND.fullmatch(token)
        return [token] if match is not None and match[2] not in UNITS else [NUMBER]
    return [token.removesuffix("'s")]
