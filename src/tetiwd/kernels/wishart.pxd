cimport cython

from tetiwd.kernels cimport dense, gamma, partition, spread_law, terms
from tetiwd.kernels cimport libc_math as math
from tetiwd.kernels.terms cimport Terms
from tetiwd.kernels.views cimport Epoch, Model, Neighbour


cdef class Wishart:
    cdef readonly double[:, ::1] P, L, F, X


cdef double log_wishart_kernel(Wishart scratch, double[:, ::1] A, Py_ssize_t k, double df) noexcept nogil

@cython.locals(trace=double)
cdef double log_wishart_given(Wishart scratch, double[:, ::1] L, Py_ssize_t k, double df) noexcept nogil

@cython.locals(i=Py_ssize_t, j=Py_ssize_t)
cdef void set_scale(
    Wishart scratch, Py_ssize_t k, Py_ssize_t[::1] back, double[:, ::1] A_before, double new_scale
) noexcept nogil

@cython.locals(i=Py_ssize_t, total=double)
cdef double log_wishart_constant(Py_ssize_t k, double df) noexcept nogil

cdef double log_prior_of_geometry(
    Epoch epoch, Neighbour before, Wishart scratch, double df_A, double new_scale
) noexcept nogil

@cython.locals(total=double)
cdef double log_geometry_target(
    Epoch epoch, double[:, ::1] A, Terms own_terms, Wishart scratch, Neighbour before, Neighbour after, Model model
) noexcept nogil

@cython.locals(total=double)
cdef double log_around(
    Epoch epoch, Terms own_terms, Wishart scratch, Neighbour before, Neighbour after, Model model
) noexcept nogil
