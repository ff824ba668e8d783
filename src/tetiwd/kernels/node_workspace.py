"""Working memory of the kernels of moving centres: made once for a chain, so that no move allocates anything."""

from tetiwd.kernels.assign_nodes import NodeAssignment
from tetiwd.kernels.bound_lineages import GroupMove
from tetiwd.kernels.lineage_sums import LineageSums
from tetiwd.kernels.split_lineages import LineageSplit


class NodeWorkspace:
    """Scratch for n objects at T epochs in up to C lineages. What it holds between two calls means nothing."""

    def __init__(self, capacity, n_epochs, n):
        self.capacity, self.n_epochs, self.n = capacity, n_epochs, n
        self.assignment = NodeAssignment(capacity, n_epochs)
        self.change, self.sums = LineageSplit(capacity, n_epochs, n), LineageSums(capacity, n_epochs)
        self.group = GroupMove(capacity, n_epochs)
