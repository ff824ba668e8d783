cimport cython

from tetiwd.kernels cimport libc_math as math
from tetiwd.kernels cimport lineage_bonds, node_terms, shift_terms
from tetiwd.kernels.bonds cimport Bonds
from tetiwd.kernels.node_terms cimport NodeTerms
from tetiwd.kernels.nodes cimport Motion, Nodes
from tetiwd.kernels.shift_terms cimport ShiftTerms
from tetiwd.kernels.stream cimport Stream


cdef class SidesOfLineage:
    cdef readonly Py_ssize_t n_epochs
    cdef public Py_ssize_t n_members, lo, hi
    cdef readonly NodeTerms terms
    cdef readonly ShiftTerms shift
    cdef readonly Py_ssize_t[:, ::1] counts
    cdef readonly double[:, ::1] S
    cdef readonly Py_ssize_t[::1] slot, members, side, side_of_group
    cdef readonly double[::1] spreads, r
    cdef readonly double log_chance


@cython.locals(
    n=Py_ssize_t, t=Py_ssize_t, start=Py_ssize_t, obj=Py_ssize_t, c=Py_ssize_t, m=Py_ssize_t, k=Py_ssize_t
)
cdef void list_members(Nodes given, SidesOfLineage sides, Stream rng, Py_ssize_t i, Py_ssize_t j) noexcept nogil

@cython.locals(m=Py_ssize_t, g=Py_ssize_t)
cdef bint settle_groups(
    Nodes given, Bonds bonds, SidesOfLineage sides, Py_ssize_t i, Py_ssize_t j
) noexcept nogil

@cython.locals(
    T=Py_ssize_t, a=Py_ssize_t, b=Py_ssize_t, t=Py_ssize_t, s=Py_ssize_t, kept=bint, both=bint
)
cdef void begin(Nodes given, SidesOfLineage sides, bint whole) noexcept nogil

@cython.locals(
    T=Py_ssize_t, obj=Py_ssize_t, a=Py_ssize_t, t=Py_ssize_t, outside=bint
)
cdef void add_up_row(Nodes given, SidesOfLineage sides, Py_ssize_t m) noexcept nogil

@cython.locals(T=Py_ssize_t, t=Py_ssize_t, node=Py_ssize_t, k=Py_ssize_t)
cdef void put(Nodes given, SidesOfLineage sides, Py_ssize_t m, Py_ssize_t a) noexcept nogil

@cython.locals(n=Py_ssize_t, s=Py_ssize_t, fade=double, weight=double)
cdef double log_weight(SidesOfLineage sides, Motion motion, Py_ssize_t a, Py_ssize_t t) noexcept nogil

@cython.locals(k=double, variance=double)
cdef double log_prediction(
    SidesOfLineage sides, NodeTerms terms, ShiftTerms shift, Motion motion, Py_ssize_t a
) noexcept nogil

@cython.locals(epoch=Py_ssize_t, m=Py_ssize_t, obj=Py_ssize_t, t=Py_ssize_t, a=Py_ssize_t, g=Py_ssize_t, bound=bint, odds=double)
cdef void allocate(
    Nodes given, SidesOfLineage sides, Motion motion, Stream rng, bint follow, Py_ssize_t b
) noexcept nogil

cdef double log_one_plus_exp(double x) noexcept nogil
