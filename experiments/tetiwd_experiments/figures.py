"""Figures of an experiment: scores by method, the data themselves, traces of the number of clusters, differences."""

from collections.abc import Sequence
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tetiwd.errors import DataError, SettingsError
from tetiwd.plots.colours import GREY, lineage_colour
from tetiwd.plots.marks import quiet, svg_of
from tetiwd.plots.style import FILL, INK, PIXEL, SMALL, SOFT, bare, styled, title
from tetiwd.plots.text import count, label, text_width
from tetiwd.writing import write_text, write_whole
from tetiwd_experiments.baselines.methods import OURS
from tetiwd_experiments.statistics import ALL, SMALLER, per_repeat
from tetiwd_experiments.summary import number, signed

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike

    from tetiwd.model.simulation import Simulation

DPI = 200  # of PNG
MOST_COLUMNS = 5  # projections side by side
MOST_NAMES = 12  # true clusters in the legend
LONGEST_NAME = 40  # characters of methods and variants
WORSE = lineage_colour(1)


@styled
def plot_boxes(results: "pd.DataFrame", variant: str, protocol: str, reference: str = OURS) -> "Figure":
    """Box plots of the adjusted Rand index by method, one point per repeat; the mean is at the right.

    Parameters
    ----------
    results
        The tidy table of an experiment.
    variant, protocol
        Whose rows are drawn.
    reference
        The method in colour.
    """
    runs = per_repeat(results)
    drawn = runs[(runs.variant == variant) & (runs.protocol == protocol)].dropna(subset=["ari"])
    if drawn.empty:
        raise DataError(f"the results have no adjusted Rand index for {variant!r} with protocol {protocol!r}")
    methods = [method for method in results.method.unique() if (drawn.method == method).any()]
    figure = empty_figure(7.2, 1.25 + 0.36 * len(methods))
    ax = figure.subplots()
    ax.set_xlim(min(0.0, float(drawn.ari.min())), 1.0)
    for i, method in enumerate(methods):
        values = drawn.ari[drawn.method == method].to_numpy()
        colour = FILL if method == reference else GREY
        _box(ax, values, i, colour)
        _aside(ax, i, number(values.mean(), 3), bold=method == reference)
    _aside(ax, -0.72, "mean")
    _method_names(ax, methods, reference)
    ax.set_xlabel("adjusted Rand index, mean over epochs")
    n = int(drawn["repeat"].nunique())
    how = {"paper": f"one data set, {count(n, 'repeat')}", "fresh": count(n, "fresh data set")}
    title(ax, label(variant, LONGEST_NAME), how.get(protocol, label(protocol, LONGEST_NAME)))
    return figure


@styled
def plot_projections(simulation: "Simulation") -> "Figure":
    """Objects of every epoch in the plane of the first two principal components of all epochs together.

    Every epoch has the same weight. Colours are the true clusters; a cluster that lives on keeps its colour.
    """
    dimensions = {X.shape[1] for X in simulation.X}
    if len(dimensions) > 1:
        raise DataError(f"one projection needs one space, but epochs have {sorted(dimensions)} dimensions")
    places, share = _projected(simulation.X)
    n_epochs = len(places)
    columns = min(n_epochs, MOST_COLUMNS)
    rows = ceil(n_epochs / columns)
    everything = np.vstack(places)
    middle = (everything.max(axis=0) + everything.min(axis=0)) / 2
    half = float(np.ptp(everything, axis=0).max()) / 2 * 1.06 or 1.0
    figure = empty_figure(max(4.2, 0.2 + 2.0 * columns), 0.9 + 2.2 * rows)
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    for ax in axes[n_epochs:]:
        ax.remove()
    for t, ax in enumerate(axes[:n_epochs]):
        order = np.random.default_rng(t).permutation(len(places[t]))  # no cluster lies on top of all others
        colours = [lineage_colour(int(lineage)) for lineage in simulation.labels[t][order]]
        size = 12.0 if len(order) <= 100 else 7.0 if len(order) <= 400 else 4.0
        ax.scatter(*places[t][order].T, s=size, c=colours, alpha=0.8, linewidths=0, clip_on=False)
        ax.set_xlim(middle[0] - half, middle[0] + half)
        ax.set_ylim(middle[1] - half, middle[1] + half)
        ax.set_aspect("equal")
        ax.set(xticks=[], yticks=[])
        for side in ax.spines.values():
            side.set_visible(True)
            side.set_alpha(0.3)
        ax.set_title(f"epoch {t}, {count(len(order), 'object')}", fontsize=9.0, pad=4)
    note = f"first two principal components of all epochs, {share:.0%} of the variance".replace("%", " %")
    figure.supxlabel(f"time →\n{note}" if n_epochs > 1 else note, fontsize=SMALL)
    _name_clusters(figure, simulation.labels)
    return figure


@styled
def plot_traces_of_k(trace: "ArrayLike", true_k: int | Sequence[int], n_warmup: int = 0) -> "Figure":
    """The number of clusters sweep by sweep, one panel per epoch, with the truth as a dashed line.

    Parameters
    ----------
    trace
        Numbers of clusters, (sweeps, epochs), warm-up included.
    true_k
        The true number, one for all epochs or one for each.
    n_warmup
        Warm-up sweeps, which are shaded.
    """
    from matplotlib.ticker import MaxNLocator

    values = np.asarray(trace)
    if values.ndim != 2 or not values.size:
        raise DataError("a trace has one row per sweep and one column per epoch", f"its shape is {values.shape}")
    n_sweeps, n_epochs = values.shape
    if not 0 <= n_warmup <= n_sweeps:
        raise SettingsError(f"n_warmup must lie between 0 and the {n_sweeps} sweeps of the trace, not {n_warmup!r}")
    truth = np.atleast_1d(np.asarray(true_k)).astype(int)
    if len(truth) not in (1, n_epochs):
        raise DataError(f"true_k has {len(truth)} numbers for {n_epochs} epochs", "give one for each, or one for all")
    truth = np.broadcast_to(truth, n_epochs)
    low, high = min(values.min(), truth.min()), max(values.max(), truth.max())
    figure = empty_figure(8.0, 0.75 + 1.05 * n_epochs)
    axes = figure.subplots(n_epochs, 1, sharex=True, sharey=True, squeeze=False).ravel()
    for t, ax in enumerate(axes):
        if n_warmup:
            ax.axvspan(0.5, n_warmup + 0.5, color=GREY, alpha=0.18, lw=0)
        ax.plot(np.arange(1, n_sweeps + 1), values[:, t], color=FILL, lw=0.9, drawstyle="steps-mid")
        ax.axhline(truth[t], color=INK, lw=0.9, ls=(0, (5, 3)), alpha=0.75)
        kept = f", mean {values[n_warmup:, t].mean():.1f}" if n_warmup < n_sweeps else ""
        ax.set_title(f"epoch {t}: truth {truth[t]}{kept}", fontsize=9.0, pad=3)
        ax.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=4, min_n_ticks=1))
    axes[0].set_xlim(0.5, n_sweeps + 0.5)
    axes[0].set_ylim(low - 0.5, high + 0.5)
    axes[-1].set_xlabel("sweep; warm-up is shaded, the truth is dashed" if n_warmup else "sweep; the truth is dashed")
    figure.supylabel("number of clusters", fontsize=9.0)
    return figure


@styled
def plot_differences(paired_table: "pd.DataFrame", variant: str | None = None, reach: float = 0.25) -> "Figure":
    """Paired differences of the adjusted Rand index with their intervals, one row per method, one panel per epoch.

    To the right of 0 the reference is better. Blue intervals lie above 0, orange ones below, grey ones hold 0.

    Parameters
    ----------
    paired_table
        From :func:`tetiwd_experiments.statistics.paired`; filter it to show fewer epochs or methods.
    variant
        Whose rows are drawn; None if there is only one.
    reach
        Differences beyond it are arrows at the edge, so that small ones can be seen; all are printed at the right.
    """
    variants = list(paired_table.variant.unique())
    if variant is None and len(variants) > 1:
        raise SettingsError(f"the table has the variants {', '.join(variants)}", "choose one with variant=")
    variant = variants[0] if variant is None and variants else variant
    table = paired_table[(paired_table.variant == variant) & (paired_table.epoch != SMALLER)]
    if table.difference.notna().sum() == 0:
        raise DataError(f"the table has no differences for {variant!r}", "they need fresh data sets for both methods")
    methods, epochs = list(table.method.unique()), list(table.epoch.unique())
    columns = len(epochs) if len(epochs) <= 4 else 3
    rows = ceil(len(epochs) / columns)
    names = max(text_width(label(method, LONGEST_NAME)) for method in methods) / PIXEL / 72
    figure = empty_figure(
        0.4 + names + (4.6 if columns == 1 else 2.05 * columns), 1.0 + rows * (0.5 + 0.27 * len(methods))
    )
    axes = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    for ax in axes.ravel()[len(epochs) :]:
        ax.remove()
    limits = _limits(table, reach)
    for epoch, ax in zip(epochs, axes.ravel(), strict=False):
        shown = table[table.epoch == epoch]
        ax.axvline(0, color=INK, lw=0.9, ls=(0, (1, 2)), alpha=0.7, zorder=0)
        for row in shown.itertuples(index=False):
            _difference(ax, row, methods.index(row.method), limits)
        n = f", n = {int(shown.n_objects.iloc[0]):,}" if epoch != ALL else ""
        ax.set_title("all epochs" if epoch == ALL else f"epoch {epoch}{n}", fontsize=9.5, pad=4)
        bare(ax, "left")
    axes[0, 0].set_xlim(*limits)
    axes[0, 0].set_ylim(len(methods) - 0.5, -0.5)
    axes[0, 0].set_yticks(range(len(methods)), [label(method, LONGEST_NAME) for method in methods])
    reference = label(table.reference.iloc[0], LONGEST_NAME)
    n_pairs = int(table.n_pairs.max())
    figure.supxlabel(
        f"difference of the adjusted Rand index; right of 0: {reference} is better ({count(n_pairs, 'data set')})",
        fontsize=9.0,
    )
    figure.suptitle(f"{reference} minus …, {label(variant, LONGEST_NAME)}", fontsize=10.5, x=0.01, ha="left")
    return figure


def save_figure(
    figure: "Figure", folder: str | Path, name: str, *, title: str, desc: str, formats: Sequence[str] = ("svg", "png")
) -> list[Path]:
    """Write a figure as ``folder/name.svg`` and ``.png``, in place of files that are there; returns the files.

    Parameters
    ----------
    figure
        A figure of this file.
    folder
        Where to; it must be there.
    name
        Of the files, without the ending.
    title, desc
        Name and description for those who do not see the picture.
    formats
        Any of "svg" and "png".
    """
    if not formats or any(kind not in ("svg", "png") for kind in formats):
        raise SettingsError(f'formats must be some of "svg" and "png", not {formats!r}')
    paths = {kind: Path(folder) / f"{name}.{kind}" for kind in formats}
    for kind, path in paths.items():
        if kind == "svg":
            write_text(path, svg_of(figure, title=title, desc=desc))
        else:
            with quiet():
                write_whole(path, lambda fresh: figure.savefig(fresh, format="png", dpi=DPI))
    return list(paths.values())


def empty_figure(width: float, height: float) -> "Figure":
    """A figure without a window; sizes are in inches."""
    from matplotlib.figure import Figure

    return Figure((width, height), layout="constrained")


def _box(ax: "Axes", values: Any, i: int, colour: str) -> None:
    """One box with its points, which are spread evenly, the same way every time."""
    line: dict[str, Any] = {"color": colour, "lw": 1.1, "clip_on": False}
    ax.boxplot(
        [values],
        positions=[i],
        orientation="horizontal",
        widths=0.58,
        showfliers=False,  # all points are drawn
        patch_artist=True,
        manage_ticks=False,
        boxprops={"facecolor": (*_rgb(colour), 0.22), "edgecolor": colour, "lw": 1.1, "clip_on": False},
        whiskerprops=line,
        capprops=line,
        medianprops=line | {"lw": 2.2},
    )
    spread = (np.arange(len(values)) * 0.618034 + 0.5) % 1 - 0.5
    ax.plot(values, i + 0.44 * spread, ls="", marker="o", ms=3.2, mew=0, color=colour, alpha=0.65, clip_on=False)


def _rgb(colour: str) -> tuple[float, float, float]:
    from matplotlib.colors import to_rgb

    return to_rgb(colour)


def _aside(ax: "Axes", y: float, text: str, bold: bool = False) -> None:
    """A small text at the right of a row."""
    ax.annotate(
        text,
        (1, y),
        (10, 0),
        xycoords=ax.get_yaxis_transform(),
        textcoords="offset points",
        va="center",
        fontsize=SMALL,
        alpha=1.0 if bold else SOFT,
        weight="bold" if bold else "normal",
        annotation_clip=False,
    )


def _method_names(ax: "Axes", methods: list[str], reference: str) -> None:
    """Methods at the left from top to bottom; the reference in bold."""
    ax.set_ylim(len(methods) - 0.5, -0.5)
    ax.set_yticks(range(len(methods)), [label(method, LONGEST_NAME) for method in methods])
    for method, text in zip(methods, ax.get_yticklabels(), strict=True):
        text.set_fontweight("bold" if method == reference else "normal")
    bare(ax, "left")
    ax.tick_params(axis="y", pad=9)  # points may lie on the edge


def _projected(X_by_epoch: list[Any]) -> tuple[list[Any], float]:
    """Objects of every epoch in the plane of most variance, and the share of the variance in it.

    Every epoch has the same weight, so that a large one does not hide what a small one looks like.
    """
    centre = np.mean([X.mean(axis=0) for X in X_by_epoch], axis=0)
    weighted = np.vstack([(X - centre) / np.sqrt(len(X)) for X in X_by_epoch])
    _, lengths, directions = np.linalg.svd(weighted, full_matrices=False)
    plane = np.zeros((2, len(centre)))
    plane[: len(directions[:2])] = directions[:2]
    total = float((lengths**2).sum())
    return [(X - centre) @ plane.T for X in X_by_epoch], float((lengths[:2] ** 2).sum()) / total if total else 1.0


def _name_clusters(figure: "Figure", labels: Sequence[Any]) -> None:
    """The colours of the largest true clusters, above the panels."""
    from matplotlib.lines import Line2D

    lineages, sizes = np.unique(np.concatenate(labels), return_counts=True)
    named = sorted(lineages[np.argsort(-sizes, kind="stable")][:MOST_NAMES].tolist())
    dots = [Line2D([], [], ls="", marker="o", ms=5, color=lineage_colour(c), label=str(c)) for c in named]
    text = (
        "true clusters" if len(named) == len(lineages) else f"the {len(named)} largest of {len(lineages)} true clusters"
    )
    look: dict[str, Any] = {"handletextpad": 0.0, "columnspacing": 0.8, "title": text, "title_fontsize": 9.0}
    figure.legend(handles=dots, loc="outside upper center", ncols=len(dots), **look)


def _limits(table: "pd.DataFrame", reach: float) -> tuple[float, float]:
    """Limits of the axis: all intervals, but not beyond the reach."""
    low, high = table[["difference", "lower"]].min(axis=None), table[["difference", "upper"]].max(axis=None)
    room = 0.06 * max(0.01, min(reach, high) - max(-reach, low))
    return max(-reach, min(0.0, low)) - room, min(reach, max(0.0, high)) + room


def _difference(ax: "Axes", row: Any, i: int, limits: tuple[float, float]) -> None:
    """One difference with its interval; an arrow at the edge if it is beyond."""
    if not np.isfinite(row.difference):
        _aside(ax, i, "–")
        return
    colour = FILL if row.lower > 0 else WORSE if row.upper < 0 else GREY
    seen = float(np.clip(row.difference, *limits))
    ends = [float(np.clip(end, *limits)) for end in (row.lower, row.upper) if np.isfinite(end)]
    if ends:
        ax.plot(ends, [i] * len(ends), color=colour, lw=1.8, solid_capstyle="butt")
    beyond = seen != row.difference
    marker = "o" if not beyond else ">" if seen > 0 else "<"
    ax.plot([seen], [i], ls="", marker=marker, ms=5.5 if beyond else 3.6, color=colour, clip_on=False)
    _aside(ax, i, signed(row.difference))
