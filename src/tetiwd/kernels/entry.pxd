cimport cython

from tetiwd.kernels cimport assign, bound, describe, links, partition, row_law, slots, split_merge, spread_law, terms, wishart
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

@cython.locals(stream=Stream, reached=Py_ssize_t, moved=Py_ssize_t)
cpdef (Py_ssize_t, Py_ssize_t) assign_groups(
    object rng, Workspace work, Epoch epoch, Neighbour before, Neighbour after, Model model, Py_ssize_t n_aux,
    Py_ssize_t offers, Py_ssize_t first
)

@cython.locals(stream=Stream, accepted=Py_ssize_t)
cpdef Py_ssize_t move_rows(
    object rng, Workspace work, Epoch epoch, Neighbour before, Neighbour after, Model model
)

@cython.locals(stream=Stream, accepted=Py_ssize_t)
cpdef Py_ssize_t move_spreads_of_epoch(object rng, Workspace work, Epoch epoch, Model model)

@cython.locals(
    stream=Stream, proposal=Proposal, given=Sides, epoch=Epoch, before=Neighbour, after=Neighbour, seen=Neighbour,
    trial=Epoch, trial_before=Neighbour, trial_after=Neighbour, trial_seen=Neighbour, nobody=Neighbour, model=Model,
    a=Py_ssize_t, c=Py_ssize_t, i=Py_ssize_t, n=Py_ssize_t, length=Py_ssize_t, is_last=bint
)
cpdef tuple split_lineage(
    object rng, Workspace work, list around, list trial_around, list models, Py_ssize_t t, list lineage,
    Py_ssize_t first, Py_ssize_t second
)

@cython.locals(
    stream=Stream, proposal=Proposal, epoch=Epoch, before=Neighbour, after=Neighbour, seen=Neighbour, trial=Epoch,
    trial_before=Neighbour, trial_after=Neighbour, trial_seen=Neighbour, nobody=Neighbour, model=Model, a=Py_ssize_t,
    b=Py_ssize_t, i=Py_ssize_t, length=Py_ssize_t, is_last=bint
)
cpdef (double, double, double) merge_lineages(
    object rng, Workspace work, list around, list trial_around, list models, Py_ssize_t t, list lineage_a,
    list lineage_b
)

@cython.locals(
    stream=Stream, epoch=Epoch, before=Neighbour, model=Model, a=Py_ssize_t, b=Py_ssize_t, i=Py_ssize_t, total=double
)
cpdef double log_chance_of_sides(
    object rng, Workspace work, list around, list models, Py_ssize_t t, list lineage_a, list lineage_b,
    Py_ssize_t first, Py_ssize_t second
)

cpdef void move_members(
    Epoch epoch, Py_ssize_t[::1] members, Py_ssize_t[::1] side, Py_ssize_t a, Py_ssize_t b, bint split
)

@cython.locals(stream=Stream, accepted=Py_ssize_t)
cpdef Py_ssize_t move_links(
    object rng, Workspace work, Neighbour left, Neighbour right, double[:, ::1] joins, Model model, Py_ssize_t n_steps
)

@cython.locals(stream=Stream, accepted=Py_ssize_t)
cpdef Py_ssize_t exchange_with_rows(
    object rng, Workspace work, Epoch epoch, Neighbour before, Neighbour after, double[:, ::1] joins,
    double[:, ::1] left, double[:, ::1] right, Model model, Py_ssize_t n_steps
)

@cython.locals(best=double)
cpdef double find_links(
    Workspace work, Neighbour left, Neighbour right, double[:, ::1] joins, Model model
)

@cython.locals(epoch=Epoch, model=Model, t=Py_ssize_t, total=double)
cpdef double log_likelihoods_if(
    list epochs, Workspace work, list models, double alpha, double factor, double spread
)

cpdef (double, double, double) describe_epoch(Epoch epoch, Workspace work)

cpdef list follow(const Py_ssize_t[:, ::1] forward, Py_ssize_t t, Py_ssize_t c)

@cython.locals(t=Py_ssize_t, c=Py_ssize_t, n=Py_ssize_t)
cpdef Py_ssize_t number_lineages(const Py_ssize_t[:, ::1] back, const Py_ssize_t[:, ::1] size, Py_ssize_t[:, ::1] ids)

@cython.locals(epoch=Epoch, before=Neighbour, t=Py_ssize_t, total=double)
cpdef double log_prior_of_partitions(list around, double xi, double kappa, Py_ssize_t max_clusters)

@cython.locals(epoch=Epoch, before=Neighbour, t=Py_ssize_t, total=double)
cpdef double log_prior_of_geometry(list around, Workspace work, double df_A, double new_scale)

@cython.locals(epoch=Epoch, t=Py_ssize_t, c=Py_ssize_t, n=Py_ssize_t, variances=double)
cpdef (Py_ssize_t, double) births_of(list around)
