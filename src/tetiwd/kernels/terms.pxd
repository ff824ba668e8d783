cimport cython

from tetiwd.kernels cimport c_arrays as arrays
from tetiwd.kernels cimport dense
from tetiwd.kernels cimport libc_math as math
from tetiwd.kernels.c_arrays cimport Matrix, Row
from tetiwd.kernels.views cimport Epoch, Model


cdef class Terms:
    cdef readonly double[:, ::1] M, Q, L, F, X, block, S
    cdef readonly double[::1] M_cc, Q_cc, y, p, x, m, q, v, n, s, u, r
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

@cython.locals(i=Py_ssize_t)
cdef void keep_diagonals(Terms terms, Py_ssize_t k) noexcept nogil

@cython.locals(i=Py_ssize_t, j=Py_ssize_t, trace=double, total_y=double, ySy=double)
cdef void add_up(Terms terms, Py_ssize_t k) noexcept nogil

@cython.locals(i=Py_ssize_t, j=Py_ssize_t, v_c=double, s=double, u=double)
cdef void change_count(
    Terms terms, Py_ssize_t k, Py_ssize_t[::1] counts, double[:, ::1] S, Py_ssize_t c, double[::1] r, double own,
    double sign
) noexcept nogil

@cython.locals(i=Py_ssize_t, y_r=double, u=double, M=Matrix, Q=Matrix)
cdef void take_out(
    Without out, Terms terms, Py_ssize_t k, Py_ssize_t a, Row r, double own, bint alone
) noexcept nogil

@cython.locals(i=Py_ssize_t, m_i=double, q_i=double, Mr=double)
cdef void take_out_each(
    Py_ssize_t k, double share, double pull, double along, double weight_M, double weight_Q, Row m, Row q, Row y, Row p,
    Row M_cc, Row Q_cc, Row m_out, Row q_out, Row Mr_out, Row y_out, Row p_out, Row M_out, Row Q_out
) noexcept nogil

@cython.locals(
    c=Py_ssize_t, y=double, Mr=double, Q_cc=double, g=double, volume=double, inverse=double, share=double, kappa=double,
    within=double, between=double
)
cdef void weigh_each(
    Py_ssize_t first, Py_ssize_t end, double scale, double trace, double total_y, double ySy, double yr, Row spreads,
    Row M_cc, Row ys, Row Mrs, Row Q_ccs, Row ps, Row fits, Row volumes
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
