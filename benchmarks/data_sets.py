"""Data sets with labels: simulated, the penguins if installed, and those from outside the project if available."""

import runpy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tetiwd import DistanceSeries, simulate_overlapping

SHARED_DATA = Path(__file__).parents[2] / "shared" / "data"
SHARED: dict[str, tuple[str, dict[str, Any]]] = {
    "US Senate": ("us_senate", {"congresses": range(97, 118)}),
    "drug reviews": ("medline_drug_reviews", {}),
    "microbiome": ("moving_pictures", {}),
    "embryo": ("guo2010_embryo", {}),
    "EV-D68": ("evd68", {}),
    "RSV-A": ("rsv_a", {}),
}
Data = tuple[DistanceSeries, list[Any]]  # with labels by time


def data_sets() -> Iterator[tuple[str, Callable[[], Data]]]:
    """Data sets that there are."""
    yield "overlapping", overlapping
    try:
        import palmerpenguins  # noqa: F401

        yield "penguins", penguins
    except ImportError:
        pass
    for name, (folder, options) in SHARED.items():
        if (SHARED_DATA / folder).is_dir():
            yield name, lambda folder=folder, options=options: shared(folder, **options)


def overlapping() -> Data:
    """Simulated clusters that overlap."""
    truth = simulate_overlapping(seed=0)
    return DistanceSeries.from_distances(truth.D, squared=True), list(truth.labels)


def penguins() -> Data:
    """The data of ``tetiwd demo``, with species and sex as labels."""
    from tetiwd.cli.demo import MEASUREMENTS, load_penguins

    birds = load_penguins()
    values = birds[MEASUREMENTS]
    series = DistanceSeries.from_features((values - values.mean()) / values.std(), time=birds.year)
    labels = birds.species.astype(str) + birds.sex.astype(str)
    return series, [labels[birds.year == year].to_numpy() for year in series.times]


def shared(folder: str, **options: Any) -> Data:
    """A labelled data set from outside the project, without ids and distances between times."""
    loaded = read_shared(folder, **options)
    return DistanceSeries.from_distances(loaded.D, squared=True, times=loaded.times), list(loaded.labels)


def read_shared(folder: str, **options: Any) -> Any:
    """All that is known of a data set from outside the project."""
    return runpy.run_path(str(SHARED_DATA / "load.py"))["load"](folder, **options)
