cimport cython

from tetiwd.kernels cimport gamma
from tetiwd.kernels cimport libc_math as math
from tetiwd.kernels.nodes cimport Motion, Nodes


cdef class Urn:
    cdef readonly double[:, ::1] weight, log_weight
    cdef readonly double[::1] total, without, log_free, usual
    cdef readonly Py_ssize_t[::1] known


cdef double rate_at(Motion motion, Py_ssize_t t) noexcept nogil

cdef Py_ssize_t n_at(Nodes nodes, Py_ssize_t t) noexcept nogil

@cython.locals(T=Py_ssize_t, C=Py_ssize_t, t=Py_ssize_t, c=Py_ssize_t, weight=double)
cdef void remember(Urn urn, Nodes nodes, Motion motion) noexcept nogil

@cython.locals(t=Py_ssize_t, c=Py_ssize_t, n=Py_ssize_t, total=double, log_rate=double, weight=double)
cdef double log_prior(Urn urn, Nodes nodes, Motion motion) noexcept nogil

@cython.locals(s=Py_ssize_t)
cdef Py_ssize_t next_present(Nodes nodes, Py_ssize_t c, Py_ssize_t t) noexcept nogil

@cython.locals(T=Py_ssize_t, n=Py_ssize_t, s=Py_ssize_t, weight=double, more=double, total=double)
cdef void take_out(Urn urn, Nodes nodes, Motion motion, Py_ssize_t a, Py_ssize_t t) noexcept nogil

@cython.locals(
    T=Py_ssize_t, s=Py_ssize_t, kappa=double, delta=double, seen=bint, old=double, new=double, total=double,
    fade=double
)
cdef double log_weight_of(
    Urn urn, Nodes nodes, Motion motion, Py_ssize_t t, Py_ssize_t n, double before, Py_ssize_t u, Py_ssize_t n_u
) noexcept nogil

@cython.locals(T=Py_ssize_t, C=Py_ssize_t, c=Py_ssize_t, u=Py_ssize_t, n_u=Py_ssize_t, n=Py_ssize_t)
cdef void weigh(Urn urn, Nodes nodes, Motion motion, Py_ssize_t a, Py_ssize_t t) noexcept nogil
