from tetiwd.kernels.bonds cimport Bonds
from tetiwd.kernels.sums cimport Sums


cdef class Epoch:
    cdef readonly object data
    cdef readonly Sums sums
    cdef readonly double per_unit, trace
    cdef readonly Py_ssize_t n
    cdef readonly Py_ssize_t[::1] z, size, counts, back, forward
    cdef readonly double[:, ::1] R, S, A
    cdef readonly double[::1] spreads
    cdef readonly Bonds bonds


cdef class Neighbour:
    cdef readonly Py_ssize_t[::1] size, counts, link
    cdef readonly double[:, ::1] A


cdef class Model:
    cdef readonly double alpha, dof, df_A, xi, kappa, new_scale, power, tau, limit
    cdef readonly Py_ssize_t max_clusters
    cdef readonly bint isotropic, similarity


cdef double own_similarity(Epoch epoch, Model model, Py_ssize_t obj) noexcept nogil
