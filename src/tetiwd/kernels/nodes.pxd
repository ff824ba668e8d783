cimport cython

from tetiwd.kernels.bonds cimport Bonds
from tetiwd.kernels.sums cimport Sums


cdef class Nodes:
    cdef readonly object data
    cdef readonly Sums sums
    cdef readonly Bonds bonds
    cdef readonly double per_unit, worthwhile
    cdef readonly Py_ssize_t n, n_epochs
    cdef readonly Py_ssize_t[::1] first, epoch, z, size, proposed
    cdef readonly Py_ssize_t[:, ::1] counts
    cdef readonly double[:, ::1] S, R
    cdef readonly double[::1] spreads, row


cdef class Motion:
    cdef readonly double alpha, dof, rho, new_scale, xi, tau, delta, kappa, shift, limit, power
    cdef readonly Py_ssize_t begins


@cython.locals(t=Py_ssize_t, total=Py_ssize_t)
cdef Py_ssize_t members_of(Nodes nodes, Py_ssize_t c) noexcept nogil

@cython.locals(K=Py_ssize_t, j=Py_ssize_t)
cdef void add_to_blocks(Nodes nodes, Py_ssize_t obj, Py_ssize_t node, double sign) noexcept nogil

@cython.locals(K=Py_ssize_t, j=Py_ssize_t)
cdef void clear_node(Nodes nodes, Py_ssize_t node) noexcept nogil

@cython.locals(
    T=Py_ssize_t, last=Py_ssize_t, t=Py_ssize_t, a=Py_ssize_t, b=Py_ssize_t, i=Py_ssize_t, j=Py_ssize_t,
    obj=Py_ssize_t
)
cdef void close_lineage(Nodes nodes, Py_ssize_t c) noexcept nogil
