"""Sentences: where they end, broken lines, and that time grows no faster than the text."""

import time

import numpy as np
import pytest

from reference import rng_for
from tetiwd.notes import sentences
from tetiwd.notes.sentences import Splitter, paragraphs, sentences_of

CASES = {
    "two": ("Gait is steady. No new weakness.", ["Gait is steady.", "No new weakness."]),
    "titles": ("Seen by Dr. Smith today. Stable.", ["Seen by Dr. Smith today.", "Stable."]),
    "abbreviations": (
        "Pt. seen today. Keppra p.o. q.d. for a week.",
        ["Pt. seen today.", "Keppra p.o. q.d. for a week."],
    ),
    "decimals": ("Lesion of 1.5 cm. Stable.", ["Lesion of 1.5 cm.", "Stable."]),
    "lines": ("Plan:\nMRI in June\nReturn in July", ["Plan:", "MRI in June", "Return in July"]),
    "broken lines": ("The patient was\nseen today.\nStable.", ["The patient was seen today.", "Stable."]),
    "a colon ends a line": ("Plan:\nmri in June", ["Plan:", "mri in June"]),
    "empty lines": ("Stable\n\nmri in June", ["Stable", "mri in June"]),
    "carriage returns": ("Stable.\r\nBetter.\rWorse.", ["Stable.", "Better.", "Worse."]),
    "blanks": ("  Stable \t gait.  ", ["Stable gait."]),
    "nothing": (" \n ", []),
}


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES.keys())
def test_where_sentences_end(text, expected):
    assert list(Splitter()(text)) == expected


def test_sentences_know_their_note():
    made = sentences_of(["Stable. Better.", "", "Worse."])
    assert made.texts == ["Stable.", "Better.", "Worse."]
    assert made.note.tolist() == [0, 0, 2]


def prose(rng, n_sentences):
    """Sentences of invented words, some with an abbreviation or a number in them."""
    words = ["".join(rng.choice(list("abcdeilmnorstu"), size=rng.integers(2, 9))) for _ in range(200)]
    said = []
    for _ in range(n_sentences):
        words_said = rng.choice(words, size=rng.integers(3, 15)).tolist()
        if rng.random() < 0.2:
            words_said.insert(len(words_said) // 2, rng.choice(["1.5", "Dr. Who", "e.g.", "(sic)"]))
        said.append(" ".join([words_said[0].capitalize(), *words_said[1:]]) + ".")
    return said


def test_pieces_do_not_cut_sentences(monkeypatch):
    said = prose(rng_for(901), 60)
    whole = list(Splitter()(" ".join(said)))
    for piece in (150, 400):
        monkeypatch.setattr(sentences, "PIECE", piece)
        assert list(Splitter()(" ".join(said))) == whole
    assert len(set(whole) & set(said)) > 0.9 * len(said)


@pytest.mark.parametrize(
    "text",
    ["word " * 5000, "x" * 30_000, "(" * 3000, '"' * 3000, "1. " * 2000, "a.b." * 2000, "\\" * 2000, "。" * 2000],
)
def test_no_text_is_lost_whatever_it_is(text):
    pieces = list(Splitter()(text))
    assert "".join("".join(pieces).split()) == "".join(text.split())
    assert max(map(len, pieces)) <= sentences.LONGEST + sentences.PIECE


def test_no_text_is_lost_in_prose():
    rng = rng_for(902)
    signs = np.array(list("abAB .,;:!?()[]\"'0189-\n"))
    for _ in range(60):
        text = "".join(rng.choice(signs, size=200))
        assert "".join("".join(Splitter()(text)).split()) == "".join(text.split())


def seconds(text):
    split = Splitter()
    start = time.process_time()
    list(split(text))
    return time.process_time() - start


def test_time_grows_with_the_length_of_a_note_and_not_faster():
    """pysbd alone takes some 64 times as long for 8 times the text."""
    said = prose(rng_for(903), 1600)
    few, many = " ".join(said[:200]), " ".join(said)
    seconds(few)
    assert seconds(many) < 3 * 8 * max(seconds(few), 1e-3)


def test_paragraphs_are_split_once(monkeypatch):
    split, n_calls = Splitter(), 0
    segment = split._segment

    def counted(text):
        nonlocal n_calls
        n_calls += 1
        return segment(text)

    monkeypatch.setattr(split, "_segment", counted)
    assert list(split("Stable. Better.\nStable. Better.")) == ["Stable.", "Better."] * 2
    assert n_calls == 1


def test_paragraphs_of_a_page():
    assert list(paragraphs("one\ntwo\n\nthree\nFour.\nfive")) == ["one two", "three", "Four.", "five"]
