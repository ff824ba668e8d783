import pandas as pd
import pytest
from benchmarks.league.must_hold import WARD, must_hold

OURS, OTHER = "tetiwd default, VI", "Leiden"
ROWS = (
    "mean", "mean, shared", "worst, shared", "mean, all", "worst, all", "best told nothing", "number of clusters",
    "chains",
)  # fmt: skip


def standings(ours, ward=(0.8, 0.7, 0.6), other=(0.5, 0.5, 0.5), ratio=(1.0, 1.0, 1.0), agree=(5, 5, 5)):
    """Three sets, of which the first two are shared."""
    rows = [
        {"set": name, "name": competitor, "ari": index[i], "ratio": ratio[i], "agree": agree[i], "runs": 5}
        for competitor, index in ((OURS, ours), (WARD, ward), (OTHER, other))
        for i, name in enumerate(("evd68", "senate", "iris"))
    ]
    return pd.DataFrame(rows)


def held(table):
    return dict(zip(ROWS, (row.held for row in must_hold(table, OURS)), strict=True))


ALL = dict.fromkeys(ROWS, True) | {"worst, all": None}  # which is shown, not required


def test_all_hold_where_we_are_best():
    assert held(standings([0.9, 0.8, 0.7])) == ALL
    assert held(standings([0.9, 0.8, 0.5])) == ALL


@pytest.mark.parametrize(
    ("broken", "table"),
    [
        ("mean", standings([0.84, 0.84, 0.9], ward=(0.8, 0.8, 0.6))),
        ("mean, shared", standings([0.89, 0.89, 0.9], ward=(0.91, 0.91, 0.6))),
        ("worst, shared", standings([1.0, 0.72, 0.7], ward=(0.8, 0.76, 0.6))),
        ("mean, all", standings([0.95, 0.85, 0.5], ward=(0.9, 0.8, 0.61))),
        ("best told nothing", standings([0.9, 0.8, 0.7], other=[0.95, 0.8, 0.8])),
        ("number of clusters", standings([0.9, 0.8, 0.7], ratio=(1.4, 2.0, 0.5))),
        ("chains", standings([0.9, 0.8, 0.7], agree=(5, 3, 5))),
    ],
)
def test_each_can_fail_by_itself(broken, table):
    assert held(table) == ALL | {broken: False}


def test_the_number_of_clusters_is_judged_on_average():
    table = standings([0.9, 0.8, 0.7], ratio=(1.0, 2.0, 1.0))
    assert must_hold(table, OURS)[-2].value == "1.26; at most 2.00 (senate), above 1.5 on 1 sets"
    assert held(table) == ALL


def test_a_method_counts_on_the_sets_that_it_has():
    table = standings([0.9, 0.9, 0.2], other=[0.85, 0.85, float("nan")])
    assert must_hold(table, OURS)[5].value == "+0.050 (Leiden, 2 sets)"


def test_sets_on_which_chains_disagree_are_named():
    row = must_hold(standings([0.9, 0.8, 0.7], agree=(5, 3, 0)), OURS)[-1]
    assert row.value == "8 of 15; senate 3 of 5, iris 0 of 5"
