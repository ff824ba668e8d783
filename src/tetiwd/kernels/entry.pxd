cimport cython

from tetiwd.kernels cimport assign, describe, links, partition, row_law, slots, split_merge, terms, wishart
from tetiwd.kernels.sides cimport Sides
from tetiwd.kernels.split_merge cimport Proposal
from tetiwd.kernels.stream cimport Stream
from tetiwd.kernels.views cimport Epoch, Model, Neighbour
from tetiwd.kernels.workspace cimport Workspace

@cython.locals(stream=Stream, reached=Py_ssize_t, moved=Py_ssize_t)
cpdef (Py_ssize_t, Py_ssize_t) assign_objects(
    object rng, Workspace work, Epoch epoch, Neighbour before, Neighbour after, Model model, Py_ssize_t n_aux,
    Py_ssize_t offers, Py_ssize_t first
)

@cython.locals(stream=Stream, accepted=Py_ssize_t)
cpdef Py_ssize_t move_rows(
    object rng, Workspace work, Epoch epoch, Neighbour before, Neighbour after, Model model
)

@cython.locals(stream=Stream, proposal=Proposal, given=Sides, c=Py_ssize_t, n=Py_ssize_t)
cpdef tuple split_or_merge_epoch(
    object rng, Workspace work, Epoch epoch, Neighbour before, Neighbour after, Epoch trial, Neighbour trial_before,
    Neighbour trial_after, Model model, bint split, Py_ssize_t a, Py_ssize_t b, Py_ssize_t first, Py_ssize_t second,
    Py_ssize_t c_before, bint is_last
)

cpdef void move_members(
    Epoch epoch, Py_ssize_t[::1] members, Py_ssize_t[::1] side, Py_ssize_t a, Py_ssize_t b, bint split
)

@cython.locals(stream=Stream, accepted=Py_ssize_t)
cpdef Py_ssize_t move_links(
    object rng, Workspace work, Neighbour left, Neighbour right, Model model, Py_ssize_t n_steps
)

@cython.locals(stream=Stream, accepted=Py_ssize_t)
cpdef Py_ssize_t exchange_with_rows(
    object rng, Workspace work, Epoch epoch, Neighbour before, Neighbour after, Model model, Py_ssize_t n_steps
)

@cython.locals(best=double)
cpdef double find_links(Workspace work, Neighbour left, Neighbour right, Model model)

@cython.locals(epoch=Epoch, model=Model, t=Py_ssize_t, total=double)
cpdef double log_likelihoods_if(
    list epochs, Workspace work, list models, double alpha, double factor, double spread
)

cpdef (double, double, double) describe_epoch(Epoch epoch, Workspace work)

cpdef list follow(const Py_ssize_t[:, ::1] forward, Py_ssize_t t, Py_ssize_t c)

cpdef double log_transition(Neighbour before, Epoch epoch, double xi, Py_ssize_t max_clusters)

cpdef double log_prior_of_geometry(Epoch epoch, Neighbour before, Workspace work, double df_A, double new_scale)
