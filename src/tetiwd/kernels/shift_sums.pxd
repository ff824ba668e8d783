cimport cython

from tetiwd.kernels cimport dense
from tetiwd.kernels cimport libc_math as math
from tetiwd.kernels cimport shift_columns
from tetiwd.kernels.centres cimport Centres
from tetiwd.kernels.nodes cimport Motion, Nodes


cdef class ShiftSums:
    cdef readonly Py_ssize_t n_columns
    cdef readonly double[:, ::1] Y, new_Y, H, weight, B, new_weight, new_B, x, row, factor, solved
    cdef readonly Py_ssize_t[:, ::1] node


@cython.locals(root=double)
cdef void measure(
    ShiftSums sums, Centres own, Py_ssize_t[:, ::1] counts, Py_ssize_t x, double spread, Motion motion
) noexcept nogil

@cython.locals(j=Py_ssize_t)
cdef void copy_row(double[:, ::1] x, Py_ssize_t i, Py_ssize_t q, double[:, ::1] out, Py_ssize_t k) noexcept nogil

@cython.locals(t=Py_ssize_t)
cdef void adopt_lineage(ShiftSums sums, Py_ssize_t c, Py_ssize_t n_epochs) noexcept nogil

cdef void adopt_common(ShiftSums sums) noexcept nogil

@cython.locals(t=Py_ssize_t)
cdef void open_slot(ShiftSums sums, Py_ssize_t c, Py_ssize_t n_epochs) noexcept nogil

@cython.locals(K=Py_ssize_t, q=Py_ssize_t, i=Py_ssize_t, k=Py_ssize_t)
cdef void sum_up(ShiftSums sums, Nodes given, Motion motion) noexcept nogil

@cython.locals(T=Py_ssize_t, c=Py_ssize_t, t=Py_ssize_t, root=double)
cdef void add_up_weight(
    double[:, ::1] weight, ShiftSums sums, Nodes given, Motion motion, Py_ssize_t a, Py_ssize_t b
) noexcept nogil

@cython.locals(T=Py_ssize_t, q=Py_ssize_t, x=Py_ssize_t, c=Py_ssize_t, t=Py_ssize_t)
cdef void leave(ShiftSums sums, Nodes given, Motion motion, Py_ssize_t a, Py_ssize_t b) noexcept nogil

@cython.locals(T=Py_ssize_t, c=Py_ssize_t)
cdef void add_others(
    ShiftSums sums, Nodes given, Py_ssize_t k, Py_ssize_t a, Py_ssize_t b, Py_ssize_t i
) noexcept nogil

@cython.locals(T=Py_ssize_t, q=Py_ssize_t, t=Py_ssize_t, c=Py_ssize_t, k=Py_ssize_t, j=Py_ssize_t, r=double)
cdef void pull(ShiftSums sums, Nodes given, Py_ssize_t a, Py_ssize_t b, Py_ssize_t obj) noexcept nogil

@cython.locals(t=Py_ssize_t, j=Py_ssize_t)
cdef void merge(ShiftSums sums, Py_ssize_t lo, Py_ssize_t hi, Py_ssize_t n_epochs) noexcept nogil

@cython.locals(t=Py_ssize_t, j=Py_ssize_t, x=double)
cdef void exchange(ShiftSums sums, Py_ssize_t lo, Py_ssize_t hi, Py_ssize_t n_epochs) noexcept nogil

@cython.locals(x=Py_ssize_t, t=Py_ssize_t, i=Py_ssize_t, root=double)
cdef void enter(
    ShiftSums sums, Py_ssize_t[:, ::1] counts, Py_ssize_t[:, ::1] node, double[:, ::1] S, Py_ssize_t n_proposals,
    Py_ssize_t n_epochs, Motion motion
) noexcept nogil

@cython.locals(
    T=Py_ssize_t, q=Py_ssize_t, x=Py_ssize_t, t=Py_ssize_t, y=Py_ssize_t, s=Py_ssize_t, j=Py_ssize_t, half=double
)
cdef void add_lineages(
    ShiftSums sums, Py_ssize_t[:, ::1] node, double[:, ::1] S, Py_ssize_t n, Py_ssize_t n_epochs, double sign
) noexcept nogil

@cython.locals(q=Py_ssize_t, i=Py_ssize_t)
cdef double log_likelihood(
    ShiftSums sums, Motion motion, Py_ssize_t n, double log_det, double trace, double[:, ::1] weight,
    double[:, ::1] B
) noexcept nogil
