cimport cython

from tetiwd.kernels cimport assign_nodes, bound_lineages, lineage_sums, node_terms, relink, split_lineages, spreads, urn
from tetiwd.kernels.node_workspace cimport NodeWorkspace
from tetiwd.kernels.nodes cimport Motion, Nodes
from tetiwd.kernels.stream cimport Stream

@cython.locals(stream=Stream, reached=Py_ssize_t)
cpdef Py_ssize_t assign_to_lineages(
    object rng, NodeWorkspace work, Nodes given, Motion motion, Py_ssize_t n_aux, Py_ssize_t first,
    Py_ssize_t[::1] moved
)

@cython.locals(stream=Stream, reached=Py_ssize_t)
cpdef Py_ssize_t assign_groups_to_lineages(
    object rng, NodeWorkspace work, Nodes given, Motion motion, Py_ssize_t n_aux, Py_ssize_t first,
    Py_ssize_t[::1] moved
)

@cython.locals(stream=Stream, done=Py_ssize_t)
cpdef Py_ssize_t split_or_merge_lineages(
    object rng, NodeWorkspace work, Nodes given, Motion motion, bint known, Py_ssize_t i, Py_ssize_t j, Py_ssize_t lo,
    Py_ssize_t hi
)

@cython.locals(stream=Stream, tried=Py_ssize_t, accepted=Py_ssize_t)
cpdef (Py_ssize_t, Py_ssize_t) relink_lineages(
    object rng, NodeWorkspace work, Nodes given, Motion motion, Py_ssize_t n_tries
)

@cython.locals(stream=Stream, accepted=Py_ssize_t)
cpdef Py_ssize_t move_spreads(object rng, NodeWorkspace work, Nodes given, Motion motion, double step)

@cython.locals(total=double)
cpdef double log_likelihood_of_nodes(NodeWorkspace work, Nodes given, Motion motion)

@cython.locals(total=double)
cpdef double log_prior_of_lineages(NodeWorkspace work, Nodes given, Motion motion)
