"""What notes say about lineages: counted by hand, silent about small groups, and modest where little is known."""

import re
from collections import Counter
from dataclasses import replace
from math import log, sqrt
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta, norm

from reference import rng_for
from small_notes import analysis_of_notes, series_of_notes
from tetiwd.errors import DataError, SettingsError
from tetiwd.notes.changes import changes_by_id
from tetiwd.notes.clouds import NIGHT, PAPER, cloud_colours, readable, word_cloud
from tetiwd.notes.distinctions import N_SHARES, distinctions
from tetiwd.notes.findings import findings
from tetiwd.notes.lineage_words import in_plain, lineage_words, words_by_row
from tetiwd.notes.members import Members, members_of, usage_of
from tetiwd.notes.rates import rates_by_lineage
from tetiwd.notes.sentence_clusters import NO_WORDS, sentence_clusters
from tetiwd.plots.colours import contrast, lineage_colour

TOPICS = ("seizure", "scan", "walk")
N_ILL, N_WELL = 12, 20


def ids(kind, n):
    return [f"{kind}{i:02d}" for i in range(n)]


def all_say(who, *sentences):
    return {person: list(sentences) for person in who}


def one_window():
    """Twelve with seizures (two without the word) and twenty who are well, two of whom speak of seizures."""
    said = {}
    for i, person in enumerate(ids("ill", N_ILL)):
        said[person] = ["seizure again", "scan shows no change"] if i < 10 else ["scan shows no change"]
    for i, person in enumerate(ids("well", N_WELL)):
        said[person] = ["walk every day", *(["seizure once"] if i < 2 else [])]
    return series_of_notes([said], topics=TOPICS)


def by_kind(notes):
    """Labels: 0 for the larger group."""
    return [[int(person.startswith("ill")) for person in window.tolist()] for window in notes.series.ids]


@pytest.fixture(scope="module")
def notes():
    return one_window()


@pytest.fixture(scope="module")
def analysis(notes):
    return analysis_of_notes(notes, by_kind(notes))


def test_words_of_a_lineage_by_hand(notes, analysis):
    table = lineage_words(notes, members_of(notes, analysis)).table(1).set_index("word")
    row = table.loc["seizure"]
    assert (row.here, row.elsewhere) == (10 / 12, 2 / 20)
    assert (row.objects, row.objects_elsewhere) == (10, 2)
    expected = log(10.5 / 2.5) - log(2.5 / 18.5)
    assert row.log_odds == pytest.approx(expected, rel=1e-12)
    error = sqrt(1 / 10.5 + 1 / 2.5 + 1 / 2.5 + 1 / 18.5)
    assert row.certain == pytest.approx(expected - norm.ppf(0.95) * error, rel=1e-9)
    assert table.loc["not change"].here == 1.0
    assert table.loc["walk"].certain < 0
    assert table.index[0] == "not change"


def test_over_and_underused_words_are_the_same_from_both_sides(notes, analysis):
    words = lineage_words(notes, members_of(notes, analysis))
    here, there = (words.table(lineage).set_index("word") for lineage in (1, 0))
    there = there.loc[here.index]
    assert here.log_odds.to_numpy() == pytest.approx(-there.log_odds.to_numpy(), rel=1e-12)
    assert here.objects.tolist() == there.objects_elsewhere.tolist()
    up = words.top(1)
    assert set(up.word[up.certain > 0]) == {"seizure", "again", "not change", "scan", "shows"}
    assert set(up.word[up.certain < 0]) == {"walk", "every", "day"}
    assert "once" not in set(up.word)


def test_words_of_few_objects_are_not_listed():
    said = {person: ["scan zebra yak"] if i < 4 else ["scan walk"] for i, person in enumerate(ids("a", 9))}
    said |= {person: ["scan shows yak"] if i < 2 else ["scan shows"] for i, person in enumerate(ids("b", 300))}
    noted = series_of_notes([said], topics=("scan",))
    of = analysis_of_notes(noted, [[int(person.startswith("a")) for person in noted.series.ids[0].tolist()]])
    assert findings(noted, of).words_of(1)[0] == ["walk"]
    assert set(findings(noted, of, rare=True).words_of(1)[0]) == {"walk", "zebra", "yak"}
    assert not {"zebra", "yak"} & set(findings(noted, of).words.word)


def test_negated_words_and_stand_ins():
    assert in_plain("not_pain") == "not pain"
    assert in_plain("notable") == "notable"
    said = {person: ["walk 12 miles"] for person in ids("a", 20)} | {person: ["walk home"] for person in ids("b", 20)}
    noted = series_of_notes([said], topics=("walk",))
    words = lineage_words(noted, members_of(noted, analysis_of_notes(noted, [[0] * 20 + [1] * 20])))
    assert "(a number)" in set(words.table(0).word)
    assert set(words.top(0).word) == {"miles", "home"}


def test_an_object_in_many_windows_is_one_witness():
    said = {person: ["seizure"] for person in ids("a", 6)} | {person: ["walk"] for person in ids("b", 6)}
    once, thrice = (series_of_notes([said] * n, topics=TOPICS) for n in (1, 3))
    tables = []
    for noted in (once, thrice):
        of = analysis_of_notes(noted, [[0] * 6 + [1] * 6] * noted.series.n_epochs)
        tables.append(lineage_words(noted, members_of(noted, of)).table(0))
    assert tables[0].to_numpy()[:, 2:].tolist() == tables[1].to_numpy()[:, 2:].tolist()


@pytest.mark.parametrize("share", [0.0, 0.2])
def test_usage_agrees_with_counting_one_by_one(share):
    rng = rng_for(9, 2)
    said = [
        {person: [f"scan {word}" for word in "pqrs" if rng.random() < 0.4] or ["scan p"] for person in ids("a", 15)}
        for _ in range(3)
    ]
    noted = series_of_notes(said, topics=("scan",))
    labels = [rng.permutation([0, 1, 2] * 5).tolist() for _ in range(3)]
    members = members_of(noted, analysis_of_notes(noted, labels))
    members = replace(members, lineage=np.where(rng.random(45) < share, -1, members.lineage))  # some are unassigned
    usage = usage_of(words_by_row(noted), members)
    appearances = [
        (members.lineage[row], person, set(" ".join(said[t][person]).split()))
        for row, (t, person) in enumerate((t, person) for t in range(3) for person in ids("a", 15))
    ]
    for w, word in enumerate(noted.bags.words):
        for g in range(3):
            here = [person for lineage, person, words in appearances if lineage == g and word in words]
            there = [person for lineage, person, words in appearances if lineage != g and word in words]
            assert (usage.rows[g, w], usage.rows_elsewhere[g, w]) == (len(here), len(there))
            assert (usage.objects[g, w], usage.objects_elsewhere[g, w]) == (len(set(here)), len(set(there)))
            assert usage.elsewhere[g, w] == len(there) / np.sum(members.lineage != g)
    for g in range(3):
        assert members.n_objects[g] == len({person for lineage, person, _ in appearances if lineage == g})
        assert members.n_elsewhere[g] == len({person for lineage, person, _ in appearances if lineage != g})


def test_chance_alone_makes_no_words():
    rng = rng_for(9, 3)
    said = {person: ["scan " + " ".join(f"w{i}q" for i in range(60) if rng.random() < 0.3)] for person in ids("a", 60)}
    noted = series_of_notes([said], topics=("scan",))
    of = analysis_of_notes(noted, [rng.permutation([0] * 30 + [1] * 30).tolist()])
    assert findings(noted, of).words.empty
    assert findings(noted, of).distinctions.empty


def test_clear_is_the_likelihood_ratio_of_four_counts(notes, analysis):
    usage = usage_of(words_by_row(notes), members_of(notes, analysis))
    w = notes.bags.words.index("seizure")
    counts = np.array([[10, 2], [2, 18]])
    expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0) / counts.sum()
    root = sqrt(2 * (counts * np.log(counts / expected)).sum())
    alpha = 2 * norm.sf(root) * usage.rows.size
    assert usage.clear(1 - alpha * 1.001)[1, w]
    assert not usage.clear(1 - alpha * 0.999)[1, w]


def test_clusters_of_sentences_that_distinguish_a_lineage(notes, analysis):
    table = distinctions(notes, analysis.alignment, members_of(notes, analysis))
    ill = table[table.lineage == 1]
    assert sorted(ill.cluster[:2]) == [1, 2]  # scans (12 of 12, 0 of 20) and walks (0, 20), then seizures (10, 2)
    assert ill.cluster.tolist()[2:] == [0]
    row = ill[ill.cluster == 0].iloc[0]
    assert (row.here, row.elsewhere) == (10 / 12, 2 / 20)
    here, elsewhere = beta(10.5, 2.5), beta(2.5, 18.5)
    error = 4 * sqrt((here.var() + elsewhere.var()) / N_SHARES)
    assert abs(row.difference - (here.mean() - elsewhere.mean())) < error
    rng = rng_for(9, 4)
    drawn = here.rvs(10**6, random_state=rng) - elsewhere.rvs(10**6, random_state=rng)
    for end, q in ((row.lower, 0.05), (row.upper, 0.95)):
        below = (drawn < end).mean()  # an end of N_SHARES draws is this quantile up to their chance
        assert abs(below - q) < 4.5 * sqrt(q * (1 - q) / N_SHARES)
    assert ill[ill.cluster == 2].upper.item() < 0


def test_uncertain_members_make_intervals_wider(notes):
    labels = by_kind(notes)
    swapped = [list(labels[0])]
    first = labels[0].index(1)
    for i in range(4):
        swapped[0][first + i], swapped[0][-1 - i] = swapped[0][-1 - i], swapped[0][first + i]
    sure = analysis_of_notes(notes, labels)
    unsure = analysis_of_notes(notes, labels, [labels, swapped])
    widths = []
    for of in (sure, unsure):
        table = distinctions(notes, of.alignment, members_of(notes, of))
        row = table[(table.lineage == 1) & (table.cluster == 1)].iloc[0]
        widths.append(row.upper - row.lower)
    assert widths[1] > 1.5 * widths[0]


def test_clusters_of_sentences_have_names_and_prototypes(notes):
    seizures, scans = sentence_clusters(notes, np.array([0, 1]))
    assert seizures.words == ("seizure", "again")
    assert (seizures.n_sentences, seizures.n_objects) == (12, 12)
    assert seizures.sentences == ("seizure again", "seizure once")  # the more typical one first
    assert set(scans.words) == {"scan", "shows", "not change"}
    rare = series_of_notes([{person: ["walk"] for person in ids("a", 6)} | {"b": ["zebra"]}], topics=("walk", "zebra"))
    assert [cluster.name for cluster in sentence_clusters(rare, np.array([0, 1]))] == ["walk", NO_WORDS]
    assert sentence_clusters(rare, np.array([1]), least=1)[0].name == "zebra"


def two_windows(outcomes=None):
    """Six walk, six have seizures, three go from walks to seizures, two go back with a window between."""
    stay, other, go, skip = ids("stay", 6), ids("other", 6), ids("go", 3), ids("skip", 2)
    first = all_say([*stay, *go], "walk home") | all_say([*other, *skip], "seizure again")
    second = all_say(stay, "walk home") | all_say([*other, *go], "seizure again")
    third = all_say([*stay, *skip], "walk home") | all_say([*other, *go], "seizure again")
    noted = series_of_notes([first, second, third], topics=TOPICS, outcomes=outcomes)
    labels = [
        [int(window[person] == ["seizure again"]) for person in ids_.tolist()]
        for window, ids_ in zip((first, second, third), noted.series.ids, strict=True)
    ]
    return noted, analysis_of_notes(noted, labels)


def test_objects_that_change_their_lineage_and_objects_that_return():
    noted, of = two_windows()
    changes = findings(noted, of).changes
    assert (changes.n_changed, changes.n_followed) == (3, 15)
    assert (changes.n_returned, changes.n_returned_elsewhere) == (2, 2)
    (row,) = changes.table.to_dict("records")
    assert row == {
        "from_time": 1, "to_time": 2, "from_lineage": 1, "to_lineage": 0, "n_objects": 3, "of": 9, "expected": 3.0,
        "small": True,
    }  # fmt: skip
    by_id = changes_by_id(noted, members_of(noted, of))
    assert Counter(by_id.id.str[:-2]) == {"go": 3, "skip": 2}
    assert by_id[by_id.id.str.startswith("skip")].n_skipped.tolist() == [1, 1]
    words = findings(noted, of).narrate()
    assert "3 of 15 objects present in consecutive windows change lineage." in words
    assert "2 objects skip a window or more and return, 2 of them to another lineage." in words


def test_one_window_has_no_changes(notes, analysis):
    changes = findings(notes, analysis).changes
    assert changes.table.empty
    assert (changes.n_changed, changes.n_followed, changes.n_returned) == (0, 0, 0)
    assert not [sentence for sentence in findings(notes, analysis).narrate() if "window" in sentence]


def with_outcome(n_bad, n_good):
    """So many of the ill and of the well to whom it happens."""
    died = {person: i < n_bad for i, person in enumerate(ids("ill", N_ILL))}
    died |= {person: i < n_good for i, person in enumerate(ids("well", N_WELL))}
    noted = one_window()
    objects = noted.notes.objects
    outcomes = {"died": tuple(died[person] for person in objects)}
    return replace(noted, notes=replace(noted.notes, outcomes=outcomes))


def test_most_and_least_favourable_lineage():
    noted = with_outcome(11, 1)
    of = analysis_of_notes(noted, by_kind(noted))
    best, worst = findings(noted, of).narrate()
    assert best.startswith("Lineage 0 is the most favourable by “died” (a yes is bad): its rate is ")
    assert re.search("more frequent: (day|every|walk), ", best)
    assert worst.startswith("Lineage 1 is the least favourable by “died”: its rate is ")
    assert "not change" in worst
    best, worst = findings(noted, of, good=["died"]).narrate()
    assert best.startswith("Lineage 1 is the most favourable by “died” (a yes is good)")
    assert worst.startswith("Lineage 0 is the least favourable")
    with pytest.raises(SettingsError, match=r"no outcome 'cured'.*'died'"):
        findings(noted, of, good=["cured"])


def test_what_cannot_be_told_is_not_told():
    noted = with_outcome(6, 10)  # half of either
    of = analysis_of_notes(noted, by_kind(noted))
    best, worst = findings(noted, of).narrate()
    assert best.startswith("It is uncertain which lineage is the most favourable")
    assert worst.startswith("It is uncertain which lineage is the least favourable")
    (rates,) = findings(noted, of).rates
    assert rates.lowest().keys() == {0, 1}
    assert sum(rates.lowest().values()) == pytest.approx(1)


def test_outcomes_that_nobody_has_are_named(notes):
    objects = notes.notes.objects
    outcomes = {"relapse": (None,) * len(objects), "died": tuple(i % 2 == 0 for i in range(len(objects)))}
    noted = replace(notes, notes=replace(notes.notes, outcomes=outcomes))
    said = findings(noted, analysis_of_notes(noted, by_kind(noted)))
    assert [rates.name for rates in said.rates] == ["died"]
    assert "“relapse” is unknown for all objects in these windows." in said.narrate()


def small_group(n=4):
    said = all_say(ids("a", 20), "walk home") | all_say(ids("b", 20), "scan shows")
    said |= all_say(ids("few", n), "seizure secret")
    died = {person: not person.startswith("b") for person in said}
    noted = series_of_notes([said], topics=TOPICS, outcomes={"died": died})
    labels = [["abf".index(person[0]) for person in noted.series.ids[0].tolist()]]
    return noted, analysis_of_notes(noted, labels)


@pytest.mark.parametrize(("n", "small"), [(4, True), (5, False)])
def test_nothing_is_said_of_small_groups_unless_asked_for(n, small):
    noted, of = small_group(n)
    said = findings(noted, of)
    assert (2 in said.silent) == small
    assert (2 in set(said.words.lineage)) == (2 in set(said.distinctions.lineage)) == (not small)
    assert (2 in set(said.rates[0].table().lineage)) == (not small)
    assert ("secret" in set(said.words.word)) == (not small)
    assert (any(sentence.startswith("Lineage 2 has fewer than five objects") for sentence in said.narrate())) == small
    asked = findings(noted, of, small=True, rare=True)
    assert not asked.silent
    assert "secret" in asked.words_of(2)[0]
    assert 2 in set(asked.rates[0].table().lineage)
    assert 2 in asked.rates[0].lowest() or small  # too few to be compared, whoever asks


def test_few_others_are_not_given_away_either():
    said = all_say(ids("a", 40), "walk home") | all_say(ids("few", 3), "seizure secret")
    died = {person: person.startswith("few") for person in said}
    noted = series_of_notes([said], topics=TOPICS, outcomes={"died": died})
    of = analysis_of_notes(noted, [[int(person.startswith("few")) for person in noted.series.ids[0].tolist()]])
    quiet = findings(noted, of)
    assert quiet.silent == (0, 1)
    assert quiet.words.empty
    assert quiet.distinctions.empty
    table = quiet.rates[0].table()
    assert table.lineage.tolist() == [0]
    assert np.isnan(table.probability_higher_than_rest[0])
    assert any("Only one lineage has five or more objects" in sentence for sentence in quiet.narrate())


def test_one_lineage_has_nothing_to_be_compared_with(notes):
    of = analysis_of_notes(notes, [[0] * (N_ILL + N_WELL)])
    for small in (False, True):
        said = findings(notes, of, small=small)
        assert said.words.empty
        assert said.silent == (0,)
        assert said.narrate() == []


def test_rates_follow_ids_of_any_kind():
    noted, of = small_group()
    rates = rates_by_lineage(noted, of.alignment, "died")
    assert rates.events.tolist() == [20, 0, 4]
    assert rates.members.tolist() == [20, 20, 4]


def test_an_analysis_of_something_else_is_refused(notes):
    _, of = small_group()
    with pytest.raises(DataError, match="not of these notes"):
        members_of(notes, of)


def test_members_outside_of_all_lineages_are_elsewhere():
    members = Members(np.array([0, 0, 1]), np.array([0, 1, 0]), 2)
    assert members.n_objects.tolist() == [2, 1]
    assert members.n_elsewhere.tolist() == [1, 2]


HOSTILE = ("<script>hit()</script>", '"><img src=x onerror=hit()>', "a" * 500, "\u202eevil", "", "木", "&amp;")


def words_of_certainty(certain):
    """A table of words as findings have it."""
    table = {"word": list(certain), "certain": list(certain.values()), "here": 0.83, "elsewhere": 0.1}
    return pd.DataFrame(table)


def tooltips(svg):
    """Words of a cloud with their tooltips."""
    titles = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}title")
    return {title.tail: title.text for title in titles}


def test_word_clouds_are_plain_svg_that_never_changes():
    words = words_of_certainty({word: 3.0 - i / 4 for i, word in enumerate(HOSTILE)})
    svg = word_cloud(words, 4)
    assert svg == word_cloud(words, 4)
    assert "style" not in svg
    assert "\u202e" not in svg
    root = ElementTree.fromstring(svg)
    tags = {element.tag.split("}")[1] for element in root.iter()}
    assert tags == {"svg", "g", "text", "title"}
    shown = [
        element.find("{*}title").tail for element in root.iter("{*}text".replace("{*}", "{http://www.w3.org/2000/svg}"))
    ]
    assert shown[0] == "<script>hit()</script>"
    assert "木" in shown
    assert all(0 < len(word) <= 24 for word in shown)
    assert root.get("aria-label") == "Word cloud of lineage 4: " + ", ".join(shown)
    assert word_cloud(words.head(0), 0) == ""
    assert word_cloud(words_of_certainty({"x": 0.0, "y": -1.0, "\u202e": 1.0}), 0) == ""


def test_words_in_a_cloud_do_not_overlap_and_grow_with_their_weight():
    words = words_of_certainty({f"word{chr(97 + i)}": 3.0 * 0.93**i for i in range(12)})
    root = ElementTree.fromstring(word_cloud(words, 0))
    boxes = []
    for element in root.iter("{http://www.w3.org/2000/svg}text"):
        x, y, size, length = (float(element.get(name)) for name in ("x", "y", "font-size", "textLength"))
        boxes.append((x, y - 0.7 * size, x + length, y, size))
    sizes = [box[4] for box in boxes]
    assert len(boxes) == 12
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] / sizes[6] == pytest.approx(0.93**-6, abs=2 / sizes[6])
    for i, (left, top, right, bottom, _) in enumerate(boxes):
        assert left >= -1
        assert right <= 361
        for other in boxes[:i]:
            assert right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top


def test_a_cloud_has_what_is_used_more(notes, analysis):
    said = findings(notes, analysis)
    shown = tooltips(word_cloud(said.words[said.words.lineage == 1], 1))
    assert shown.keys() == {"seizure", "again", "not change", "scan", "shows"}
    assert shown["seizure"] == "seizure: 83% here, 10% elsewhere"


@pytest.mark.parametrize("ground", [PAPER, NIGHT])
def test_words_can_be_read_by_day_and_by_night(ground):
    for lineage in range(40):
        assert contrast(readable(lineage_colour(lineage), ground), ground) >= 4.5
    rules = cloud_colours(iter([3, 3, 1]))
    assert rules.count(".w3 {") == 2
    assert f".w1 {{ fill: {readable(lineage_colour(1), NIGHT)}; }}" in rules
