cimport cython

from tetiwd.kernels cimport assign_nodes
from tetiwd.kernels cimport libc_math as math
from tetiwd.kernels cimport node_terms, nodes, sides_of_lineage, stream, urn
from tetiwd.kernels.assign_nodes cimport NodeAssignment
from tetiwd.kernels.nodes cimport Motion, Nodes
from tetiwd.kernels.sides_of_lineage cimport SidesOfLineage
from tetiwd.kernels.stream cimport Stream

cdef double WORTHWHILE
cdef Py_ssize_t REJECTED, SPLIT, MERGED


cdef class LineageSplit:
    cdef readonly SidesOfLineage sides
    cdef readonly double[:, ::1] rows
    cdef readonly Py_ssize_t[:, ::1] counts
    cdef readonly double gain, log_proposal


@cython.locals(absent=Py_ssize_t, c=Py_ssize_t)
cdef Py_ssize_t count_absent(Nodes given, Py_ssize_t lo, Py_ssize_t hi, Py_ssize_t a, Py_ssize_t b) noexcept nogil

@cython.locals(t=Py_ssize_t, total=Py_ssize_t)
cdef bint is_absent(Nodes given, Py_ssize_t lo, Py_ssize_t hi, Py_ssize_t c) noexcept nogil

@cython.locals(c=Py_ssize_t)
cdef Py_ssize_t absent_lineage(
    Nodes given, Py_ssize_t lo, Py_ssize_t hi, Py_ssize_t a, Py_ssize_t k
) noexcept nogil

@cython.locals(t=Py_ssize_t, total=Py_ssize_t)
cdef bint lives_elsewhere(Nodes given, Py_ssize_t lo, Py_ssize_t hi, Py_ssize_t c) noexcept nogil

@cython.locals(total=double)
cdef double log_joint(NodeAssignment scratch, Nodes given, Motion motion) noexcept nogil

@cython.locals(a=Py_ssize_t, b=Py_ssize_t, absent=Py_ssize_t)
cdef bint propose(
    Stream rng, LineageSplit change, SidesOfLineage sides, Nodes given, Motion motion, Py_ssize_t i, Py_ssize_t j,
    Py_ssize_t lo, Py_ssize_t hi
) noexcept nogil

@cython.locals(T=Py_ssize_t, x=Py_ssize_t, t=Py_ssize_t, k=Py_ssize_t)
cdef void keep_rows(LineageSplit change, SidesOfLineage sides, Nodes given) noexcept nogil

@cython.locals(T=Py_ssize_t, x=Py_ssize_t, t=Py_ssize_t, k=Py_ssize_t, node=Py_ssize_t)
cdef void restore_rows(LineageSplit change, SidesOfLineage sides, Nodes given) noexcept nogil

@cython.locals(
    T=Py_ssize_t, K=Py_ssize_t, a=Py_ssize_t, b=Py_ssize_t, m=Py_ssize_t, obj=Py_ssize_t,
    s=Py_ssize_t, k=Py_ssize_t, x=Py_ssize_t
)
cdef void write_split(SidesOfLineage sides, Nodes given) noexcept nogil

@cython.locals(
    T=Py_ssize_t, a=Py_ssize_t, b=Py_ssize_t, s=Py_ssize_t, k=Py_ssize_t, t=Py_ssize_t,
    x=Py_ssize_t, y=Py_ssize_t, to=Py_ssize_t
)
cdef void write_merge(SidesOfLineage sides, Nodes given) noexcept nogil

@cython.locals(
    T=Py_ssize_t, x=Py_ssize_t, s=Py_ssize_t, y=Py_ssize_t, t=Py_ssize_t
)
cdef void write_both(SidesOfLineage sides, Nodes given) noexcept nogil

@cython.locals(
    T=Py_ssize_t, K=Py_ssize_t, x=Py_ssize_t, s=Py_ssize_t, node=Py_ssize_t, k=Py_ssize_t
)
cdef void mirror(SidesOfLineage sides, Nodes given) noexcept nogil

@cython.locals(
    T=Py_ssize_t, a=Py_ssize_t, b=Py_ssize_t, m=Py_ssize_t, obj=Py_ssize_t, s=Py_ssize_t,
    k=Py_ssize_t, x=Py_ssize_t
)
cdef void move_members(SidesOfLineage sides, Nodes given, bint split) noexcept nogil

@cython.locals(split=bint, C=Py_ssize_t, b=Py_ssize_t, before=double)
cdef Py_ssize_t split_or_merge(
    Stream rng, NodeAssignment scratch, LineageSplit change, Nodes given, Motion motion, Py_ssize_t i, Py_ssize_t j,
    Py_ssize_t lo, Py_ssize_t hi
) noexcept nogil
