"""All figures of an analysis, in the order of a report. A new figure is a file of its own and an entry here."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from tetiwd.plots.coclustering import plot_coclustering
from tetiwd.plots.geometry import plot_geometry
from tetiwd.plots.lineages import plot_lineages
from tetiwd.plots.maps import plot_map
from tetiwd.plots.motion import plot_motion
from tetiwd.plots.n_clusters import plot_n_clusters
from tetiwd.plots.outcomes import plot_outcomes
from tetiwd.plots.resolution import plot_resolution
from tetiwd.plots.sizes import plot_sizes
from tetiwd.plots.traces import plot_traces

if TYPE_CHECKING:
    from tetiwd.analysis import Analysis
    from tetiwd.backtesting import Backtest
    from tetiwd.summarize.outcomes import Outcomes


@dataclass(frozen=True)
class Source:
    """Everything that a figure may be drawn from."""

    analysis: "Analysis"
    outcomes: "Outcomes | None" = None
    backtest: "Backtest | None" = None


@dataclass(frozen=True)
class Figure:
    """A kind of figure.

    Parameters
    ----------
    key
        Name of its files, and ``id`` on a page.
    title
        Its name in plain words.
    caption
        One sentence: what the figure shows, with the technical term.
    draw
        Called with a source and marks, or with a source, an epoch and marks for a figure ``per_time``; returns axes.
    per_time
        True if there is one picture for every time.
    when
        True for sources that it can be drawn from.
    place
        On a page: above the tables, below them, or folded with the details.
    full_width
        True if it fills the width of a page.
    caption_alone
        The caption for a run of one MCMC chain, if it differs.
    """

    key: str
    title: str
    caption: str
    draw: Callable[..., Any]
    per_time: bool = False
    when: Callable[[Source], bool] = lambda source: True
    place: Literal["above", "below", "details"] = "below"
    full_width: bool = False
    caption_alone: str = ""


FIGURES: tuple[Figure, ...] = (
    Figure(
        "lineages",
        "Lineages of clusters through time",
        "Every column is a time point (columns are evenly spaced) and every block a cluster of the point estimate, "
        "its height the number of objects; a ribbon leads to the same cluster at the next time point, and the paler "
        "it is, the less certain the link.",
        lambda source, marks: plot_lineages(source.analysis.lineages, marks=marks),
        place="above",
        full_width=True,
    ),
    Figure(
        "n_clusters",
        "Number of clusters",
        "The posterior distribution of the number of clusters at every time point: the stronger the colour, the more "
        "probable the number; the line is the credible interval and the diamond the point estimate, which can lie "
        "outside the interval: it leaves out clusters that are too small, and it is the one clustering nearest to all "
        "draws, not one of them.",
        lambda source, marks: plot_n_clusters(source.analysis, marks=marks),
        place="above",
    ),
    Figure(
        "motion",
        "How lineages move",
        "How far a lineage moves from one time point to the next, relative to the distance between two lineages: at 0 "
        "lineages stay where they are, and all time points could be pooled; at 1 they jump anywhere, and time points "
        "say nothing about each other. The line is the credible interval.",
        lambda source, marks: plot_motion(source.analysis, marks=marks),
        when=lambda source: source.analysis.sample.hyperparameters.moves and source.analysis.sample.series.n_epochs > 1,
        place="above",
    ),
    Figure(
        "map",
        "Where the objects are",
        "Every dot is an object in the colour of its lineage, and the closer two dots, the more similar the objects "
        "(classical scaling of the distances); hollow dots are less certain, and grey crosses belong to no cluster.",
        lambda source, t, marks: plot_map(source.analysis, t, marks=marks),
        per_time=True,
        place="above",
    ),
    Figure(
        "sizes",
        "Sizes and what to expect",
        "The share of objects in every lineage at every time point with its credible interval; where a forecast can be "
        "made, the fan at the right end is the forecast (its mean is the broken line and the number beside it), and "
        "vertical bars are forecasts from the time point before.",
        lambda source, marks: plot_sizes(source.analysis, backtest=source.backtest, marks=marks),
        place="above",
    ),
    Figure(
        "coclustering",
        "Which objects belong together",
        "The posterior similarity matrix: every row and every column is an object, and the stronger the colour where "
        "they meet, the more probable it is that the two are in one cluster.",
        lambda source, t, marks: plot_coclustering(source.analysis, t, marks=marks),
        per_time=True,
    ),
    Figure(
        "geometry",
        "How far apart clusters are",
        "Every square is a distance between two cluster centres in the units of the data: below the diagonal as "
        "estimated by the model, above it as measured between the objects.",
        lambda source, t, marks: plot_geometry(source.analysis, t, marks=marks),
        per_time=True,
        when=lambda source: any(len(draws.geometry) for draws in source.analysis.sample.draws),
    ),
    Figure(
        "resolution",
        "From coarse to fine clusters",
        "What other degrees of freedom would find: every column is a value that was tried, every block a cluster in it "
        "(of all time points together), and ribbons show where objects go. The framed column was chosen; the score is "
        "the separation of clusters times the agreement of neighbours, averaged with the columns beside it.",
        lambda source, marks: plot_resolution(
            source.analysis.sample.resolution, labels=source.analysis.clustering.flat, marks=marks
        ),
        when=lambda source: source.analysis.sample.resolution is not None,
    ),
    Figure(
        "outcomes",
        "Outcomes by lineage",
        "How often the outcome occurs in each lineage: the dot is the posterior mean of the rate, and the line its "
        "credible interval.",
        lambda source, marks: plot_outcomes(source.outcomes, marks=marks),
        when=lambda source: source.outcomes is not None,
    ),
    Figure(
        "traces",
        "Traces",
        "Trace plots of the MCMC chains: they should look alike, and like noise; R-hat compares the chains, and the "
        "effective sample size says how many independent draws they are worth.",
        lambda source, marks: plot_traces(source.analysis, marks=marks),
        when=lambda source: bool(source.analysis.sample.diagnostics.quantities),
        place="details",
        caption_alone="Trace plots of the one MCMC chain: they should look like noise, the end like the beginning; "
        "R-hat compares the two, and the effective sample size says how many independent draws the chain is worth.",
    ),
)


def figures_for(source: Source) -> Iterator[Figure]:
    """The figures that can be drawn from a source."""
    alone = len(source.analysis.sample.draws) == 1
    for figure in FIGURES:
        if figure.when(source):
            yield replace(figure, caption=figure.caption_alone) if alone and figure.caption_alone else figure


def figure_called(key: str) -> Figure:
    """One entry of the catalogue."""
    return next(figure for figure in FIGURES if figure.key == key)
