"""Scores of all records, and their means over seeds."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from benchmarks.league import scores
from benchmarks.league.methods import METHODS
from benchmarks.league.records import Record
from benchmarks.league.sets import SETS


def name_of(method: str, estimate: str) -> str:
    """How a competitor is called in tables."""
    return METHODS[method].title if method in METHODS else f"tetiwd {method}, {estimate}"


def scored(records: Iterable[Record]) -> pd.DataFrame:
    """A row per record and estimate."""
    return pd.DataFrame([row for record in records for row in scores_of(record)])


def scores_of(record: Record) -> list[dict[str, object]]:
    """The scores of every estimate of a record."""
    truth, rows = [np.array(own) for own in record.truth], []
    for estimate, by_epoch in record.labels.items():
        labels = [np.array(own) for own in by_epoch]
        claims = record.linked and SETS[record.set].same_labels
        right, claimed = scores.links(truth, labels) if claims else (0, 0)
        rows.append({
            "set": record.set, "name": name_of(record.method, estimate), "ours": record.ours,
            "ari": scores.agreement(truth, labels), "ratio": scores.size_ratio(truth, labels),
            "right": right, "claimed": claimed, "seconds": record.seconds[estimate], "agree": record.agree,
        })  # fmt: skip
    return rows


def over_seeds(table: pd.DataFrame) -> pd.DataFrame:
    """A row per set and competitor, in order of appearance."""
    groups = table.groupby(["set", "name"], sort=False)
    means = groups[["ari", "ratio", "right", "claimed", "seconds"]].mean()
    means["lowest"], means["highest"] = groups["ari"].min(), groups["ari"].max()
    means["ours"], means["runs"] = groups["ours"].first(), groups.size()
    means["agree"] = groups["agree"].apply(lambda own: sum(value is True for value in own))
    return means.reset_index()
