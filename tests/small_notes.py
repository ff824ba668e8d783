"""Notes written by hand: what every object says in every window, and how they are grouped, without the pipeline."""

from types import SimpleNamespace

import numpy as np

from reference import rng_for
from tetiwd import DistanceSeries, Partitions, align
from tetiwd.notes import Counts, Notes, NotesSeries, NotesSettings
from tetiwd.notes.bags import bags_of
from tetiwd.notes.incidence import incidence_of
from tetiwd.params import AnswerSettings
from tetiwd.summarize.lineages import lineages


def series_of_notes(windows, *, topics, outcomes=None, times=None) -> NotesSeries:
    """``windows`` are dicts of id → sentences, ``topics`` words that make the cluster of a sentence they are in."""
    objects = tuple(sorted({name for window in windows for name in window}))
    number = {name: i for i, name in enumerate(objects)}
    said = [(number[name], t, text) for t, window in enumerate(windows) for name in window for text in window[name]]
    whose, when = (np.array([row[i] for row in said]) for i in (0, 1))
    texts = tuple(row[2] for row in said)
    bags = bags_of(texts, whose, 1)
    words = [{bags.words[word] for word in row.indices} for row in bags.matrix]
    cluster_of_bag = np.array([next(c for c, topic in enumerate(topics) if topic in present) for present in words])
    labels = list(range(1, len(windows) + 1)) if times is None else times
    noted = np.column_stack([whose, when])
    rows = incidence_of(cluster_of_bag[bags.bag_of], whose, when, labels, noted, 3)
    points = rng_for(9, 1).standard_normal((len(rows.whose), 2))
    points[:, 0] += 20 * rows.matrix.indices[rows.matrix.indptr[:-1]]  # far apart by their first topic
    D = ((points[:, None] - points[None]) ** 2).sum(-1)
    blocks = [np.flatnonzero(rows.window == t) for t in range(len(rows.times))]
    series = DistanceSeries.from_distances(
        [D[np.ix_(block, block)] for block in blocks],
        squared=True,
        ids=[[objects[rows.whose[row]] for row in block] for block in blocks],
        times=rows.times,
    )
    days = np.full(len(texts), np.datetime64("2020-01-01"))
    known = {name: tuple(values.get(name) for name in objects) for name, values in (outcomes or {}).items()}
    notes = Notes(objects, whose, days, texts, known, Counts(notes=len(texts), objects=len(objects)))
    strength = bags.sizes.astype(float)
    return NotesSeries(
        series, notes, NotesSettings(), notes.counts, texts, np.arange(len(texts)), bags, cluster_of_bag, strength, rows
    )


def analysis_of_notes(notes, labels, draws=None, level=0.9) -> SimpleNamespace:
    """As much of an analysis as findings need: labels per window, and draws of them (the same ones if left out)."""
    series = notes.series
    drawn = [labels] * 4 if draws is None else draws
    partitions = Partitions.from_labels(
        [np.array([one[t] for one in drawn]) for t in range(series.n_epochs)],
        times=series.times,
        ids=[ids.tolist() for ids in series.ids],
    )
    alignment = align(partitions, [np.array(window) for window in labels])
    return SimpleNamespace(
        sample=SimpleNamespace(series=series),
        settings=AnswerSettings(level=level),
        clustering=alignment.clustering,
        alignment=alignment,
        lineages=lineages(alignment, level=level),
    )
