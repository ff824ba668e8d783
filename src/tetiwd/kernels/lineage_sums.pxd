cimport cython

from tetiwd.kernels cimport centres
from tetiwd.kernels cimport libc_math as math
from tetiwd.kernels cimport shift_sums
from tetiwd.kernels.centres cimport Centres
from tetiwd.kernels.nodes cimport Motion, Nodes
from tetiwd.kernels.shift_sums cimport ShiftSums


cdef class LineageSums:
    cdef readonly Centres own
    cdef readonly ShiftSums shift
    cdef readonly double[::1] log_det, trace, weight, SY, new_log_det, new_trace, new_weight
    cdef readonly double[:, ::1] Y, new_Y, row
    cdef readonly Py_ssize_t[:, ::1] counts, node
    cdef readonly double total_log_det, total_trace, total_weight, B
    cdef readonly Py_ssize_t n


@cython.locals(T=Py_ssize_t, t=Py_ssize_t, s=Py_ssize_t, trace=double, weight=double)
cdef void measure(LineageSums sums, Py_ssize_t x, double[:, ::1] S, double spread, Motion motion) noexcept nogil

@cython.locals(t=Py_ssize_t)
cdef void take_lineage(LineageSums sums, Py_ssize_t x, Nodes given, Py_ssize_t c) noexcept nogil

@cython.locals(T=Py_ssize_t, C=Py_ssize_t, c=Py_ssize_t, t=Py_ssize_t, k=Py_ssize_t, y=double)
cdef void build(LineageSums sums, Nodes given, Motion motion) noexcept nogil

cdef double log_likelihood(
    LineageSums sums, Motion motion, double log_det, double trace, double weight, double B
) noexcept nogil

cdef double log_likelihood_now(LineageSums sums, Motion motion) noexcept nogil

@cython.locals(x=Py_ssize_t, c=Py_ssize_t, log_det=double, trace=double, weight=double)
cdef double log_likelihood_if(
    LineageSums sums, Motion motion, Py_ssize_t a, Py_ssize_t b, double B
) noexcept nogil

@cython.locals(t=Py_ssize_t)
cdef void open_slot(LineageSums sums, Py_ssize_t c, Py_ssize_t n_epochs) noexcept nogil

@cython.locals(
    T=Py_ssize_t, x=Py_ssize_t, y=Py_ssize_t, t=Py_ssize_t, s=Py_ssize_t, node=Py_ssize_t, other=Py_ssize_t, B=double,
    change=double
)
cdef double moved_B(LineageSums sums, Nodes given, Py_ssize_t n_proposals) noexcept nogil

@cython.locals(c=Py_ssize_t)
cdef double old_Y(LineageSums sums, Py_ssize_t node, Py_ssize_t n_epochs) noexcept nogil

@cython.locals(T=Py_ssize_t, K=Py_ssize_t, t=Py_ssize_t, k=Py_ssize_t, change=double)
cdef void adopt_lineage(LineageSums sums, Nodes given, Py_ssize_t c, double B) noexcept nogil
