"""Rates of an outcome by lineage."""

from typing import TYPE_CHECKING

import numpy as np

from tetiwd.plots.colours import lineage_colour, lineage_tag
from tetiwd.plots.marks import Marks, as_marks
from tetiwd.plots.style import INK, bare, figure_width, new_axes, soft_text, styled, tag, title
from tetiwd.plots.text import label
from tetiwd.summarize.naming import lineage_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tetiwd.summarize.outcomes import Outcomes

MOST_LINEAGES = 30


@styled
def plot_outcomes(outcomes: "Outcomes", ax: "Axes | None" = None, *, marks: Marks | None = None) -> "Axes":
    """Rate of an outcome in every lineage with its credible interval, and the rate of all members as a dotted line.

    Of more than 30 lineages the largest are shown.

    Parameters
    ----------
    outcomes : Outcomes
        From :func:`tetiwd.outcomes_by_lineage`.
    ax : Axes, optional
        Axes to draw on; None makes a figure.
    marks : Marks, optional
        Remembers lineages and hover text of the parts, for ``tetiwd.plots.svg_of``.

    Returns
    -------
    Axes
        The axes that were drawn on.

    Examples
    --------
    >>> from tetiwd import Partitions, align, representative, outcomes_by_lineage
    >>> draws = Partitions.from_labels(
    ...     [
    ...         [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1]],  # three draws at the first time
    ...         [[0, 0, 0, 0, 1, 1], [0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 1]],
    ...     ],
    ...     times=[2020, 2021],
    ...     ids=[list("abcdef"), list("abcdef")],
    ... )
    >>> alignment = align(draws, representative(draws))
    >>> from tetiwd.plots import plot_outcomes
    >>> ax = plot_outcomes(outcomes_by_lineage(alignment, {"a": True, "b": True, "d": False}))
    """
    from matplotlib.ticker import PercentFormatter

    table, remember = outcomes.table(), as_marks(marks)
    kept = np.sort(np.argsort(-table.members.to_numpy(), kind="stable")[:MOST_LINEAGES])
    shown = table.iloc[kept]
    if ax is None:
        ax = new_axes(figure_width(6.4), 1.3 + 0.27 * len(shown))
    for i, row in enumerate(shown.itertuples(index=False)):
        colour = lineage_colour(int(row.lineage))
        words = (
            f"{lineage_words(int(row.lineage))}: rate {row.rate:.2f} ({row.lower:.2f} to {row.upper:.2f}), "
            f"{row.events} of {row.members}; higher than elsewhere with probability "
            f"{row.probability_higher_than_rest:.2f}"
        )
        (line,) = ax.plot([row.lower, row.upper], [i, i], color=colour, lw=3.2, alpha=0.5)
        (dot,) = ax.plot([row.rate], [i], ls="", marker="o", ms=6.5, color=colour)
        name = tag(ax, -0.015, i, lineage_tag(int(row.lineage)), colour, transform=ax.get_yaxis_transform(), ha="right")
        for artist in (line, dot, name):
            remember.mark(artist, lineage=int(row.lineage), title=words)
        soft_text(ax, f"{row.events:,} of {row.members:,}", (1, i), (6, 0), ax.get_yaxis_transform(), va="center")
    overall = table.events.sum() / max(1, table.members.sum())
    remember.mark(ax.axvline(overall, color=INK, lw=0.9, ls=(0, (1, 2)), alpha=0.7, zorder=0), title="all lineages")
    ax.set_ylim(len(shown) - 0.5, -0.5)
    ax.set_yticks([])
    ax.set_xlim(0, min(1.0, float(shown.upper.max()) * 1.06))
    ax.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=None, symbol=" %"))
    bare(ax, "left", "top", "right")
    more = f" · the {len(shown)} largest of {len(table)} lineages" if len(shown) < len(table) else ""
    tags = map(lineage_tag, shown.lineage.tolist())
    headline = f"Rate of {label(outcomes.name, 40) or 'the outcome'}"
    title(ax, headline, f"{outcomes.level:.0%} credible intervals{more}", tags)
    return ax
