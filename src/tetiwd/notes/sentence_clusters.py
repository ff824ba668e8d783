"""Descriptions of clusters of sentences: characteristic words and typical sentences."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tetiwd.notes.lineage_words import in_plain
from tetiwd.notes.members import FEW
from tetiwd.notes.pipeline import NotesSeries
from tetiwd.notes.words import DATE, NUMBER

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
    from scipy.sparse import csr_matrix

    bags, sizes = notes.bags, notes.bags.sizes
    n_bags = len(sizes)
    grouped = csr_matrix((sizes, (notes.cluster_of_bag, np.arange(n_bags))), (notes.n_clusters, n_bags))
    counts = grouped @ bags.matrix  # (clusters, words) sentences
    everywhere = np.asarray(counts.sum(axis=0)).ravel() / sizes.sum()
    n_sentences = np.asarray(grouped.sum(axis=1)).ravel()
    allowed = (_users(notes) >= least) & np.array([word not in (NUMBER, DATE) for word in bags.words])
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


def _users(notes: NotesSeries) -> Ints:
    """How many different objects use every word."""
    from scipy.sparse import csr_matrix

    there = notes.bags.bag_of >= 0
    whose, bag = notes.notes.whose[notes.note_of[there]], notes.bags.bag_of[there]
    shape = (len(notes.notes.objects), notes.bags.matrix.shape[0])
    used = csr_matrix((np.ones(len(bag), np.int32), (whose, bag)), shape) @ notes.bags.matrix
    return np.bincount(used.indices, minlength=len(notes.bags.words))


def _first_sentences(notes: NotesSeries) -> dict[int, int]:
    """The first sentence of every bag."""
    bag, position = np.unique(notes.bags.bag_of, return_index=True)
    return dict(zip(bag.tolist(), position.tolist(), strict=True))
