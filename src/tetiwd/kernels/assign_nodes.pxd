cimport cython

from tetiwd.kernels cimport libc_math as math
from tetiwd.kernels cimport lineage_bonds, node_terms, nodes, shift_terms, spread_law, stream, urn
from tetiwd.kernels.node_terms cimport NodeTerms
from tetiwd.kernels.nodes cimport Motion, Nodes
from tetiwd.kernels.shift_terms cimport ShiftTerms
from tetiwd.kernels.stream cimport Stream
from tetiwd.kernels.urn cimport Urn

cdef Py_ssize_t MOST_UPDATES


cdef class NodeAssignment:
    cdef readonly NodeTerms terms
    cdef readonly Urn urn
    cdef readonly ShiftTerms shift
    cdef readonly Py_ssize_t n_aux
    cdef readonly double[::1] log_weight, born, chosen, fresh


cdef double draw_spread(Stream rng, Motion motion) noexcept nogil

@cython.locals(
    C=Py_ssize_t, c=Py_ssize_t, M=double, y=double, u=double, Q=double, p=double,
    k=double, variance=double
)
cdef void weigh_lineages(
    NodeAssignment scratch, NodeTerms terms, Nodes given, Motion motion, Py_ssize_t a, bint alone
) noexcept nogil

@cython.locals(C=Py_ssize_t, c=Py_ssize_t, candidate=Py_ssize_t, M=double, u=double, Q=double, variance=double)
cdef void weigh_displaced(
    NodeAssignment scratch, NodeTerms terms, ShiftTerms shift, Nodes given, Motion motion, Py_ssize_t a, Py_ssize_t t,
    bint alone
) noexcept nogil

@cython.locals(C=Py_ssize_t, i=Py_ssize_t, top=double, total=double, variance=double)
cdef void weigh_births(
    NodeAssignment scratch, Nodes given, Motion motion, Py_ssize_t a, double common, double distance
) noexcept nogil

@cython.locals(c=Py_ssize_t, pick=Py_ssize_t, i=Py_ssize_t)
cdef Py_ssize_t choose(
    Stream rng, NodeAssignment scratch, Py_ssize_t C, double power, Py_ssize_t a, bint alone
) noexcept nogil

@cython.locals(
    trusted=Py_ssize_t, epoch=Py_ssize_t, obj=Py_ssize_t, C=Py_ssize_t, t=Py_ssize_t, a=Py_ssize_t, c=Py_ssize_t,
    i=Py_ssize_t, alone=bint, bound=bint
)
cdef Py_ssize_t assign_objects(
    Stream rng, NodeAssignment scratch, Nodes given, Motion motion, Py_ssize_t first, Py_ssize_t[::1] moved
) noexcept nogil

@cython.locals(T=Py_ssize_t, t=Py_ssize_t, C=Py_ssize_t, settled=bint)
cdef Py_ssize_t move_object(
    NodeAssignment scratch, Nodes given, Motion motion, Py_ssize_t obj, Py_ssize_t a, Py_ssize_t c, bint alone,
    Py_ssize_t trusted
) noexcept nogil

cdef void change_terms(
    NodeAssignment scratch, Nodes given, Motion motion, Py_ssize_t c, double sign
) noexcept nogil
