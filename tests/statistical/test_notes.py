"""The whole way from notes to groups with default settings."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score

from tetiwd import run_chains
from tetiwd.analysis import Analysis
from tetiwd.notes import NotesSettings, notes_from_table, notes_to_series
from tetiwd.notes.synthetic import synthetic_notes
from tetiwd.params import AnswerSettings

pytestmark = pytest.mark.slow
MEDLINE = Path(__file__).parents[3] / "shared" / "data" / "medline_drug_reviews"


def clustered(table, settings=None, **columns):
    made = notes_to_series(notes_from_table(table, **columns), settings)
    return made, Analysis(run_chains(made.series), AnswerSettings(links="place", min_size=1))


def scores(series, clustering, truth):
    """Adjusted Rand index at every time; ``truth`` by (id, time)."""
    pairs = zip(series.times, series.ids, clustering.labels, strict=True)
    return [adjusted_rand_score([truth[i, time] for i in ids], labels) for time, ids, labels in pairs]


@pytest.mark.parametrize("seed", [0, 1])
def test_planted_groups_births_and_deaths_are_found(seed):
    notes = synthetic_notes(seed)
    made, analysis = clustered(notes.table, id="patient", outcomes=["died"])
    truth = {(row.patient, row.window): row.group for row in notes.truth.itertuples()}
    assert np.mean(scores(made.series, analysis.clustering, truth)) >= 0.9
    main = {}
    for time, ids, labels in zip(made.series.times, made.series.ids, analysis.clustering.labels, strict=True):
        for i, lineage in zip(ids, labels, strict=True):
            main.setdefault(int(lineage), []).append(truth[i, time])
    named = {lineage: max(set(groups), key=groups.count) for lineage, groups in main.items()}
    events = analysis.lineages.events().itertuples()
    seen = {(row.event, named[int(row.lineage)], row.time) for row in events if row.event in ("born", "died")}
    assert {(row.event, row.group, row.window) for row in notes.events.itertuples()} <= seen


@pytest.mark.skipif(not MEDLINE.is_dir(), reason="the shared data are not here")
def test_topics_of_drug_reviews_are_found():
    sentences = pd.read_csv(MEDLINE / "sentences.tsv.gz", sep="\t")
    documents = pd.read_csv(MEDLINE / "documents.tsv", sep="\t")
    text = sentences.groupby(["object", "pmid"], sort=False).text.agg(lambda texts: "\n".join(map(str, texts)))
    table = text.reset_index().merge(documents[["object", "pmid", "year"]])
    table["date"] = table.year.astype(str) + "-06-01"
    made, analysis = clustered(table, NotesSettings(window="2y", aligned="calendar"), id="object")
    objects = pd.read_csv(MEDLINE / "objects.tsv", sep="\t").set_index("object").topic
    truth = {(i, time): objects[i] for time, ids in zip(made.series.times, made.series.ids, strict=True) for i in ids}
    assert np.mean(scores(made.series, analysis.clustering, truth)) >= 0.85
