"""The functions that Python calls. Each releases the interpreter's lock and calls the kernel of the same name."""

import numpy as np

try:
    import cython
except ImportError:
    from tetiwd.kernels import no_cython as cython

from tetiwd.kernels import (
    assign,
    bound,
    describe,
    links,
    partition,
    row_law,
    slots,
    split_merge,
    spread_law,
    terms,
    wishart,
)
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


def assign_groups(rng, work, epoch, before, after, model, n_aux, offers, first):
    """Move every group of bound objects from ``first`` on; returns the same for groups."""
    stream = Stream(rng)
    work.assignment.make_room(work.capacity, n_aux)
    with cython.nogil:
        reached, moved = bound.assign_groups(stream, work.assignment, epoch, before, after, model, n_aux, offers, first)
    return reached, moved


def move_rows(rng, work, epoch, before, after, model):
    """Metropolis–Hastings on every row of A in turn; returns acceptances."""
    stream = Stream(rng)
    with cython.nogil:
        accepted = row_law.move_rows(stream, work.law, work.terms, work.wishart, work.A, epoch, before, after, model)
    return accepted


def move_spreads_of_epoch(rng, work, epoch, model):
    """Metropolis–Hastings on the spread of every cluster in turn; returns acceptances."""
    stream = Stream(rng)
    with cython.nogil:
        accepted = spread_law.move_spreads_of_epoch(stream, work.terms, epoch, model)
    return accepted


def split_lineage(rng, work, around, trial_around, models, t, lineage, first, second):
    """Split a lineage from epoch t on, on a trial: ``lineage`` are its slots there, two objects seed the parts.

    ``around`` and ``trial_around`` are all epochs with their neighbours. Returns members, sides and slots of both parts
    at every epoch (none if a part is empty somewhere), and three logs: the probabilities of split and merge, the gain.
    """
    stream = Stream(rng)
    proposal, given, nobody = work.proposal, work.sides, work.nobody
    proposal.log_split = proposal.log_merge = proposal.gain = 0.0
    parts, length, c = [], len(lineage), -1
    for i in range(length):
        epoch, before, after = around[t + i]
        trial, trial_before, trial_after = trial_around[t + i]
        model, a, is_last = models[t + i], lineage[i], i == length - 1
        seen, trial_seen = (after, trial_after) if is_last else (nobody, nobody)
        with cython.nogil:
            c = split_merge.split_epoch(
                stream, proposal, given, work.law, work.terms, work.wishart, epoch, before, after, seen, trial,
                trial_before, trial_after, trial_seen, model, a, first, second, c, is_last,
            )  # fmt: skip
        if c < 0:
            return [], (0.0, 0.0, 0.0)
        n = given.n_members
        parts.append((np.array(given.members[:n]), np.array(given.side[:n]), a, c))
        first = second = -1
    return parts, (proposal.log_split, proposal.log_merge, proposal.gain)


def merge_lineages(rng, work, around, trial_around, models, t, lineage_a, lineage_b):
    """Merge lineage b into a from epoch t on, on a trial; their slots there are given, as many as epochs to change.

    Returns the logs of ``split_lineage``; that of the split lacks the sides of the members (``log_chance_of_sides``).
    """
    stream = Stream(rng)
    proposal, nobody = work.proposal, work.nobody
    proposal.log_split = proposal.log_merge = proposal.gain = 0.0
    length = len(lineage_a)
    for i in range(length):
        epoch, before, after = around[t + i]
        trial, trial_before, trial_after = trial_around[t + i]
        model, a, b, is_last = models[t + i], lineage_a[i], lineage_b[i], i == length - 1
        seen, trial_seen = (after, trial_after) if is_last else (nobody, nobody)
        with cython.nogil:
            split_merge.merge_epoch(
                stream, proposal, work.law, work.terms, work.wishart, epoch, before, after, seen, trial, trial_before,
                trial_after, trial_seen, model, a, b, i == 0, is_last,
            )  # fmt: skip
    return proposal.log_split, proposal.log_merge, proposal.gain


def log_chance_of_sides(rng, work, around, models, t, lineage_a, lineage_b, first, second):
    """Log probability that a split gives all members of two lineages, from epoch t on, to the sides they are on."""
    stream = Stream(rng)
    total = 0.0
    for i in range(len(lineage_a)):
        epoch, before, _ = around[t + i]
        model, a, b = models[t + i], lineage_a[i], lineage_b[i]
        with cython.nogil:
            total += split_merge.give_out(
                stream, work.sides, work.law, epoch, before, model, False, a, b, first, second, epoch.back[b]
            )
        first = second = -1
    return total


def move_members(epoch, members, side, a, b, split):
    """Labels and row sums after an accepted split or merge."""
    with cython.nogil:
        slots.move_members(epoch, members, side, a, b, split)


def move_links(rng, work, left, right, joins, model, n_steps):
    """Metropolis on the matching between two epochs; returns acceptances.

    ``joins`` says what links gain by what is known across time: (0, 0) if nothing is.
    """
    stream = Stream(rng)
    with cython.nogil:
        accepted = links.move_links(stream, left, right, joins, work.wishart, work.back, model, n_steps)
    return accepted


def exchange_with_rows(rng, work, epoch, before, after, joins, left, right, model, n_steps):
    """Two clusters exchange links and get new rows, n_steps times; returns acceptances.

    The tables say what is gained by what is known across time, (0, 0) if nothing is: of the cluster before and the one
    after, the one before and this, this and the one after.
    """
    stream = Stream(rng)
    with cython.nogil:
        accepted = links.exchange_with_rows(
            stream, work.law, work.terms, work.wishart, work.A, epoch, before, after, joins, left, right, model, n_steps
        )
    return accepted


def find_links(work, left, right, joins, model):
    """Greedy matching between two epochs; returns its log density."""
    with cython.nogil:
        best = links.find_links(left, right, joins, work.wishart, work.back, work.best_back, model)
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


def number_lineages(back, size, ids):
    """Lineage of every cluster (T, K), numbered in order of birth and equal along links; returns how many there are."""
    n = 0
    for t in range(back.shape[0]):
        for c in range(size[t, 0]):
            if back[t, c] >= 0:
                ids[t, c] = ids[t - 1, back[t, c]]
            else:
                ids[t, c] = n
                n += 1
    return n


def log_prior_of_partitions(around, xi, kappa, max_clusters):
    """Log probability of the linked partitions of all epochs, up to a constant of the numbers of objects alone."""
    total = 0.0
    for t in range(len(around)):
        epoch, before, _ = around[t]
        total += partition.log_normaliser(before, epoch, xi, kappa)
        total += partition.log_transition(
            before.counts, before.size[0], epoch.counts, epoch.size[0], epoch.back, xi, kappa, max_clusters
        )
    return total


def log_prior_of_geometry(around, work, df_A, new_scale):
    """Log density of A of all epochs, each given that of the epoch before."""
    total = 0.0
    for t in range(len(around)):
        epoch, before, _ = around[t]
        total += wishart.log_prior_of_geometry(epoch, before, work.wishart, df_A, new_scale)
    return total


def births_of(around):
    """Number of clusters without a predecessor, and the sum of their variances in A."""
    n, variances = 0, 0.0
    for t in range(len(around)):
        epoch, _, _ = around[t]
        for c in range(epoch.size[0]):
            if epoch.back[c] < 0:
                n += 1
                variances += epoch.A[c, c]
    return n, variances
