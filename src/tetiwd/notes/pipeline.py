"""The pipeline from notes to distances, stage by stage; read this file first."""

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data.series import DistanceSeries
from tetiwd.errors import DataError
from tetiwd.io.sparse_parts import check_sparse
from tetiwd.notes.bags import Bags, bags_of
from tetiwd.notes.cache import Cache
from tetiwd.notes.counts import Counts
from tetiwd.notes.incidence import Incidence, incidence_of, series_of
from tetiwd.notes.louvain import Ties, louvain, strengths, ties_of
from tetiwd.notes.neighbours import Lists, nearest, nearest_among_candidates, rarity, unit_rows
from tetiwd.notes.ranks import rows_of_ranks
from tetiwd.notes.requirements import require_text_extra
from tetiwd.notes.sentences import Sentences, sentences_of
from tetiwd.notes.settings import NotesSettings
from tetiwd.notes.stages import Report, Stages
from tetiwd.notes.tidy import Notes
from tetiwd.notes.windows import as_length, windows_of

if TYPE_CHECKING:
    import pandas as pd
    from scipy.sparse import csr_matrix

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class NotesSeries:
    """Distances between objects, and everything they came from."""

    series: DistanceSeries
    notes: Notes
    settings: NotesSettings
    counts: Counts  # what was left out from the table to the distances; says it in words
    texts: tuple[str, ...]  # sentences
    note_of: Ints  # (sentences,)
    bags: Bags  # words, bags of words, and the bag of every sentence (−1 for none)
    cluster_of_bag: Ints  # (bags,) 0 is the cluster with most sentences
    strength: NDArray[np.float64]  # (bags,) how typical a bag is of its cluster; compare within a cluster
    rows: Incidence  # objects in windows × clusters of sentences

    @property
    def n_clusters(self) -> int:
        """Number of clusters of sentences."""
        return int(self.cluster_of_bag.max()) + 1

    @cached_property
    def cluster_of(self) -> Ints:
        """The cluster of every sentence, −1 for none; (sentences,)."""
        return np.where(self.bags.bag_of >= 0, self.cluster_of_bag[self.bags.bag_of], -1)

    @cached_property
    def incidence(self) -> tuple["csr_matrix", ...]:
        """Per window a matrix of 0 and 1 (n_t, clusters), its rows in the order of ``series.ids``."""
        return tuple(self.rows.matrix[self.rows.window == t] for t in range(self.series.n_epochs))

    @property
    def outcomes(self) -> dict[str, dict[Any, bool | None]]:
        """Name of an outcome → value by id; None where it is not known."""
        return {
            name: dict(zip(self.notes.objects, values, strict=True)) for name, values in self.notes.outcomes.items()
        }

    def sentences(self) -> "pd.DataFrame":
        """One row per sentence: id, time (None where its window is left out), day, note, text, bag, cluster."""
        import pandas as pd

        window = np.where(self.rows.row_of >= 0, self.rows.window[self.rows.row_of], -1)
        objects = np.array(self.notes.objects, dtype=object)
        return pd.DataFrame(
            {
                "id": objects[self.notes.whose[self.note_of]],
                "time": pd.Series([None if t < 0 else self.rows.times[t] for t in window.tolist()], dtype=object),
                "day": self.notes.days[self.note_of].astype("datetime64[s]"),
                "note": self.note_of,
                "text": self.texts,
                "bag": self.bags.bag_of,
                "cluster": self.cluster_of,
            }
        )

    def __repr__(self) -> str:
        return (
            f"NotesSeries({len(self.texts)} sentences in {self.n_clusters} clusters; "
            f"{', '.join(map(str, self.series.n_objects))} objects by window)"
        )


def notes_to_series(
    notes: Notes,
    settings: NotesSettings | None = None,
    *,
    cache: str | Path | None = None,
    progress: Report | None = None,
) -> NotesSeries:
    """Squared distances between the objects of every window, from what their notes say.

    Parameters
    ----------
    notes
        From :func:`tetiwd.notes.read_notes` or :func:`tetiwd.notes.notes_from_table`.
    settings
        How; the defaults if left out.
    cache
        A folder to cache the output of every stage in. It will hold the sentences of the notes.
    progress
        Called with a :class:`tetiwd.notes.Step` now and then.
    """
    require_text_extra()
    s = settings or NotesSettings()
    stages = Stages(Cache(cache), progress, notes.fingerprint())
    sentences = _sentences(stages, notes)
    bags = _bags(stages, notes, sentences, s)
    exact = bags.matrix.shape[0] <= s.exact_up_to
    lists = _neighbours(stages, bags, exact, s)
    ties = _ties(stages, lists, s)
    cluster_of_bag, strength = _clusters(stages, ties, bags, s)

    rows = _rows(notes, sentences, bags, cluster_of_bag, s)
    object_lists = _object_neighbours(stages, rows, s)
    stages.tell("distances", 0.0)
    series = series_of(rows, object_lists, notes.objects, s.comparison, s.persistence)
    stages.tell("distances", 1.0)
    counts = replace(
        notes.counts,
        sentences=len(sentences.texts),
        without_words=int((bags.bag_of < 0).sum()),
        bags=bags.matrix.shape[0],
        words=len(bags.words),
        rare_words=bags.n_rare_words,
        exact_neighbours=exact,
        clusters=int(cluster_of_bag.max()) + 1,
        without_sentences=rows.n_without_sentences,
        small_windows=rows.small_windows,
    )
    texts = tuple(sentences.texts)
    return NotesSeries(series, notes, s, counts, texts, sentences.note, bags, cluster_of_bag, strength, rows)


def _sentences(stages: Stages, notes: Notes) -> Sentences:
    def make(progress: Any) -> Any:
        sentences = sentences_of(notes.texts, progress)
        if not sentences.texts:
            raise DataError("no note has a sentence", "check the column of texts")
        return {"note": sentences.note}, {"sentences": sentences.texts}

    arrays, texts = stages.run("sentences", {}, make)
    return Sentences(arrays["note"], texts["sentences"])


def _bags(stages: Stages, notes: Notes, sentences: Sentences, s: NotesSettings) -> Bags:
    from scipy.sparse import csr_matrix

    def make(progress: Any) -> Any:
        bags = bags_of(sentences.texts, notes.whose[sentences.note], s.word_objects, progress)
        arrays = {"indices": bags.matrix.indices, "indptr": bags.matrix.indptr, "bag_of": bags.bag_of}
        return arrays | {"n_rare_words": np.array(bags.n_rare_words)}, {"words": list(bags.words)}

    arrays, texts = stages.run("bags", {"word_objects": s.word_objects}, make)
    words = tuple(texts["words"])
    ones, shape = np.ones(len(arrays["indices"]), np.int32), (len(arrays["indptr"]) - 1, len(words))
    try:
        check_sparse(ones, arrays["indices"], arrays["indptr"], shape)
    except ValueError as error:
        raise DataError(f"the words of sentences in the cache are damaged ({error})", "remove the cache") from error
    matrix = csr_matrix((ones, arrays["indices"], arrays["indptr"]), shape)
    return Bags(words, matrix, arrays["bag_of"], int(arrays["n_rare_words"]))


def _neighbours(stages: Stages, bags: Bags, exact: bool, s: NotesSettings) -> Lists:
    find = nearest if exact else nearest_among_candidates

    def make(progress: Any) -> Any:
        return {"lists": find(unit_rows(bags.matrix), s.neighbours, progress)}, {}

    arrays, _ = stages.run("neighbours", {"neighbours": s.neighbours, "exact": exact}, make)
    return arrays["lists"]


def _ties(stages: Stages, lists: Lists, s: NotesSettings) -> Ties:
    def make(progress: Any) -> Any:
        ties = ties_of(rows_of_ranks(lists, s.comparison, s.persistence), s.ties, progress)
        return {"one": ties.one, "other": ties.other, "weight": ties.weight}, {}

    persistence = s.persistence if s.comparison == "overlap" else None
    about = {"ties": s.ties, "comparison": s.comparison, "persistence": persistence}
    arrays, _ = stages.run("ties", about, make)
    return Ties(len(lists), arrays["one"], arrays["other"], arrays["weight"])


def _clusters(stages: Stages, ties: Ties, bags: Bags, s: NotesSettings) -> tuple[Ints, NDArray[np.float64]]:
    def make(progress: Any) -> Any:
        labels = louvain(ties, bags.sizes, s.resolution, s.seed)
        return {"cluster": labels, "strength": strengths(ties, labels)}, {}

    arrays, _ = stages.run("clusters", {"resolution": float(s.resolution), "seed": int(s.seed)}, make)
    return arrays["cluster"], arrays["strength"]


def _rows(notes: Notes, sentences: Sentences, bags: Bags, cluster_of_bag: Ints, s: NotesSettings) -> Incidence:
    """Objects in windows, from the windows of their notes."""
    window, labels = windows_of(notes.days, notes.whose, as_length(s.window), s.aligned)
    cluster = np.where(bags.bag_of >= 0, cluster_of_bag[bags.bag_of], -1)
    noted = np.column_stack([notes.whose, window])
    whose, when = notes.whose[sentences.note], window[sentences.note]
    return incidence_of(cluster, whose, when, labels, noted, s.min_objects)


def _object_neighbours(stages: Stages, rows: Incidence, s: NotesSettings) -> Lists:
    def make(progress: Any) -> Any:
        weighted = unit_rows(rows.matrix, rarity(rows.matrix))
        return {"lists": nearest(weighted, s.object_neighbours, progress)}, {}

    about = {name: getattr(s, name) for name in ("object_neighbours", "window", "aligned", "min_objects")}
    arrays, _ = stages.run("objects", about, make)
    return arrays["lists"]
