"""The results of one design as a part of a Markdown page: tables of means, rank tests and paired differences."""

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

from tetiwd_experiments.baselines.methods import OURS
from tetiwd_experiments.statistics import ALL, SMALLER, check_results, overview, paired, rank_tests

if TYPE_CHECKING:
    import pandas as pd

UNKNOWN = "–"
PROTOCOLS = {"paper": "One data set, repeated runs", "fresh": "Fresh data sets"}
CAUTIONS = {
    "paper": " They are about this one data set, not about data of this kind.",
    "fresh": " They treat results on the same data set as independent; rely on the paired differences instead.",
}
DIFFERENCES = ["data sets", "difference", "95 % interval", "p (t)", "p (Wilcoxon)", "better", "equal"]


def summary_markdown(results: "pd.DataFrame", info: dict[str, Any], reference: str = OURS) -> str:
    """Tables of one design in Markdown.

    For every variant and protocol: means by method with the test of Kruskal and Wallis and Dunn's p-values against the
    reference; where data sets are fresh, also the paired differences, and those of the smaller epochs if sizes differ.

    Parameters
    ----------
    results
        The tidy table of one design.
    info
        ``title`` becomes the heading and ``text`` the paragraph below it; everything else, such as the date and the
        commit, becomes a list of "key: value".
    reference
        The method that is compared with all others.
    """
    check_results(results)
    parts = [f"## {info['title']}"] if "title" in info else []
    parts += [str(info["text"])] if info.get("text") else []
    rest = [f"- {key}: {value}" for key, value in info.items() if key not in ("title", "text")]
    parts += ["\n".join(rest)] if rest else []
    means, ranks = overview(results), rank_tests(results)
    fresh = results[(results.protocol == "fresh") & _with_method(results, reference)]
    differences = paired(fresh, reference) if len(fresh) else None
    variants = list(results.variant.unique())
    for variant in variants:
        parts += [f"### {_cell(variant)}"] if len(variants) > 1 else []
        for protocol in results.protocol[results.variant == variant].unique():
            at = {"variant": variant, "protocol": protocol}
            parts += _protocol(_rows(means, **at), _rows(ranks, **at), protocol, reference)
            rows = results[(results.variant == variant) & (results.protocol == protocol)]
            unequal = rows.groupby("epoch").n_objects.mean().nunique() > 1
            parts += [_by_epoch(rows)] if unequal else []
            if protocol == "fresh" and differences is not None:
                parts += _differences(_rows(differences, variant=variant), reference)
    return "\n\n".join(parts) + "\n"


def differences_narrate(table: "pd.DataFrame") -> "pd.DataFrame":
    """Paired differences of one variant with their intervals as text: a row per method, epochs taken together."""
    names = {ALL: "all epochs", SMALLER: "smaller epochs"}
    some = table[table.epoch.isin(names)]
    text = [f"{signed(row.difference)} ({_interval(row)})" for row in some.itertuples(index=False)]
    wide = some.assign(text=text).pivot(index="method", columns="epoch", values="text")
    wide = wide.loc[list(some.method.unique())].rename(columns=names).rename_axis(columns=None)
    return wide.reset_index()


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]], n_left: int = 1) -> str:
    """A Markdown table, aligned in the source as well; all columns but the first ``n_left`` are right-aligned."""
    cells = [[_cell(text) for text in row] for row in (head, *rows)]
    widths = [max(3, *(len(row[i]) for row in cells)) for i in range(len(head))]
    ruler = ["-" * width if i < n_left else "-" * (width - 1) + ":" for i, width in enumerate(widths)]
    lines = []
    for row in (cells[0], ruler, *cells[1:]):
        padded = (
            cell.ljust(width) if i < n_left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        lines.append(f"| {' | '.join(padded)} |")
    return "\n".join(lines)


def number(value: float, digits: int) -> str:
    """A number with so many decimals, or a dash if it is not known."""
    return signed(value, digits).removeprefix("+")


def p_value(p: float) -> str:
    """A p-value with three decimals; "<0.001" below, and a dash where nothing was tested."""
    if not isfinite(p):
        return UNKNOWN
    return "<0.001" if p < 0.001 else "1" if p >= 0.9995 else f"{p:.3f}"


def signed(value: float, digits: int = 3) -> str:
    """A difference with its sign: +0.021, −0.004, and 0.000 without one."""
    if not isfinite(value):
        return UNKNOWN
    text = f"{value:+.{digits}f}"
    return text[1:] if float(text) == 0 else text.replace("-", "−")


def seconds(value: float) -> str:
    """A running time with two or three significant digits."""
    if not isfinite(value):
        return UNKNOWN
    if value < 0.001:
        return "<0.001"
    digits = 3 if value < 0.1 else 2 if value < 1 else 1 if value < 100 else 0
    return f"{value:,.{digits}f}"


def _protocol(means: "pd.DataFrame", ranks: "pd.DataFrame", protocol: str, reference: str) -> list[str]:
    """Means by method, with Dunn's p-values against the reference, and the line of Kruskal and Wallis."""
    dunn = {}
    for row in ranks.itertuples(index=False):
        if reference in (row.method_a, row.method_b):
            dunn[row.method_b if row.method_a == reference else row.method_a] = row.p_dunn
    rows = []
    for row in means.itertuples(index=False):
        spread = f" ± {number(row.ari_sd, 3)}" if isfinite(row.ari_sd) else ""
        scores = [number(row.ari, 3) + spread, number(row.vi, 2), number(row.n_clusters, 1), seconds(row.seconds)]
        rows.append([row.method, str(row.n_repeats), *scores, p_value(dunn.get(row.method, float("nan")))])
    truth = number(means.true_clusters.mean(), 1).removesuffix(".0")
    head = ["method", "repeats", "ARI, mean ± sd", "VI (bits)", f"k (true {truth})", "seconds", "p (Dunn)"]
    line = "Kruskal–Wallis: nothing to rank, all results are equal."
    if len(ranks) and isfinite(ranks.H.iloc[0]):
        p, H = p_value(ranks.p_kruskal.iloc[0]), ranks.H.iloc[0]
        sign = "p " if p.startswith("<") else "p = "
        line = f"Kruskal–Wallis over {len(means)} methods: H = {H:.1f}, {sign}{p}."
    if dunn:
        line += f" Dunn's p-values are against {_cell(reference)}, Bonferroni-corrected over all pairs of methods."
    line += CAUTIONS.get(protocol, "") if len(ranks) else ""
    name = PROTOCOLS.get(protocol, _cell(protocol))
    return [f"**{name}**", markdown_table(head, rows), line]


def _by_epoch(results: "pd.DataFrame") -> str:
    """Mean adjusted Rand index of every method at every epoch."""
    table = results.groupby(["method", "epoch"], sort=False).ari.mean().unstack()[sorted(results.epoch.unique())]
    sizes = results.groupby("epoch").n_objects.mean()
    head = ["method, mean ARI", *(f"epoch {epoch} (n = {sizes[epoch]:.0f})" for epoch in table.columns)]
    rows = [[method, *(number(ari, 3) for ari in table.loc[method])] for method in results.method.unique()]
    return markdown_table(head, rows)


def _differences(table: "pd.DataFrame", reference: str) -> list[str]:
    """Paired differences over all epochs; if epochs are unequal, also over the smaller ones, and at each."""
    if table.empty:
        return []
    n_tests = table.method.nunique()
    parts = [
        f"**{_cell(reference)} minus the others, on the same data sets** "
        f"(ARI; positive: {_cell(reference)} did better; "
        f"p-values are Bonferroni-corrected for {n_tests} {'method' if n_tests == 1 else 'methods'}; "
        "intervals are not; better, equal: share of data sets)"
    ]
    for epochs, name in ((ALL, "all epochs"), (SMALLER, "smaller epochs")):
        rows = []
        for row in table[table.epoch == epochs].itertuples(index=False):
            tests = [signed(row.difference), _interval(row), p_value(row.p_t), p_value(row.p_wilcoxon)]
            rows.append([row.method, str(row.n_pairs), *tests, _percent(row.share_better), _percent(row.share_equal)])
        parts += [markdown_table([name, *DIFFERENCES], rows)] if rows else []
    if (table.epoch == SMALLER).any():
        parts.append(_differences_by_epoch(table[~table.epoch.isin((ALL, SMALLER))]))
    return parts


def _differences_by_epoch(table: "pd.DataFrame") -> str:
    """Paired differences with their intervals, a row per method and a column per epoch."""
    cells: dict[str, list[str]] = {}
    for row in table.itertuples(index=False):
        cells.setdefault(row.method, []).append(f"{signed(row.difference)} ({_interval(row)})")
    sizes = table.drop_duplicates("epoch")
    head = ["every epoch", *(f"epoch {row.epoch}, n = {row.n_objects}" for row in sizes.itertuples(index=False))]
    return markdown_table(head, [[method, *differences] for method, differences in cells.items()])


def _interval(row: Any) -> str:
    return f"{signed(row.lower)} to {signed(row.upper)}" if isfinite(row.lower) else UNKNOWN


def _with_method(results: "pd.DataFrame", method: str) -> Any:
    """Rows of variants and protocols that have this method."""
    return (results.method == method).groupby([results.variant, results.protocol]).transform("any")


def _rows(table: "pd.DataFrame", **values: str) -> "pd.DataFrame":
    for name, value in values.items():
        table = table[table[name] == value]
    return table


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if isfinite(share) else UNKNOWN


def _cell(text: Any) -> str:
    """Text in one cell of a table."""
    return " ".join(str(text).split()).replace("|", r"\|")
