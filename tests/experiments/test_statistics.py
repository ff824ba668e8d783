"""Statistics of experiments: answers known by hand or from scipy, ties, gaps, and the page made of them."""

from math import isnan, sqrt

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal
from scipy import stats

from reference import rng_for
from tetiwd.errors import DataError, SettingsError
from tetiwd_experiments.statistics import check_results, overview, paired, per_repeat, rank_tests
from tetiwd_experiments.summary import markdown_table, number, p_value, seconds, signed, summary_markdown

ROUNDING = 1e-9
METHODS = ("Te-TiWD", "static TIWD", "Ward")


def table(scores, *, variant="v", protocol="fresh", sizes=None):
    """Results from scores[method][repeat][epoch]."""
    rows = []
    for method, repeats in scores.items():
        for repeat, epochs in enumerate(repeats):
            for epoch, ari in enumerate(epochs):
                row = {"variant": variant, "protocol": protocol, "repeat": repeat, "data_seed": repeat + 100}
                row |= {"method": method, "epoch": epoch, "n_objects": sizes[epoch] if sizes else 20}
                row |= {"ari": ari, "vi": 1 - ari, "n_clusters": 3 + epoch, "true_clusters": 4, "seconds": 0.5}
                rows.append(row)
    return pd.DataFrame(rows)


def random_scores(key, n_repeats=12, n_epochs=3, methods=METHODS):
    rng = rng_for(81, key)
    means = dict(zip(methods, np.linspace(0.8, 0.6, len(methods)), strict=True))
    return {method: rng.normal(mean, 0.1, (n_repeats, n_epochs)) for method, mean in means.items()}


def shuffled(results, key):
    return results.iloc[rng_for(82, key).permutation(len(results))].reset_index(drop=True)


def one(rows, **values):
    for name, value in values.items():
        rows = rows[rows[name] == value]
    assert len(rows) == 1
    return rows.iloc[0]


def test_means_over_epochs_then_over_repeats():
    results = table({"Te-TiWD": [(1.0, 0.5), (0.5, 0.0)], "Ward": [(0.0, 0.2), (0.4, 0.6)]})
    runs = per_repeat(results)
    assert runs.ari.tolist() == pytest.approx([0.75, 0.25, 0.1, 0.5], abs=ROUNDING)
    assert runs.n_clusters.tolist() == [3.5] * 4
    result = overview(results)
    assert result.method.tolist() == ["Te-TiWD", "Ward"]
    assert result.n_repeats.tolist() == [2, 2]
    assert result.ari.tolist() == pytest.approx([0.5, 0.3], abs=ROUNDING)
    assert result.ari_sd.tolist() == pytest.approx([0.5 / sqrt(2), 0.4 / sqrt(2)], abs=ROUNDING)
    assert result.vi.tolist() == pytest.approx([0.5, 0.7], abs=ROUNDING)
    assert result.true_clusters.tolist() == [4, 4]
    assert result.seconds.tolist() == [0.5, 0.5]


def test_order_is_that_of_first_appearance_for_every_variant():
    results = pd.concat(
        [
            table({"Ward": [(0.1,)], "HDBSCAN": [(0.2,)]}, variant="z"),
            table({"HDBSCAN": [(0.2,)], "Te-TiWD": [(0.3,)], "Ward": [(0.1,)]}, variant="a"),
        ]
    )
    result = overview(results)
    assert result.variant.tolist() == ["z", "z", "a", "a", "a"]
    assert result.method.tolist() == ["Ward", "HDBSCAN", "Ward", "HDBSCAN", "Te-TiWD"]


def test_a_repeat_with_an_unknown_epoch_counts_nowhere():
    scores = random_scores(1)
    scores["Ward"][3, 1] = np.nan
    without = {method: np.delete(values, 3, axis=0) for method, values in scores.items()}
    results = table(scores)
    assert per_repeat(results).ari.isna().sum() == 1
    mine = one(overview(results), method="Ward")
    assert mine.n_repeats == 11
    assert mine.ari == pytest.approx(without["Ward"].mean(), abs=ROUNDING)
    assert mine.vi == pytest.approx(1 - without["Ward"].mean(), abs=ROUNDING)
    row = one(paired(results), method="Ward", epoch="all")
    assert row.n_pairs == 11
    assert row.difference == pytest.approx((without["Te-TiWD"] - without["Ward"]).mean(), abs=ROUNDING)
    assert one(paired(results), method="Ward", epoch="0").n_pairs == 12
    H = rank_tests(results).H.iloc[0]
    groups = [scores["Te-TiWD"].mean(1), scores["static TIWD"].mean(1), without["Ward"].mean(1)]
    assert pytest.approx(stats.kruskal(*groups).statistic, abs=ROUNDING) == H


def test_rank_tests_by_hand():
    """Ranks 1 2 3 | 4 5 6 | 7 8 9: H = 12/90 · (36 + 225 + 576)/3 − 30 = 7.2, z = 3/√5, 6/√5 (variance 7.5 · 2/3)."""
    values = {"Te-TiWD": (0.7, 0.8, 0.9), "static TIWD": (0.4, 0.5, 0.6), "Ward": (0.1, 0.2, 0.3)}
    result = rank_tests(table({method: [(score,) for score in scores] for method, scores in values.items()}))
    assert result[["method_a", "method_b"]].to_numpy().tolist() == [
        ["Te-TiWD", "static TIWD"],
        ["Te-TiWD", "Ward"],
        ["static TIWD", "Ward"],
    ]
    assert result.H.tolist() == pytest.approx([7.2] * 3, abs=ROUNDING)
    assert result.p_kruskal.tolist() == pytest.approx([np.exp(-3.6)] * 3, abs=ROUNDING)  # χ² with 2 degrees
    near, far = (min(1.0, 3 * 2 * stats.norm.sf(step / sqrt(5))) for step in (3, 6))
    assert result.p_dunn.tolist() == pytest.approx([near, far, near], abs=ROUNDING)


def test_rank_tests_keep_variants_and_protocols_apart():
    low, high = random_scores(2), random_scores(3)
    parts = [table(low, protocol="paper"), table(high), table(low, variant="w")]
    result = rank_tests(pd.concat(parts))
    for part in parts:
        alone = rank_tests(part)
        same = result[(result.variant == alone.variant[0]) & (result.protocol == alone.protocol[0])]
        assert_frame_equal(same.reset_index(drop=True), alone)


def test_equal_results_have_nothing_to_rank():
    result = rank_tests(table({method: [(1.0, 1.0)] * 4 for method in METHODS}))
    assert len(result) == 3
    assert result[["H", "p_kruskal", "p_dunn"]].isna().all(axis=None)
    assert rank_tests(table({"Te-TiWD": [(0.1,), (0.2,)]})).empty


def test_rounding_errors_are_ties():
    third = 0.1 + 0.2  # one bit above 0.3
    assert third != 0.3
    results = table({"Te-TiWD": [(third,), (0.5,), (0.7,)], "Ward": [(0.3,), (0.5,), (0.7,)]})
    for epoch in ("all", "0"):
        row = one(paired(results), method="Ward", epoch=epoch)
        assert (row.difference, row.share_better, row.share_equal) == (0.0, 0.0, 1.0)
    assert rank_tests(results).H.iloc[0] == 0.0


def test_paired_agrees_with_scipy():
    scores = random_scores(4)
    result = paired(table(scores, sizes=(30, 20, 10)), level=0.9)
    parts = {"all": [0, 1, 2], "smaller": [1, 2], "0": [0], "1": [1], "2": [2]}
    assert len(result) == 2 * len(parts)
    for method in METHODS[1:]:
        for (epoch, epochs), n in zip(parts.items(), (60, 30, 30, 20, 10), strict=True):
            row = one(result, method=method, epoch=epoch)
            ours, theirs = (scores[name][:, epochs].mean(1) for name in ("Te-TiWD", method))
            test = stats.ttest_rel(ours, theirs)
            interval = test.confidence_interval(0.9)
            assert row.n_objects == n
            assert row.reference == "Te-TiWD"
            assert row.difference == pytest.approx((ours - theirs).mean(), abs=ROUNDING)
            assert row.standard_error == pytest.approx(stats.sem(ours - theirs), abs=ROUNDING)
            assert (row.lower, row.upper) == pytest.approx((interval.low, interval.high), abs=ROUNDING)
            assert row.p_t == pytest.approx(min(1, 2 * test.pvalue), abs=ROUNDING)
            assert row.p_wilcoxon == pytest.approx(min(1, 2 * stats.wilcoxon(ours, theirs).pvalue), abs=ROUNDING)
            assert row.share_better == np.mean(ours > theirs)


def test_paired_pairs_by_data_set_and_not_by_row():
    results = table(random_scores(5))
    key = ["method", "epoch"]
    mixed = paired(shuffled(results, 1)).sort_values(key, ignore_index=True)
    assert_frame_equal(mixed, paired(results).sort_values(key, ignore_index=True), rtol=ROUNDING)
    for run in (overview, per_repeat):
        by = ["method", "repeat"] if run is per_repeat else ["method"]
        one_way, other = run(results).sort_values(by), run(shuffled(results, 2)).sort_values(by)
        assert_frame_equal(one_way.reset_index(drop=True), other.reset_index(drop=True), rtol=ROUNDING)


def test_paired_leaves_out_data_sets_that_one_method_lacks():
    scores = random_scores(6)
    results = table(scores)
    results = results[(results.method != "Ward") | (results["repeat"] > 4)]
    row = one(paired(results), method="Ward", epoch="all")
    assert row.n_pairs == 7
    assert row.difference == pytest.approx((scores["Te-TiWD"] - scores["Ward"])[5:].mean(), abs=ROUNDING)
    assert one(paired(results), method="static TIWD", epoch="all").n_pairs == 12


def test_paired_uses_fresh_data_only():
    paper = table(random_scores(7), protocol="paper")
    assert paired(paper).empty
    fresh = table(random_scores(8))
    assert_frame_equal(paired(pd.concat([paper, fresh])), paired(fresh))


def test_paired_without_any_difference():
    same = [(1.0, 0.8)] * 5
    result = paired(table({"Te-TiWD": same, "Ward": same}))
    assert (result[["difference", "standard_error", "lower", "upper", "share_better"]] == 0).all(axis=None)
    assert (result.share_equal == 1).all()
    assert result[["p_t", "p_wilcoxon"]].isna().all(axis=None)


def test_paired_with_the_same_difference_everywhere():
    row = one(paired(table({"Te-TiWD": [(0.8,)] * 6, "Ward": [(0.7,)] * 6})), epoch="all")
    assert np.std([0.1] * 6) > 0  # rounding
    assert (row.standard_error, row.p_t) == (0.0, 0.0)
    assert (row.difference, row.lower, row.upper) == pytest.approx((0.1, 0.1, 0.1), abs=ROUNDING)
    assert row.p_wilcoxon == pytest.approx(2 / 2**6, abs=ROUNDING)  # all six have one sign


def test_paired_with_one_data_set():
    row = one(paired(table({"Te-TiWD": [(0.75,)], "Ward": [(0.5,)]})), epoch="all")
    assert (row.difference, row.share_better) == (0.25, 1.0)
    assert all(isnan(row[name]) for name in ("standard_error", "lower", "upper", "p_t", "p_wilcoxon"))


def test_paired_with_ties_among_few():
    ours, theirs = (0.5, 0.5, 0.6, 0.7, 0.9), (0.5, 0.4, 0.5, 0.5, 0.6)
    row = one(paired(table({"Te-TiWD": [(x,) for x in ours], "Ward": [(x,) for x in theirs]})), epoch="all")
    assert (row.share_better, row.share_equal) == (0.8, 0.2)
    assert row.p_wilcoxon == pytest.approx(2 / 2**4, abs=ROUNDING)  # all four that differ have one sign


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda results: results.drop(columns="vi"), "no column 'vi'"),
        (lambda results: results.iloc[:0], "empty"),
        (lambda results: pd.concat([results, results.iloc[[4]]]), "two rows for 'Te-TiWD' in repeat 1, epoch 1"),
        (lambda results: results.drop(index=4), "lack epochs other than 'Te-TiWD' in repeat 1"),
        (lambda results: results.assign(data_seed=np.arange(len(results))), "different data in repeat 0"),
    ],
)
def test_spoilt_results_are_refused(spoil, message):
    results = table(random_scores(9))
    check_results(results)
    with pytest.raises(DataError, match=message):
        check_results(spoil(results))


def test_what_cannot_be_compared_is_refused():
    results = table(random_scores(10))
    with pytest.raises(SettingsError, match="no method 'nobody' to compare with, only Te-TiWD, static TIWD, Ward"):
        paired(results, "nobody")
    with pytest.raises(SettingsError, match="level must lie between 0 and 1, not 95"):
        paired(results, level=95)


def tables_of(page):
    """The tables of a Markdown page as lists of cells; every line of one is equally long."""
    tables, lines = [], []
    for line in [*page.splitlines(), ""]:
        if line.startswith("|"):
            lines.append(line)
        elif lines:
            assert len({len(line) for line in lines}) == 1
            assert set(lines[1]) <= set("|-: ")
            cells = [[cell.strip() for cell in line.replace(r"\|", "¦").strip("|").split("|")] for line in lines]
            assert len({len(row) for row in cells}) == 1
            tables.append([cells[0], *cells[2:]])
            lines = []
    return tables


def test_the_page_of_a_design_with_equal_epochs():
    scores = random_scores(12)
    results = pd.concat([table(scores, protocol="paper"), table(scores)])
    page = summary_markdown(results, {"title": "Overlapping", "text": "Five clusters.", "commit": "abc"})
    assert page.startswith("## Overlapping\n\nFive clusters.\n\n- commit: abc\n\n")
    paper, fresh, differences = tables_of(page)
    assert [row[0] for row in paper] == ["method", *METHODS]
    assert paper[1:] == fresh[1:]
    mean, sd = scores["Ward"].mean(), scores["Ward"].mean(1).std(ddof=1)
    assert fresh[3][:6] == ["Ward", "12", f"{mean:.3f} ± {sd:.3f}", f"{1 - mean:.2f}", "4.0", "0.50"]
    assert fresh[0][4] == "k (true 4)"
    assert fresh[1][-1] == "–"
    assert fresh[3][-1] == "<0.001"
    assert [row[0] for row in differences] == ["all epochs", *METHODS[1:]]
    row = one(paired(results), method="Ward", epoch="all")
    assert differences[2][1:4] == ["12", f"+{row.difference:.3f}", f"+{row.lower:.3f} to +{row.upper:.3f}"]
    assert page.count("Kruskal–Wallis over 3 methods: H = ") == 2


def test_the_page_of_a_design_with_unequal_epochs_shows_every_epoch():
    scores = random_scores(13)
    parts = [
        table(scores, variant=variant, protocol=protocol, sizes=(40, 6, 4))
        for variant in ("40/6/4 model", "40/6/4 | independent")
        for protocol in ("paper", "fresh")
    ]
    page = summary_markdown(pd.concat(parts), {})
    assert [line for line in page.splitlines() if line.startswith("#")] == [
        "### 40/6/4 model",
        r"### 40/6/4 \| independent",
    ]
    tables = tables_of(page)
    assert [len(rows) - 1 for rows in tables] == [3, 3, 3, 3, 2, 2, 2] * 2
    assert tables[1][0] == ["method, mean ARI", "epoch 0 (n = 40)", "epoch 1 (n = 6)", "epoch 2 (n = 4)"]
    assert tables[1][3] == ["Ward", *(f"{ari:.3f}" for ari in scores["Ward"].mean(0))]
    assert [rows[0][0] for rows in tables[4:7]] == ["all epochs", "smaller epochs", "every epoch"]
    assert tables[6][0][1:] == ["epoch 0, n = 40", "epoch 1, n = 6", "epoch 2, n = 4"]
    row = one(paired(parts[1]), method="Ward", epoch="1")
    assert tables[6][2][2] == f"{signed(row.difference)} ({signed(row.lower)} to {signed(row.upper)})"


def test_the_page_says_when_all_is_equal_and_does_without_a_reference():
    page = summary_markdown(table({method: [(1.0,)] * 3 for method in METHODS}), {})
    assert "nothing to rank" in page
    assert tables_of(page)[1][1][1:] == ["3", "0.000", "0.000 to 0.000", "–", "–", "0 %", "100 %"]
    page = summary_markdown(table(random_scores(14, methods=("Ward", "HDBSCAN"))), {})
    assert len(tables_of(page)) == 1
    assert "Dunn's" not in page


def test_numbers_for_people():
    assert [p_value(p) for p in (0.0, 0.00099, 0.0123, 1.0, np.nan)] == ["<0.001", "<0.001", "0.012", "1", "–"]
    assert [signed(x) for x in (0.0212, -0.004, -0.0001, np.nan)] == ["+0.021", "−0.004", "0.000", "–"]
    assert [number(x, 2) for x in (1.234, -0.001, -0.5)] == ["1.23", "0.00", "−0.50"]
    assert [seconds(x) for x in (0.0001, 0.0123, 0.456, 12.34, 1234.5, np.nan)] == [
        *("<0.001", "0.012", "0.46", "12.3", "1,234", "–")
    ]
    assert markdown_table(["a", "b"], [["x|y", "1"]]) == "| a    |   b |\n| ---- | --: |\n| x\\|y |   1 |"
