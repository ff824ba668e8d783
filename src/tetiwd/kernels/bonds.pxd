cimport cython

from tetiwd.kernels cimport libc_math as math
from tetiwd.kernels.sums cimport Sums


cdef class Bonds:
    cdef readonly Py_ssize_t n_groups
    cdef readonly Py_ssize_t[::1] group, start, members, first, other
    cdef readonly double[::1] weight, inside
    cdef readonly bint across
    cdef readonly double[:, ::1] joins, left, right


@cython.locals(i=Py_ssize_t, obj=Py_ssize_t, total=double)
cdef double sum_inside(Bonds bonds, Py_ssize_t g, Sums sums, bint similarity) noexcept nogil

cdef Py_ssize_t place(Py_ssize_t slot, Py_ssize_t table_size) noexcept nogil

cdef double gain_of_join(Bonds bonds, Py_ssize_t b, Py_ssize_t f) noexcept nogil

cdef double gain_of_links(Bonds bonds, Py_ssize_t g, Py_ssize_t b, Py_ssize_t f) noexcept nogil

cdef bint is_pinned(Bonds bonds, Py_ssize_t b) noexcept nogil

@cython.locals(i=Py_ssize_t)
cdef void add_pull(Bonds bonds, Py_ssize_t g, Py_ssize_t[::1] z, double[:, ::1] log_weight) noexcept nogil
