"""The folded end of the page: settings, data checks, versions, how to cite."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tetiwd.data.negative_type import inspect
from tetiwd.plots.text import clean
from tetiwd.priors import Beta, Gamma
from tetiwd.report.rendering import Wording
from tetiwd.report.tables import Cell, Table, filled
from tetiwd.versions import versions

if TYPE_CHECKING:
    from tetiwd.data import DistanceSeries
    from tetiwd.sample import Mode, Sample

LARGEST_CHECKED = 2000  # objects of a time whose eigenvalues are computed in O(n³)
MUCH_NEGATIVE = 0.05

CITATION = (
    "The method is described in: Julia E. Vogt, Marius Kloft, Stefan Stark, Sudhir S. Raman, Sandhya Prabhakaran, "
    "Volker Roth and Gunnar Rätsch (2015). Probabilistic Clustering of Time-Evolving Distance Data. Machine Learning "
    "100 (2-3), 635–654. doi:10.1007/s10994-015-5516-x.",
    "Please cite this paper if you use the results, and name the software and its version: tetiwd: Bayesian clustering "
    "of time-evolving distances, by the tetiwd developers (BSD-3-Clause).",
)

MODEL_WORDS = {
    "dof": "degrees of freedom of the likelihood: how much the distances are trusted",
    "df_A": "how closely the geometry at one time follows that of the previous time (degrees of freedom)",
    "alpha": "variance within clusters",
    "xi": "Dirichlet rate: how readily new clusters appear",
    "new_scale": "prior scale of the position of a new cluster",
    "max_clusters": "upper limit on clusters at a time",
    "geometry": "model of the distances between clusters",
    "coupling": "are times linked?",
    "rho": "moving centres: correlation of a lineage's places at consecutive times",
    "tau": "how much the spreads of clusters differ (of lineages, with moving centres)",
    "delta": "moving centres: how well absent lineages are remembered",
    "kappa": "how much the sizes of a time count at the next",
    "shift": "moving centres: variance of a shift common to all objects of a time",
}


def details_of(run: "Sample | Mode", settings: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Facts, settings (groups of name, value and meaning), versions and citation."""
    return {
        "facts": data_facts(run.series),
        "settings": settings_of({"Model": vars(run.hyperparameters), **settings}),
        "versions": versions(),
        "citation": CITATION,
    }


def settings_of(groups: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, list[tuple[str, str, str]]]]:
    """Groups of settings by their title: name, value, and the meaning of those of the model."""
    return [
        (title, [(name, _value(value), MODEL_WORDS.get(name, "")) for name, value in settings.items()])
        for title, settings in groups.items()
    ]


def checks_table(run: "Sample | Mode", wording: Wording) -> Table:
    """Checks of the distances, by time."""
    series = run.series
    independent = "How much independent evidence the distances are assumed to carry."
    negative = "Share of negative eigenvalues: 0% if Euclidean; above 5% the distances are far from Euclidean."
    fields = (
        ("Time", "time", "time", "The time point."),
        ("Objects", "objects", "whole", "Objects at that time."),
        ("Degrees of freedom", "dof", "number", independent),
        ("Negative mass", "mass", "number", negative),
    )
    records = []
    dof = run.hyperparameters.dof_by_epoch(series.n_epochs)
    for t, (n, degrees) in enumerate(zip(series.n_objects, dof, strict=True)):
        mass = Cell("not computed", np.nan)
        if n <= LARGEST_CHECKED:
            share = inspect(series.matrices[t], series.kind).negative_share
            mass = Cell(f"{share:.1%}", share, share > MUCH_NEGATIVE)
        records.append({"time": series.times[t], "objects": n, "dof": Cell(f"{degrees:.3g}", degrees), "mass": mass})
    caption = "Values that need checking are marked."
    return filled("checks", "Distances at every time", caption, fields, records, wording)


def data_facts(series: "DistanceSeries") -> list[str]:
    """Facts about the data as a whole."""
    kind = "Squared distances" if series.kind == "distances" else "Similarities"
    unknown = "it is not known which objects of different times are the same"
    known = "objects have ids" if series.ids is not None else unknown
    facts = [f"{kind} between {sum(series.n_objects):,} objects at {series.n_epochs} times; {known}."]
    if series.cross is not None:
        facts.append("Distances between objects of different times are known; they help to link clusters through time.")
    if series.features is not None:
        facts.append(f"Distances were computed from {series.features.n_features} features.")
    if series.approximation is not None:
        about = str(series.approximation)
        facts.append(f"{about[0].upper()}{about[1:]}.")
    elif not series.has_matrices:
        facts.append("No matrix of distances was kept: sums of distances were computed from features.")
    if not series.has_matrices:
        facts.append("Estimates of degrees of freedom and starts of chains look at up to 2,000 objects of a time.")
    facts.append(f"Unit of scale (mean of half the squared distances): {series.unit:.4g}. Settings are in this unit.")
    return facts


def _value(value: Any) -> str:
    if isinstance(value, Gamma):
        return f"Gamma(shape {value.shape:g}, scale {value.scale:g}), sampled"
    if isinstance(value, Beta):
        return f"Beta({value.a:g}, {value.b:g}), sampled"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, tuple) and value and all(isinstance(part, float) for part in value):
        same = min(value) == max(value)
        return f"{value[0]:.4g}" if same else f"{min(value):.4g} to {max(value):.4g}, by time"
    if not isinstance(value, str | int):
        return "given labels" if np.ndim(value) or hasattr(value, "__len__") else clean(str(value), 60)
    return clean(str(value), 60)
