"""Move 3: which cluster of today is yesterday's.

A pair of clusters, one at each side of a boundary, is drawn at random. If they are linked the link is cut, otherwise
they are linked and their former partners, if any, are linked to each other (everything that follows moves along). The
move is its own inverse. The likelihood does not change, only the two priors do.

Rows of A settle on their links, which makes them sticky. So two clusters of an epoch also exchange their links to the
epoch before, the epoch after, or both, and get new rows at once, from laws close to their posterior.
"""

import numpy as np

from tetiwd.kernels import Model, exchange_with_rows, find_links, move_links
from tetiwd.moves.move import Move
from tetiwd.state import ChainState, Floats

NOTHING = np.zeros((0, 0))


def update_links(state: ChainState, models: list[Model], rngs: list[np.random.Generator], n_held: int = 0) -> Floats:
    """Propose as many changes as there are clusters at every boundary between epochs; returns the shares accepted
    (NaN between epochs that are held)."""
    rates = np.full(state.n_epochs - 1, np.nan)
    for t in range(max(0, n_held - 1), len(rates)):
        n_steps = int(state.size[t, 0] + state.size[t + 1, 0])
        around = state.before(t + 1), state.after(t)
        rates[t] = move_links(rngs[t], state.work, *around, gains_of_links(state, t), models[t], n_steps) / n_steps
    return rates


def exchange_links(
    state: ChainState, models: list[Model], n_passes: int, rngs: list[np.random.Generator], n_held: int = 0
) -> Floats:
    """Propose as many exchanges as there are clusters at every epoch; returns the shares accepted (NaN for none)."""
    rates = np.full(state.n_epochs, np.nan)
    if models[0].isotropic or n_passes == 0 or state.n_epochs == 1:
        return rates
    for t in range(n_held, state.n_epochs):
        n_steps = n_passes * int(state.size[t, 0])
        known = gains_of_exchanges(state, t)
        rates[t] = exchange_with_rows(rngs[t], state.work, *state.around(t), *known, models[t], n_steps) / n_steps
    return rates


def link_greedily(state: ChainState, t: int, model: Model) -> None:
    """Link epochs t and t+1 by the best single change until none improves; the start of coupled sampling."""
    find_links(state.work, state.before(t + 1), state.after(t), gains_of_links(state, t), model)


def gains_of_links(state: ChainState, t: int) -> Floats:
    """What a link between clusters of epochs t and t+1 gains by what is known across time."""
    if state.across is None:
        return NOTHING
    K, across = state.capacity, state.across
    return across.table(across.before(state.z, state.forward, t), K, across.after(state.z, state.back, t + 1), K)


def gains_of_exchanges(state: ChainState, t: int) -> tuple[Floats, Floats, Floats]:
    """The same of clusters before and after epoch t, before and there, there and after."""
    if state.across is None:
        return NOTHING, NOTHING, NOTHING
    K, across = state.capacity, state.across
    before, after = across.before(state.z, state.forward, t - 1), across.after(state.z, state.back, t + 1)
    here = np.where(across.epoch == t, across.slots(state.z), -1)
    return across.table(before, K, after, K), across.table(before, K, here, K), across.table(here, K, after, K)


LINKS = Move(
    "links",
    lambda state, s: [update_links(state, s.models, s.epoch_rngs, s.settings.n_held)],
    reports={"link_acceptance": "step"},
    needs_links=True,
)

EXCHANGE = Move(
    "exchange",
    lambda state, s: [exchange_links(state, s.models, s.settings.n_geometry_steps, s.epoch_rngs, s.settings.n_held)],
    reports={"exchange_acceptance": "time"},
    needs_links=True,
)
