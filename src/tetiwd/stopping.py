"""When a run ends: as soon as its chains agree, judged at numbers of draws that depend on nothing but the settings.

From half of its budget on, a run also ends if its chains are so far from agreeing that the other half would not help:
if even twice the budget would be too little, should effective draws go on growing as they do.

The decision follows from the draws alone, so that the same seed always ends at the same draw: for any number of
threads, and after any interruption. Check points are a quarter further apart each time. Few looks leave chains little
chance to agree by luck, and cost little.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from tetiwd.diagnostics import Diagnostics, diagnose
from tetiwd.draws import Draws
from tetiwd.params import SamplerSettings

# Why: the length asked for, agreement, far from it, a budget, a signal.
Ended = Literal["fixed", "agreed", "apart", "draws", "minutes", "stopped"]
FIRST_CHECK = 100  # draws of each chain
GROWTH = 1.25  # from one check point to the next
FEWEST_TO_TELL = 1000  # draws of each chain, from which effective draws of many more can be foretold
OUT_OF_REACH = 2  # times the budget: a run that needs more ends at half of it
SHARE_DISCARDED = 4  # one draw in so many: those at the beginning, where chains may still be on their way


def check_points(settings: SamplerSettings) -> Iterator[int]:
    """Draws of each chain after which a run may end, in increasing order; the last one is its budget."""
    n = FIRST_CHECK
    while settings.automatic and n < settings.most_draws:
        yield n
        n = int(n * GROWTH)
    yield settings.most_draws


def n_to_discard(settings: SamplerSettings, n: int) -> int:
    """How many of n draws are not kept: those asked for, but no more than a quarter of a run that was cut short."""
    wanted = n if settings.automatic and settings.n_discarded is None else settings.n_discarded or 0
    whole = not settings.automatic and n >= settings.most_draws
    return wanted if whole else min(wanted, n // SHARE_DISCARDED)


def to_discard_before(n_kept: int) -> int:
    """How many draws to discard so that so many are kept; the inverse of :func:`n_to_discard`."""
    return n_kept // (SHARE_DISCARDED - 1)


def judge(draws: Sequence[Draws], times: Sequence[Any], settings: SamplerSettings, n: int) -> Diagnostics:
    """What the first n draws of every chain say, without those that will be discarded."""
    first = n_to_discard(settings, n)
    return diagnose([one.between(first, n) for one in draws], times, settings.seed)


def reason_to_end(found: Diagnostics, settings: SamplerSettings, n: int) -> Ended | None:
    """Whether a run without a fixed length ends after n draws of every chain, which say this; None if it goes on."""
    budget = settings.most_draws
    if found.agree:
        return "agreed"
    if n == budget:
        return "draws"
    late = n >= max(budget / 2, FEWEST_TO_TELL)
    return "apart" if late and found.draws_wanted(n) > OUT_OF_REACH * budget else None
