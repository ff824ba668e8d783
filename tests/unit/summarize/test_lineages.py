"""Tables about lineages say what the draws say."""

from itertools import pairwise, permutations

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import rng_for
from tetiwd import Partitions, SamePlace, SettingsError, SharedObjects, align, lineages
from tetiwd.summarize.clustering import as_clustering
from tetiwd.summarize.lineages import EVENTS, next_appearances
from tetiwd.summarize.links import ModelLinks, ObjectLinks

seeds = st.integers(0, 2**32 - 1)
sizes = st.lists(st.integers(1, 6), min_size=1, max_size=4)


def lineages_of(draws, clustering, *, ids=None, times=None, linked_by=None, **how):
    """Every draw is a list of labels per epoch."""
    by_epoch = [np.array(own) for own in zip(*draws, strict=True)]
    partitions = Partitions.from_labels(by_epoch, ids=None if ids is None else [list(own) for own in ids], times=times)
    whole = as_clustering(partitions, [np.array(own) for own in clustering], linked_by=linked_by)
    return lineages(align(partitions, whole), **how)


def random_lineages(seed, sizes, n_draws=5, *, with_ids=True, **how):
    rng = rng_for(seed, 80)
    draws = [[rng.integers(4, size=n) for n in sizes] for _ in range(n_draws)]
    clustering = [rng.integers(4, size=n) for n in sizes]
    ids = [rng.permutation(8)[:n].tolist() for n in sizes] if with_ids else None
    return lineages_of(draws, clustering, ids=ids, **how)


def row_of(table, **wanted):
    """The only row with these values, None if there is none."""
    for name, value in wanted.items():
        table = table[[own == value for own in table[name]]]
    assert len(table) <= 1
    return table.iloc[0] if len(table) else None


def events_of(lineages, least=0.0):
    """{(event, time, lineage): probability}."""
    table = lineages.events(least)
    return {(e, t, g): p for e, t, g, p in zip(table.event, table.time, table.lineage, table.probability, strict=True)}


def place(coordinates, gate=2.0):
    """Kinship by place, of objects with these coordinates at every epoch."""
    X = np.vstack(coordinates)
    return SamePlace(((X[:, None] - X[None]) ** 2).sum(axis=2), gate)


class TestInvariants:
    @given(seed=seeds, sizes=sizes)
    def test_every_object_is_in_one_lineage_at_every_epoch(self, seed, sizes):
        lineages = random_lineages(seed, sizes)
        table, by_time = lineages.table(), lineages.sizes()
        for t, n in enumerate(sizes):
            here = by_time[by_time.time == t]
            assert table[f"size at {t}"].sum() == here["size"].sum() == n
            others = lineages.alignment.sizes()[:, t, -1].mean()
            assert here.expected_size.sum() + others == pytest.approx(n)
        assert table.objects.sum() == sum(sizes)
        assert (by_time["size"] > 0).all()
        assert (by_time.lower <= by_time.upper).all()

    @given(seed=seeds, sizes=sizes, linked_by=st.sampled_from([None, ModelLinks(), ObjectLinks()]))
    def test_link_probabilities_sum_to_at_most_one_in_both_directions(self, seed, sizes, linked_by):
        links = random_lineages(seed, sizes, linked_by=linked_by).links()
        links = links[np.array([b[1] == a[1] + 1 for a, b in zip(links.source, links.target, strict=True)], dtype=bool)]
        for end in ("source", "target"):
            total = links.groupby(end).probability.sum()
            assert (total <= 1 + 1e-12).all()

    @settings(max_examples=60)
    @given(seed=seeds, sizes=sizes)
    def test_clusters_are_matched_so_that_most_objects_agree(self, seed, sizes):
        alignment = random_lineages(seed, sizes).alignment
        for t, own in enumerate(alignment.clustering.labels):
            for drawn, words in zip(alignment.partitions.at(t), alignment.words_at(t), strict=True):
                mine, theirs = np.unique(own), np.unique(drawn)
                names = [*mine, *[-1] * len(theirs)]
                best = max(
                    sum(int(((drawn == c) & (own == g)).sum()) for c, g in zip(theirs, one, strict=True))
                    for one in set(permutations(names, len(theirs)))
                )
                assert (words == own).sum() == best
                for c in theirs:
                    assert len(set(words[drawn == c])) == 1
                named = [words[drawn == c][0] for c in theirs if words[drawn == c][0] >= 0]
                assert len(set(named)) == len(named)

    @given(seed=seeds, sizes=sizes)
    def test_links_births_and_deaths_are_what_the_draws_have(self, seed, sizes):
        """Counted draw by draw, with sets of labels."""
        lineages = random_lineages(seed, sizes, with_ids=False)
        alignment, expected_events, expected_links = lineages.alignment, {}, {}
        clusters = [np.unique(own) for own in alignment.clustering.labels]
        share = 1 / alignment.n_draws
        for s in range(alignment.n_draws):
            labels = [set(own[s].tolist()) for own in map(alignment.partitions.at, range(len(sizes)))]
            name = [
                dict(zip(range(alignment.n_lineages), own, strict=True)) for own in alignment.counterpart[s].tolist()
            ]
            for t in range(1, len(sizes)):
                for g in clusters[t].tolist():
                    if name[t][g] >= 0 and name[t][g] not in labels[t - 1]:
                        expected_events["born", t, g] = expected_events.get(("born", t, g), 0) + share
                for g in clusters[t - 1].tolist():
                    if name[t - 1][g] >= 0 and name[t - 1][g] not in labels[t]:
                        expected_events["died", t, g] = expected_events.get(("died", t, g), 0) + share
                    for h in clusters[t].tolist():
                        if name[t - 1][g] == name[t][h] >= 0:
                            pair = (g, t - 1), (h, t)
                            expected_links[pair] = expected_links.get(pair, 0) + share
        found = events_of(lineages)
        assert found == pytest.approx(expected_events)
        links = lineages.links()
        found = dict(zip(zip(links.source, links.target, strict=True), links.probability, strict=True))
        assert {pair: p for pair, p in found.items() if p > 0} == pytest.approx(expected_links)

    @given(seed=seeds, sizes=sizes)
    def test_who_is_there_was_born_or_was_there_before(self, seed, sizes):
        alignment = random_lineages(seed, sizes).alignment
        for t in range(1, len(sizes)):
            there = alignment.counterpart[:, t] >= 0
            assert np.array_equal(there, alignment.born(t) ^ alignment.alive_at(t, t - 1))
            gone = alignment.counterpart[:, t - 1] >= 0
            assert np.array_equal(gone, alignment.died(t) ^ alignment.alive_at(t - 1, t))
            assert not (alignment.linked(t) & alignment.born(t)[:, None, :]).any()
            assert not (alignment.linked(t) & alignment.died(t)[:, :, None]).any()

    @given(seed=seeds, sizes=sizes)
    def test_by_name_clusters_are_linked_to_one_another_or_born_and_dead(self, seed, sizes):
        lineages = random_lineages(seed, sizes, linked_by=ObjectLinks())
        links, alignment = lineages.linked_by, lineages.alignment
        for t in range(1, len(sizes)):
            linked = links.linked(alignment, t)
            before, now = alignment.counterpart[:, t - 1] >= 0, alignment.counterpart[:, t] >= 0
            assert (linked.sum(axis=1) <= now).all()
            assert (linked.sum(axis=2) <= before).all()
            if set(alignment.partitions.ids[t - 1]) & set(alignment.partitions.ids[t]):
                assert np.array_equal(links.born(alignment, t), now & ~linked.any(axis=1))
                assert np.array_equal(links.died(alignment, t), before & ~linked.any(axis=2))
            else:
                assert np.array_equal(linked, alignment.linked(t))

    @given(seed=seeds, sizes=sizes)
    def test_all_who_come_again_are_in_the_flows(self, seed, sizes):
        lineages = random_lineages(seed, sizes)
        flows = lineages.flows()
        everybody = [own for epoch in lineages.alignment.partitions.ids for own in epoch.tolist()]
        again = len(everybody) - len(set(everybody))
        assert flows.n_objects.sum() == again
        assert flows.expected.sum() == pytest.approx(again)
        assert (flows.from_time < flows.to_time).all()
        assert (flows.n_skipped == flows.to_time - flows.from_time - 1).all()

    @given(seed=seeds, sizes=sizes, share=st.floats(0.05, 0.95))
    def test_events_are_probabilities_of_known_kinds_in_order_of_time(self, seed, sizes, share):
        events = random_lineages(seed, sizes, share=share).events(0)
        assert set(events.event) <= set(EVENTS)
        assert ((events.probability > 0) & (events.probability <= 1)).all()
        assert events.time.is_monotonic_increasing
        for event, t, g, others in zip(events.event, events.time, events.lineage, events.others, strict=True):
            assert t > 0
            assert all(h >= 0 for h in others)
            assert len(others) > 1 if event in ("split", "merged") else g >= 0


# Lineage 0 goes on, 1 dies, 2 is born; one draw in four takes 2 for the continuation of 1.
BEFORE = [0, 0, 0, 1, 1]
AFTER = [0, 0, 0, 0, 2, 2]
BORN_OR_LINKED = [[BEFORE, AFTER]] * 3 + [[BEFORE, [0, 0, 0, 0, 1, 1]]]


class TestBirthsAndDeaths:
    def test_probabilities_of_birth_death_and_links(self):
        lineages = lineages_of(BORN_OR_LINKED, [BEFORE, AFTER])
        assert events_of(lineages) == {("born", 1, 2): 0.75, ("died", 1, 1): 0.75}
        links = lineages.links()
        assert len(links) == 2
        stays = row_of(links, source=(0, 0), target=(0, 1))
        assert (stays.probability, stays.in_clustering, stays.lineage) == (1, True, 0)
        maybe = row_of(links, source=(1, 0), target=(2, 1))
        assert (maybe.probability, maybe.in_clustering, maybe.lineage) == (0.25, False, -1)

    def test_a_link_of_the_clustering_that_no_draw_has_is_listed_with_nothing(self):
        apart = [[BEFORE, [3, 3, 3, 3, 4, 4]]]
        links = lineages_of(apart, [BEFORE, AFTER]).links()
        assert links.probability.tolist() == [0]
        assert links.in_clustering.tolist() == [True]

    def test_events_that_are_not_probable_enough_are_left_out(self):
        lineages = lineages_of(BORN_OR_LINKED, [BEFORE, AFTER])
        assert len(lineages.events(0.75)) == 2
        assert len(lineages.events(0.76)) == 0
        assert list(lineages.events(0.76).columns) == ["time", "event", "lineage", "probability", "others"]

    def test_table_and_sizes(self):
        smaller = [BEFORE, [0, 0, 0, 2, 2, 2]]
        lineages = lineages_of([[BEFORE, AFTER]] * 9 + [smaller], [BEFORE, AFTER], level=0.7)
        table = lineages.table()
        assert table["first"].tolist() == [0, 0, 1]
        assert table["last"].tolist() == [1, 0, 1]
        assert table.n_epochs.tolist() == [2, 1, 1]
        assert table.objects.tolist() == [7, 2, 2]
        assert table["size at 1"].tolist() == [4, 0, 2]
        assert table.stability.tolist()[0] == table.weakest_link.tolist()[0] == 1
        assert table.stability.isna().tolist() == [False, True, True]
        now = row_of(lineages.sizes(), lineage=0, time=1)
        assert now.expected_size == pytest.approx(3.9)
        assert (now["size"], now.lower, now.upper, now.probability) == (4, 4, 4, 1)
        wide = lineages_of([[BEFORE, AFTER]] * 9 + [smaller], [BEFORE, AFTER], level=0.99)
        assert row_of(wide.sizes(), lineage=0, time=1).lower == 3

    def test_stability_is_the_mean_and_the_smallest_of_the_links(self):
        one, other = [0, 0, 0], [5, 5, 5]
        lineages = lineages_of([[one, one, one]] * 3 + [[one, one, other]], [one, one, one])
        table = lineages.table()
        assert table.stability[0] == pytest.approx(0.875)
        assert table.weakest_link[0] == pytest.approx(0.75)
        assert "88% certain" in repr(lineages)


NAMES = ["abcdefgh", "abcdefgh"]
WHOLE = [0, 0, 0, 0, 0, 0, 0, 1]
IN_TWO = [0, 0, 0, 0, 2, 2, 2, 1]


class TestSplitsAndMerges:
    def test_a_lineage_that_splits_in_half_of_the_draws(self):
        lineages = lineages_of([[WHOLE, IN_TWO]] * 2 + [[WHOLE, WHOLE]] * 2, [WHOLE, IN_TWO], ids=NAMES)
        assert events_of(lineages) == {("born", 1, 2): 0.5, ("split", 1, 0): 0.5}
        assert row_of(lineages.events(), event="split").others == (0, 2)

    def test_a_merger_is_a_split_with_time_reversed(self):
        lineages = lineages_of([[IN_TWO, WHOLE]] * 2 + [[WHOLE, WHOLE]] * 2, [IN_TWO, WHOLE], ids=NAMES)
        gone = lineages.alignment.clustering.labels[0][4]
        assert events_of(lineages) == {("died", 1, gone): 0.5, ("merged", 1, 0): 0.5}
        assert row_of(lineages.events(), event="merged").others == (0, gone)

    def test_without_names_or_places_nothing_splits(self):
        assert set(lineages_of([[WHOLE, IN_TWO]], [WHOLE, IN_TWO]).events().event) == {"born"}

    def test_names_that_do_not_recur_say_nothing(self):
        lineages = lineages_of([[WHOLE, IN_TWO]], [WHOLE, IN_TWO], ids=["abcdefgh", "ABCDEFGH"])
        assert set(lineages.events().event) == {"born"}

    def test_objects_that_change_over_to_a_lineage_that_was_there_make_no_split(self):
        """Half of lineage 0 goes over to lineage 1, which goes on: nothing new has come out of lineage 0."""
        before, after = [0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 1, 1, 1, 1, 1, 1]
        assert events_of(lineages_of([[before, after]], [before, after], ids=NAMES)) == {}

    def test_one_traveller_alone_makes_no_split(self):
        after = [0, 0, 0, 0, 0, 0, 2, 1]
        assert set(lineages_of([[WHOLE, after]], [WHOLE, after], ids=NAMES, share=0.05).events().event) == {"born"}

    @pytest.mark.parametrize(("share", "splits"), [(0.25, True), (0.28, True), (0.3, False)])
    def test_the_share_that_makes_kin_is_of_the_objects_that_return(self, share, splits):
        """Two of seven of lineage 0 are in the new cluster; objects that come only once do not count."""
        after = [0, 0, 0, 0, 0, 2, 2, 1, 0, 0, 0, 2, 2]
        ids = ["abcdefgh", "abcdefghABCDE"]
        lineages = lineages_of([[WHOLE, after]], [WHOLE, after], ids=ids, share=share)
        assert (("split", 1, 0) in events_of(lineages)) is splits

    def test_objects_that_go_to_clusters_unknown_to_the_clustering_count_among_those_that_return(self):
        """Of ten objects six go to a cluster that the clustering does not have; two and two are no good share."""
        ids = ["abcdefghij", "abcdefghijABCDEFGHIJKLMNOP"]
        before = [0] * 10
        clustering = [0, 0, 2, 2, 0, 0, 0, 0, 0, 0] + [0] * 8 + [2] * 8
        drawn = [0, 0, 2, 2, 3, 3, 3, 3, 3, 3] + [0] * 8 + [2] * 8
        lineages = lineages_of([[before, drawn]], [before, clustering], ids=ids, share=0.25)
        assert (lineages.alignment.words_at(1)[0, 4:10] == -1).all()
        assert ("split", 1, 0) not in events_of(lineages)

    def test_the_share_can_be_given_as_kinship(self):
        by_share = lineages_of([[WHOLE, IN_TWO]], [WHOLE, IN_TWO], ids=NAMES, share=0.6)
        by_kinship = lineages_of([[WHOLE, IN_TWO]], [WHOLE, IN_TWO], ids=NAMES, kinship=SharedObjects(0.6))
        assert set(by_share.events().event) == set(by_kinship.events().event) == {"born"}


# Lineage 0 is always there; a, b and c are away in the middle.
GAP = [[1, 1, 1, 0, 0, 0], [0, 0, 0], [2, 2, 2, 0, 0, 0]]
GAP_IDS = ["abcdef", "def", "abcdef"]
GAP_PLACES = [np.repeat([[5.0, 0.0], [0.0, 0.0]], 3, axis=0), np.zeros((3, 2))]


class TestReturns:
    def test_a_lineage_comes_back_under_another_number(self):
        mixed = [[1, 1, 1, 0, 0, 0], [0, 0, 0], [0, 0, 0, 0, 0, 0]]
        lineages = lineages_of([GAP] * 3 + [mixed], GAP, ids=GAP_IDS)
        first, later = (lineages.alignment.clustering.labels[t][0] for t in (0, 2))
        assert events_of(lineages) == {
            ("died", 1, first): 1,
            ("returned", 2, later): 0.75,  # and so it is not born
        }
        assert row_of(lineages.events(), event="returned").others == (first,)

    def test_a_lineage_comes_back_under_its_own_number(self):
        same = [[1, 1, 1, 0, 0, 0], [0, 0, 0], [1, 1, 1, 0, 0, 0]]
        lineages = lineages_of([GAP], same, ids=GAP_IDS)
        own = lineages.alignment.clustering.labels[0][0]
        assert row_of(lineages.events(), event="returned").others == (own,)
        table = lineages.table()
        assert table.n_gaps[own] == 1
        assert np.isnan(table.stability[own])
        assert (own, 1) not in zip(lineages.sizes().lineage, lineages.sizes().time, strict=True)

    def test_a_lineage_that_was_there_all_the_time_does_not_return(self):
        """In the draws a, b and c come back into a lineage that never ended."""
        draw = [[0, 0, 0, 1, 1, 1], [1, 1, 1], [1, 1, 1, 1, 1, 1]]
        assert "returned" not in set(lineages_of([draw], draw, ids=GAP_IDS).events().event)

    def test_places_tell_what_names_would(self):
        coordinates = [GAP_PLACES[0], GAP_PLACES[1], GAP_PLACES[0]]
        lineages = lineages_of([GAP], GAP, kinship=place(coordinates))
        first, later = (lineages.alignment.clustering.labels[t][0] for t in (0, 2))
        assert ("returned", 2, later) in events_of(lineages)
        assert row_of(lineages.events(), event="returned").others == (first,)
        elsewhere = [*coordinates[:2], coordinates[0] + [4.0, 0.0]]
        moved = lineages_of([GAP], GAP, kinship=place(elsewhere))
        assert "returned" not in set(moved.events().event)

    def test_places_where_a_draw_lacks_a_cluster_are_no_kin(self):
        mixed = [[1, 1, 1, 0, 0, 0], [0, 0, 0], [0, 0, 0, 0, 0, 0]]
        coordinates = [GAP_PLACES[0], GAP_PLACES[1], GAP_PLACES[0]]
        lineages = lineages_of([GAP, mixed, mixed], GAP, kinship=place(coordinates))
        later = lineages.alignment.clustering.labels[2][0]
        assert events_of(lineages)["returned", 2, later] == pytest.approx(1 / 3)

    def test_places_tell_splits_and_mergers(self):
        places = [np.zeros((8, 1)), np.zeros((8, 1))]
        places[0][7] = places[1][7] = 50
        places[1][4:7] = 1.0  # near enough to where they came from
        kinship = place(places)
        lineages = lineages_of([[WHOLE, IN_TWO]], [WHOLE, IN_TWO], kinship=kinship)
        assert row_of(lineages.events(), event="split").others == (0, 2)
        backwards = lineages_of([[IN_TWO, WHOLE]], [IN_TWO, WHOLE], kinship=place(places[::-1]))
        assert ("merged", 1, 0) in events_of(backwards)

    def test_what_chance_adds_to_the_distance_of_means_is_subtracted(self):
        """Means 2 apart with two objects each, at ±1: variances of the means are 1 each, so 4 − 2 is left."""
        coordinates = [np.array([[-1.0], [1.0]]), np.array([[1.0], [3.0]])]
        for gate, near in ((1.42, True), (1.41, False)):
            alignment = lineages_of([[[0, 0], [1, 1]]], [[0, 0], [1, 1]]).alignment
            goes_on, comes_from = place(coordinates, gate).between(alignment, 0, 1)
            assert goes_on[0, 0, 1] == comes_from[0, 0, 1] == near


class TestLinksByName:
    # The model takes b for the continuation of a, because the two change places; names know better.
    before, crossed = [0, 0, 0, 1, 1], [1, 1, 1, 0, 0]
    ids = ("abcde", "abcde")

    def test_names_decide_where_the_clustering_was_linked_by_them(self):
        by_name = lineages_of([[self.before, self.crossed]], [self.before] * 2, ids=self.ids, linked_by=ObjectLinks())
        assert by_name.links().probability.tolist() == [1, 1]
        assert events_of(by_name) == {}
        by_model = lineages_of([[self.before, self.crossed]], [self.before] * 2, ids=self.ids)
        links = by_model.links()
        assert links[links.in_clustering].probability.tolist() == [0, 0]
        assert links[~links.in_clustering].probability.tolist() == [1, 1]

    def test_a_return_is_a_link_over_a_gap_with_its_probability(self):
        same = [[1, 1, 1, 0, 0, 0], [0, 0, 0], [1, 1, 1, 0, 0, 0]]
        mixed = [[1, 1, 1, 0, 0, 0], [0, 0, 0], [0, 0, 0, 0, 0, 0]]
        for linked_by, probability in ((ObjectLinks(), 0.75), (None, np.nan)):
            lineages = lineages_of([GAP] * 3 + [mixed], same, ids=GAP_IDS, linked_by=linked_by)
            own = int(lineages.alignment.clustering.labels[0][0])
            link = row_of(lineages.links(), source=(own, 0), target=(own, 2))
            assert link.probability == pytest.approx(probability, nan_ok=True)
            assert link.in_clustering
            assert link.lineage == own

    def test_a_cluster_most_of_which_goes_to_one_unknown_to_the_clustering_is_not_linked_to_another(self):
        """Six of ten go to a cluster that the clustering does not have, two stay among eight newcomers."""
        drawn = [0, 0, 1, 1, 3, 3, 3, 3, 3, 3] + [0] * 8 + [1] * 8
        clustering = [0, 0, 1, 1, 0, 0, 0, 0, 0, 0] + [0] * 8 + [1] * 8
        ids = ["abcdefghij", "abcdefghijABCDEFGHIJKLMNOP"]
        lineages = lineages_of([[[0] * 10, drawn]], [[0] * 10, clustering], ids=ids, linked_by=ObjectLinks())
        assert (lineages.alignment.words_at(1)[0, 4:10] == -1).all()
        assert row_of(lineages.links(), source=(0, 0), target=(0, 1)).probability == 0


class TestFlows:
    def test_objects_go_from_one_appearance_to_the_next(self):
        """b is away in the middle; c comes once only."""
        ids = ["abc", "ad", "abd"]
        clustering = [[0, 0, 0], [0, 1], [0, 1, 1]]
        other = [[0, 0, 0], [0, 1], [0, 0, 1]]
        flows = lineages_of([clustering] * 3 + [other], clustering, ids=ids, times=["x", "y", "z"]).flows()
        found = {tuple(row[:5]): tuple(row[5:]) for row in flows.itertuples(index=False)}
        assert found == {
            ("x", "y", 0, 0, 0): (1, 1.0),  # a
            ("x", "z", 1, 0, 1): (1, 0.75),  # b
            ("x", "z", 1, 0, 0): (0, 0.25),  # b, in the fourth draw
            ("y", "z", 0, 0, 0): (1, 1.0),  # a
            ("y", "z", 0, 1, 1): (1, 1.0),  # d
        }

    def test_clusters_unknown_to_the_clustering_are_minus_one(self):
        ids = ["abcd", "abcd"]
        flows = lineages_of([[[0, 0, 0, 1], [0, 0, 0, 0]]], [[0, 0, 0, 0]] * 2, ids=ids).flows()
        assert row_of(flows, from_lineage=-1, to_lineage=0).expected == 1
        assert row_of(flows, from_lineage=0, to_lineage=0).n_objects == 4
        assert row_of(flows, from_lineage=0, to_lineage=0).expected == 3

    def test_without_names_there_are_no_flows(self):
        flows = lineages_of([[WHOLE, IN_TWO]], [WHOLE, IN_TWO]).flows()
        assert len(flows) == 0
        assert list(flows.columns) == [
            "from_time",
            "to_time",
            "n_skipped",
            "from_lineage",
            "to_lineage",
            "n_objects",
            "expected",
        ]

    def test_next_appearances_of_every_object_make_its_path(self):
        rng = rng_for(81)
        ids = tuple(rng.permutation(12)[: rng.integers(1, 12)] for _ in range(7))
        steps = {(t, later, ids[t][i]) for t, later, here, _ in next_appearances(ids) for i in here}
        for _, later, t, there in ((None, later, t, there) for t, later, _, there in next_appearances(ids)):
            assert later > t
            assert len(there) == len(set(there.tolist()))
        expected = set()
        for own in range(12):
            epochs = [t for t, epoch in enumerate(ids) if own in epoch]
            expected |= {(t, later, own) for t, later in pairwise(epochs)}
        assert steps == expected


class TestCorners:
    def test_links_make_a_graph(self):
        lineages = lineages_of(BORN_OR_LINKED, [BEFORE, AFTER], times=["May", "June"])
        graph = networkx.from_pandas_edgelist(lineages.links(), edge_attr=True, create_using=networkx.DiGraph)
        assert graph.edges[(1, "May"), (2, "June")]["probability"] == 0.25
        assert graph.edges[(0, "May"), (0, "June")]["in_clustering"]
        assert len(graph.edges) == 2

    def test_one_epoch_has_no_links_events_or_flows(self):
        lineages = lineages_of([[[0, 0, 1]], [[0, 1, 1]]], [[0, 0, 1]], ids=["abc"])
        for table in (lineages.links(), lineages.events(), lineages.flows()):
            assert len(table) == 0
        assert list(lineages.links().columns) == ["source", "target", "probability", "in_clustering", "lineage"]
        assert lineages.table().stability.isna().all()
        assert lineages.sizes().expected_size.tolist() == [1.5, 1.5]
        assert repr(lineages) == "Lineages(2 lineages over 1 epochs)"

    def test_without_a_link_of_known_probability_nothing_is_said_of_certainty(self):
        """The model says nothing of a lineage that skips an epoch."""
        gap = [[0, 0], [1, 1], [0, 0]]
        assert repr(lineages_of([[[0, 0], [1, 1], [2, 2]]], gap)) == "Lineages(2 lineages over 3 epochs)"

    def test_one_object_per_epoch(self):
        lineages = lineages_of([[[0], [0], [1]], [[0], [1], [1]]], [[0], [0], [0]], ids=["a", "a", "a"])
        assert lineages.links().probability.tolist() == [0.5, 0.5]
        assert lineages.flows().expected.tolist() == [1, 1]
        assert lineages.table()["n_epochs"].tolist() == [3]

    def test_clusters_that_live_for_one_epoch(self):
        fleeting = [[0, 0], [1, 1], [2, 2]]
        lineages = lineages_of([fleeting], fleeting)
        assert len(lineages.links()) == 0
        assert events_of(lineages) == {(e, t, t - (e == "died")): 1 for t in (1, 2) for e in ("born", "died")}
        assert lineages.table().n_epochs.tolist() == [1, 1, 1]

    def test_times_that_are_words(self):
        lineages = lineages_of(BORN_OR_LINKED, [BEFORE, AFTER], times=["old", "new"])
        assert row_of(lineages.events(), event="born").time == "new"
        assert {"size at old", "size at new"} <= set(lineages.table().columns)
        assert lineages.table()["first"].tolist() == ["old", "old", "new"]

    @pytest.mark.parametrize("share", [0, 1, -0.1, np.nan])
    def test_a_share_lies_between_0_and_1(self, share):
        with pytest.raises(SettingsError, match="share must lie between 0 and 1"):
            lineages_of([[[0, 0]]], [[0, 0]], share=share)

    @pytest.mark.parametrize("level", [0, 1, 90, np.nan])
    def test_a_level_lies_between_0_and_1(self, level):
        with pytest.raises(SettingsError, match="level must lie between 0 and 1"):
            lineages_of([[[0, 0]]], [[0, 0]], level=level)

    @pytest.mark.parametrize("least", [-0.1, 1.1, np.nan])
    def test_least_is_a_probability(self, least):
        with pytest.raises(SettingsError, match="least must be a probability"):
            lineages_of([[[0, 0]]], [[0, 0]]).events(least)
