cimport cython

from tetiwd.kernels cimport assign_nodes, lineage_bonds
from tetiwd.kernels cimport libc_math as math
from tetiwd.kernels cimport lineage_sums, nodes, shift_sums, split_lineages, urn
from tetiwd.kernels.assign_nodes cimport NodeAssignment
from tetiwd.kernels.bonds cimport Bonds
from tetiwd.kernels.lineage_sums cimport LineageSums
from tetiwd.kernels.nodes cimport Motion, Nodes
from tetiwd.kernels.sides_of_lineage cimport SidesOfLineage
from tetiwd.kernels.split_lineages cimport LineageSplit
from tetiwd.kernels.stream cimport Stream


cdef class GroupMove:
    cdef readonly Py_ssize_t[::1] n
    cdef readonly double[:, ::1] G, inside, pull


@cython.locals(
    T=Py_ssize_t, K=Py_ssize_t, t=Py_ssize_t, s=Py_ssize_t, k=Py_ssize_t, i=Py_ssize_t, obj=Py_ssize_t,
    x=double
)
cdef void gather(GroupMove group, Nodes given, Bonds bonds, Py_ssize_t g, Py_ssize_t a) noexcept nogil

@cython.locals(T=Py_ssize_t, t=Py_ssize_t, c=Py_ssize_t, s=Py_ssize_t, total=double)
cdef void weigh_pulls(GroupMove group, LineageSums sums, Nodes given) noexcept nogil

@cython.locals(
    T=Py_ssize_t, a=Py_ssize_t, c=Py_ssize_t, s=Py_ssize_t, t=Py_ssize_t, x=Py_ssize_t,
    k=Py_ssize_t, inside=double
)
cdef void propose_blocks(
    GroupMove group, double[:, ::1] G, LineageSplit change, SidesOfLineage sides, Nodes given
) noexcept nogil

@cython.locals(
    T=Py_ssize_t, K=Py_ssize_t, t=Py_ssize_t, c=Py_ssize_t, i=Py_ssize_t, k=Py_ssize_t, obj=Py_ssize_t,
    before=Py_ssize_t, total=double
)
cdef void propose_pulls(
    GroupMove group, LineageSplit change, SidesOfLineage sides, LineageSums sums, Nodes given, Motion motion,
    Py_ssize_t g
) noexcept nogil

@cython.locals(C=Py_ssize_t, t=Py_ssize_t, k=Py_ssize_t, B=double, total=double)
cdef double log_joint_if(
    GroupMove group, NodeAssignment scratch, LineageSplit change, SidesOfLineage sides, LineageSums sums, Nodes given,
    Motion motion, Py_ssize_t g, Py_ssize_t a, Py_ssize_t c, double spread
) noexcept nogil

@cython.locals(
    C=Py_ssize_t, c=Py_ssize_t, i=Py_ssize_t, now=double, log_share=double, top=double, total=double
)
cdef void weigh(
    Stream rng, GroupMove group, NodeAssignment scratch, LineageSplit change, LineageSums sums, Nodes given,
    Motion motion, Py_ssize_t g, Py_ssize_t a, bint alone
) noexcept nogil

@cython.locals(
    g=Py_ssize_t, C=Py_ssize_t, a=Py_ssize_t, n=Py_ssize_t, c=Py_ssize_t, t=Py_ssize_t, alone=bint, spread=double
)
cdef Py_ssize_t assign_groups(
    Stream rng, GroupMove group, NodeAssignment scratch, LineageSplit change, LineageSums sums, Nodes given,
    Motion motion, Py_ssize_t first, Py_ssize_t[::1] moved
) noexcept nogil

@cython.locals(n=Py_ssize_t, i=Py_ssize_t)
cdef void move_group(
    LineageSplit change, SidesOfLineage sides, Nodes given, Py_ssize_t g, Py_ssize_t a, Py_ssize_t c, double spread
) noexcept nogil
