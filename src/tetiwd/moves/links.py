"""Move 3: which cluster of today is yesterday's. The likelihood does not change, only the two priors do.

A pair of clusters, one at each side of a boundary, is drawn at random. If they are linked the link is cut, otherwise
they are linked and their former partners, if any, are linked to each other (everything that follows moves along).
The move is its own inverse.
"""

import numpy as np

from tetiwd._kernels import Model, find_links, move_links
from tetiwd.state import ChainState, Floats


def update_links(state: ChainState, models: list[Model], rngs: list[np.random.Generator]) -> Floats:
    """Propose as many changes as there are clusters at every boundary between epochs; returns the shares accepted."""
    rates = np.empty(state.n_epochs - 1)
    for t in range(len(rates)):
        n_steps = int(state.size[t, 0] + state.size[t + 1, 0])
        rates[t] = move_links(rngs[t], state.before(t + 1), state.after(t), models[t], n_steps) / n_steps
    return rates


def link_greedily(state: ChainState, t: int, model: Model) -> None:
    """Link epochs t and t+1 by the best single change until none improves; the start of coupled sampling."""
    find_links(state.before(t + 1), state.after(t), model)
