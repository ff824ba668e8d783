"""The results of an experiment as files: tables of statistics, figures, and a summary."""

import re
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.model import Simulation
from tetiwd.params import Hyperparameters, SamplerSettings
from tetiwd.sampler import Chain
from tetiwd.writing import write_table, write_text
from tetiwd_experiments.baselines.wishart import Effort
from tetiwd_experiments.figures import plot_boxes, plot_differences, plot_projections, plot_traces_of_k, save_figure
from tetiwd_experiments.folder import ExperimentFolder
from tetiwd_experiments.plan import Plan
from tetiwd_experiments.repeat import series_of
from tetiwd_experiments.statistics import overview, paired, rank_tests
from tetiwd_experiments.steps import plot_steps, steps_markdown
from tetiwd_experiments.summary import summary_markdown

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd
    from matplotlib.figure import Figure


def write_findings(folder: ExperimentFolder, plan: Plan, results: "pd.DataFrame") -> None:
    """Write statistics, a summary and figures into the folder."""
    write_table(folder.path / "overview.csv", overview(results))
    write_table(folder.path / "rank_tests.csv", rank_tests(results))
    if "fresh" in (plan.protocols or ()):
        write_table(folder.path / "paired.csv", paired(results, plan.reference))
    summary = summary_markdown(results, about(plan, folder.settings()), plan.reference)
    if plan.of_design.by_step:
        summary = f"{steps_markdown(results, plan.reference)}\n{summary}"
    write_text(folder.path / "summary.md", summary)
    figures = folder.path / "figures"
    figures.mkdir(exist_ok=True)
    for figure, name, title, desc in drawings(plan, results):
        save_figure(figure, figures, name, title=title, desc=desc)


def drawings(plan: Plan, results: "pd.DataFrame") -> "Iterator[tuple[Figure, str, str, str]]":
    """Every figure with the name of its file, its title and its description."""
    if plan.of_design.by_step:
        yield (
            plot_steps(results, plan.reference),
            f"{plan.design}-steps",
            "Adjusted Rand index by how far centres move",
            "One panel per set of epoch sizes, one line per method, means over data sets with 95 % intervals.",
        )
        return
    differences = paired(results, plan.reference) if "fresh" in (plan.protocols or ()) else None
    first = plan.repeats()[0]
    for variant, simulate in plan.of_design.variants.items():
        name, simulation = name_for_files(variant), simulate(first.data_seed)
        for protocol in plan.protocols or ():
            yield (
                plot_boxes(results, variant, protocol, plan.reference),
                f"{name}-{protocol}-boxes",
                f"Adjusted Rand index by method: {variant}",
                "One box per method over all repeats, one point per repeat.",
            )
        if differences is not None:
            yield (
                plot_differences(differences, variant),
                f"{name}-differences",
                f"{plan.reference} minus every other method: {variant}",
                "Mean paired difference of the adjusted Rand index with its 95 % interval.",
            )
        yield (
            plot_projections(simulation),
            f"{name}-data",
            f"The first data set: {variant}",
            "Objects of every epoch on the first two principal components, coloured by true cluster.",
        )
        trace = trace_of_clusters(simulation, first.effort)
        yield (
            plot_traces_of_k(trace, simulation.n_clusters, plan.n_warmup),
            f"{name}-traces",
            f"Number of clusters during sampling: {variant}",
            "One panel per epoch, sweep by sweep from the start, with the true number.",
        )


def name_for_files(variant: str) -> str:
    """Small letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", variant.lower())


def about(plan: Plan, made: dict[str, Any]) -> dict[str, Any]:
    """What a reader of the numbers should know; ``made`` are the settings of the folder."""
    return {
        "title": plan.design.capitalize(),
        "text": f"{plan.of_design.story[0].upper()}{plan.of_design.story[1:]}.",
        "Repeats": plan.n_repeats,
        "Sweeps": f"{plan.n_warmup} before recording, {plan.n_draws} recorded",
        "Seed": plan.seed,
        "Begun": made["begun"],
        "Version": made["version"],
    }


def trace_of_clusters(simulation: Simulation, effort: Effort) -> NDArray[np.int64]:
    """Number of clusters at every epoch after every sweep of our model, warm-up included, (sweeps, T)."""
    series = series_of(simulation)
    settings = SamplerSettings(n_chains=1, n_warmup=effort.n_warmup, n_draws=effort.n_draws, seed=effort.seed)
    chain = Chain(series, Hyperparameters(dof=simulation.n_dimensions, geometry="full"), settings)
    trace = []
    while not chain.finished:
        chain.step()
        trace.append(chain.state.n_clusters)
    return np.array(trace, dtype=np.int64)
