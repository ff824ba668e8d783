"""``tetiwd experiment``: the paper's experiments and one more, with all baseline methods."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

import typer

from tetiwd.cli import options as o
from tetiwd.cli import workers as w
from tetiwd.cli.command import command
from tetiwd.cli.console import Console
from tetiwd.errors import Setting, SettingsError
from tetiwd_experiments.defaults import FULL, N_DRAWS, N_WARMUP, QUICK


class Name(StrEnum):
    """Which experiment."""

    separated = "separated"
    overlapping = "overlapping"
    independent = "independent"
    unequal = "unequal"
    moving = "moving"
    control = "control"


class ProtocolName(StrEnum):
    """How repeats are made."""

    paper = "paper"
    fresh = "fresh"
    both = "both"


PROTOCOLS: dict[ProtocolName | None, tuple[Literal["paper", "fresh"], ...] | None] = {
    None: None,
    ProtocolName.paper: ("paper",),
    ProtocolName.fresh: ("fresh",),
    ProtocolName.both: ("paper", "fresh"),
}
PROTOCOL_IN_WORDS = {"paper": "one data set, methods repeated", "fresh": "a new data set per repeat"}


@command()
def experiment(
    name: Annotated[
        Name,
        typer.Argument(
            help="separated, overlapping, independent: designs of the paper; unequal: time points of unequal size; "
            "moving: centres that move; control: easy for every method."
        ),
    ],
    *,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder for results; experiment-NAME if not given.")
    ] = None,
    n_repeats: Annotated[
        int | None,
        o.option("--repeats", text=f"Repeats of every variant and protocol. [default: {FULL}]", min=2),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help=f"The same as --repeats {QUICK}.")] = False,
    protocol: Annotated[
        ProtocolName | None,
        typer.Option(
            help="paper: one data set, methods repeated; fresh: a new data set per repeat; both. "
            "If not given: both; only fresh for unequal and control."
        ),
    ] = None,
    methods: Annotated[
        str | None,
        typer.Option(
            help="Methods, such as 'Ward,HDBSCAN'; Te-TiWD always runs. All that suit the experiment if not given."
        ),
    ] = None,
    n_warmup: Annotated[int, typer.Option("--warmup", help="Warm-up sweeps of every sampler.", min=0)] = N_WARMUP,
    n_draws: Annotated[int, typer.Option("--draws", help="Draws of every sampler.", min=2)] = N_DRAWS,
    seed: Annotated[int, typer.Option(help="Seed of data and samplers; another seed draws new data.")] = 0,
    n_processes: Annotated[
        int | None, o.option("--threads", text="Data sets at the same time; one per processor if not given.", min=1)
    ] = None,
    scheduler: w.Scheduler = None,
    n_local: w.LocalCluster = None,
    quiet: o.Quiet = False,
) -> None:
    """Repeat an experiment on simulated data and compare Te-TiWD with other methods.

    Stop it at any time; the same command continues. It writes results.csv (a row per data set, method and time), tables
    of statistics, figures, and summary.md.

    Example:

      tetiwd experiment overlapping --quick
    """
    from contextlib import nullcontext

    from tetiwd.cli.signals import signals_as_interrupt
    from tetiwd.progress import StepBar
    from tetiwd_experiments.findings import write_findings
    from tetiwd_experiments.folder import ExperimentFolder
    from tetiwd_experiments.plan import Plan
    from tetiwd_experiments.runner import run_experiment
    from tetiwd_experiments.statistics import overview, paired
    from tetiwd_experiments.summary import differences_narrate

    console = Console(quiet=quiet)
    if quick and n_repeats:
        raise SettingsError(
            [Setting("quick"), " is ", Setting("n_repeats", QUICK), f", not {n_repeats}"], "give one of them"
        )
    plan = Plan(
        design=name.value,
        n_repeats=QUICK if quick else n_repeats or FULL,
        protocols=PROTOCOLS[protocol],
        methods=None if methods is None else tuple(part.strip() for part in methods.split(",")),
        n_warmup=n_warmup,
        n_draws=n_draws,
        seed=seed,
    )
    folder = ExperimentFolder(out or Path(f"experiment-{name.value}"))
    folder.open(plan)
    repeats_to_do = plan.repeats()
    n_done = sum(map(folder.is_done, repeats_to_do))
    console.say(f"{plan.of_design.story[0].upper()}{plan.of_design.story[1:]}.")
    before = f", {n_done} of them done before" if n_done else ""
    console.say(f"{len(repeats_to_do)} runs of {len(plan.methods or ())} methods{before}.")
    try:
        with (
            signals_as_interrupt(),
            w.elsewhere(scheduler, n_local, near=folder.path) as who,
            nullcontext() if quiet else StepBar(name.value) as bar,
        ):
            run_experiment(plan, folder, n_processes=n_processes, progress=bar, workers=who.get("workers"))
    except KeyboardInterrupt:
        n_done = sum(map(folder.is_done, repeats_to_do))
        console.remark(f"{n_done} of {len(repeats_to_do)} runs are kept in {folder.path}; the same command continues.")
        raise
    results = folder.results(plan)
    with console.busy("Drawing figures"):
        write_findings(folder, plan, results)
    for (variant, way), table in overview(results).groupby(["variant", "protocol"], sort=False):
        console.table(table.drop(columns=["variant", "protocol"]), f"{variant}, {PROTOCOL_IN_WORDS[way]}:")
    if "fresh" in (plan.protocols or ()):
        reference = plan.reference
        for variant, table in paired(results, reference).groupby("variant", sort=False):
            title = f"{variant}, adjusted Rand index of {reference} minus that of ... on the same data sets, "
            title += "95 % interval:"
            console.table(differences_narrate(table), title)
    console.say(f"\nLook at {folder.path / 'summary.md'}; figures are in {folder.path / 'figures'}.")
