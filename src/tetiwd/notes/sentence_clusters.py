"""Descriptions of clusters of sentences: characteristic words and typical sentences."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tetiwd.notes.lineage_words import in_plain
from tetiwd.notes.members import FEW
from tetiwd.notes.pipeline import NotesSeries

Ints = NDArray[np.int64]
WORDS, SENTENCES = 4, 3  # that describe a cluster
NO_WORDS = "rare words only"


@dataclass(frozen=True)
class SentenceCluster:
    """A cluster of sentences."""

    cluster: int
    words: tuple[str, ...]  # the most typical ones first; none if all are rare
    n_sentences: int
    n_objects: int  # different objects whose notes have one of them
    sentences: tuple[str, ...]  # the most typical ones first: text of the notes, not for everybody

    @property
    def name(self) -> str:
        """Its words, as a name."""
        return ", ".join(self.words) or NO_WORDS


def sentence_clusters(notes: NotesSeries, clusters: Ints, *, least: int = FEW) -> list[SentenceCluster]:
    """Descriptions of these clusters by words that at least ``least`` objects use.

    Words are ranked by p log(p / q), where p is its share of the cluster's sentences and q its share of all.
    """
    bags = notes.bags
    counts = bags.words_by(notes.cluster_of, notes.n_clusters)  # (clusters, words) sentences
    n_sentences = np.bincount(notes.cluster_of[notes.cluster_of >= 0], minlength=notes.n_clusters)
    everywhere = np.asarray(counts.sum(axis=0)).ravel() / n_sentences.sum()
    used = bags.words_by(notes.notes.whose[notes.note_of], len(notes.notes.objects))
    allowed = bags.plain & (np.bincount(used.indices, minlength=len(bags.words)) >= least)
    first = _first_sentences(notes)
    described = []
    for cluster in clusters.tolist():
        row = counts[cluster]
        share = row.data / n_sentences[cluster]
        typical = share * np.log(share / everywhere[row.indices])
        order = np.lexsort((row.indices, -typical))
        kept = [int(row.indices[i]) for i in order if allowed[row.indices[i]] and typical[i] > 0][:WORDS]
        own_bags = np.flatnonzero(notes.cluster_of_bag == cluster)
        best = own_bags[np.argsort(-notes.strength[own_bags], kind="stable")][:SENTENCES]
        described.append(
            SentenceCluster(
                cluster,
                tuple(in_plain(bags.words[word]) for word in kept),
                int(n_sentences[cluster]),
                len(np.unique(notes.rows.whose[notes.rows.matrix[:, [cluster]].nonzero()[0]])),
                tuple(notes.texts[first[bag]] for bag in best),
            )
        )
    return described


def _first_sentences(notes: NotesSeries) -> dict[int, int]:
    """The first sentence of every bag."""
    bag, position = np.unique(notes.bags.bag_of, return_index=True)
    return dict(zip(bag.tolist(), position.tolist(), strict=True))
