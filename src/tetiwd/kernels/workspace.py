"""Working memory of the kernels: made once for a chain (and thread), so that no move allocates anything."""

import numpy as np

from tetiwd.kernels.assign import Assignment
from tetiwd.kernels.row_law import RowLaw
from tetiwd.kernels.sides import Sides
from tetiwd.kernels.split_merge import Proposal
from tetiwd.kernels.terms import Terms
from tetiwd.kernels.views import Neighbour
from tetiwd.kernels.wishart import Wishart


class Workspace:
    """Scratch for epochs of up to n objects and K clusters. What it holds between two calls means nothing."""

    def __init__(self, capacity, n):
        self.capacity, self.n = capacity, n
        self.assignment = Assignment(capacity)
        self.terms, self.law, self.wishart = Terms(capacity), RowLaw(capacity), Wishart(capacity)
        self.sides, self.proposal = Sides(n, capacity), Proposal()
        self.A = np.zeros((capacity, capacity))
        self.back, self.best_back = np.zeros(capacity, np.int64), np.zeros(capacity, np.int64)
        none = np.zeros(1, np.int64)
        self.nobody = Neighbour(none, np.zeros(1, np.int64), np.zeros((1, 1)), np.full(1, -1, np.int64))
