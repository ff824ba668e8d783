cimport cython

from tetiwd.kernels cimport dense
from tetiwd.kernels cimport libc_math as math
from tetiwd.kernels.views cimport Epoch, Model


cdef class Terms:
    cdef readonly double[:, ::1] M, Q, L, F, X, block, S
    cdef readonly double[::1] y, p, x, m, q, v, n, s, u, r
    cdef readonly double total_y, trace, ySy, log_ratio, log_spreads


cdef class Without:
    cdef readonly double[::1] m, q, y, p, Mr, M_cc, Q_cc, fit, volume, spread
    cdef readonly double total_y, trace, ySy, yr, weight_M, weight_Q
    cdef public Py_ssize_t members


@cython.locals(i=Py_ssize_t, j=Py_ssize_t, log_spreads=double)
cdef void divide_by_spreads(
    Terms terms, Py_ssize_t k, Py_ssize_t[::1] counts, double[:, ::1] S, double[::1] spreads
) noexcept nogil

@cython.locals(i=Py_ssize_t, j=Py_ssize_t, m=Py_ssize_t, total=double)
cdef bint build_sums(
    Terms terms, Py_ssize_t k, Py_ssize_t[::1] counts, double[:, ::1] S, double[::1] spreads, double[:, ::1] A,
    double alpha
) noexcept nogil

cdef bint build_terms(
    Terms terms, Py_ssize_t k, Py_ssize_t[::1] counts, double[:, ::1] S, double[::1] spreads, double[:, ::1] A,
    double alpha
) noexcept nogil

@cython.locals(i=Py_ssize_t, j=Py_ssize_t, trace=double, total_y=double, ySy=double)
cdef void add_up(Terms terms, Py_ssize_t k) noexcept nogil

@cython.locals(i=Py_ssize_t, j=Py_ssize_t, v_c=double, s=double, u=double)
cdef void change_count(
    Terms terms, Py_ssize_t k, Py_ssize_t[::1] counts, double[:, ::1] S, Py_ssize_t c, double[::1] r, double own,
    double sign
) noexcept nogil

@cython.locals(i=Py_ssize_t, y_r=double, u=double)
cdef void take_out(
    Without out, Terms terms, Py_ssize_t k, Py_ssize_t a, double[::1] r, double own, bint alone
) noexcept nogil

@cython.locals(c=Py_ssize_t)
cdef void weigh_joining(
    Without out, Model model, double own, Py_ssize_t first, Py_ssize_t end
) noexcept nogil

@cython.locals(c=Py_ssize_t)
cdef void weigh_group(Without out, Model model, double own, Py_ssize_t first, Py_ssize_t end) noexcept nogil

cdef double log_likelihood(
    Terms terms, Py_ssize_t k, Py_ssize_t n, double trace, Model model, double alpha
) noexcept nogil

cdef double epoch_log_likelihood(Epoch epoch, Terms terms, Model model) noexcept nogil

@cython.locals(i=Py_ssize_t, j=Py_ssize_t)
cdef double log_likelihood_if(
    Epoch epoch, Terms terms, Model model, double alpha, double factor, double spread, double[:, ::1] A
) noexcept nogil
