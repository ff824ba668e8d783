"""Move 3: which cluster of today is yesterday's. The likelihood does not change, only the two priors do.

A pair of clusters, one at each side of a boundary, is drawn at random. If they are linked the link is cut, otherwise
they are linked and their former partners, if any, are linked to each other (everything that follows moves along).
The move is its own inverse.
"""

import numpy as np

from tetiwd._kernels import Model, find_links, move_links
from tetiwd.state import ChainState


def update_links(state: ChainState, t: int, model: Model, rng: np.random.Generator) -> float:
    """Propose as many changes as there are clusters at the boundary between t and t+1; returns the share accepted."""
    n_steps = int(state.size[t, 0] + state.size[t + 1, 0])
    left, right = state.before(t + 1), state.after(t)
    return move_links(rng, left, right, model, n_steps) / n_steps


def link_greedily(state: ChainState, t: int, model: Model) -> None:
    """Link epochs t and t+1 by the best single change until none improves; the start of coupled sampling."""
    find_links(state.before(t + 1), state.after(t), model)
