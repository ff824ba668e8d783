cimport cython

from tetiwd.kernels.views cimport Epoch, Neighbour

@cython.locals(j=Py_ssize_t)
cdef void take_out_alone(Epoch epoch, Py_ssize_t a) noexcept nogil

@cython.locals(j=Py_ssize_t)
cdef void put_in(Epoch epoch, Py_ssize_t c, double[::1] r, double own) noexcept nogil

cdef void unlink(Epoch epoch, Neighbour before, Neighbour after, Py_ssize_t c) noexcept nogil

cdef void link(
    Epoch epoch, Neighbour before, Neighbour after, Py_ssize_t c, Py_ssize_t b, Py_ssize_t f
) noexcept nogil

@cython.locals(i=Py_ssize_t, j=Py_ssize_t, total=double, variance=double)
cdef Py_ssize_t open_slot(
    Epoch epoch, Neighbour before, Neighbour after, Py_ssize_t b, Py_ssize_t f, double[:, ::1] h, Py_ssize_t row,
    double schur
) noexcept nogil

cdef void close_slot(Epoch epoch, Neighbour before, Neighbour after, Py_ssize_t a) noexcept nogil

@cython.locals(i=Py_ssize_t)
cdef void drop_cluster(Epoch epoch, Neighbour before, Neighbour after, Py_ssize_t a) noexcept nogil

@cython.locals(j=Py_ssize_t)
cdef void relabel(Epoch epoch, Py_ssize_t last, Py_ssize_t a) noexcept nogil

@cython.locals(j=Py_ssize_t)
cdef void clear_row_sums(Epoch epoch, Py_ssize_t c) noexcept nogil

@cython.locals(i=Py_ssize_t, j=Py_ssize_t)
cdef void move_members(
    Epoch epoch, Py_ssize_t[::1] members, Py_ssize_t[::1] side, Py_ssize_t a, Py_ssize_t b, bint split
) noexcept nogil
