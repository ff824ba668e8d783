"""``tetiwd resolution``: how clusters divide from coarse to fine, before a run is made."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tetiwd.cli import options as o
from tetiwd.cli import workers as w
from tetiwd.cli.command import command
from tetiwd.cli.console import Console, records
from tetiwd.errors import RunFolderError, give
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.settings import RunSettings
from tetiwd.params import Hyperparameters, SamplerSettings

if TYPE_CHECKING:
    from tetiwd.resolution import ResolutionPath

OutFolder = Annotated[
    Path | None, o.option("--out", "-o", text="Folder for a table, a picture and all clusters; nothing if not given.")
]


@command(DataSettings, (Hyperparameters, "geometry", "xi", "max_clusters"), (SamplerSettings, "seed"))
def resolution(
    files: o.Files,
    *,
    out: OutFolder = None,
    overwrite: o.Overwrite = False,
    n_threads: o.Threads = None,
    scheduler: w.Scheduler = None,
    n_local: w.LocalCluster = None,
    settings: RunSettings,
    console: Console,
) -> None:
    """Show clusters from coarse to fine: short runs with several degrees of freedom, and which of them fit would take.

    Each is repeated on four fifths of the objects, to see whether clusters are the same there. Examples:

      tetiwd resolution measurements.csv --time year --standardize

      tetiwd resolution genomes.fasta --by year --out path && tetiwd fit genomes.fasta --by year --dof 4.5
    """
    from tetiwd.io.read import read_series
    from tetiwd.trials import resolution_path

    targets = {} if out is None else {name: out / f"resolution.{name}" for name in ("csv", "svg", "json")}
    taken = [path for path in targets.values() if path.exists()]
    if taken and not overwrite:
        raise RunFolderError(f"{taken[0]} is there already", ["choose another folder, or ", give("overwrite", True)])
    with console.busy("Reading"):
        series = read_series(files, settings.data).series
    near = out or Path("resolution")  # workers elsewhere share the folder that this is in
    with w.elsewhere(scheduler, n_local, near=near) as who, console.busy("Trying degrees of freedom"):
        path = resolution_path(
            series, settings.model, settings.sampler, subsample=True, n_threads=n_threads, executor=who.get("workers")
        )
    table = path.table()
    console.table(table, "One row for every value, from coarse to fine:")
    console.say()
    for sentence in path.sentences():
        console.say(sentence)
    if out is not None:
        write(path, targets)
        console.say(f"Wrote resolution.csv, resolution.svg and resolution.json into {out}.")
    console.result({"steps": records(table), "chosen": path.chosen, "words": list(path.sentences())})


def write(path: "ResolutionPath", targets: dict[str, Path]) -> None:
    """The table, the picture, and the clusters of every step."""
    from tetiwd.io.resolution_file import write_resolution
    from tetiwd.plots.catalogue import figure_called
    from tetiwd.plots.marks import Marks, svg_of
    from tetiwd.plots.resolution import plot_resolution
    from tetiwd.plots.style import apart, figure_of
    from tetiwd.workflow import VISIBLE_ANYWHERE
    from tetiwd.writing import write_table, write_text

    marks, entry, folder = Marks(), figure_called("resolution"), targets["csv"].parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_table(targets["csv"], path.table())
        with apart():
            figure = figure_of(plot_resolution(path, marks=marks))
        picture = svg_of(figure, marks, title=entry.title, desc=entry.caption, ink=VISIBLE_ANYWHERE)
        write_text(targets["svg"], picture)
        write_resolution(targets["json"], path)
    except OSError as error:
        raise RunFolderError(f"cannot write into {folder} ({error.strerror}); choose another place") from error
