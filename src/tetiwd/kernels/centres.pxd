cimport cython

from tetiwd.kernels cimport libc_math as math


cdef class Centres:
    cdef readonly Py_ssize_t n_epochs
    cdef readonly double[::1] V, Y, left, right, before, after, filtered, mean, expected
    cdef readonly double log_det


@cython.locals(
    T=Py_ssize_t, t=Py_ssize_t, n=Py_ssize_t, drift=double, variance=double, expected=double, total=double,
    growth=double, filtered=double
)
cdef void smooth(
    Centres own, Py_ssize_t[:, ::1] counts, Py_ssize_t c, double spread, double rho, double scale
) noexcept nogil

@cython.locals(s=Py_ssize_t, x=double)
cdef void row_of(Centres own, Py_ssize_t t, double factor, double[:, ::1] out, Py_ssize_t i) noexcept nogil
