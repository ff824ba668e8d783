"""From sentences to words: case, numbers, dates, abbreviations, and what stands under a negation."""

import pytest

from tetiwd.notes.words import STOP_WORDS, words_of

SAME = {
    "case": ("MRI Shows EDEMA", "mri shows edema"),
    "numbers": ("dose 5 mg", "dose 1,250.5 mg"),
    "blood pressure is a number": ("bp 120/80", "bp 7"),
    "times": ("seen at 10:30", "seen at 7"),
    "units right behind numbers": ("given 5mg", "given 250ml"),
    "ordinals": ("the 1st cycle", "the 12th cycle"),
    "ISO dates": ("seen 2014-08-05", "seen 1999-12-31"),
    "American dates": ("seen 8/5/2014", "seen 2014-08-05"),
    "short years": ("seen 8/5/14", "seen 2014-08-05"),
    "points": ("seen 05.08.2014.", "seen 2014-08-05."),
    "slashes behind the year": ("seen 2014/8/5", "seen 2014-08-05"),
    "month and year": ("seen 8/2014", "seen 2014-08-05"),
    "months with names": ("seen August 5, 2014", "seen 2014-08-05"),
    "short months": ("seen Aug. 5th 2014", "seen 2014-08-05"),
    "day first": ("seen 5 August 2014", "seen 2014-08-05"),
    "month without a day": ("seen in Sept 2014", "seen in 2014-08-05"),
    "hyphens with a month": ("seen 05-Aug-2014", "seen 2014-08-05"),
    "date with a time": ("seen 2014-08-05T10:30:00", "seen 2014-08-05"),
    "hyphens": ("follow-up of b-cell lymphoma", "follow up of b cell lymphoma"),
    "possessives": ("patient's wife", "patient wife"),
    "curly apostrophes": ("patient’s wife", "patient's wife"),
    "abbreviations with points": ("keppra b.i.d.", "keppra bid"),
    "compatibility letters": ("ﬁne motor", "fine motor"),
    "ways to say no": ("no pain", "denies pain"),
    "without": ("without pain", "w/o pain"),
    "contractions": ("does not have pain", "doesn't have pain"),
    "negative for": ("negative for pain", "no pain"),
}
DIFFERENT = {
    "negation": ("no evidence of progression", "evidence of progression"),
    "denial": ("denies headache", "headache"),
    "never": ("never smoked tobacco", "smoked tobacco"),
    "absence": ("absence of edema", "edema"),
    "neither": ("neither weakness nor numbness", "weakness numbness"),
    "contraction": ("doesn't tolerate temozolomide", "tolerate temozolomide"),
}


@pytest.mark.parametrize(("one", "other"), SAME.values(), ids=SAME.keys())
def test_written_differently_but_the_same_words(one, other):
    assert words_of(one) == words_of(other)
    assert words_of(one)


@pytest.mark.parametrize(("one", "other"), DIFFERENT.values(), ids=DIFFERENT.keys())
def test_a_negated_sentence_shares_no_word_with_its_opposite(one, other):
    assert words_of(one)
    assert not set(words_of(one)) & set(words_of(other))


SCOPES = {
    "up to the full stop": ("no edema. hemorrhage", "not_edema hemorrhage"),
    "up to a semicolon": ("no edema; hemorrhage", "not_edema hemorrhage"),
    "up to a colon": ("seizures: none: edema", "seizures edema"),
    "up to a bracket": ("no edema (hemorrhage present)", "not_edema hemorrhage present"),
    "up to but": ("no edema but hemorrhage", "not_edema hemorrhage"),
    "up to however": ("no edema however hemorrhage", "not_edema hemorrhage"),
    "up to and": ("no edema and steady gait", "not_edema steady gait"),
    "a comma ends it": ("no seizures, continues keppra", "not_seizures continues keppra"),
    "a list with or": ("no pain, cough or fever", "not_pain not_cough not_fever"),
    "what follows the list": ("no pain, cough or fever, gait steady", "not_pain not_cough not_fever gait steady"),
    "a list with a comma before or": ("no pain, cough, or fever", "not_pain not_cough not_fever"),
    "an or in the next part does not count": ("no pain, gait steady; left or right", "not_pain gait steady left right"),
    "denials go through and": ("denies pain, cough and fever", "not_pain not_cough not_fever"),
    "denials end with but": ("denies pain but coughs", "not_pain coughs"),
    "negative for goes through and": ("negative for pain, and fever", "not_pain not_fever"),
    "negative alone is a word": ("cultures negative today", "cultures negative today"),
    "not only is no negation": ("not only headaches", "only headaches"),
    "several words": ("without any new focal weakness", "not_any not_new not_focal not_weakness"),
    "numbers are not negated": ("no lesion over 5 mm", "not_lesion not_over #number not_mm"),
    "words before it are not": ("gait steady without support", "gait steady not_support"),
    "none at the end": ("allergies none", "allergies"),
    "non": ("non-tender abdomen", "not_tender not_abdomen"),
}


@pytest.mark.parametrize(("sentence", "expected"), SCOPES.values(), ids=SCOPES.keys())
def test_how_far_a_negation_reaches(sentence, expected):
    assert words_of(sentence) == expected.split()


KEPT = {
    "names with digits": ("1p/19q codeletion on T2", "1p 19q codeletion t2"),
    "single letters that name something": ("b cell", "b cell"),
    "other alphabets": ("café naïve Прогрессия", "café naïve прогрессия"),
    "the month may is also a verb": ("patient may return", "patient return"),
    "a year alone is a number": ("since 2014", "since #number"),
    "a ratio is a number, not a date": ("ratio 13/45", "ratio #number"),
    "dimensions": ("mass 2.3x1.5 cm", "mass #number cm"),
    "nothing": ("", ""),
    "only signs": ("--- *** ???", ""),
    "only stop words": ("it was of the", ""),
    "a NUL is no date": ("a\x00b pain", "b pain"),
}


@pytest.mark.parametrize(("sentence", "expected"), KEPT.values(), ids=KEPT.keys())
def test_what_words_are(sentence, expected):
    assert words_of(sentence) == expected.split()


def test_the_stop_list_is_short_and_has_no_negation():
    assert len(STOP_WORDS) < 100
    assert not STOP_WORDS & {"no", "not", "without", "never", "nor", "none", "cannot"}
