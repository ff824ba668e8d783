"""The inner loops: what happens to the objects and clusters of one epoch. Python owns sweeps, chains and epochs.

Every file is plain Python with one idea. The file of the same name that ends in ``.pxd`` tells Cython the types, so
that it can be compiled when the package is built; Python then imports the compiled module. Where none was built, or
with TETIWD_COMPILED=0, the files run as they are: the same numbers, but much more slowly.
"""

import os
from importlib.abc import MetaPathFinder
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
NEVER_COMPILED = ("__init__", "arrays", "no_cython")
MODULES = sorted(file.stem for file in FOLDER.glob("*.py") if file.stem not in NEVER_COMPILED)


def _built(name: str) -> bool:
    return any((FOLDER / f"{name}{suffix}").exists() for suffix in EXTENSION_SUFFIXES)


COMPILED = os.environ.get("TETIWD_COMPILED", "1") != "0" and all(map(_built, MODULES))
SLOW = (
    "The inner loops are not compiled, so everything runs much more slowly. Install a C compiler such as gcc, then "
    "reinstall this package (pip install --force-reinstall --no-deps), and do not set TETIWD_COMPILED=0."
)


class SlowWarning(RuntimeWarning):
    """The inner loops run uncompiled."""


class _PlainFiles(MetaPathFinder):
    """Finds the Python files of this package, whether or not some of them are compiled."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        package, _, module = name.rpartition(".")
        if package != __name__ or module not in MODULES:
            return None
        file = str(FOLDER / f"{module}.py")
        return spec_from_file_location(name, file, loader=SourceFileLoader(name, file))


if not COMPILED:
    import sys

    sys.meta_path.insert(0, _PlainFiles())

from tetiwd.kernels.bonds import NONE as NO_BONDS  # noqa: E402 (after it is clear what is imported)
from tetiwd.kernels.bonds import Bonds  # noqa: E402
from tetiwd.kernels.entry import (  # noqa: E402
    assign_groups,
    assign_objects,
    births_of,
    describe_epoch,
    exchange_with_rows,
    find_links,
    follow,
    log_chance_of_sides,
    log_likelihoods_if,
    log_prior_of_geometry,
    log_prior_of_partitions,
    merge_lineages,
    move_links,
    move_members,
    move_rows,
    move_spreads_of_epoch,
    number_lineages,
    split_lineage,
)
from tetiwd.kernels.node_entry import (  # noqa: E402
    assign_groups_to_lineages,
    assign_to_lineages,
    log_likelihood_of_nodes,
    log_prior_of_lineages,
    move_spreads,
    relink_lineages,
    split_or_merge_lineages,
)
from tetiwd.kernels.node_workspace import NodeWorkspace  # noqa: E402
from tetiwd.kernels.nodes import Motion, Nodes  # noqa: E402
from tetiwd.kernels.sums import members_tried  # noqa: E402
from tetiwd.kernels.views import Epoch, Model, Neighbour  # noqa: E402
from tetiwd.kernels.workspace import Workspace  # noqa: E402

__all__ = [
    "COMPILED",
    "NO_BONDS",
    "Bonds",
    "Epoch",
    "Model",
    "Motion",
    "Neighbour",
    "NodeWorkspace",
    "Nodes",
    "Workspace",
    "assign_groups",
    "assign_groups_to_lineages",
    "assign_objects",
    "assign_to_lineages",
    "births_of",
    "describe_epoch",
    "exchange_with_rows",
    "find_links",
    "follow",
    "log_chance_of_sides",
    "log_likelihood_of_nodes",
    "log_likelihoods_if",
    "log_prior_of_geometry",
    "log_prior_of_lineages",
    "log_prior_of_partitions",
    "members_tried",
    "merge_lineages",
    "move_links",
    "move_members",
    "move_rows",
    "move_spreads",
    "move_spreads_of_epoch",
    "number_lineages",
    "relink_lineages",
    "split_lineage",
    "split_or_merge_lineages",
]
