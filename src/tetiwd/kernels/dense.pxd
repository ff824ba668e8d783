cimport cython
from tetiwd.kernels cimport libc_math as math

@cython.locals(inverse=double, i=Py_ssize_t, j=Py_ssize_t, m=Py_ssize_t, x=double)
cdef bint cholesky(double[:, ::1] A, Py_ssize_t k, double[:, ::1] L) noexcept nogil

@cython.locals(i=Py_ssize_t, j=Py_ssize_t, x_j=double)
cdef void solve_lower(double[:, ::1] L, Py_ssize_t k, double[::1] x) noexcept nogil

@cython.locals(i=Py_ssize_t, j=Py_ssize_t, x_j=double)
cdef void solve_upper(double[:, ::1] L, Py_ssize_t k, double[::1] x) noexcept nogil

@cython.locals(inverse=double, i=Py_ssize_t, j=Py_ssize_t, c=Py_ssize_t, x=double)
cdef void solve_lower_rows(double[:, ::1] L, Py_ssize_t m, double[:, ::1] B, Py_ssize_t n) noexcept nogil

@cython.locals(inverse=double, i=Py_ssize_t, j=Py_ssize_t, c=Py_ssize_t, x=double)
cdef void solve_upper_rows(double[:, ::1] L, Py_ssize_t m, double[:, ::1] B, Py_ssize_t n) noexcept nogil

@cython.locals(i=Py_ssize_t, m=Py_ssize_t, c=Py_ssize_t, x=double)
cdef void multiply(double[:, ::1] A, double[:, ::1] B, Py_ssize_t k, double[:, ::1] out) noexcept nogil

@cython.locals(i=Py_ssize_t, m=Py_ssize_t, c=Py_ssize_t, x=double)
cdef void square(double[:, ::1] X, Py_ssize_t k, double[:, ::1] out) noexcept nogil

@cython.locals(i=Py_ssize_t)
cdef double log_det(double[:, ::1] L, Py_ssize_t k) noexcept nogil

@cython.locals(inverse=double, i=Py_ssize_t, j=Py_ssize_t, c=Py_ssize_t, x=double, total=double)
cdef double trace_of_solution(double[:, ::1] F, Py_ssize_t k, double[:, ::1] L, double[:, ::1] X) noexcept nogil

@cython.locals(i=Py_ssize_t, j=Py_ssize_t)
cdef void times(
    double[:, ::1] C, Py_ssize_t n_rows, Py_ssize_t m, double[::1] h, double[::1] out
) noexcept nogil

@cython.locals(i=Py_ssize_t, total=double)
cdef double quadratic(double[:, ::1] G, Py_ssize_t m, double[::1] x, double[::1] Gx) noexcept nogil

@cython.locals(i=Py_ssize_t, j=Py_ssize_t, x_i=double)
cdef void combine(double[:, ::1] A, Py_ssize_t k, double[::1] x, double[::1] out) noexcept nogil

@cython.locals(i=Py_ssize_t, j=Py_ssize_t)
cdef void copy_block(double[:, ::1] A, Py_ssize_t k, double[:, ::1] B) noexcept nogil
