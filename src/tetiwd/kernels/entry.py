"""The functions that Python calls. Each releases the interpreter's lock and calls the kernel of the same name."""

import numpy as np

try:
    import cython
except ImportError:
    from tetiwd.kernels import no_cython as cython

from tetiwd.kernels import assign, describe, links, partition, row_law, slots, split_merge, terms, wishart
from tetiwd.kernels.stream import Stream


def assign_objects(rng, work, epoch, before, after, model, n_aux, offers, first):
    """Move every object from ``first`` on; returns the object it stopped at for want of slots and how many moved."""
    stream = Stream(rng)
    work.assignment.make_room(work.capacity, n_aux)
    with cython.nogil:
        reached, moved = assign.assign_objects(
            stream, work.assignment, epoch, before, after, model, n_aux, offers, first
        )
    return reached, moved


def move_rows(rng, work, epoch, before, after, model):
    """Metropolis–Hastings on every row of A in turn; returns acceptances."""
    stream = Stream(rng)
    with cython.nogil:
        accepted = row_law.move_rows(stream, work.law, work.terms, work.wishart, work.A, epoch, before, after, model)
    return accepted


def split_or_merge_epoch(
    rng, work, epoch, before, after, trial, trial_before, trial_after, model, split, a, b, first, second, c_before,
    is_last,
):  # fmt: skip
    """One epoch of a split or merge, on a trial of the epoch.

    Returns the slot of the part split off (−1 if the split is not possible), members and their sides, and three logs:
    the probabilities of split and merge, and the gain of the joint density.
    """
    stream = Stream(rng)
    proposal, given = work.proposal, work.sides
    with cython.nogil:
        c = split_merge.split_or_merge_epoch(
            stream, proposal, given, work.law, work.terms, work.wishart, work.nobody, epoch, before, after, trial,
            trial_before, trial_after, model, split, a, b, first, second, c_before, is_last,
        )  # fmt: skip
    n = given.n_members
    members, side = np.array(given.members[:n]), np.array(given.side[:n])
    return c, members, side, (proposal.log_split, proposal.log_merge, proposal.gain)


def move_members(epoch, members, side, a, b, split):
    """Labels and row sums after an accepted split or merge."""
    with cython.nogil:
        slots.move_members(epoch, members, side, a, b, split)


def move_links(rng, work, left, right, model, n_steps):
    """Metropolis on the matching between two epochs; returns acceptances."""
    stream = Stream(rng)
    with cython.nogil:
        accepted = links.move_links(stream, left, right, work.wishart, work.back, model, n_steps)
    return accepted


def exchange_with_rows(rng, work, epoch, before, after, model, n_steps):
    """Two clusters exchange links and get new rows, n_steps times; returns acceptances."""
    stream = Stream(rng)
    with cython.nogil:
        accepted = links.exchange_with_rows(
            stream, work.law, work.terms, work.wishart, work.A, epoch, before, after, model, n_steps
        )
    return accepted


def find_links(work, left, right, model):
    """Greedy matching between two epochs; returns its log density."""
    with cython.nogil:
        best = links.find_links(left, right, work.wishart, work.back, work.best_back, model)
    return best


def log_likelihoods_if(epochs, work, models, alpha, factor, spread):
    """Log likelihood of all epochs with another alpha, a multiple of A, or A = spread · I if spread is positive."""
    total = 0.0
    for t in range(len(epochs)):
        epoch, model = epochs[t], models[t]
        total += terms.log_likelihood_if(epoch, work.terms, model, alpha, factor, spread, work.A)
    return total


def describe_epoch(epoch, work):
    """Entropy of the sizes of clusters, mean squared distance between their centres, log determinant of A."""
    return describe.entropy(epoch, work.back), describe.mean_distance(epoch), describe.log_det(epoch, work.A)


def follow(forward, t, c):
    """Slots of the lineage that is in slot c at epoch t, from there to its end."""
    lineage = [c]
    while True:
        c = forward[t, c]
        if c < 0:
            return lineage
        lineage.append(c)
        t += 1


def log_transition(before, epoch, xi, max_clusters):
    """Log P(B_t | B_{t−1}) up to terms that the links do not change."""
    return partition.log_transition(
        before.counts, before.size[0], epoch.counts, epoch.size[0], epoch.back, xi, max_clusters
    )


def log_prior_of_geometry(epoch, before, work, df_A, new_scale):
    """Log density of A of one epoch given that of the epoch before, without its constants."""
    return wishart.log_prior_of_geometry(epoch, before, work.wishart, df_A, new_scale)
