"""Synthetic notes: the planted truth is in them, they are the same everywhere, and nobody takes them for real."""

import hashlib
import re
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

from tetiwd.errors import RunFolderError, SettingsError
from tetiwd.notes.synthetic import (
    LIKE_THE_PAPER,
    synthetic_notes,
    texts,
)
from tetiwd.notes.synthetic.random_choices import Draws
from tetiwd.notes.synthetic.texts import BACKGROUND, BOILERPLATE, GROUPS, NAMES, SECTIONS, SPECIFIC, TOPICS, TRAITS

SMALL = {"n_by_window": (60, 40, 30)}
RARE = 1e-4  # probability of a false alarm of a statistical test, were the seed not fixed


@pytest.fixture(scope="module")
def notes():
    return synthetic_notes()


def groups_by_window(notes):
    """The groups there are, window after window."""
    return [set(groups) for _, groups in notes.truth.groupby("window").group]


def last_groups(notes):
    return notes.truth.groupby("patient").group.last()


def years_since_first(table, length):
    days = (table.date - table.groupby("patient").date.transform("min")).dt.days
    return (days / length).astype(int) + 1


def anniversaries_since_first(table):
    first = table.groupby("patient").date.transform("min")
    years = table.date.dt.year - first.dt.year
    before = table.date.dt.strftime("%m%d") < first.dt.strftime("%m%d")
    return years - before + 1


def windows_seen(table, windows):
    return sorted(set(zip(table.patient, windows, strict=True)))


def windows_meant(notes):
    return sorted(zip(notes.truth.patient, notes.truth.window, strict=True))


def test_patients_come_go_and_return_as_in_the_paper(notes):
    assert notes.truth.groupby("window").size().tolist() == [704, 170, 123]
    seen = notes.truth.groupby("patient").window.agg(tuple)
    assert len(seen) == 704
    assert all(windows[0] == 1 for windows in seen)
    assert (seen == (1, 3)).sum() == 31  # skip a window
    assert len(notes.table) == len(notes.table.drop_duplicates(["patient", "date"]))
    assert 30 <= notes.n_sentences / len(notes.truth) <= 60
    assert repr(notes).endswith("6 groups; 704, 170, 123 patients by window)")


def test_the_scale_of_the_paper():
    sizes = LIKE_THE_PAPER
    notes, sentences = (sum(sizes[name]) / 2 for name in ("notes_per_window", "sentences_per_note"))
    assert 0.95 < notes * sentences * (704 + 170 + 123) / 195_297 < 1.05
    notes = synthetic_notes(1, (9, 7, 6), notes_per_window=3, sentences_per_note=57)
    assert notes.n_sentences == 22 * 3 * 57
    assert notes.table.groupby("patient").size().sum() == 22 * 3


@pytest.mark.parametrize("seed", range(3))
def test_windows_of_patients(seed):
    notes = synthetic_notes(seed, (40,) * 6, first_year=2015)
    for windows in (
        years_since_first(notes.table, 365),
        years_since_first(notes.table, 365.25),
        anniversaries_since_first(notes.table),
    ):
        assert windows_seen(notes.table, windows) == windows_meant(notes)
    assert notes.table.groupby("patient").date.min().nunique() > 30
    assert windows_seen(notes.table, notes.table.date.dt.year - 2014) != windows_meant(notes)


@pytest.mark.parametrize("seed", range(3))
def test_windows_of_the_calendar(seed):
    notes = synthetic_notes(seed, (40, 60, 50, 20), aligned="calendar", first_year=2015)
    assert windows_seen(notes.table, notes.table.date.dt.year - 2014) == windows_meant(notes)
    assert notes.truth.groupby("window").size().tolist() == [40, 60, 50, 20]
    seen = notes.truth.groupby("patient").window.agg(list)
    assert {windows[0] for windows in seen} == {1, 2, 3, 4}  # some come later
    assert any(np.diff(windows).max(initial=1) > 1 for windows in seen)


@pytest.mark.parametrize("aligned", ["object", "calendar"])
def test_table_is_in_order(aligned):
    table = synthetic_notes(4, **SMALL, aligned=aligned).table
    assert table.sort_values(["patient", "date"], kind="stable").index.equals(table.index)
    assert (table.groupby("patient").died.nunique() == 1).all()
    assert set(table.died) == {0, 1}


def test_same_seed_same_notes_everywhere():
    table = synthetic_notes(3, (8, 6, 5), typos=0.5).table
    text = table.to_csv(index=False, lineterminator="\n")
    assert (
        hashlib.sha256(text.encode()).hexdigest() == "441109c1518f4cbe635a3b3b205be4df01c4c0d3095a4ca7139d42e84d078e61"
    )
    assert synthetic_notes(3, (8, 6, 5), typos=0.5).table.equals(table)
    assert not synthetic_notes(2, (8, 6, 5), typos=0.5).table.text.equals(table.text)


@pytest.mark.parametrize("n_groups", range(1, 10))
@pytest.mark.parametrize("n_windows", [1, 2, 4])
def test_events_are_those_of_the_truth(n_groups, n_windows):
    notes = synthetic_notes(5, (n_groups + 3,) * n_windows, n_groups)
    there = groups_by_window(notes)
    assert set().union(*there) == set(notes.groups.group)
    assert len(notes.groups) == n_groups
    expected = {
        (t + 1, event, group)
        for t in range(1, n_windows)
        for event, concerned in (("born", there[t] - there[t - 1]), ("died", there[t - 1] - there[t]))
        for group in concerned
    }
    assert set(notes.events.itertuples(index=False, name=None)) == expected
    planted = {(2, "born", "palliative"), (2, "died", "surgery")}
    assert expected == (planted if n_groups >= 3 and n_windows >= 2 else set())


def test_a_group_can_return():
    notes = synthetic_notes(6, **SMALL, n_groups=5, group_returns=True)
    there = groups_by_window(notes)
    assert ["seizures" in groups for groups in there] == [True, False, True]
    assert notes.events.query("group == 'seizures'").values.tolist() == [
        [2, "died", "seizures"],
        [3, "returned", "seizures"],
    ]


def test_sizes_are_told(notes):
    counted = notes.truth.groupby(["group", "window"]).size().unstack(fill_value=0)
    told = notes.groups.set_index("group").filter(like="window_")
    assert counted.loc[told.index].to_numpy().tolist() == told.to_numpy().tolist()
    assert (told.to_numpy()[told.to_numpy() > 0] >= 10).all()  # none is too small to be found


@pytest.mark.parametrize("group", [group.name for group in GROUPS[:6]])
def test_death_depends_on_the_last_group(notes, group):
    died = notes.table.drop_duplicates("patient").set_index("patient").died
    deaths = died[last_groups(notes) == group]
    (rate,) = notes.groups.death_rate[notes.groups.group == group]
    assert binomtest(int(deaths.sum()), len(deaths), rate).pvalue > RARE


def test_without_change_only_the_dead_group_is_left():
    notes = synthetic_notes(7, **SMALL, change=0.0)
    before = notes.truth.groupby("patient").group.shift()
    changed = notes.truth[before.notna() & (before != notes.truth.group)]
    assert len(changed)
    assert set(before[changed.index]) == {"surgery"}


def test_some_patients_change_group():
    notes = synthetic_notes(7, (600, 600), change=0.3)
    first, second = (notes.truth[notes.truth.window == window].set_index("patient").group for window in (1, 2))
    stayed_possible = first != "surgery"
    chance = 0.0  # that a group drawn anew is another one
    weights = {group.name: group.share * (5 if group.name == "palliative" else 1) for group in GROUPS[:6]}
    del weights["surgery"]
    for group, n in first[stayed_possible].value_counts().items():
        chance += n * (1 - weights[group] / sum(weights.values())) / stayed_possible.sum()
    n_changed = int((first != second)[stayed_possible].sum())
    assert binomtest(n_changed, int(stayed_possible.sum()), 0.3 * chance).pvalue > RARE


def test_everybody_can_stay():
    notes = synthetic_notes(8, (20, 20, 20))
    assert notes.truth.groupby("patient").size().tolist() == [3] * 20


def recovered(notes):
    """Adjusted Rand index in every window of Ward's clusters, by the words of a patient, with the true groups."""
    from sklearn.cluster import AgglomerativeClustering
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.metrics import adjusted_rand_score

    windows = years_since_first(notes.table, 365).rename("window")
    texts = notes.table.groupby(["patient", windows]).text.agg(" ".join)
    truth = notes.truth.set_index(["patient", "window"]).group
    scores = []
    for _, texts_now in texts.groupby("window"):
        words = CountVectorizer(binary=True, min_df=3, token_pattern="[a-z]+").fit_transform(texts_now).toarray()
        groups = truth[texts_now.index]
        scores.append(adjusted_rand_score(groups, AgglomerativeClustering(groups.nunique()).fit_predict(words)))
    return scores


def test_groups_can_be_found_and_difficulty_hides_them():
    sizes = (150, 100, 80)
    assert min(recovered(synthetic_notes(9, sizes))) >= 0.9
    assert max(recovered(synthetic_notes(9, sizes, difficulty=0.9))) < 0.9


def synthetic_sentences(n, seed=0, n_groups=6, difficulty=0.6, typos=0.02):
    """So many sentences of patients of all groups, each with its topic; faster than whole notes."""
    groups, draws = GROUPS[:n_groups], Draws(seed)
    specific = draws.uniform(n) >= difficulty
    group = draws.weighted([kind.share for kind in groups], n)
    illness = draws.below(len(BACKGROUND), n)
    topic = texts.topics_of(draws, groups, group, illness, specific, draws.uniform(n))
    days = np.datetime64("2011-01-01", "D") + draws.below(3 * 365, n).astype("timedelta64[D]")
    text = texts.sentences_about(draws, topic, days, draws.uniform((n, len(TRAITS))), typos)
    return pd.DataFrame({"text": text, "topic": np.array(NAMES, dtype=object)[topic]})


def test_all_or_nothing():
    assert synthetic_sentences(500, difficulty=0).topic.isin(SPECIFIC).all()
    assert not synthetic_sentences(500, difficulty=1).topic.isin(SPECIFIC).any()
    for difficulty, there, not_there in ((0, "temozolomide", "auscultation"), (1, "auscultation", "temozolomide")):
        words = " ".join(synthetic_notes(0, **SMALL, difficulty=difficulty, typos=0).table.text).lower()
        assert there in words
        assert not_there not in words


@pytest.mark.parametrize("difficulty", [0.2, 0.6])
def test_difficulty_is_the_share_of_sentences_that_say_nothing(difficulty):
    n = 5000
    topics = synthetic_sentences(n, seed=1, difficulty=difficulty).topic
    assert binomtest(int((~topics.isin(SPECIFIC)).sum()), n, difficulty).pvalue > RARE


def test_groups_speak_of_their_own_topics(monkeypatch):
    monkeypatch.setattr(texts, "STRAYS", 0.0)
    notes = synthetic_notes(10, **SMALL, typos=0, difficulty=0.2)
    group = notes.truth.groupby("patient").group.agg(set)
    text = notes.table.groupby("patient").text.agg(" ".join)
    for word, groups in {
        "temozolomide": {"glioblastoma"},
        "hospice": {"palliative"},
        "craniotomy": {"surgery"},
        "levetiracetam": {"surgery", "glioblastoma", "seizures"},
        "no evidence of": {"surveillance", "seizures"},
    }.items():
        speaks = text.str.contains(word, case=False)
        assert speaks.any()
        assert all(group[patient] & groups for patient in speaks[speaks].index), word
    affirmed = text.str.contains(r"(?<!no )evidence of (?:tumor )?progression", case=False)
    affirmed &= ~text.str.contains("or evidence of progression", case=False)
    assert affirmed.any()
    assert all(group[patient] & {"glioblastoma", "metastases"} for patient in affirmed[affirmed].index)


def test_side_lobe_and_relative_of_a_patient_are_always_the_same():
    text = synthetic_notes(11, **SMALL, typos=0).table.groupby("patient").text
    for pattern in (r"\b(left|right) (?:frontal|temporal|parietal|occipital)", r"\bper (wife|husband|daughter|son)\b"):
        matches = text.agg(" ".join).str.lower().str.findall(pattern)
        assert matches.str.len().max() > 1
        assert matches.map(set).str.len().max() == 1


def test_text_has_what_notes_have(notes):
    text = "\n".join(notes.table.text)
    for pattern in (
        r"\d\d/\d\d/\d{4}",
        r"\d{4}-\d\d-\d\d",
        r"(January|May|December) \d+, \d{4}",
        r"\d+ mg b\.i\.d\.",
        r"\bs/p\b",
        r"\bPt\b",
        r"\bno evidence of\b",
        r"^Plan:$",
    ):
        assert re.search(pattern, text, flags=re.MULTILINE), pattern
    assert not re.search(r"[{}\[\]|]|\.\.|  | \.|,\.|\n\n", text)
    sentences = [line for line in text.split("\n") if not line.endswith(":")]
    assert all(line[0].isupper() or line[0].isdigit() for line in sentences)
    assert all(line.endswith(".") for line in sentences)


def test_a_date_in_a_note_lies_before_it(notes):
    dates = notes.table.text.str.extract(r"(\d{4}-\d\d-\d\d)")[0]
    days = (notes.table.date - pd.to_datetime(dates)).dt.days.dropna()
    assert days.min() >= 1
    assert days.max() <= 60


def test_typing_errors():
    right, wrong, some = (synthetic_sentences(2000, seed=2, typos=typos).text for typos in (0, 1, 0.02))
    assert (right != wrong).all()
    assert (right.str.len() - wrong.str.len()).abs().max() == 1
    assert binomtest(int((right != some).sum()), 2000, 0.02).pvalue > RARE


def test_many_sentences():
    sentences = synthetic_sentences(20_000, n_groups=9)
    assert len(sentences) == 20_000
    assert set(sentences.topic) == set(TOPICS)
    assert synthetic_sentences(20_000, n_groups=9).equals(sentences)
    assert sentences.text.nunique() > 10_000


def test_vocabulary_is_whole():
    used = [topic for group in GROUPS for topic in group.weights]
    assert set(used) == set(SPECIFIC)
    for group in GROUPS:
        assert all(used.count(topic) == 1 for topic in group.only), group.name
        assert all(used.count(topic) > 1 for topic in group.shared), group.name
    assert len(TOPICS) == len(BOILERPLATE) + len(BACKGROUND) + len(SPECIFIC)
    templates = [template for topic in TOPICS.values() for template in topic.templates]
    assert len(set(templates)) == len(templates)
    for topic in TOPICS.values():
        assert topic.section in SECTIONS
        frames, weights = texts.wordings(topic)
        assert sum(weights) == pytest.approx(len(topic.templates))
        for frame, slots in frames:
            assert frame.endswith(".")
            assert not re.search(r"[\[\]|]", frame)
            assert frame.count("{}") == len(slots) == frame.count("{") == frame.count("}")
            assert all(slot == "date" or len(texts.options(slot)) > 1 for slot in slots), frame


def test_words_are_shared_between_groups():
    words = {
        group.name: {
            word
            for topic in group.weights
            for template in SPECIFIC[topic].templates
            for word in re.findall("[a-z]{4,}", re.sub(r"\{.*?\}", "", template.lower()))
        }
        for group in GROUPS
    }
    for one, other in combinations(words.values(), 2):
        assert one & other
        assert len(one & other) < 0.5 * min(len(one), len(other))


@pytest.mark.parametrize(
    ("slot", "expected"),
    [
        ("3..6", ["3", "4", "5", "6"]),
        ("100..200:50", ["100", "150", "200"]),
        ("0.9..1.1:0.1", ["0.9", "1.0", "1.1"]),
        ("side", ["left", "right"]),
    ],
)
def test_options_of_a_slot(slot, expected):
    assert texts.options(slot).tolist() == expected


def test_unknown_slot():
    with pytest.raises(KeyError, match=r"no words for \{colour\}"):
        texts.options("colour")


def test_files(tmp_path):
    folder = tmp_path / "deep" / "made"
    notes = synthetic_notes(12, **SMALL)
    path = notes.write(folder)
    table = pd.read_csv(path, parse_dates=["date"])
    assert table.columns.tolist() == ["patient", "date", "text", "died", "note_source"]
    pd.testing.assert_frame_equal(table, notes.table, check_dtype=False)  # pandas 3 reads dates as microseconds
    assert table.patient.str.fullmatch(r"synthetic-\d{4}").all()
    assert (table.note_source == "synthetic").all()
    assert pd.read_csv(folder / "truth.csv").equals(notes.truth)
    assert pd.read_csv(folder / "events.csv").equals(notes.events)
    written = path.read_bytes()
    with pytest.raises(RunFolderError, match="is there already; choose another name"):
        synthetic_notes(13, **SMALL).write(folder)
    assert path.read_bytes() == written
    assert sorted(file.name for file in folder.iterdir()) == ["events.csv", "notes.csv", "truth.csv"]


FAULTS = {
    "seed": ({"seed": -1}, "seed must be a whole number"),
    "no groups": ({"n_groups": 0}, "n_groups must be a whole number from 1 to 9, not 0"),
    "many groups": ({"n_groups": 10}, "n_groups must be a whole number from 1 to 9, not 10"),
    "difficulty": ({"difficulty": 1.5}, "difficulty must be a number from 0 to 1, not 1.5"),
    "change": ({"change": float("nan")}, "change must be a number from 0 to 1, not nan"),
    "typos": ({"typos": "few"}, "typos must be a number from 0 to 1, not 'few'"),
    "notes": ({"notes_per_window": 0}, "notes_per_window must be a whole number of at least 1, or the least and"),
    "sentences": ({"sentences_per_note": (9, 5)}, r"sentences_per_note must be .*, not \(9, 5\)"),
    "windows": ({"n_by_window": ()}, r"n_by_window must list the number of patients in every window, not \(\)"),
    "one number": ({"n_by_window": 50}, "n_by_window must list the number of patients in every window, not 50"),
    "few patients": ({"n_by_window": (9, 4)}, r"n_by_window\[1\] must be a whole number of at least 5, one patient"),
    "growth": ({"n_by_window": (9, 10)}, r'n_by_window\[1\] is 10, but .* use fewer, or aligned="calendar"'),
    "aligned": ({"aligned": "week"}, 'aligned must be "object" or "calendar", not \'week\''),
    "return": ({"n_by_window": (9, 9), "group_returns": True}, "a group can return only with 4 groups and 3 windows"),
    "year": ({"first_year": 20}, "first_year must be a calendar year from 1900 to 2100, not 20"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_fault(fault):
    settings, message = FAULTS[fault]
    with pytest.raises(SettingsError, match=message):
        synthetic_notes(**settings)
