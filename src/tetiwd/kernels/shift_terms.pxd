cimport cython

from tetiwd.kernels cimport centres
from tetiwd.kernels cimport libc_math as math
from tetiwd.kernels cimport shift_columns
from tetiwd.kernels.node_terms cimport NodeTerms
from tetiwd.kernels.nodes cimport Motion


cdef class ShiftTerms:
    cdef readonly Py_ssize_t n_columns
    cdef readonly double[:, ::1] Y, y, p, inverse, B, yr, out_inverse, out_B, out_yr, k, x, z, row, weight
    cdef readonly double variance, distance


@cython.locals(
    T=Py_ssize_t, q=Py_ssize_t, K=Py_ssize_t, c=Py_ssize_t, s=Py_ssize_t, i=Py_ssize_t, e=Py_ssize_t,
    node=Py_ssize_t, root=double
)
cdef void build(
    ShiftTerms shift, NodeTerms terms, Py_ssize_t[:, ::1] counts, double[:, ::1] S, double[::1] spreads,
    Py_ssize_t n_lineages, Py_ssize_t t, Motion motion
) noexcept nogil

@cython.locals(k=Py_ssize_t, j=Py_ssize_t, r=double)
cdef void look_at(ShiftTerms shift, double[::1] row, Py_ssize_t n_nodes) noexcept nogil

@cython.locals(
    q=Py_ssize_t, i=Py_ssize_t, j=Py_ssize_t, g=double, u_c=double, Q_cc=double, y_k=double,
    factor=double, k_i=double, x_i=double, more=double
)
cdef void change_common(
    ShiftTerms shift, NodeTerms terms, Py_ssize_t c, double spread, double sign, double[:, ::1] inverse,
    double[:, ::1] B, double[:, ::1] yr
) noexcept nogil

@cython.locals(j=Py_ssize_t, g=double, pull=double)
cdef void change_lineage(
    ShiftTerms shift, NodeTerms terms, Py_ssize_t b, Py_ssize_t c, double sign, double[:, ::1] yr, Py_ssize_t i
) noexcept nogil

@cython.locals(T=Py_ssize_t, b=Py_ssize_t, s=Py_ssize_t, j=Py_ssize_t, x=double)
cdef void change(
    ShiftTerms shift, NodeTerms terms, Py_ssize_t c, double spread, Py_ssize_t n_lineages, double sign
) noexcept nogil

cdef void set_new(ShiftTerms shift, Motion motion, Py_ssize_t t, Py_ssize_t i) noexcept nogil

@cython.locals(q=Py_ssize_t, j=Py_ssize_t, variance=double, distance=double)
cdef void predict(
    ShiftTerms shift, double[:, ::1] inverse, double[:, ::1] B, double[:, ::1] yr, Py_ssize_t i
) noexcept nogil
