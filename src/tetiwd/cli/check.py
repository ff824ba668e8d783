"""``tetiwd check``: the contents of input files, their faults, and what the model will assume."""

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
TABLE_OF_OBJECTS = "give one file per time, or a table with the time of every object with --objects"
IN_A_COLUMN = "name the column with the times with --time"
ONE_TIME = {"features": IN_A_COLUMN, "long": IN_A_COLUMN, "h5ad": IN_A_COLUMN}
TOO_SMALL = "times are too small to estimate degrees of freedom; give --dof"
MUCH_NEGATIVE = 0.05
MANY_COPIES = 0.1  # share of the pairs of a time: a third of its objects, if they are copies of one
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
        given = read_series(files, settings.data)
    with console.busy("Computing eigenvalues"):
        facts = examine(given, settings)
    show(facts, console)
    console.result(facts)


def examine(given: "Input", settings: RunSettings) -> dict[str, Any]:
    """Everything that check says, as plain values."""
    series = given.series
    by_name = {way: _estimate(series, way) for way in ("moments", "spectrum", "dispersion")}
    known = series.approximation is None  # what stands for the objects then has none
    negative = [
        _negative_share(series, t) if known and n <= LARGEST_CHECKED else None for t, n in enumerate(series.n_objects)
    ]
    worst = max((share for share in negative if share is not None), default=0.0)
    identical = _identical_pairs(series)
    return {
        "format": given.format,
        "kind": series.kind,
        "times": [
            {"time": time, "objects": n, "negative_share": share}
            for time, n, share in zip(series.times, series.n_objects, negative, strict=True)
        ],
        "ids": _recurring(series),
        "cross_time_distances": series.cross is not None,
        "features": None if series.features is None else series.features.n_features,
        "constrained": 0 if series.ties is None else int((series.ties.component >= 0).sum()),
        "unit": series.unit,
        "identical_pairs": sum(identical),
        "dof": by_name | {"used": "auto" if settings.model.dof == "auto" else _used(series, settings.model.dof)},
        "remarks": [*given.remarks, *(_one_time(given) if series.n_epochs == 1 else [])],
        "warnings": [
            *_warnings_of_distances(given, settings, worst),
            *_warnings_of_features(series),
            *_warnings_of_copies(series, identical),
            *([series.approximation.warning] if series.approximation and series.approximation.is_rough else []),
            *([TOO_SMALL] if settings.model.dof == "auto" and by_name["moments"] is None else []),
        ],
    }


def _one_time(given: "Input") -> list[str]:
    return [f"there is only one time; to tell several, {ONE_TIME.get(given.format, TABLE_OF_OBJECTS)}"]


def _identical_pairs(series: "DistanceSeries") -> list[int]:
    """Pairs at distance 0, by time."""
    from tetiwd.data.feature_distances import FeatureDistances

    if series.kind != "distances":
        return [0] * series.n_epochs
    return [
        D.n_identical_pairs() if isinstance(D, FeatureDistances) else int((D == 0).sum() - len(D)) // 2
        for D in series.matrices
    ]


def _warnings_of_copies(series: "DistanceSeries", identical: list[int]) -> list[str]:
    """A sentence if copies are so many that they, and not the clusters, decide how wide a cluster is."""
    shares = [pairs / (n * (n - 1) / 2) for pairs, n in zip(identical, series.n_objects, strict=True)]
    worst = max(range(len(shares)), key=shares.__getitem__)
    if shares[worst] < MANY_COPIES:
        return []
    return [
        f"{shares[worst]:.0%} of the pairs of objects at {series.times[worst]} are identical; clusters then seem to "
        "have no width, and all others may be broken into pieces: leave out most of the copies"
    ]


def seen_at_once(given: "Input", squared: bool | None) -> list[str]:
    """Sentences about what is probably wrong, as far as it is seen without a long look."""
    one_time = _one_time(given) if given.series.n_epochs == 1 else []
    return [*suspicion_of(given, squared), *_warnings_of_features(given.series), *one_time]


def suspicion_of(given: "Input", squared: bool | None) -> list[str]:
    """A sentence if plain and squared distances seem to be mixed up."""
    from tetiwd.data.metrics import SQUARED_AS_IS
    from tetiwd.data.squared_or_plain import suspect_wrong_choice

    space = given.series.features
    if space is not None and squared is False and SQUARED_AS_IS.get(str(space.metric)):
        return [
            f"{space.metric} dissimilarities of features count as squared distances; said to be plain, they are "
            "squared once more, which leads to other clusters and other degrees of freedom; leave out --plain"
        ]
    if squared is None or space is not None or given.format == "fasta":
        return []
    suspicion = suspect_wrong_choice(given.series, squared)
    return [f"{suspicion}; use --{'plain' if squared else 'squared'}"] if suspicion else []


def _warnings_of_distances(given: "Input", settings: RunSettings, worst: float) -> list[str]:
    suspicion = suspicion_of(given, settings.data.squared)
    if suspicion:
        return suspicion
    if worst <= MUCH_NEGATIVE:
        return []
    return [
        f"up to {worst:.0%} of the eigenvalue mass is negative: these are not distances between points; "
        "consider --set data.repair=clip, or --set data.repair=shift"
    ]


def _warnings_of_features(series: "DistanceSeries") -> list[str]:
    import numpy as np

    features = series.features
    if features is None or features.spread is not None or features.metric != "euclidean":
        return []
    spread = features.deviations()
    names = features.names or [str(column) for column in range(len(spread))]
    constant = [name for name, deviation in zip(names, spread, strict=True) if deviation == 0]
    warnings = [f"column {name} is the same for all objects and can be left out" for name in constant[:1]]
    if spread[spread > 0].min(initial=np.inf) * UNLIKE_COLUMNS < spread.max():
        warnings.append("features have very different spreads, so the widest dominate; consider --standardize")
    return warnings


def _recurring(series: "DistanceSeries") -> dict[str, int] | None:
    """How many objects there are, and how many of them at several times; None without ids."""
    if series.ids is None:
        return None
    present = [set(ids.tolist()) for ids in series.ids]
    everybody = set().union(*present)
    several = sum(sum(name in ids for ids in present) > 1 for name in everybody)
    return {"objects": len(everybody), "at_several_times": several}


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
        console.say("No ids: it is not known which objects of different times are the same.")
    if facts["features"]:
        console.say(f"{facts['features']} feature{'s' * (facts['features'] > 1)}.")
    if facts["constrained"]:
        console.say(f"Constraints speak of {facts['constrained']} of the objects.")
    for remark in facts["remarks"]:
        console.say(f"Note: {remark}")
    shares = [time["negative_share"] for time in facts["times"]]
    epochs["negative_share"] = ["not computed" if share is None else f"{share:.1%}" for share in shares]
    epochs.columns = pd.Index(["time", "objects", "negative eigenvalue mass"])
    epochs["time"] = epochs.time.astype(str)
    console.table(epochs)
    dof = facts["dof"]
    console.say(f"\nUnit of scale (mean half of a squared distance): {facts['unit']:.4g}.")
    estimates = ", ".join(f"{way} {_dof(dof[way])}" for way in ("moments", "spectrum", "dispersion"))
    how = "fit tries several values around the first" if dof["used"] == "auto" else _dof(dof["used"])
    console.say(f"Degrees of freedom: {how} (estimates: {estimates}); tetiwd resolution shows what they change.")
    if facts["identical_pairs"]:
        console.say(f"{facts['identical_pairs']} pairs of objects are identical (distance 0).")
    for warning in facts["warnings"]:
        console.warn(warning)
    if not facts["warnings"]:
        console.say("Nothing is wrong with these data.")


def _dof(dof: Any) -> str:
    if dof is None:
        return "not known"
    return ", ".join(f"{value:.3g}" for value in dof) if isinstance(dof, tuple | list) else f"{dof:.3g}"
