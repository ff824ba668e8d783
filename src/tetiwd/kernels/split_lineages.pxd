cimport cython

from tetiwd.kernels cimport assign_nodes
from tetiwd.kernels cimport libc_math as math
from tetiwd.kernels cimport lineage_bonds, lineage_sums, nodes, shift_sums, sides_of_lineage, stream, urn
from tetiwd.kernels.assign_nodes cimport NodeAssignment
from tetiwd.kernels.lineage_sums cimport LineageSums
from tetiwd.kernels.nodes cimport Motion, Nodes
from tetiwd.kernels.sides_of_lineage cimport SidesOfLineage
from tetiwd.kernels.stream cimport Stream

cdef Py_ssize_t REJECTED, SPLIT, MERGED


cdef class LineageSplit:
    cdef readonly SidesOfLineage sides
    cdef readonly double[:, ::1] S, H
    cdef readonly Py_ssize_t[:, ::1] counts, before
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

@cython.locals(a=Py_ssize_t, b=Py_ssize_t)
cdef bint begin(
    Stream rng, SidesOfLineage sides, Nodes given, Py_ssize_t i, Py_ssize_t j, Py_ssize_t lo, Py_ssize_t hi
) noexcept nogil

@cython.locals(a=Py_ssize_t, b=Py_ssize_t, absent=Py_ssize_t)
cdef void divide(
    Stream rng, LineageSplit change, SidesOfLineage sides, Nodes given, Motion motion
) noexcept nogil

@cython.locals(a=Py_ssize_t, b=Py_ssize_t, absent=Py_ssize_t)
cdef double log_targets_after(SidesOfLineage sides, Nodes given) noexcept nogil

cdef void follow(
    Stream rng, LineageSplit change, SidesOfLineage sides, Nodes given, Motion motion
) noexcept nogil

@cython.locals(
    T=Py_ssize_t, x=Py_ssize_t, t=Py_ssize_t, y=Py_ssize_t, s=Py_ssize_t, node=Py_ssize_t, B=double, total=double
)
cdef double note_before(
    LineageSplit change, SidesOfLineage sides, LineageSums sums, Nodes given, Motion motion
) noexcept nogil

cdef bint has_objects(Nodes given, SidesOfLineage sides, Py_ssize_t x, Py_ssize_t t) noexcept nogil

@cython.locals(T=Py_ssize_t, x=Py_ssize_t, t=Py_ssize_t, k=Py_ssize_t, m=Py_ssize_t, pull=double)
cdef void propose_split(
    LineageSplit change, SidesOfLineage sides, LineageSums sums, Nodes given, Motion motion
) noexcept nogil

@cython.locals(T=Py_ssize_t, c=Py_ssize_t, t=Py_ssize_t, total=double)
cdef double pull_of_others(SidesOfLineage sides, LineageSums sums, Nodes given) noexcept nogil

@cython.locals(T=Py_ssize_t, x=Py_ssize_t, s=Py_ssize_t)
cdef void propose_merge(
    LineageSplit change, SidesOfLineage sides, LineageSums sums, Nodes given, Motion motion
) noexcept nogil

@cython.locals(
    T=Py_ssize_t, x=Py_ssize_t, s=Py_ssize_t, y=Py_ssize_t, t=Py_ssize_t, k=Py_ssize_t, m=Py_ssize_t, to=Py_ssize_t,
    onto=Py_ssize_t
)
cdef void merge_sums(LineageSplit change, SidesOfLineage sides, Py_ssize_t n_epochs) noexcept nogil

@cython.locals(T=Py_ssize_t, x=Py_ssize_t, t=Py_ssize_t, y=Py_ssize_t, s=Py_ssize_t, total=double)
cdef double log_likelihood_proposed(
    LineageSplit change, SidesOfLineage sides, LineageSums sums, Nodes given, Motion motion, double B
) noexcept nogil

@cython.locals(x=Py_ssize_t, t=Py_ssize_t)
cdef void set_sizes(SidesOfLineage sides, Nodes given, Py_ssize_t[:, ::1] counts) noexcept nogil

@cython.locals(
    T=Py_ssize_t, K=Py_ssize_t, a=Py_ssize_t, b=Py_ssize_t, m=Py_ssize_t, obj=Py_ssize_t, s=Py_ssize_t, k=Py_ssize_t,
    x=Py_ssize_t, y=Py_ssize_t, t=Py_ssize_t
)
cdef void write_blocks(LineageSplit change, SidesOfLineage sides, Nodes given, bint split) noexcept nogil

@cython.locals(
    T=Py_ssize_t, K=Py_ssize_t, x=Py_ssize_t, s=Py_ssize_t, node=Py_ssize_t, k=Py_ssize_t
)
cdef void mirror(SidesOfLineage sides, Nodes given) noexcept nogil

@cython.locals(
    T=Py_ssize_t, a=Py_ssize_t, b=Py_ssize_t, m=Py_ssize_t, obj=Py_ssize_t, s=Py_ssize_t,
    k=Py_ssize_t, x=Py_ssize_t
)
cdef void move_members(SidesOfLineage sides, Nodes given, bint split) noexcept nogil

cdef Py_ssize_t split_or_merge(
    Stream rng, NodeAssignment scratch, LineageSplit change, LineageSums sums, Nodes given, Motion motion,
    Py_ssize_t i, Py_ssize_t j, Py_ssize_t lo, Py_ssize_t hi
) noexcept nogil

@cython.locals(C=Py_ssize_t, b=Py_ssize_t, pull=double, now=double, B=double)
cdef Py_ssize_t split(
    Stream rng, NodeAssignment scratch, LineageSplit change, SidesOfLineage sides, LineageSums sums, Nodes given,
    Motion motion
) noexcept nogil

@cython.locals(pull=double, now=double, B=double, bar=double)
cdef Py_ssize_t merge(
    Stream rng, NodeAssignment scratch, LineageSplit change, SidesOfLineage sides, LineageSums sums, Nodes given,
    Motion motion
) noexcept nogil

cdef double log_pull(SidesOfLineage sides, Nodes given, bint divided) noexcept nogil

cdef double log_joint_now(NodeAssignment scratch, LineageSums sums, Nodes given, Motion motion) noexcept nogil

@cython.locals(likelihood=double, prior=double)
cdef double log_joint_proposed(
    NodeAssignment scratch, LineageSplit change, SidesOfLineage sides, LineageSums sums, Nodes given, Motion motion,
    double B
) noexcept nogil

cdef void carry_out(
    LineageSplit change, SidesOfLineage sides, LineageSums sums, Nodes given, Motion motion, bint divided
) noexcept nogil
