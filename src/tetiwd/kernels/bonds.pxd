cimport cython

from tetiwd.kernels.sums cimport Sums


cdef class Bonds:
    cdef readonly Py_ssize_t n_groups
    cdef readonly Py_ssize_t[::1] group, start, members, first, other
    cdef readonly double[::1] weight, inside


@cython.locals(i=Py_ssize_t, obj=Py_ssize_t, total=double)
cdef double sum_inside(Bonds bonds, Py_ssize_t g, Sums sums, bint similarity) noexcept nogil

@cython.locals(i=Py_ssize_t)
cdef void add_pull(Bonds bonds, Py_ssize_t g, Py_ssize_t[::1] z, double[:, ::1] log_weight) noexcept nogil
