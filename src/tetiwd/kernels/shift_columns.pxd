cimport cython

from tetiwd.kernels cimport centres, dense
from tetiwd.kernels.centres cimport Centres


@cython.locals(j=Py_ssize_t)
cdef void clear(double[:, ::1] x, Py_ssize_t i, Py_ssize_t q) noexcept nogil

@cython.locals(T=Py_ssize_t, t=Py_ssize_t, s=Py_ssize_t)
cdef void set_lineage(
    Centres own, Py_ssize_t[:, ::1] counts, Py_ssize_t c, double spread, double root, double[:, ::1] row,
    double[:, ::1] Y, Py_ssize_t first
) noexcept nogil

@cython.locals(i=Py_ssize_t)
cdef void begin_weight(double[:, ::1] weight, Py_ssize_t q) noexcept nogil

@cython.locals(j=Py_ssize_t)
cdef void add_weight(
    double[:, ::1] weight, Py_ssize_t q, Py_ssize_t n, Py_ssize_t t, double root, double[:, ::1] Y, Py_ssize_t i
) noexcept nogil

@cython.locals(k=Py_ssize_t, j=Py_ssize_t, x_k=double)
cdef void combine(
    double[:, ::1] x, Py_ssize_t o, Py_ssize_t first, Py_ssize_t last, double[:, ::1] Y, Py_ssize_t q,
    double[:, ::1] out, Py_ssize_t i
) noexcept nogil

@cython.locals(m=Py_ssize_t, j=Py_ssize_t, x_m=double)
cdef void add_product(
    double[:, ::1] out, Py_ssize_t q, double factor, double[:, ::1] x, Py_ssize_t i, double[:, ::1] y, Py_ssize_t k
) noexcept nogil

@cython.locals(i=Py_ssize_t)
cdef void invert(double[:, ::1] A, Py_ssize_t q, double[:, ::1] out) noexcept nogil
