"""All figures of an analysis as files."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tetiwd.errors import RunFolderError, SettingsError, Text, give
from tetiwd.plots.catalogue import Source, figures_for
from tetiwd.plots.marks import Marks, quiet, svg_of
from tetiwd.plots.style import apart, figure_of
from tetiwd.plots.text import named_times
from tetiwd.writing import write_text, write_whole

if TYPE_CHECKING:
    from tetiwd.analysis import Analysis
    from tetiwd.backtesting import Backtest
    from tetiwd.summarize.outcomes import Outcomes

FORMATS = ("svg", "png", "pdf")
DPI = 200  # of PNG


@dataclass(frozen=True)
class Drawing:
    """One picture: the name of its files, its title and description, and a function that draws it."""

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
    """Write every figure of the catalogue in every format; returns the files.

    Files are named after the keys of ``tetiwd.plots.FIGURES``; figures of one time also have the number of the epoch,
    counted from 0. None of the names comes from the data, and no figure shows ids.

    Parameters
    ----------
    analysis : Analysis
        A sample with its answers.
    folder : str or Path
        Folder for the files; it is created if missing.
    formats : sequence of str
        Any of "svg", "png", "pdf".
    overwrite : bool
        True replaces files of these names; otherwise nothing is written if one of them exists.
    backtest, outcomes : Backtest, Outcomes, optional
        Shown as well, if given.

    Returns
    -------
    list of Path
        The files.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from tetiwd import SamplerSettings, TeTiWD, simulate_separated
    >>> short = SamplerSettings(n_chains=2, n_warmup=50, n_draws=50)
    >>> D = simulate_separated(seed=1).D
    >>> model = TeTiWD(squared=True, dof=100, settings=short, random_state=0).fit(D)
    >>> from tetiwd.plots import save_figures
    >>> with TemporaryDirectory() as folder:
    ...     files = save_figures(model.analysis_, folder, formats=("svg",))
    ...
    >>> files[0].name
    'lineages.svg'
    """
    kinds = tuple(dict.fromkeys([formats] if isinstance(formats, str) else formats))
    unknown = [kind for kind in kinds if kind not in FORMATS]
    if unknown or not kinds:
        raise SettingsError(f'formats must be some of "svg", "png" and "pdf", not {formats!r}')
    target, pictures = Path(folder), list(drawings(analysis, backtest, outcomes))
    paths = {(picture.name, kind): target / f"{picture.name}.{kind}" for picture in pictures for kind in kinds}
    present = [path for path in paths.values() if path.exists()]
    if present and not overwrite:
        more = f" and {len(present) - 1} more" if len(present) > 1 else ""
        remedy: Text = ["choose another folder, or ", give("overwrite", True)]
        raise RunFolderError(f"{present[0]}{more} there already", remedy)
    try:
        target.mkdir(parents=True, exist_ok=True)
        for picture in pictures:
            _write(picture, {kind: paths[picture.name, kind] for kind in kinds})
    except OSError as error:
        raise RunFolderError(f"cannot write figures into {target} ({error.strerror}); choose another place") from error
    return list(paths.values())


def drawings(
    analysis: "Analysis", backtest: "Backtest | None" = None, outcomes: "Outcomes | None" = None
) -> Iterator[Drawing]:
    """All pictures of an analysis, in the order of the catalogue."""
    source = Source(analysis, outcomes, backtest)
    times = named_times(analysis.sample.series.times)
    digits = len(str(len(times) - 1))
    for figure in figures_for(source):
        if not figure.per_time:
            yield Drawing(figure.key, figure.title, figure.caption, partial(figure.draw, source))
            continue
        for t, time in enumerate(times):
            name, title = f"{figure.key}-{t:0{digits}d}", f"{figure.title}, {time}"
            yield Drawing(name, title, figure.caption, partial(figure.draw, source, t))


def _write(picture: Drawing, paths: dict[str, Path]) -> None:
    """One picture in all formats, drawn once."""
    marks = Marks()
    with apart():
        figure = figure_of(picture.draw(marks))
    for kind, path in paths.items():
        if kind == "svg":
            write_text(path, svg_of(figure, marks, title=picture.title, desc=picture.desc))
        else:
            write_whole(path, partial(_save, figure, kind))


def _save(figure: Any, kind: str, path: Path) -> None:
    """The same bytes every time: no dates."""
    about = {"CreationDate": None} if kind == "pdf" else None
    with quiet():
        figure.savefig(path, format=kind, dpi=DPI, metadata=about)
