"""Trace plots: do the MCMC chains agree, and do they move?"""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.diagnostics import Quantity
from tetiwd.errors import SettingsError
from tetiwd.partitions import evenly_spaced
from tetiwd.plots.marks import Marks, as_marks
from tetiwd.plots.style import bare, figure_width, new_axes, size_of, soft_text, styled
from tetiwd.plots.text import label

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tetiwd.analysis import Analysis

MOST_POINTS = 500  # of one trace
MOST_NAMED = 12  # chains whose numbers are shown
N_TIMES = 3  # times whose number of clusters is shown
NARROW = 400  # points, of a headline and the names of chains side by side
APART = 0.12  # offset between chains with the same number of clusters


@styled
def plot_traces(analysis: "Analysis", axes: Any = None, *, marks: Marks | None = None) -> NDArray[Any]:
    """Traces of the log joint density and of numbers of clusters by MCMC chain, the worst R-hat first.

    Parameters
    ----------
    analysis : Analysis
        A sample with its answers.
    axes : Axes or array of them, optional
        One or several axes; as many quantities are drawn as there are axes. None makes a figure with the log joint
        density and the numbers of clusters of at most three times.
    marks : Marks, optional
        Remembers hover text of the parts, for ``tetiwd.plots.svg_of``.

    Returns
    -------
    ndarray of Axes
        The axes.

    Examples
    --------
    >>> from tetiwd import SamplerSettings, TeTiWD, simulate_separated
    >>> short = SamplerSettings(n_chains=2, n_warmup=50, n_draws=50)
    >>> D = simulate_separated(seed=1).D
    >>> model = TeTiWD(squared=True, dof=100, settings=short, random_state=0).fit(D)
    >>> from tetiwd.plots import plot_traces
    >>> axes = plot_traces(model.analysis_)
    """
    sample, remember = analysis.sample, as_marks(marks)
    by_name = {quantity.name: quantity for quantity in sample.diagnostics.quantities}
    if not by_name:
        raise SettingsError("there are too few draws to judge how well chains mix; run longer")
    numbers = [(t, by_name[f"k at {time}"]) for t, time in enumerate(sample.series.times) if f"k at {time}" in by_name]
    numbers.sort(key=lambda number: (-(number[1].r_hat or 0.0), number[0]))
    if axes is None:
        axes = new_axes(figure_width(8.0), 1.1 + 1.25 * (1 + len(numbers[:N_TIMES])), 1 + len(numbers[:N_TIMES]))
    shown: NDArray[Any] = np.atleast_1d(np.asarray(axes, dtype=object)).ravel()
    each: list[tuple[int | None, str, Quantity]] = [(None, "log joint density", by_name["log_joint"])]
    times = sample.series.times
    each += [(t, f"number of clusters at {label(times[t])}", quantity) for t, quantity in numbers]
    for ax, (t, name, quantity) in zip(shown, each, strict=False):
        for chain, draws in enumerate(sample.draws):
            if len(draws):
                values = draws.log_joint if t is None else draws.n_clusters[:, t]
                line = _trace(ax, values, chain, len(sample.draws), steps=t is not None)
                remember.mark(line, epoch=t, title=f"{name.replace(chr(92), '')}, MCMC chain {chain + 1}")
        bare(ax, "top", "right")
        between = ": " if _is_wide(ax) else "\n"
        ax.set_title(f"{name}{between}{_convergence(quantity)}", fontsize=9.5, pad=4)
        ax.margins(x=0.01)
        ax.label_outer(remove_inner_ticks=True)
        _whole_numbers(ax, t is not None)
    shown[min(len(shown), len(each)) - 1].set_xlabel("draw")
    _name_chains(shown[0], len(sample.draws))
    return shown


def mcmc_colour(chain: int, n_chains: int) -> Any:
    """Colours of MCMC chains, different from those of lineages."""
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    return to_hex(colormaps["viridis"](0.28 + 0.6 * chain / max(1, n_chains - 1)))


def _trace(ax: "Axes", values: NDArray[Any], chain: int, n_chains: int, *, steps: bool) -> Any:
    """One line of at most MOST_POINTS draws, evenly spaced."""
    rows = evenly_spaced(len(values), MOST_POINTS)
    offset = APART * (chain - (n_chains - 1) / 2) if steps else 0.0
    style: Any = "steps-mid" if steps else "default"
    colour = mcmc_colour(chain, n_chains)
    (line,) = ax.plot(rows + 1, values[rows] + offset, color=colour, lw=0.9, alpha=0.85, drawstyle=style)
    return line


def _is_wide(ax: "Axes") -> bool:
    """Is there room for a headline in one line?"""
    return size_of(ax)[0] > NARROW


def _convergence(quantity: Quantity) -> str:
    if quantity.r_hat is None or quantity.ess_bulk is None:
        return f"constant at {quantity.mean:.4g}"
    r_hat = f"{quantity.r_hat:.2f}" if np.isfinite(quantity.r_hat) else "infinite"
    return f"R-hat {r_hat}, effective sample size {quantity.ess_bulk:,.0f}"


def _whole_numbers(ax: "Axes", whole: bool) -> None:
    from matplotlib.ticker import MaxNLocator

    ax.yaxis.set_major_locator(MaxNLocator(integer=whole, nbins=4, min_n_ticks=1))


def _name_chains(ax: "Axes", n_chains: int) -> None:
    """MCMC chains by colour, at the right above the first trace; above its headline of two lines on narrow axes."""
    shown, up = min(n_chains, MOST_NAMED), 5 if _is_wide(ax) else 31
    if n_chains > 1:
        for chain in range(shown):
            look: dict[str, Any] = {"weight": "bold", "color": mcmc_colour(chain, n_chains), "alpha": 1.0}
            soft_text(ax, str(chain + 1), (1, 1), (-14 * (shown - 1 - chain), up), ha="right", **look)
        soft_text(ax, "MCMC chain", (1, 1), (-14 * shown, up), ha="right")
