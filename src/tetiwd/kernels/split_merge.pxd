cimport cython

from tetiwd.kernels cimport row_law, sides, slots, spread_law, wishart
from tetiwd.kernels cimport libc_math as math
from tetiwd.kernels.row_law cimport RowLaw
from tetiwd.kernels.sides cimport Sides
from tetiwd.kernels.stream cimport Stream
from tetiwd.kernels.terms cimport Terms
from tetiwd.kernels.views cimport Epoch, Model, Neighbour
from tetiwd.kernels.wishart cimport Wishart


cdef class Proposal:
    cdef readonly double log_split, log_merge, gain


@cython.locals(c=Py_ssize_t, i=Py_ssize_t, j=Py_ssize_t, moved=Py_ssize_t)
cdef Py_ssize_t split_in_two(Epoch trial, Py_ssize_t a, Sides given) noexcept nogil

@cython.locals(j=Py_ssize_t, last=Py_ssize_t)
cdef Py_ssize_t merge_into(
    Epoch trial, Neighbour before, Neighbour after, Py_ssize_t a, Py_ssize_t b
) noexcept nogil

@cython.locals(n=Py_ssize_t, b=Py_ssize_t)
cdef Py_ssize_t count_loose_ends(Neighbour neighbour) noexcept nogil

@cython.locals(n=Py_ssize_t, pick=Py_ssize_t, b=Py_ssize_t)
cdef Py_ssize_t draw_loose_end(Stream rng, Neighbour neighbour) noexcept nogil

@cython.locals(n=Py_ssize_t)
cdef double log_choice_of_ends(Neighbour neighbour, Py_ssize_t b) noexcept nogil

@cython.locals(i=Py_ssize_t)
cdef double give_out(
    Stream rng, Sides given, RowLaw law, Epoch epoch, Neighbour known, Model model, bint split, Py_ssize_t a,
    Py_ssize_t b, Py_ssize_t first, Py_ssize_t second, Py_ssize_t c_before
) noexcept nogil

@cython.locals(i=Py_ssize_t, n_moved=Py_ssize_t)
cdef bint is_two(Sides given) noexcept nogil

cdef void weigh_links(
    Proposal proposal, Neighbour one_before, Neighbour one_after, Epoch two, Py_ssize_t c, bint is_first, bint is_last
) noexcept nogil

cdef void propose_rows(
    Stream rng, Proposal proposal, RowLaw law, Epoch two, Neighbour two_before, Neighbour two_after, Epoch one,
    Neighbour one_before, Neighbour one_after, Model model, Py_ssize_t a, Py_ssize_t c, Py_ssize_t merged, bint split
) noexcept nogil

cdef void propose_spreads(
    Stream rng, Proposal proposal, Epoch two, Epoch one, Model model, Py_ssize_t a, Py_ssize_t c, Py_ssize_t merged,
    bint split
) noexcept nogil

cdef void weigh_gain(
    Proposal proposal, Terms own_terms, Wishart scratch, Epoch trial, Neighbour trial_before, Neighbour trial_after,
    Epoch epoch, Neighbour before, Neighbour after, Model model
) noexcept nogil

@cython.locals(c=Py_ssize_t, b_new=Py_ssize_t, f_new=Py_ssize_t)
cdef Py_ssize_t split_epoch(
    Stream rng, Proposal proposal, Sides given, RowLaw law, Terms own_terms, Wishart scratch, Epoch epoch,
    Neighbour before, Neighbour after, Neighbour seen, Epoch trial, Neighbour trial_before, Neighbour trial_after,
    Neighbour trial_seen, Model model, Py_ssize_t a, Py_ssize_t first, Py_ssize_t second, Py_ssize_t c_before,
    bint is_last
) noexcept nogil

@cython.locals(merged=Py_ssize_t)
cdef void merge_epoch(
    Stream rng, Proposal proposal, RowLaw law, Terms own_terms, Wishart scratch, Epoch epoch, Neighbour before,
    Neighbour after, Neighbour seen, Epoch trial, Neighbour trial_before, Neighbour trial_after, Neighbour trial_seen,
    Model model, Py_ssize_t a, Py_ssize_t b, bint is_first, bint is_last
) noexcept nogil
