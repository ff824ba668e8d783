"""All figures of an analysis as files."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tetiwd.errors import RunFolderError, SettingsError, Text, give
from tetiwd.io.writing import write_text, write_whole
from tetiwd.plots.coclustering import plot_coclustering
from tetiwd.plots.geometry import plot_geometry
from tetiwd.plots.layout import object_maps
from tetiwd.plots.lineages import plot_lineages
from tetiwd.plots.maps import plot_map
from tetiwd.plots.marks import Marks, quiet, svg_of
from tetiwd.plots.n_clusters import plot_n_clusters
from tetiwd.plots.outcomes import plot_outcomes
from tetiwd.plots.sizes import plot_sizes
from tetiwd.plots.style import apart
from tetiwd.plots.text import named_times
from tetiwd.plots.traces import plot_traces

if TYPE_CHECKING:
    from tetiwd.analysis import Analysis
    from tetiwd.summarize.backtest import Backtest
    from tetiwd.summarize.outcomes import Outcomes

FORMATS = ("svg", "png", "pdf")
DPI = 200  # of PNG


@dataclass(frozen=True)
class Drawing:
    """A figure to be drawn: the name of its file, what it is called, what is to be seen, and how to draw it."""

    name: str
    title: str
    desc: str
    draw: Callable[[Marks], Any]  # returns axes, or an array of them


def save_figures(
    analysis: "Analysis",
    folder: str | Path,
    formats: Sequence[str] = FORMATS,
    *,
    overwrite: bool = False,
    backtest: "Backtest | None" = None,
    outcomes: "Outcomes | None" = None,
) -> list[Path]:
    """Write every figure in every format; returns the files.

    Files are called lineages, n_clusters, sizes, traces and outcomes, and map, coclustering and geometry with the number
    of the epoch, counted from 0. None of the names comes from the data, and no figure shows ids.

    Parameters
    ----------
    analysis
        A sample with its answers.
    folder
        Where to; it is made if it is not there.
    formats
        Any of "svg", "png", "pdf".
    overwrite
        True replaces files of these names; otherwise nothing is written if one of them is there.
    backtest, outcomes
        Shown as well, if given.
    """
    kinds = tuple(dict.fromkeys([formats] if isinstance(formats, str) else formats))
    unknown = [kind for kind in kinds if kind not in FORMATS]
    if unknown or not kinds:
        raise SettingsError(f'formats must be some of "svg", "png" and "pdf", not {formats!r}')
    target, found = Path(folder), list(drawings(analysis, backtest, outcomes))
    paths = {(own.name, kind): target / f"{own.name}.{kind}" for own in found for kind in kinds}
    there = [path for path in paths.values() if path.exists()]
    if there and not overwrite:
        more = f" and {len(there) - 1} more" if len(there) > 1 else ""
        remedy: Text = ["choose another folder, or ", give("overwrite", True)]
        raise RunFolderError(f"{there[0]}{more} there already", remedy)
    try:
        target.mkdir(parents=True, exist_ok=True)
        for own in found:
            _write(own, {kind: paths[own.name, kind] for kind in kinds})
    except OSError as error:
        raise RunFolderError(f"cannot write figures into {target} ({error.strerror}); choose another place") from error
    return list(paths.values())


def drawings(
    analysis: "Analysis", backtest: "Backtest | None" = None, outcomes: "Outcomes | None" = None
) -> Iterator[Drawing]:
    """All figures there are, in the order of a report."""
    yield Drawing(
        "lineages",
        "Lineages through time",
        "Columns are times, blocks are clusters, as high as they have objects; ribbons link the clusters of a lineage.",
        lambda marks: plot_lineages(analysis.lineages, marks=marks),
    )
    yield Drawing(
        "n_clusters",
        "Number of clusters at every time",
        "The stronger the colour of a cell, the more probable the number; a diamond is the representative clustering.",
        lambda marks: plot_n_clusters(analysis, marks=marks),
    )
    yield Drawing(
        "sizes",
        "Share of objects by lineage",
        "One lane per lineage with its share over time, the interval of the draws, and the forecast of the next time.",
        lambda marks: plot_sizes(analysis, backtest=backtest, marks=marks),
    )
    yield Drawing(
        "traces",
        "Traces of the sampler",
        "The log joint density and numbers of clusters, draw by draw, for every MCMC chain.",
        lambda marks: plot_traces(analysis, marks=marks),
    )
    if outcomes is not None:
        yield Drawing(
            "outcomes",
            "Outcome by lineage",
            "The rate in every lineage with its interval.",
            lambda marks: plot_outcomes(outcomes, marks=marks),
        )
    times = named_times(analysis.sample.series.times)
    for t, time in enumerate(times):
        yield from _at(analysis, t, f"{t:0{len(str(len(times) - 1))}d}", time)


def _at(analysis: "Analysis", t: int, number: str, time: str) -> Iterator[Drawing]:
    """The figures of one time."""
    yield Drawing(
        f"map-{number}",
        f"Objects at {time}",
        "Every point is an object, in the colour of its lineage; near points are similar.",
        lambda marks: plot_map(analysis, t, maps=object_maps(analysis), marks=marks),
    )
    yield Drawing(
        f"coclustering-{number}",
        f"Who is together at {time}",
        "The stronger the colour, the more often two objects are in one cluster.",
        lambda marks: plot_coclustering(analysis, t, marks=marks),
    )
    if any(draws.geometry for draws in analysis.sample.draws):
        yield Drawing(
            f"geometry-{number}",
            f"Distances between clusters at {time}",
            "Below the diagonal as the model has them, above it as measured.",
            lambda marks: plot_geometry(analysis, t, marks=marks),
        )


def _write(own: Drawing, paths: dict[str, Path]) -> None:
    """One figure, drawn once."""
    marks = Marks()
    with apart():
        figure = np.atleast_1d(np.asarray(own.draw(marks), dtype=object)).ravel()[0].get_figure()
    for kind, path in paths.items():
        if kind == "svg":
            write_text(path, svg_of(figure, marks, title=own.title, desc=own.desc))
        else:
            write_whole(path, lambda fresh, kind=kind: _save(figure, fresh, kind))  # type: ignore[misc]


def _save(figure: Any, path: Path, kind: str) -> None:
    """The same bytes every time: no dates."""
    about = {"CreationDate": None} if kind == "pdf" else None
    with quiet():
        figure.savefig(path, format=kind, dpi=DPI, metadata=about)
