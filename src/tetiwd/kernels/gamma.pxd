cimport cython

from tetiwd.kernels cimport libc_math as math

cdef double LOG_2_PI

@cython.locals(product=double, y=double, series=double, total=double)
cdef double log_gamma(double x) noexcept nogil

@cython.locals(i=Py_ssize_t, product=double)
cdef double log_rising(double x, Py_ssize_t n) noexcept nogil
