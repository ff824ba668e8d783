"""Which epochs can be updated at the same time, and doing so.

Given its neighbours in time an epoch does not depend on any other, so epochs of equal parity are independent. Every
epoch has its own random stream and changes only its own arrays and the links towards it, so the result does not depend
on the number of threads.
"""

from collections.abc import Callable, Iterable
from concurrent.futures import Executor


def independent_epochs(n_epochs: int, *, coupled: bool, n_held: int = 0) -> list[list[int]]:
    """Groups of epochs that do not depend on each other: the even and the odd ones, or all if epochs are apart.

    Without those at the beginning that are held.
    """
    if not coupled:
        return [list(range(n_held, n_epochs))]
    return [list(range(first, n_epochs, 2)) for first in (n_held, n_held + 1)]


def for_each(epochs: Iterable[int], update: Callable[[int], None], pool: Executor | None) -> None:
    """Update epochs, in the threads of a pool if there is one."""
    for _ in map(update, epochs) if pool is None else pool.map(update, epochs):
        pass
