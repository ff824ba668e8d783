cimport cython

from tetiwd.kernels cimport c_arrays as arrays
from tetiwd.kernels cimport libc_math as math
from tetiwd.kernels.c_arrays cimport Matrix, Row

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

@cython.locals(i=Py_ssize_t, j=Py_ssize_t, done=Py_ssize_t)
cdef void combine(Matrix A, Py_ssize_t k, Row x, Row out) noexcept nogil

@cython.locals(j=Py_ssize_t)
cdef void add_one(Py_ssize_t k, double x, Row row, Row out) noexcept nogil

@cython.locals(j=Py_ssize_t)
cdef void add_four(
    Py_ssize_t k, double x_0, Row row_0, double x_1, Row row_1, double x_2, Row row_2, double x_3, Row row_3, Row out
) noexcept nogil

@cython.locals(i=Py_ssize_t, j=Py_ssize_t)
cdef void copy_block(double[:, ::1] A, Py_ssize_t k, double[:, ::1] B) noexcept nogil
