"""``tetiwd demo``: a whole analysis of a small real data set, compared with the truth."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tetiwd.cli import options as o
from tetiwd.cli.command import Tables, command
from tetiwd.cli.console import Console
from tetiwd.errors import RunFolderError, Setting, SettingsError, Text, give
from tetiwd.params import SamplerSettings

if TYPE_CHECKING:
    import pandas as pd

MEASUREMENTS = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]
STORY = """\
The Palmer penguins: {n} birds measured in three seasons near Palmer Station, Antarctica (Gorman, Williams and Fraser
2014, https://doi.org/10.1371/journal.pone.0090081). The model sees only bill length and depth, flipper length and body
mass. It is not told the species or sex of a bird, nor how many groups there are.
"""


@command((SamplerSettings, "n_chains", "n_warmup", "n_draws", "seed"))
def demo(
    *,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to create.")] = Path("penguins-demo"),
    overwrite: o.Overwrite = False,
    n_threads: o.Threads = None,
    quiet: o.Quiet = False,
    given: Tables,
) -> None:
    """Find the species and sexes of penguins from four measurements in three seasons, in less than a minute."""
    from tetiwd.cli.fit import deliver, watcher_for
    from tetiwd.cli.signals import signals_as_interrupt
    from tetiwd.io.read import read_series
    from tetiwd.io.run_folder import RunFolder
    from tetiwd.io.settings import RunSettings, merged
    from tetiwd.workflow import fit_into

    console = Console(quiet=quiet)
    penguins = load_penguins()
    file, target = out / "penguins.csv", out / "run"
    if out.exists() and not overwrite:
        remedy: Text = ["choose another folder with ", Setting("out"), ", or ", give("overwrite", True)]
        raise RunFolderError(f"{out} is there already", remedy)
    RunFolder(target).check_free(overwrite=overwrite)
    out.mkdir(parents=True, exist_ok=True)
    penguins[["year", *MEASUREMENTS]].to_csv(file, index=False)
    console.say(STORY.format(n=len(penguins)))
    console.say(f"The same by hand: tetiwd fit {file} --time year --standardize --out my-run\n")
    settings = RunSettings.from_tables(merged({"data": {"time": "year", "standardize": True}}, given))
    birds = read_series([file], settings.data)
    with signals_as_interrupt():
        fitted = fit_into(
            target,
            birds.series,
            settings,
            inputs=birds.hashes,
            overwrite=overwrite,
            n_threads=n_threads,
            watcher=watcher_for(console),
        )
    analysis = deliver(fitted, console, target)
    penguins["lineage"] = analysis.clustering.flat
    console.table(who_is_where(penguins), "Species and sex of the birds in every lineage, over all seasons:")
    console.say(
        f"\nAgreement with species and sex: adjusted Rand index {mean_agreement(penguins):.2f} "
        "(mean of three seasons; 1 is perfect)."
    )


def load_penguins() -> "pd.DataFrame":
    """All birds whose measurements and sex are known, season after season."""
    try:
        from palmerpenguins import load_penguins as load
    except ImportError:
        remedy = 'install them with: pip install "tetiwd[demo]"'
        raise SettingsError("the demo needs the penguin data", remedy) from None
    penguins = load().dropna(subset=[*MEASUREMENTS, "sex"])
    return penguins.sort_values("year", kind="stable", ignore_index=True)


def who_is_where(penguins: "pd.DataFrame") -> "pd.DataFrame":
    """Birds of every species and sex by lineage."""
    table = penguins.groupby(["species", "sex", "lineage"]).size().unstack(fill_value=0)
    table.columns = ["unassigned" if lineage < 0 else f"lineage {lineage}" for lineage in table.columns]
    return table.reset_index()


def mean_agreement(penguins: "pd.DataFrame") -> float:
    """Adjusted Rand index of lineages with species and sex, the mean over seasons."""
    from sklearn.metrics import adjusted_rand_score

    from tetiwd.summarize.clustering import each_alone

    truth = penguins.species.astype(str) + penguins.sex.astype(str)
    partition = each_alone(penguins.lineage.to_numpy())
    by_season = [
        adjusted_rand_score(truth[birds.index], partition[birds.index]) for _, birds in penguins.groupby("year")
    ]
    return sum(by_season) / len(by_season)
