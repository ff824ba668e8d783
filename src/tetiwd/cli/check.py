"""``tetiwd check``: what is in these files, what is wrong with them, and what the model will assume."""

from typing import TYPE_CHECKING, Any

from tetiwd.cli import options as o
from tetiwd.cli.command import command
from tetiwd.cli.console import Console
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.settings import RunSettings
from tetiwd.params import Hyperparameters

if TYPE_CHECKING:
    from tetiwd.data import DistanceSeries
    from tetiwd.io.read import Input

LARGEST_CHECKED = 3000  # objects of a time whose eigenvalues are found; they take O(n³)
ONE_TIME = "there is only one time; name the column of times with --time, or a table of them with --objects"
MUCH_NEGATIVE = 0.05
UNLIKE_COLUMNS = 10.0  # ratio of standard deviations of features


@command(DataSettings, (Hyperparameters, "dof"))
def check(files: o.Files, *, settings: RunSettings, console: Console) -> None:
    """Look at files without clustering them: sizes, scale, faults, and what the model will assume.

    Nothing is written. Examples:

      tetiwd check distances.npz --squared

      tetiwd check measurements.csv --time year --standardize
    """
    from tetiwd.io.read import read_series

    with console.busy("Reading"):
        found = read_series(files, settings.data)
    with console.busy("Looking at eigenvalues"):
        facts = examine(found, settings)
    show(facts, console)
    console.result(facts)


def examine(found: "Input", settings: RunSettings) -> dict[str, Any]:
    """Everything that check says, as plain values."""
    import numpy as np

    from tetiwd.data.squared_or_plain import suspect_wrong_choice

    series = found.series
    warnings: list[str] = []
    by_name = {way: _estimate(series, way) for way in ("auto", "spectrum", "dispersion")}
    negative = [_negative_share(series, t) if n <= LARGEST_CHECKED else None for t, n in enumerate(series.n_objects)]
    worst = max((share for share in negative if share is not None), default=0.0)
    other = None
    if settings.data.squared is not None and found.format not in ("features", "fasta"):
        other = suspect_wrong_choice(series, settings.data.squared)
    if other:
        warnings.append(f"{other}; use --{'plain' if settings.data.squared else 'squared'}")
    elif worst > MUCH_NEGATIVE:
        warnings.append(
            f"up to {worst:.0%} of the eigenvalue mass is negative: these are not distances between points; "
            "consider --set data.repair=clip, or --set data.repair=shift"
        )
    if series.features is not None and series.features.spread is None and series.features.metric == "euclidean":
        spread = np.concatenate(series.features.rows).std(axis=0)
        names = series.features.names or [str(column) for column in range(len(spread))]
        constant = [name for name, own in zip(names, spread, strict=True) if own == 0]
        if constant:
            warnings.append(f"column {constant[0]} is the same for all objects and tells nothing; leave it out")
        if spread[spread > 0].min(initial=np.inf) * UNLIKE_COLUMNS < spread.max():
            warnings.append("features have very different spreads, so that the largest decide; consider --standardize")
    identical = sum(int((own == 0).sum() - len(own)) // 2 for own in series.matrices if series.kind == "distances")
    recurring = None
    if series.ids is not None:
        everybody = [set(own.tolist()) for own in series.ids]
        union = set().union(*everybody)
        recurring = {
            "objects": len(union),
            "at_several_times": sum(sum(i in own for own in everybody) > 1 for i in union),
        }
    return {
        "format": found.format,
        "kind": series.kind,
        "times": [
            {"time": time, "objects": n, "negative_share": share}
            for time, n, share in zip(series.times, series.n_objects, negative, strict=True)
        ],
        "ids": recurring,
        "cross_time_distances": series.cross is not None,
        "features": None if series.features is None else series.features.n_features,
        "unit": series.unit,
        "identical_pairs": identical,
        "dof": by_name | {"used": _used(series, settings.model.dof)},
        "remarks": [*found.remarks, *([ONE_TIME] if series.n_epochs == 1 else [])],
        "warnings": warnings,
    }


def _estimate(series: "DistanceSeries", way: str) -> float | None:
    """Degrees of freedom; None where times are too small to tell."""
    from tetiwd.errors import SettingsError

    try:
        return series.dof(way)[0]
    except SettingsError:
        return None


def _used(series: "DistanceSeries", dof: Any) -> float | list[float] | None:
    """What a run would use: one number, or one per time where these differ."""
    if isinstance(dof, str):
        return _estimate(series, dof)
    values = list(series.dof(dof))
    return values[0] if len(set(values)) == 1 else values


def _negative_share(series: "DistanceSeries", t: int) -> float:
    from tetiwd.data.negative_type import inspect

    return inspect(series.matrices[t], series.kind).negative_share


def show(facts: dict[str, Any], console: Console) -> None:
    """The same for people."""
    import pandas as pd

    epochs = pd.DataFrame(facts["times"])
    T, n = len(epochs), int(epochs.objects.sum())
    console.say(f"{T} time{'s' if T > 1 else ''}, {n} objects in all, read as {facts['kind']} from {facts['format']}.")
    if facts["ids"]:
        console.say(
            f"{facts['ids']['objects']} different ids, {facts['ids']['at_several_times']} at more than one time."
        )
    else:
        console.say("No ids: objects of different times are not known to be the same.")
    if facts["features"]:
        console.say(f"{facts['features']} features.")
    for remark in facts["remarks"]:
        console.say(f"Note: {remark}")
    shares = [own["negative_share"] for own in facts["times"]]
    epochs["negative_share"] = ["not looked at" if own is None else f"{own:.1%}" for own in shares]
    epochs.columns = pd.Index(["time", "objects", "negative eigenvalue mass"])
    epochs["time"] = epochs.time.astype(str)
    console.table(epochs)
    dof = facts["dof"]
    console.say(f"\nUnit of scale (mean half of a squared distance): {facts['unit']:.4g}.")
    estimates = ", ".join(f"{way} {_dof(dof[way])}" for way in ("spectrum", "dispersion"))
    console.say(f"Degrees of freedom: {_dof(dof['used'])} (estimates: {estimates}); change with --dof.")
    if facts["identical_pairs"]:
        console.say(f"{facts['identical_pairs']} pairs of objects are identical (distance 0).")
    for warning in facts["warnings"]:
        console.warn(warning)
    if not facts["warnings"]:
        console.say("Nothing is wrong with these data.")


def _dof(dof: Any) -> str:
    if dof is None:
        return "not known, give a number"
    return ", ".join(f"{value:.3g}" for value in dof) if isinstance(dof, tuple | list) else f"{dof:.3g}"
