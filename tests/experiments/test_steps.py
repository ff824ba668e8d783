"""The table and the figure of a design whose variants are sizes and steps."""

import numpy as np
import pandas as pd
import pytest

from tetiwd.errors import DataError
from tetiwd_experiments.baselines.answer import Answer
from tetiwd_experiments.designs import DESIGNS
from tetiwd_experiments.plan import Plan
from tetiwd_experiments.repeat import scores_of_links
from tetiwd_experiments.steps import plot_steps, steps_markdown, with_steps

METHODS = ("moving centres", "Te-TiWD", "static TIWD")


def results(better=0.1):
    rng, rows = np.random.default_rng(5), []
    for variant in ("5×30, step 0", "5×30, step 0.5"):
        for repeat in range(6):
            ari = 0.5 + 0.05 * rng.standard_normal()
            for i, method in enumerate(METHODS):
                links = [np.nan] * 3 if method == "static TIWD" else [4, 3, 2]
                for epoch in range(2):
                    scores = [ari - better * i, 1.0, 3, 3, *links, 0.1]
                    rows.append([variant, "fresh", repeat, repeat, 0, method, epoch, 30, *scores])
    columns = ["variant", "protocol", "repeat", "data_seed", "method_seed", "method", "epoch", "n_objects"]
    columns += ["ari", "vi", "n_clusters", "true_clusters", "links_possible", "links_claimed", "links_right", "seconds"]
    return pd.DataFrame(rows, columns=columns)


def test_the_table_has_means_gains_and_links():
    page = steps_markdown(results(), "moving centres")
    scores, gains, links = (part for part in page.split("\n\n") if part.startswith("|"))
    assert scores.count("**") == 4  # the best of each row
    assert "+0.100 (+0.100 to +0.100)" in gains
    assert "+0.200" in gains
    assert "67 %; 75 %" in links
    assert "static TIWD" not in links


def test_the_figure_has_a_panel_per_sizes():
    figure = plot_steps(results(), "moving centres")
    (ax,) = figure.axes
    assert ax.get_title(loc="left") == "5×30"
    assert [text.get_text() for text in ax.get_xticklabels()] == ["0", "0.5"]
    assert len({bar.lines[0].get_color() for bar in ax.containers}) == len(METHODS)


def test_variants_without_steps_are_refused():
    with pytest.raises(DataError, match="not sizes and steps"):
        with_steps(results().assign(variant="separated"))


def test_the_design_names_its_methods_and_its_reference():
    plan = Plan("moving", n_repeats=2)
    assert plan.reference == "moving centres"
    assert set(plan.methods) == {"moving centres", "Te-TiWD", "static TIWD", "pooled TIWD", "Te-Gauss"}
    assert Plan("moving", n_repeats=2, methods=("Te-Gauss",)).reference == "Te-TiWD"
    assert len(DESIGNS["moving"].variants) == 20


def test_links_are_judged_by_the_true_clusters_of_most_objects():
    truth = [np.array([0, 0, 0, 1, 1, 2]), np.array([0, 0, 1, 1, 2, 2])]
    found = [np.array([0, 0, 0, 1, 1, 1]), np.array([0, 0, 1, 1, 2, 2])]  # 1 is mostly true cluster 1 at first
    answer = Answer(found, found, [set(), {0, 1}])
    assert scores_of_links(truth, answer, 1) == {"links_possible": 2, "links_claimed": 2, "links_right": 2}
    swapped = Answer(found, [found[0], np.array([1, 1, 0, 0, 2, 2])], [set(), {0, 1}])
    assert scores_of_links(truth, swapped, 1)["links_right"] == 0
    assert all(np.isnan(value) for value in scores_of_links(truth, Answer(found), 1).values())
