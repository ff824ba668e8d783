"""What is said from a mode, and what is not."""

import numpy as np
import pytest

from runs import MODEL, small_series
from tetiwd import DistanceSeries, SamplerSettings
from tetiwd.errors import SettingsError
from tetiwd.mode import find_mode
from tetiwd.mode_analysis import ModeAnalysis
from tetiwd.narrative import narrate_mode, quick_look
from tetiwd.params import AnswerSettings
from tetiwd.plots import alluvial_layout, alluvial_svg
from tetiwd.report import mode_html, mode_summary_html
from tetiwd.summarize.conditional import conditional_memberships

SETTINGS = SamplerSettings(n_chains=2, seed=5)


@pytest.fixture(scope="module")
def analysis():
    return ModeAnalysis(find_mode(small_series(), MODEL, SETTINGS), seconds=0.2)


def named(n_by_epoch=(14, 11, 12)):
    series = small_series(n_by_epoch)
    return DistanceSeries.from_distances(series.matrices, squared=True, ids=[list(range(n)) for n in n_by_epoch])


def test_without_ids_and_places_lineages_are_those_of_the_model(analysis):
    own, found = np.concatenate(analysis.mode.starts[analysis.mode.best].labels), analysis.clustering.flat
    assert len({*zip(own.tolist(), found.tolist(), strict=True)}) == len(set(own.tolist())) == len(set(found.tolist()))
    assert analysis.clustering.found_by == "mode"
    assert np.isnan(analysis.clustering.expected_loss)
    assert "loss" not in repr(analysis)


def test_with_ids_objects_link_clusters_within_the_same_partitions():
    analysis = ModeAnalysis(find_mode(named(), MODEL, SETTINGS))
    assert analysis.clustering.linked_by.name == "objects"
    by_model = ModeAnalysis(analysis.mode, AnswerSettings(links="model"))
    assert by_model.clustering.linked_by.name == "model"
    for a, b in zip(analysis.clustering.labels, by_model.clustering.labels, strict=True):
        assert np.array_equal(a[:, None] == a, b[:, None] == b)
    assert len(analysis.lineages.flows())


def test_memberships_are_the_conditionals_by_lineage(analysis):
    analysis = ModeAnalysis(analysis.mode, AnswerSettings(min_size=1))
    for t, (found, given) in enumerate(
        zip(analysis.memberships.probabilities, conditional_memberships(analysis.mode), strict=True)
    ):
        labels = analysis.clustering.labels[t]
        assert found.shape == (len(labels), analysis.clustering.n_lineages + 1)
        assert np.allclose(found.sum(axis=1), 1)
        assert np.array_equal(found[:, -1], given[:, -1])
        absent = np.setdiff1d(np.arange(analysis.clustering.n_lineages), labels)
        assert not found[:, absent].any()
        own = analysis.mode.state.labels_at(t)[0]
        column = np.searchsorted(np.unique(own), own)
        assert np.array_equal(analysis.memberships.certainty[t], given[np.arange(len(own)), column])
    certainty = np.concatenate(analysis.memberships.certainty)
    assert certainty.min() < 0.999  # not the certainty of a lone draw
    assert certainty.mean() > 0.5


def test_tables_have_nothing_that_only_draws_can_tell(analysis):
    lineages = analysis.lineages
    for table in (lineages.table(), lineages.sizes(), lineages.links(), lineages.events(), lineages.flows()):
        assert not {"stability", "weakest_link", "probability", "expected", "expected_size", "lower"} & set(table)
    assert list(analysis.n_clusters()) == ["time", "objects", "clusters", "unassigned"]
    assert analysis.starts().chosen.sum() == 1


def test_the_picture_has_no_probabilities(analysis):
    layout = alluvial_layout(analysis.lineages)
    assert all(np.isnan(part.probability) for part in (*layout.blocks, *layout.ribbons, *layout.markers))
    svg = alluvial_svg(analysis.lineages)
    assert "probability" not in svg
    assert "less certain" not in svg


@pytest.mark.parametrize("show_ids", [False, True])
def test_the_page_says_what_it_is_and_makes_no_statement_about_a_posterior(analysis, show_ids):
    page = mode_html(analysis, show_ids=show_ids)
    assert "A quick look: the most probable clustering found in 1 s from 2 starts." in page
    assert "Its probabilities are too high, because they take everything else as known." in page
    assert "tetiwd resume RUN" in page
    body = page[page.index("<body>") : page.index('<section id="details">')]
    for word in ("R-hat", "credible", "interval of", "converge", "forecast from", "chains", "expected share"):
        assert word not in body
    assert ("with all other objects fixed" in page) is True
    assert ('id="objects"' in page) is show_ids


def test_the_summary_of_a_notebook_says_so_too(analysis):
    text = mode_summary_html(analysis)
    assert quick_look(analysis) in text
    assert "<svg" in text


def test_sentences(analysis):
    told = narrate_mode(analysis)
    assert told[0].startswith("37 objects at 3 times")
    assert any("With all other objects fixed" in sentence for sentence in told)


def test_settings_without_effect_are_refused(analysis):
    with pytest.raises(SettingsError, match="level"):
        ModeAnalysis(analysis.mode, AnswerSettings(level=0.5))
