"""Bags of words: which words are kept, which sentences share a bag, and in which order bags come."""

import numpy as np
import pytest

from reference import rng_for
from tetiwd import DataError
from tetiwd.notes.bags import bags_of
from tetiwd.notes.words import words_of


def bags(texts, whose, word_objects=2):
    return bags_of(texts, np.array(whose), word_objects)


def words_of_bag(made, bag):
    return [made.words[word] for word in made.matrix[bag].indices]


def test_words_of_one_object_are_left_out():
    made = bags(["Gait steady Smith", "gait unsteady", "Smith Smith"], [0, 1, 0])
    assert made.words == ("gait",)
    assert made.n_rare_words == 3
    assert made.bag_of.tolist() == [0, 0, -1]
    assert made.sizes.tolist() == [2]


def test_a_word_twice_in_a_sentence_counts_once():
    made = bags(["pain pain gait", "gait pain"], [0, 1])
    assert made.matrix.toarray().tolist() == [[1, 1]]
    assert made.bag_of.tolist() == [0, 0]


def test_sentences_without_words_have_no_bag():
    made = bags(["gait", "of the", "", "gait"], [0, 0, 1, 1])
    assert made.bag_of.tolist() == [0, -1, -1, 0]


def test_negated_words_are_other_words():
    made = bags(["No evidence of progression.", "Evidence of progression."] * 2, [0, 0, 1, 1])
    assert made.words == ("evidence", "not_evidence", "not_progression", "progression")
    assert (made.matrix @ made.matrix.T).toarray().tolist() == [[2, 0], [0, 2]]


def test_bags_are_the_words_that_many_objects_use():
    """Against sets of words, made slowly."""
    rng = rng_for(940)
    names = [f"word{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]
    texts = [" ".join(rng.choice(names, size=rng.integers(1, 5))) for _ in range(80)]
    whose = rng.integers(0, 9, size=80)
    for least in (1, 2, 5):
        users = {word: {w for t, w in zip(texts, whose, strict=True) if word in words_of(t)} for word in names}
        kept = sorted(word for word in names if len(users[word]) >= least)
        made = bags(texts, whose, least)
        assert list(made.words) == kept
        for text, bag in zip(texts, made.bag_of, strict=True):
            expected = sorted(set(words_of(text)) & set(kept))
            assert (words_of_bag(made, bag) if bag >= 0 else []) == expected
        assert len({tuple(words_of_bag(made, bag)) for bag in range(made.matrix.shape[0])}) == made.matrix.shape[0]


def test_the_order_of_sentences_does_not_matter():
    rng = rng_for(941)
    texts = [" ".join(rng.choice(["gait", "pain", "edema", "mri", "stable"], size=3)) for _ in range(40)]
    whose, order = rng.integers(0, 5, size=40), rng.permutation(40)
    one, other = bags(texts, whose), bags([texts[i] for i in order], whose[order])
    assert one.words == other.words
    np.testing.assert_array_equal(one.matrix.toarray(), other.matrix.toarray())
    np.testing.assert_array_equal(one.bag_of[order], other.bag_of)


def test_nothing_to_compare():
    with pytest.raises(DataError, match="no sentence has a word"):
        bags(["of the", "!"], [0, 1])
    with pytest.raises(DataError, match="no word is used by 2 objects or more"):
        bags(["gait", "pain"], [0, 1])
