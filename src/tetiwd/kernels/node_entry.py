"""The functions of moving centres that Python calls. Each releases the interpreter's lock and calls a kernel."""

try:
    import cython
except ImportError:
    from tetiwd.kernels import no_cython as cython

from tetiwd.kernels import assign_nodes, bound_lineages, lineage_sums, node_terms, relink, split_lineages, spreads, urn
from tetiwd.kernels.stream import Stream


def assign_to_lineages(rng, work, given, motion, n_aux, first, moved):
    """Move every object from ``first`` on; returns the object it stopped at for want of slots."""
    stream = Stream(rng)
    work.assignment.make_room(n_aux)
    with cython.nogil:
        reached = assign_nodes.assign_objects(stream, work.assignment, given, motion, first, moved)
    return reached


def assign_groups_to_lineages(rng, work, given, motion, n_aux, first, moved):
    """Move every group from ``first`` on; returns the group it stopped at for want of slots."""
    stream = Stream(rng)
    work.assignment.make_room(n_aux)
    with cython.nogil:
        reached = bound_lineages.assign_groups(
            stream, work.group, work.assignment, work.change, work.sums, given, motion, first, moved
        )
    return reached


def split_or_merge_lineages(rng, work, given, motion, known, i, j, lo, hi):
    """Split or merge the lineages of two objects at some epochs; 0 for nothing, 1 for a split, 2 for a merge.

    ``known`` says that nothing else has changed since the last call.
    """
    stream = Stream(rng)
    with cython.nogil:
        if not known:
            lineage_sums.build(work.sums, given, motion)
        done = split_lineages.split_or_merge(
            stream, work.assignment, work.change, work.sums, given, motion, i, j, lo, hi
        )
    return done


def relink_lineages(rng, work, given, motion, n_tries):
    """Lineages exchange what they have at some epochs, while a slot is free; returns attempts and acceptances."""
    stream = Stream(rng)
    with cython.nogil:
        tried, accepted = relink.relink(stream, work.assignment, work.sums, given, motion, n_tries)
    return tried, accepted


def move_spreads(rng, work, given, motion, step):
    """Metropolis on the spread of every lineage; returns acceptances."""
    stream = Stream(rng)
    with cython.nogil:
        accepted = spreads.move_spreads(stream, work.sums, given, motion, step)
    return accepted


def log_likelihood_of_nodes(work, given, motion):
    """Log likelihood of D*."""
    with cython.nogil:
        if motion.shift > 0.0:
            lineage_sums.build(work.sums, given, motion)
            total = lineage_sums.log_likelihood_now(work.sums, motion)
        else:
            total = node_terms.log_likelihood(
                work.assignment.terms, given.counts, given.S, given.spreads, given.size[0], motion
            )
    return total


def log_prior_of_lineages(work, given, motion):
    """Log prior of the lineages."""
    with cython.nogil:
        total = urn.log_prior(work.assignment.urn, given, motion)
    return total
