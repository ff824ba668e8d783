cimport cython

from tetiwd.kernels cimport centres
from tetiwd.kernels cimport libc_math as math
from tetiwd.kernels.centres cimport Centres
from tetiwd.kernels.nodes cimport Motion


cdef class NodeTerms:
    cdef readonly Py_ssize_t n_epochs
    cdef readonly Centres own
    cdef readonly double[:, ::1] v, Y, Q, Sv, SY
    cdef readonly double[::1] M, y, p, u
    cdef readonly Py_ssize_t[:, ::1] present
    cdef readonly Py_ssize_t[::1] n_present
    cdef readonly double weight, B, yr


@cython.locals(c=Py_ssize_t, n=Py_ssize_t, s=Py_ssize_t)
cdef void note_present(NodeTerms terms, Py_ssize_t[:, ::1] counts, Py_ssize_t n_lineages) noexcept nogil

@cython.locals(e=Py_ssize_t, s=Py_ssize_t, node=Py_ssize_t, j=Py_ssize_t, x_s=double)
cdef void add_rows(
    NodeTerms terms, double[:, ::1] S, Py_ssize_t c, double[:, ::1] x, Py_ssize_t i, Py_ssize_t K, double[:, ::1] out,
    Py_ssize_t o
) noexcept nogil

@cython.locals(e=Py_ssize_t, s=Py_ssize_t, total=double)
cdef double dot(
    NodeTerms terms, Py_ssize_t c, double[:, ::1] x, Py_ssize_t i, double[:, ::1] row, Py_ssize_t o
) noexcept nogil

@cython.locals(T=Py_ssize_t, K=Py_ssize_t, c=Py_ssize_t, b=Py_ssize_t, s=Py_ssize_t, j=Py_ssize_t)
cdef void build(
    NodeTerms terms, Py_ssize_t[:, ::1] counts, double[:, ::1] S, double[::1] spreads, Py_ssize_t n_lineages,
    Py_ssize_t t, Motion motion
) noexcept nogil

@cython.locals(T=Py_ssize_t, c=Py_ssize_t, e=Py_ssize_t, s=Py_ssize_t, u=double, r=double, total=double)
cdef void look_at(NodeTerms terms, double[::1] row, Py_ssize_t n_lineages) noexcept nogil

@cython.locals(b=Py_ssize_t, s=Py_ssize_t)
cdef void change(
    NodeTerms terms, Py_ssize_t c, double spread, Py_ssize_t n_lineages, double sign
) noexcept nogil

cdef double log_prediction(
    NodeTerms terms, Motion motion, double variance, double k, double u, double Q, double p
) noexcept nogil

cdef double log_density(Motion motion, double variance, double distance) noexcept nogil

@cython.locals(
    T=Py_ssize_t, K=Py_ssize_t, N=Py_ssize_t, c=Py_ssize_t, e=Py_ssize_t, f=Py_ssize_t, t=Py_ssize_t, s=Py_ssize_t,
    j=Py_ssize_t, weight=double, B=double, log_det=double, trace=double
)
cdef double log_likelihood(
    NodeTerms terms, Py_ssize_t[:, ::1] counts, double[:, ::1] S, double[::1] spreads, Py_ssize_t n_lineages,
    Motion motion
) noexcept nogil
