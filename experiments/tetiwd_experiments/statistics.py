"""Statistics of an experiment: means, rank tests over all methods, and paired differences.

``results`` is a tidy table with one row per variant, protocol, repeat, method and epoch (:data:`NEEDED`). Numbers that
differ by less than rounding are ties everywhere. A repeat with an unknown value (NaN) counts in no mean and no test.
"""

from itertools import combinations
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.errors import DataError, SettingsError
from tetiwd_experiments.baselines.methods import OURS

if TYPE_CHECKING:
    import pandas as pd

# means over epochs, in the column of epochs
ALL = "all"
SMALLER = "smaller"  # all but the largest; only where epochs differ in size
GROUP = ["variant", "protocol", "method"]
RUN = ["variant", "protocol", "repeat", "method"]
VALUES = ["ari", "vi", "n_clusters", "true_clusters", "seconds"]
NEEDED = [*RUN, "data_seed", "epoch", "n_objects", *VALUES]
PAIRED = ["variant", "reference", "method", "epoch", "n_objects", "n_pairs", "difference", "standard_error"]
PAIRED += ["lower", "upper", "p_t", "p_wilcoxon", "share_better", "share_equal"]
RANKS = ["variant", "protocol", "H", "p_kruskal", "method_a", "method_b", "p_dunn"]
DIGITS = 12  # decimals of the adjusted Rand index; further ones are rounding errors, and would break ties


def per_repeat(results: "pd.DataFrame") -> "pd.DataFrame":
    """Means over epochs for every variant, protocol, repeat and method; NaN where an epoch is NaN."""
    check_results(results)
    grouped = results.groupby(RUN, sort=False)[VALUES]
    known = grouped.count().eq(grouped.size(), axis=0)
    table = grouped.mean().where(known).reset_index()
    return table.assign(ari=table.ari.round(DIGITS))


def overview(results: "pd.DataFrame") -> "pd.DataFrame":
    """Means over repeats for every variant, protocol and method, in order of first appearance.

    Columns: variant, protocol, method, n_repeats, ari, ari_sd (between repeats), vi, n_clusters, true_clusters,
    seconds. Repeats without an adjusted Rand index count nowhere.
    """
    runs = per_repeat(results)
    grouped = runs.where(runs.ari.notna(), other=nan).assign(**{name: runs[name] for name in GROUP})
    table = grouped.groupby(GROUP, sort=False).agg(
        n_repeats=("ari", "count"),
        ari=("ari", "mean"),
        ari_sd=("ari", "std"),
        vi=("vi", "mean"),
        n_clusters=("n_clusters", "mean"),
        true_clusters=("true_clusters", "mean"),
        seconds=("seconds", "mean"),
    )
    return _arranged(table.reset_index(), results)


def rank_tests(results: "pd.DataFrame") -> "pd.DataFrame":
    """Kruskal–Wallis over methods of the adjusted Rand index per repeat, and Dunn's test of every pair of methods.

    One row per variant, protocol and pair; p-values of Dunn's test are Bonferroni-corrected over the pairs of a variant
    and protocol. All are NaN where there is nothing to rank: fewer than two methods, or the same value everywhere.
    """
    from pandas import DataFrame
    from scikit_posthocs import posthoc_dunn
    from scipy.stats import kruskal

    runs, rows = per_repeat(results), []
    methods = list(results.method.unique())
    for (variant, protocol), group_runs in runs.groupby(["variant", "protocol"], sort=False):
        shown = [method for method in methods if (group_runs.method == method).any()]
        group_runs = group_runs.dropna(subset=["ari"])[["method", "ari"]].reset_index(drop=True)
        H, p_kruskal = nan, nan
        p_dunn = DataFrame(nan, index=shown, columns=shown)
        if group_runs.ari.nunique() > 1 and group_runs.method.nunique() > 1:
            H, p_kruskal = map(float, kruskal(*(group.to_numpy() for _, group in group_runs.groupby("method").ari)))
            p_by_pair = posthoc_dunn(group_runs, val_col="ari", group_col="method", p_adjust="bonferroni")
            p_dunn = p_by_pair.reindex(index=shown, columns=shown)
        for a, b in combinations(shown, 2):
            rows.append((variant, protocol, H, p_kruskal, a, b, float(p_dunn.loc[a, b])))
    return DataFrame(rows, columns=RANKS)


def paired(results: "pd.DataFrame", reference: str = OURS, level: float = 0.95) -> "pd.DataFrame":
    """Differences of the adjusted Rand index, reference minus method, over data sets that both have clustered.

    Only the protocol "fresh" has a new data set per repeat, and only its rows are used. One row per variant, method and
    epoch. The epoch is text: "all" for the mean over epochs, and "smaller" for the mean over all that have fewer
    objects than the largest, if they differ; ``n_objects`` is then the sum. The interval is that of Student's t. The
    p-values of the t test and of Wilcoxon's signed ranks (equal results left out) are multiplied by the number of
    methods compared (Bonferroni), for every epoch on its own. With fewer than two data sets, or no difference at all,
    there is nothing to test, and p is NaN.

    Parameters
    ----------
    results
        The tidy table.
    reference
        The method that is compared with all others.
    level
        Coverage of the interval.
    """
    from pandas import DataFrame

    if not 0 < level < 1:
        raise SettingsError(f"level must lie between 0 and 1, not {level!r}", "0.95 is usual")
    check_results(results)
    fresh, rows = results[results.protocol == "fresh"], []
    for variant, rows_of_variant in fresh.groupby("variant", sort=False):
        methods = [method for method in fresh.method.unique() if (rows_of_variant.method == method).any()]
        if reference not in methods:
            known = ", ".join(map(str, methods))
            raise SettingsError(
                f"the results of {variant!r} have no method {reference!r} to compare with, only {known}"
            )
        for epoch, n_objects, table in _by_epoch(rows_of_variant):
            for method in methods:
                if method != reference:
                    differences = (table[reference] - table[method]).dropna().round(DIGITS).to_numpy()
                    answer = _paired_tests(differences, level, len(methods) - 1)
                    rows.append((variant, reference, method, epoch, n_objects, len(differences), *answer))
    return DataFrame(rows, columns=PAIRED)


def check_results(results: "pd.DataFrame") -> None:
    """Raise if the table is not one row per variant, protocol, repeat, method and epoch, with the same data for all."""
    missing = [name for name in NEEDED if name not in results]
    if missing:
        raise DataError(f"the results have no column {missing[0]!r}", f"they need {', '.join(NEEDED)}")
    if not len(results):
        raise DataError("the results are empty", "run the experiment first")
    twice = results.duplicated([*RUN, "epoch"])
    if twice.any():
        raise DataError(f"the results have two rows for {_named(results[twice].iloc[0])}", "keep one of them")
    n_epochs = results.groupby("variant").epoch.transform("nunique")
    short = results.groupby(RUN).epoch.transform("size") < n_epochs
    if short.any():
        raise DataError(f"the results lack epochs other than {_named(results[short].iloc[0])}", "run this method again")
    fresh = results[results.protocol == "fresh"]
    other = fresh.groupby(["variant", "repeat"]).data_seed.transform("nunique") > 1
    if other.any():
        row = fresh[other].iloc[0]
        raise DataError(
            f"methods saw different data in repeat {row['repeat']} of {row.variant!r}: data_seed differs",
            "run this repeat again",
        )


def _by_epoch(results: "pd.DataFrame") -> list[tuple[str, int, Any]]:
    """Name, number of objects, and table (repeats × methods) of means over epochs, then of every epoch."""
    sizes = results.groupby("epoch").n_objects.mean().round().astype(int)
    smaller = sizes.index[sizes < sizes.max()]
    parts = [(ALL, sizes.index), *([(SMALLER, smaller)] if len(smaller) else [])]
    parts += [(str(epoch), [epoch]) for epoch in sizes.index]
    tables = []
    for name, epochs in parts:
        means = per_repeat(results[results.epoch.isin(epochs)])
        tables.append((name, int(sizes[epochs].sum()), means.pivot(index="repeat", columns="method", values="ari")))
    return tables


def _paired_tests(differences: NDArray[np.float64], level: float, n_tests: int) -> tuple[float, ...]:
    """Mean, standard error, interval, corrected p-values, shares above 0 and at 0."""
    from scipy.stats import t, wilcoxon

    n = len(differences)
    if not n:
        return (nan,) * 8
    mean, better, equal = (float(values.mean()) for values in (differences, differences > 0, differences == 0))
    if n < 2:
        return mean, nan, nan, nan, nan, nan, better, equal
    error = float(differences.std(ddof=1) / np.sqrt(n)) if np.ptp(differences) else 0.0
    half = error * float(t.ppf((1 + level) / 2, n - 1))
    p_t, p_wilcoxon = nan, nan
    if differences.any():
        p_t = 2 * float(t.sf(abs(mean) / error, n - 1)) if error else 0.0
        p_wilcoxon = float(wilcoxon(differences[differences != 0]).pvalue)
    corrected = (min(1.0, p * n_tests) if p == p else nan for p in (p_t, p_wilcoxon))
    return mean, error, mean - half, mean + half, *corrected, better, equal


def _arranged(table: "pd.DataFrame", results: "pd.DataFrame") -> "pd.DataFrame":
    """A table with variants, protocols and methods in the order in which they appear in the results."""
    place = {name: {value: i for i, value in enumerate(results[name].unique())} for name in GROUP}
    return table.sort_values(GROUP, key=lambda column: column.map(place[column.name]), ignore_index=True)


def _named(row: Any) -> str:
    return f"{row.method!r} in repeat {row['repeat']}, epoch {row.epoch} of {row.variant!r} ({row.protocol})"
