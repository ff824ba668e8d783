# arrays.py in C. Compilers believe "restrict" only of parameters, hence a type and not casts in the loops.
cdef extern from *:
    """
    typedef double *__restrict tetiwd_row;
    """
    ctypedef double *Row "tetiwd_row"


cdef inline Row row(double[::1] values) noexcept nogil:
    return &values[0]


cdef struct Matrix:
    double *start
    Py_ssize_t width


cdef inline Matrix matrix(double[:, ::1] values) noexcept nogil:
    return Matrix(&values[0, 0], values.shape[1])


cdef inline Row row_of(Matrix values, Py_ssize_t i) noexcept nogil:
    return values.start + i * values.width
