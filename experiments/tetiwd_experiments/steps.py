"""A design whose variants are sizes × steps, all in one table and one figure: what is gained as centres move."""

from typing import TYPE_CHECKING

from tetiwd.errors import DataError
from tetiwd.plots.colours import GREY, lineage_colour
from tetiwd.plots.style import FILL, bare, styled
from tetiwd_experiments.figures import empty_figure
from tetiwd_experiments.statistics import ALL, overview, paired
from tetiwd_experiments.summary import markdown_table, number, signed

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

STEP = ", step "  # between the sizes and the step in the name of a variant


def with_steps(table: "pd.DataFrame") -> "pd.DataFrame":
    """A table of variants with their sizes and steps as columns of their own."""
    parts = table.variant.str.rsplit(STEP, n=1, expand=True)
    if parts.shape[1] != 2:
        raise DataError("the variants are not sizes and steps")
    return table.assign(sizes=parts[0], step=parts[1].astype(float))


def steps_markdown(results: "pd.DataFrame", reference: str) -> str:
    """Means of every method, paired differences and links, a row per size and step."""
    means = overview(results).pivot(index="variant", columns="method", values="ari")
    differences = paired(results, reference)
    differences = differences[differences.epoch == ALL].set_index(["variant", "method"])
    methods = [method for method in results.method.unique() if method != reference]
    scores, gains, links = [], [], []
    for variant in results.variant.unique():
        best = means.loc[variant].max()
        values = [(means.loc[variant, method], method) for method in (reference, *methods)]
        scores.append([variant, *(f"**{number(ari, 3)}**" if ari == best else number(ari, 3) for ari, _ in values)])
        rows = [differences.loc[(variant, method)] for method in methods]
        gains.append([variant, *(f"{signed(r.difference)} ({signed(r.lower)} to {signed(r.upper)})" for r in rows)])
        links.append([variant, *_links(results[results.variant == variant], [reference, *methods])])
    linking = [i for i, text in enumerate(links[0]) if text]
    head = ["", reference, *methods]
    parts = [
        "Mean adjusted Rand index; the best is bold:",
        markdown_table(["data", reference, *methods], scores),
        f"{reference} minus the others on the same data sets, with 95 % intervals:",
        markdown_table(["data", *methods], gains),
        "Links that are right, of those claimed; and links claimed, of those possible:",
        markdown_table(["data", *(head[i] for i in linking[1:])], [[row[i] for i in linking] for row in links]),
    ]
    return "\n\n".join(parts) + "\n"


def _links(results: "pd.DataFrame", methods: list[str]) -> list[str]:
    """Shares of right and of claimed links; nothing for methods without lineages."""
    texts = []
    for method in methods:
        sums = results.loc[results.method == method, ["links_possible", "links_claimed", "links_right"]].sum()
        right, claimed = sums.links_right / (sums.links_claimed or 1), sums.links_claimed / (sums.links_possible or 1)
        texts.append(f"{100 * right:.0f} %; {100 * claimed:.0f} %" if sums.links_possible else "")
    return texts


@styled
def plot_steps(results: "pd.DataFrame", reference: str) -> "Figure":
    """Mean adjusted Rand index by how far centres move, one panel per sizes and one line per method.

    Bars are 95 % intervals of the mean over data sets.
    """
    table = with_steps(overview(results))
    sizes, methods = list(table.sizes.unique()), list(table.method.unique())
    colours = {method: lineage_colour(i) for i, method in enumerate((m for m in methods if m != reference), start=1)}
    colours[reference] = FILL
    figure = empty_figure(2.05 * len(sizes) + 0.5, 3.2)
    axes = figure.subplots(1, len(sizes), sharey=True, squeeze=False)[0]
    steps = sorted(table.step.unique())
    for ax, size in zip(axes, sizes, strict=True):
        for i, method in enumerate(methods):
            rows = table[(table.sizes == size) & (table.method == method)].sort_values("step")
            half = 1.96 * rows.ari_sd / rows.n_repeats**0.5
            places = [steps.index(step) + 0.08 * (i - len(methods) / 2) for step in rows.step]
            bold = method == reference
            ax.errorbar(
                places, rows.ari, half, color=colours[method], lw=2.4 if bold else 1.2, elinewidth=1, label=method,
                marker="o", ms=5 if bold else 3.5, zorder=3 if bold else 2,
            )  # fmt: skip
        ax.set_title(size, fontsize=9.5, pad=4)
        ax.set_xticks(range(len(steps)), [f"{step:g}" for step in steps])
        ax.grid(axis="y", color=GREY, alpha=0.25, lw=0.6)
        bare(ax, "left", "bottom")
    axes[0].set_ylabel("adjusted Rand index")
    axes[0].set_ylim(0, None)
    figure.supxlabel("step per epoch (0: centres stay, 1: centres are drawn anew)", fontsize=9.0)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper left", ncols=len(methods), frameon=False)
    return figure
