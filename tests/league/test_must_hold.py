import pandas as pd
import pytest
from benchmarks.league.must_hold import WARD, must_hold

OURS, OTHER = "tetiwd default, VI", "Leiden"


def standings(ours, ward, other, ratio=(1.0, 1.0)):
    """Two sets, of which the first is shared."""
    rows = [
        {"set": name, "name": competitor, "ari": index[i], "ratio": ratio[i]}
        for competitor, index in ((OURS, ours), (WARD, ward), (OTHER, other))
        for i, name in enumerate(("evd68", "iris"))
    ]
    return pd.DataFrame(rows)


def held(table):
    return [row.held for row in must_hold(table, OURS)]


def test_all_hold_where_we_are_best():
    assert held(standings([0.9, 0.7], [0.8, 0.6], [0.5, 0.5])) == [True] * 5


@pytest.mark.parametrize(
    ("broken", "table"),
    [
        (0, standings([0.79, 0.9], [0.8, 0.6], [0.5, 0.5])),
        (1, standings([0.81, 0.58], [0.8, 0.6], [0.5, 0.5])),
        (2, standings([0.95, 0.56], [0.8, 0.6], [0.5, 0.5])),
        (3, standings([0.9, 0.7], [0.8, 0.6], [0.95, 0.8])),
        (4, standings([0.9, 0.7], [0.8, 0.6], [0.5, 0.5], ratio=(1.2, 0.6))),
    ],
)
def test_each_can_fail_by_itself(broken, table):
    assert held(table) == [i != broken for i in range(5)]


def test_a_method_counts_on_the_sets_that_it_has():
    table = standings([0.9, 0.2], [0.8, 0.6], [0.85, float("nan")])
    assert must_hold(table, OURS)[3].value == "+0.050 (Leiden, 1 sets)"
