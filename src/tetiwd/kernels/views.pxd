cimport cython


cdef class Epoch:
    cdef readonly bint single
    cdef readonly const double[:, ::1] D
    cdef readonly const float[:, ::1] D_single
    cdef readonly double per_unit, trace
    cdef readonly Py_ssize_t n
    cdef readonly Py_ssize_t[::1] z, size, counts, back, forward
    cdef readonly double[:, ::1] R, S, A
    cdef readonly double[::1] spreads


cdef class Neighbour:
    cdef readonly Py_ssize_t[::1] size, counts, link
    cdef readonly double[:, ::1] A


cdef class Model:
    cdef readonly double alpha, dof, df_A, xi, kappa, new_scale, power, tau, limit
    cdef readonly Py_ssize_t max_clusters
    cdef readonly bint isotropic, similarity


cdef double own_similarity(Epoch epoch, Model model, Py_ssize_t obj) noexcept nogil

@cython.locals(j=Py_ssize_t)
cdef double sum_row(
    Epoch epoch, Py_ssize_t row, Py_ssize_t[:, ::1] columns, Py_ssize_t side, Py_ssize_t n
) noexcept nogil

@cython.locals(j=Py_ssize_t)
cdef void move_row_sums(Epoch epoch, Py_ssize_t obj, Py_ssize_t a, Py_ssize_t c) noexcept nogil
