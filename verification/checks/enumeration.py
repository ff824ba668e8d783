"""Visits against exact probabilities of all linked partitions of small series, up to 1.6 million of them."""

from collections import Counter
from itertools import product
from typing import Any

import numpy as np
from benchmarks.table import Row

from verification.check import Check, Found, Job

LINKED = {"3 + 3": (3, 3), "4 + 4": (4, 4), "3 + 3 + 3": (3, 3, 3), "4 + 4 + 4": (4, 4, 4)}
NODES = {"2 + 2 + 2": (2, 2, 2), "2 + 1 + 0 + 3": (2, 1, 0, 3), "3 + 0 + 0 + 4": (3, 0, 0, 4), "4 + 4": (4, 4)}
N_VISITS, FEW = 60_000, 3_000


def jobs(few: bool) -> list[Job]:
    """Every size, with and without a largest number of clusters; moving centres with gaps and empty times."""
    n = FEW if few else N_VISITS
    found = [
        Job(
            f"{name}, {'any number of' if most is None else f'at most {most}'} clusters", {"sizes": sizes, "most": most}
        )
        for (name, sizes), most in product(list(LINKED.items())[: 2 if few else None], (None, 3))
    ]
    found += [Job(f"{name}, moving centres", {"sizes": sizes, "moving": True}) for name, sizes in NODES.items()]
    return [Job(job.name, job.arguments | {"n": n}) for job in found]


def run(sizes: list[int], n: int, most: int | None = None, moving: bool = False) -> Found:
    """Total variation between visits and exact law, of whole states where there are few, and of coarser cells."""
    law, visited = of_nodes(sizes, n) if moving else of_linked(tuple(sizes), most, n)
    from visits import largest_variation, total_variation

    found: Found = {"n_states": len(law), "forbidden": sum(law.get(cell, 0.0) <= 0 for cell in visited)}
    for name, view in VIEWS.items():
        seen = [view(cell) for cell in visited]
        expected: dict[Any, float] = Counter()
        for cell, p in law.items():
            expected[view(cell)] += p
        found[name] = {"variation": total_variation(seen, expected), "limit": largest_variation(seen, expected)}
    return found


def of_linked(sizes: tuple[int, ...], most: int | None, n: int) -> tuple[dict[Any, float], list[Any]]:
    """Exact law and visits of the paper's model with A fixed at a multiple of the identity."""
    from reference import canonical, linked_partitions, set_partitions
    from small_worlds import small_series
    from tetiwd import Hyperparameters
    from tetiwd.model import block_statistics, log_likelihood_from_blocks, log_prior_partitions
    from visits import FIXED, normalised, one_cluster_each
    from visits import run as visit

    h = Hyperparameters(dof=1.5, df_A=9, max_clusters=most, geometry="isotropic", **FIXED)
    series = small_series(8, sizes)
    likelihood: list[dict[Any, float]] = [{} for _ in sizes]  # of an epoch: it depends on the partition there alone
    for own, D in zip(likelihood, series.matrices, strict=True):
        for labels in set_partitions(len(D)):
            k = int(labels.max()) + 1
            A = FIXED["new_scale"] * np.eye(k)
            own[tuple(labels.tolist())] = log_likelihood_from_blocks(
                *block_statistics(D, labels, k), A, FIXED["alpha"], h.dof, np.ones(k)
            )
    log_p = {}
    for labels in linked_partitions(sizes):
        urn = log_prior_partitions(labels, FIXED["xi"], most)
        total = sum(own[canonical([part])[0]] for own, part in zip(likelihood, labels, strict=True))
        log_p[canonical(labels)] = urn + total
    return normalised(log_p), visit(one_cluster_each(series, h), h, n, move="sweep", seed=91)


def of_nodes(sizes: list[int], n: int) -> tuple[dict[Any, float], list[Any]]:
    """Exact law and visits of moving centres with fixed parameters; epochs may be empty."""
    from lineage_worlds import FIXED, exact_joint, moving, partition_of, small_cross
    from reference import SEED, rng_for, set_partitions
    from tetiwd.moves.lineages import update_links, update_objects, update_splits
    from tetiwd.node_state import NodeState, motion_of, start_parameters
    from visits import normalised

    h, series = moving(**FIXED), small_cross(8, sizes)
    state = NodeState(series, np.zeros(sum(sizes), dtype=np.int64), unit=1.0)
    start_parameters(state, h)
    log_p = {tuple(labels.tolist()): exact_joint(state, h, labels) for labels in set_partitions(sum(sizes))}
    motion, rng, visited = motion_of(state, h), rng_for(92, SEED), []
    for _ in range(n):
        update_objects(state, motion, 2, rng)
        update_splits(state, motion, 1, rng)
        update_links(state, motion, 1, rng)
        visited.append(partition_of(state))
    return normalised(log_p), visited


def as_epochs(cell: Any) -> tuple[Any, ...]:
    """A state as a tuple with an entry for every epoch, or one for all."""
    return cell if cell and isinstance(cell[0], tuple) else (cell,)


VIEWS = {
    "number of clusters": lambda cell: tuple(len(set(own)) for own in as_epochs(cell)),
    "lineages": lambda cell: len({lineage for own in as_epochs(cell) for lineage in own}),
    "sizes of lineages": lambda cell: tuple(sorted(Counter(c for own in as_epochs(cell) for c in own).values())),
    "states": lambda cell: cell,
}


def rows(found: dict[str, Found]) -> list[Row]:
    """The view that comes closest to its limit, for every case."""
    table = []
    for case, one in found.items():
        worst = max(VIEWS, key=lambda name: one[name]["variation"] / one[name]["limit"])
        variation, limit = one[worst]["variation"], one[worst]["limit"]
        value = f"{variation:.4f} ({worst}); {one['n_states']:,} states"
        held = not one["forbidden"] and variation < limit
        table.append(Row(f"enumeration: {case}: total variation", value, f"< {limit:.4f}", held))
    return table


CHECK = Check(
    "Enumeration",
    f"All linked partitions of small series are listed with their exact probabilities, and {N_VISITS:,} sweeps must "
    "visit them that often. The limit is what independent draws, of the same effective number, would reach by chance.",
    jobs,
    run,
    rows,
    inner=True,
)
