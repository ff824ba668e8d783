"""Sentences of notes: wrapped lines are joined, then pysbd splits the text into sentences.

pysbd takes time that grows with the square of the length of what it is given, so it gets at most ``PIECE`` characters
at a time; the last sentence of a piece, which may be cut off, is put in front of the next one.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetiwd.notes.requirements import text_module

PIECE = 1000  # characters
LONGEST = 1000  # characters; what goes on without an end for longer is cut between words
ENDS = (".", "!", "?", ":", ";")
BLANKS = re.compile(r"\s+")
SIMPLE_END = re.compile(r"(?<=[.!?])\s+(?=[^\Wa-z_])")
NEW_LINE = re.compile(r"\r\n?|[\n\v\f\x1c-\x1e\x85\u2028\u2029]")

Progress = Callable[[float], None]


class Sentences(NamedTuple):
    """All sentences, note after note."""

    note: NDArray[np.int64]  # (sentences,) which note
    texts: list[str]


def sentences_of(texts: Sequence[str], progress: Progress | None = None) -> Sentences:
    """The sentences of all notes."""
    split = Splitter()
    note: list[int] = []
    sentences: list[str] = []
    n_done, n_all = 0, max(1, sum(map(len, texts)))
    for number, text in enumerate(texts):
        own_sentences = list(split(text))
        sentences += own_sentences
        note += [number] * len(own_sentences)
        n_done += len(text)
        if progress is not None:
            progress(n_done / n_all)
    return Sentences(np.array(note, dtype=np.int64), sentences)


class Splitter:
    """Splits texts into sentences; remembers paragraphs, because notes often repeat earlier ones."""

    def __init__(self) -> None:
        self._segment = text_module("pysbd").Segmenter(language="en", clean=False).segment
        self._known: dict[str, list[str]] = {}

    def __call__(self, text: str) -> Iterator[str]:
        """The sentences of a text, without line breaks."""
        for paragraph in paragraphs(text):
            if paragraph not in self._known:
                self._known[paragraph] = list(self._split(paragraph))
            yield from self._known[paragraph]

    def _split(self, paragraph: str) -> Iterator[str]:
        begin, waiting = 0, ""
        while begin < len(paragraph):
            end = _end_of_piece(paragraph, begin)
            whole = waiting + paragraph[begin:end]
            begin, waiting = end, ""
            pieces = self._pieces(whole)
            if begin < len(paragraph) and len(pieces[-1]) < LONGEST:
                waiting = pieces.pop()
            yield from (tidied for piece in pieces if (tidied := piece.strip()))
        if waiting.strip():
            yield waiting.strip()

    def _pieces(self, text: str) -> list[str]:
        """Sentences with the blanks behind them; together they are the text."""
        pieces: list[Any] = self._segment(text)
        if "".join(pieces).split() != text.split():  # it loses text that it cannot find again
            pieces = SIMPLE_END.split(text)
        joined: list[str] = []
        for piece in pieces:
            if joined and piece[:1].islower():  # no sentence begins like that: "Pt." and "p.o." end none
                joined[-1] = f"{joined[-1].rstrip()} {piece}"
            else:
                joined.append(piece)
        return joined or [text]


def paragraphs(text: str) -> Iterator[str]:
    """Lines with single blanks; a line that goes on with a small letter belongs to the line before."""
    waiting = ""
    for line in NEW_LINE.split(text):
        tidy = BLANKS.sub(" ", line).strip()
        if waiting and (not tidy or waiting.endswith(ENDS) or not tidy[0].islower()):
            yield waiting
            waiting = ""
        waiting = f"{waiting} {tidy}" if waiting else tidy
    if waiting:
        yield waiting


def _end_of_piece(text: str, begin: int) -> int:
    """Where a piece ends: between words if there is a blank."""
    end = begin + PIECE
    if end >= len(text):
        return len(text)
    blank = text.rfind(" ", begin + 1, end)
    return end if blank < 0 else blank + 1
