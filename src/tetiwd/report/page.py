"""A run as one HTML page without scripts, that needs no network and no other file."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import tetiwd
from tetiwd.analysis import Analysis
from tetiwd.errors import RunFolderError
from tetiwd.io.writing import write_text
from tetiwd.plots.alluvial_svg import alluvial_svg
from tetiwd.summarize.words import in_words

if TYPE_CHECKING:
    import pandas as pd


def write_report(analysis: Analysis, path: str | Path, *, overwrite: bool = False) -> Path:
    """Write the report; a file that is there is left alone unless ``overwrite`` is asked for."""
    target = Path(path)
    if target.is_dir():
        target = target / "report.html"
    if target.exists() and not overwrite:
        raise RunFolderError(f"{target} is there already; choose another name, or overwrite it")
    page = report_html(analysis)
    try:
        write_text(target, page)
    except OSError as error:
        raise RunFolderError(f"cannot write {target} ({error.strerror}); choose another place") from error
    return target


def report_html(analysis: Analysis) -> str:
    """The whole page. Ids are not on it."""
    chains = analysis.chains
    tables = {
        "Number of clusters": analysis.n_clusters(),
        "Cluster chains": chains.table(),
        "Events": _readable_events(chains.events(least=0.5)),
    }
    if analysis.forecast is not None:
        tables["Expected at the next time"] = analysis.forecast.table()
    sample = analysis.sample
    facts = {
        "model": str(sample.hyperparameters),
        "sampling": str(sample.settings),
        "data": str(sample.series),
        "version": f"tetiwd {tetiwd.__version__}",
    }
    return _render(
        "report.html",
        sentences=in_words(analysis),
        picture=alluvial_svg(chains),
        tables={title: as_rows(table) for title, table in tables.items()},
        facts=facts,
    )


def summary_html(analysis: Analysis) -> str:
    """The most important sentences and the picture, for a notebook."""
    return _render("summary.html", sentences=in_words(analysis), picture=alluvial_svg(analysis.chains))


def as_rows(table: "pd.DataFrame") -> list[list[str]]:
    """Header and cells as text with sensible digits."""
    return [[str(name).replace("_", " ") for name in table.columns], *([shown(v) for v in row] for row in table.values)]


def shown(value: Any) -> str:
    """One value for people."""
    if isinstance(value, float):
        if value != value:
            return ""
        return str(int(value)) if value == int(value) and abs(value) > 1 else f"{value:.2f}"
    return str(value)


def _readable_events(events: "pd.DataFrame") -> "pd.DataFrame":
    events["others"] = [", ".join(map(str, own)) for own in events.others]
    return events


def _render(template: str, **values: Any) -> str:
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("tetiwd.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    values["picture"] = Markup(values["picture"])
    return environment.get_template(template).render(**values)
