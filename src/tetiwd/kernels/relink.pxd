cimport cython

from tetiwd.kernels cimport assign_nodes
from tetiwd.kernels cimport libc_math as math
from tetiwd.kernels cimport lineage_bonds, lineage_sums, nodes, shift_sums, stream, urn
from tetiwd.kernels.assign_nodes cimport NodeAssignment
from tetiwd.kernels.lineage_sums cimport LineageSums
from tetiwd.kernels.nodes cimport Motion, Nodes
from tetiwd.kernels.stream cimport Stream


@cython.locals(inside=Py_ssize_t, outside=Py_ssize_t, t=Py_ssize_t, here=Py_ssize_t)
cdef bint is_trivial(Nodes given, Py_ssize_t a, Py_ssize_t b, Py_ssize_t lo, Py_ssize_t hi) noexcept nogil

@cython.locals(t=Py_ssize_t, n=Py_ssize_t)
cdef void exchange_sizes(Nodes given, Py_ssize_t a, Py_ssize_t b, Py_ssize_t lo, Py_ssize_t hi) noexcept nogil

@cython.locals(T=Py_ssize_t, K=Py_ssize_t, t=Py_ssize_t, k=Py_ssize_t, x=double)
cdef void exchange_blocks(Nodes given, Py_ssize_t a, Py_ssize_t b, Py_ssize_t lo, Py_ssize_t hi) noexcept nogil

@cython.locals(T=Py_ssize_t, obj=Py_ssize_t, t=Py_ssize_t, j=Py_ssize_t, x=double)
cdef void exchange_members(Nodes given, Py_ssize_t a, Py_ssize_t b, Py_ssize_t lo, Py_ssize_t hi) noexcept nogil

cdef double log_pairs(Py_ssize_t n_lineages) noexcept nogil

@cython.locals(T=Py_ssize_t, x=Py_ssize_t, t=Py_ssize_t, mine=Py_ssize_t, other=Py_ssize_t)
cdef double propose(
    LineageSums sums, Nodes given, Motion motion, Py_ssize_t a, Py_ssize_t b, Py_ssize_t lo, Py_ssize_t hi
) noexcept nogil

@cython.locals(C=Py_ssize_t, gone=Py_ssize_t, n_after=Py_ssize_t, after=double, pull=double)
cdef double try_exchange(
    Stream rng, NodeAssignment scratch, LineageSums sums, Nodes given, Motion motion, Py_ssize_t a, Py_ssize_t b,
    Py_ssize_t lo, Py_ssize_t hi, double before
) noexcept nogil

@cython.locals(
    T=Py_ssize_t, accepted=Py_ssize_t, joint=double, new=double, C=Py_ssize_t, a=Py_ssize_t, b=Py_ssize_t,
    lo=Py_ssize_t, hi=Py_ssize_t, n=Py_ssize_t
)
cdef (Py_ssize_t, Py_ssize_t) relink(
    Stream rng, NodeAssignment scratch, LineageSums sums, Nodes given, Motion motion, Py_ssize_t n_tries
) noexcept nogil
