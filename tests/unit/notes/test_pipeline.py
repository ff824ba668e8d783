"""From notes to distances as a whole, on small tables."""

import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from reference import rng_for
from tetiwd import DataError, SettingsError
from tetiwd.notes import NotesSettings, notes_from_table, notes_to_series, read_notes
from tetiwd.notes import incidence as incidence_module
from tetiwd.notes.neighbours import nearest, rarity, unit_rows
from tetiwd.notes.ranks import rows_of_ranks
from tetiwd.notes.synthetic import synthetic_notes

TOPICS = {
    "tumour": ["MRI shows a tumour", "temozolomide cycle given", "tumour resection planned", "biopsy of tumour done"],
    "heart": ["echo shows ejection", "metoprolol dose raised", "chest pain on exertion", "echo of the heart done"],
    "any": ["patient seen in clinic", "vitals are stable", "return in six weeks", "discussed with family"],
}
SMALL = NotesSettings(neighbours=3, object_neighbours=8, resolution=1.0)


def table_of(rng, n_by_window=(8, 7, 6), per_note=6):
    """Patients of two groups: p0, p2, … speak of tumours, p1, p3, … of hearts; one note a year."""
    rows = []
    for year, n in enumerate(n_by_window):
        for patient in range(n):
            about = TOPICS["tumour" if patient % 2 == 0 else "heart"]
            said = [str(rng.choice(about if rng.random() < 0.7 else TOPICS["any"])) for _ in range(per_note)]
            text = " ".join(f"{one.capitalize()}." for one in said)
            rows.append((f"p{patient}", f"{2011 + year}-03-{patient + 1:02}", text, patient % 3 == 0))
    return pd.DataFrame(rows, columns=["id", "date", "text", "died"])


@pytest.fixture(scope="module")
def table():
    return table_of(rng_for(950))


@pytest.fixture(scope="module")
def noted(table):
    return notes_to_series(notes_from_table(table, outcomes=["died"]), SMALL)


def test_the_series(noted):
    series = noted.series
    assert series.times == (1, 2, 3)
    assert series.n_objects == (8, 7, 6)
    assert [ids.tolist() for ids in series.ids] == [[f"p{i}" for i in range(n)] for n in (8, 7, 6)]
    for D in series.D:
        alike = np.equal.outer(np.arange(len(D)) % 2, np.arange(len(D)) % 2)
        assert np.where(alike, D, 0).max(axis=1).mean() < np.where(alike, np.inf, D).min(axis=1).mean()


def test_cross_time_distances_restrict_to_those_of_windows(noted):
    ends = np.cumsum(noted.series.n_objects)
    for D, end in zip(noted.series.D, ends, strict=True):
        np.testing.assert_array_equal(D, noted.series.cross[end - len(D) : end, end - len(D) : end])


def test_distances_are_those_of_points(noted):
    """Of the whole D*: the rows of W."""
    X = noted.rows.matrix
    W = rows_of_ranks(nearest(unit_rows(X, rarity(X)), 8), "ranks", 0.9).toarray()
    np.testing.assert_allclose(noted.series.cross, ((W[:, None] - W[None]) ** 2).sum(-1), rtol=0, atol=1e-13)
    assert all(report.holds for report in noted.series.negative_type())


def test_everything_that_later_parts_need(noted, table):
    sentences = noted.sentences()
    assert list(sentences) == ["id", "time", "day", "note", "text", "bag", "cluster"]
    assert len(sentences) == 21 * 6
    assert (sentences["id"] == table["id"].to_numpy()[sentences["note"]]).all()
    assert sentences["time"].tolist() == (sentences["day"].dt.year - 2010).tolist()
    assert (sentences["cluster"] == noted.cluster_of_bag[sentences["bag"]]).all()
    assert noted.outcomes == {"died": {f"p{i}": i % 3 == 0 for i in range(8)}}
    by_hand = sentences.groupby(["time", "id"])["cluster"].agg(set)
    for t, (time, matrix) in enumerate(zip(noted.series.times, noted.incidence, strict=True)):
        assert matrix.shape == (noted.series.n_objects[t], noted.n_clusters)
        for row, name in zip(matrix.toarray(), noted.series.ids[t], strict=True):
            assert set(np.flatnonzero(row).tolist()) == by_hand[time, name]
    sizes = np.bincount(noted.cluster_of)
    assert (np.diff(sizes) <= 0).all()
    assert len(noted.strength) == len(noted.cluster_of_bag) == noted.bags.matrix.shape[0]
    assert noted.counts.sentences == 126
    assert noted.counts.clusters == noted.n_clusters
    assert "p1" not in repr(noted)
    assert repr(noted).startswith("NotesSeries(126 sentences in ")


def same(one, other):
    for D, E in zip(one.series.D, other.series.D, strict=True):
        np.testing.assert_array_equal(D, E)
    np.testing.assert_array_equal(one.cluster_of_bag, other.cluster_of_bag)


def test_the_same_notes_give_the_same_distances(noted, table):
    same(noted, notes_to_series(notes_from_table(table), SMALL))


def test_the_order_of_notes_does_not_matter(noted, table):
    shuffled = table.sample(frac=1, random_state=3)
    same(noted, notes_to_series(notes_from_table(shuffled), SMALL))


def test_one_note_or_several_are_the_same_within_a_window(noted, table):
    halves = []
    for part in (slice(0, 3), slice(3, None)):
        half = table.copy()
        half["text"] = [". ".join(text.split(". ")[part]).rstrip(".") + "." for text in table["text"]]
        halves.append(half)
    same(noted, notes_to_series(notes_from_table(pd.concat(halves)), SMALL))


def test_a_cache_changes_nothing_and_saves_stages(noted, table, tmp_path):
    notes = notes_from_table(table)

    def run(settings):
        steps = []
        result = notes_to_series(notes, settings, cache=tmp_path, progress=steps.append)
        return result, [step.stage for step in steps if step.cached]

    first, cached = run(SMALL)
    assert cached == []
    again, cached = run(SMALL)
    assert cached == ["sentences", "bags", "neighbours", "ties", "clusters", "objects"]
    for result in (first, again):
        same(noted, result)
        assert result.texts == noted.texts
        assert result.bags.words == noted.bags.words
        assert result.counts == replace(noted.counts, changing_outcomes=0)
        np.testing.assert_array_equal(result.bags.matrix.toarray(), noted.bags.matrix.toarray())
        np.testing.assert_array_equal(result.strength, noted.strength)
    changes = {
        "resolution": (replace(SMALL, resolution=2.0), ["sentences", "bags", "neighbours", "ties"]),
        "object_neighbours": (
            replace(SMALL, object_neighbours=9),
            ["sentences", "bags", "neighbours", "ties", "clusters"],
        ),
        "window": (replace(SMALL, window="2y"), ["sentences", "bags", "neighbours", "ties", "clusters"]),
        "neighbours": (replace(SMALL, neighbours=6), ["sentences", "bags"]),
        "comparison": (replace(SMALL, comparison="overlap"), ["sentences", "bags", "neighbours"]),
        "persistence does not matter here": (replace(SMALL, persistence=0.5), None),
        "word_objects": (replace(SMALL, word_objects=3), ["sentences"]),
        "approximate": (replace(SMALL, exact_up_to=0), ["sentences", "bags"]),
    }
    for settings, expected in changes.values():
        expected = ["sentences", "bags", "neighbours", "ties", "clusters", "objects"] if expected is None else expected
        assert run(settings)[1] == expected


def test_a_damaged_cache_is_made_anew(noted, table, tmp_path):
    notes = notes_from_table(table)
    notes_to_series(notes, SMALL, cache=tmp_path)
    for file in tmp_path.glob("*/arrays.npz"):
        file.write_bytes(file.read_bytes()[:-1])
    same(noted, notes_to_series(notes, SMALL, cache=tmp_path))
    steps = []
    notes_to_series(notes, SMALL, cache=tmp_path, progress=steps.append)
    assert sum(step.cached for step in steps) == 6


def test_progress_goes_through_all_stages(table):
    steps = []
    notes_to_series(notes_from_table(table), SMALL, progress=steps.append)
    assert [step.number for step in steps if step.done] == [1, 2, 3, 4, 5, 6, 7]
    assert all(step.n_stages == 7 for step in steps)


def test_an_error_in_the_callback_stops(table):
    def stop(step):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        notes_to_series(notes_from_table(table), SMALL, progress=stop)


def test_approximate_neighbours_are_said(table):
    counts = notes_to_series(notes_from_table(table), replace(SMALL, exact_up_to=10)).counts
    assert not counts.exact_neighbours
    assert any("approximate" in line for line in counts.narrate())


@pytest.mark.parametrize("aligned", ["object", "calendar"])
def test_windows_with_few_objects_are_left_out(aligned):
    late = table_of(rng_for(951), (5, 4, 2))
    result = notes_to_series(notes_from_table(late), replace(SMALL, aligned=aligned))
    labels = (1, 2, 3) if aligned == "object" else (2011, 2012, 2013)
    assert result.series.times == labels[:2]
    assert result.counts.small_windows == ((labels[2], 2),)
    assert result.counts.narrate()[-1] == f"left out 1 window with too few objects: {labels[2]} (2)"
    assert result.sentences()["time"].isna().sum() == 12


def test_objects_that_skip_a_window(table):
    gaps = table[~((table["id"] == "p1") & (table["date"].str.startswith("2012")))]
    series = notes_to_series(notes_from_table(gaps), SMALL).series
    assert ["p1" in ids.tolist() for ids in series.ids] == [True, False, True]


def test_patients_with_one_sentence_or_none(table):
    extra = pd.DataFrame(
        [("short", "2011-05-01", "MRI shows tumour."), ("mute", "2011-05-01", "zzz."), ("signs", "2011-05-01", "---")],
        columns=["id", "date", "text"],
    )
    result = notes_to_series(notes_from_table(pd.concat([table, extra])), SMALL)
    assert "short" in result.series.ids[0].tolist()
    assert result.series.n_objects == (9, 7, 6)
    assert result.counts.without_sentences == 2
    assert result.counts.without_words >= 1


def test_a_megabyte_in_one_note(table):
    """In reasonable time, and only what is different counts."""
    long = " ".join(table["text"]) * (1_000_000 // table["text"].str.len().sum() + 1)
    extra = pd.DataFrame([("long", "2011-05-01", long)], columns=["id", "date", "text"])
    result = notes_to_series(notes_from_table(pd.concat([table, extra])), SMALL)
    assert len(long) > 1_000_000
    assert result.series.n_objects[0] == 9
    assert result.incidence[0].toarray()[result.series.ids[0].tolist().index("long")].mean() > 0.9


FAULTS = {
    "one object": (lambda t: t[t["id"] == "p1"], "no word is used by 2 objects"),
    "two objects": (lambda t: t[t["id"].isin(["p1", "p3"])], "no window has 3 objects, the fullest has 2"),
    "no common words": (
        lambda t: t.assign(text=[f"word{i:b}x." for i in range(len(t))]),
        "no word is used by 2 objects",
    ),
    "no letters": (lambda t: t.assign(text="--- ***"), "no sentence has a word"),
}


@pytest.mark.parametrize(("change", "message"), FAULTS.values(), ids=FAULTS.keys())
def test_notes_that_give_no_distances(table, change, message):
    with pytest.raises(DataError, match=message):
        notes_to_series(notes_from_table(change(table)), SMALL)


def test_all_notes_alike_give_distances_all_the_same(table):
    series = notes_to_series(notes_from_table(table.assign(text="Vitals are stable.")), SMALL).series
    assert series.n_objects == (8, 7, 6)


def test_what_is_not_installed_is_said_first(table, monkeypatch):
    monkeypatch.setitem(sys.modules, "igraph", None)
    with pytest.raises(SettingsError, match="pip install"):
        notes_to_series(notes_from_table(table), SMALL)


def test_without_cross_time_distances_the_others_are_the_same(noted, table, monkeypatch):
    monkeypatch.setattr(incidence_module, "LARGEST_CROSS", 10)
    series = notes_to_series(notes_from_table(table), SMALL).series
    assert series.cross is None
    assert series.times == noted.series.times
    for t in range(3):
        np.testing.assert_array_equal(series.D[t], noted.series.D[t])
        assert series.ids[t].tolist() == noted.series.ids[t].tolist()


def test_from_a_file_in_mixed_encodings(tmp_path, table, noted):
    lines = table.drop(columns="died").to_csv(index=False, lineterminator="\n").splitlines(keepends=True)
    raw = [line.replace("seen", "séen").encode("latin-1" if i % 2 else "utf-8") for i, line in enumerate(lines)]
    (tmp_path / "notes.csv").write_bytes(b"".join(raw))
    result = notes_to_series(read_notes(tmp_path / "notes.csv"), SMALL)
    same(noted, result)
    assert result.counts.mended_lines > 0
    assert "séen" in result.bags.words


def test_planted_groups_of_synthetic_notes_are_far_apart():
    """Ward clustering told the number of groups, in the windows of the generator."""
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform
    from sklearn.metrics import adjusted_rand_score

    made = synthetic_notes(1, (60, 40, 30), 4)
    result = notes_to_series(notes_from_table(made.table, id="patient", outcomes=["died"]))
    truth = made.truth.set_index(["window", "patient"])["group"]
    for time, ids, D in zip(result.series.times, result.series.ids, result.series.D, strict=True):
        group = truth[time][ids.tolist()].to_numpy()
        assert len(ids) == len(truth[time])
        tree = linkage(np.sqrt(squareform(D, checks=False)), "ward")
        labels = fcluster(tree, len(set(group)), "maxclust")
        assert adjusted_rand_score(group, labels) > 0.9
