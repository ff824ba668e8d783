cimport cython

from tetiwd.kernels cimport gamma
from tetiwd.kernels cimport libc_math as math
from tetiwd.kernels.views cimport Epoch, Neighbour

cdef double weight_of_present(
    Py_ssize_t size, Py_ssize_t before, Py_ssize_t after, double xi, Py_ssize_t max_clusters
) noexcept nogil

cdef double weight_of_birth(
    Py_ssize_t before, Py_ssize_t after, double xi, Py_ssize_t max_clusters, Py_ssize_t free_here, Py_ssize_t unused,
    Py_ssize_t born_next
) noexcept nogil

@cython.locals(b=Py_ssize_t, n_before=Py_ssize_t)
cdef double log_normaliser(Neighbour before, Epoch epoch, double xi) noexcept nogil

@cython.locals(c=Py_ssize_t, n_new=Py_ssize_t, free=Py_ssize_t, total=double)
cdef double log_transition(
    Py_ssize_t[::1] counts_before, Py_ssize_t k_before, Py_ssize_t[::1] counts, Py_ssize_t k, Py_ssize_t[::1] back,
    double xi, Py_ssize_t max_clusters
) noexcept nogil

@cython.locals(k=Py_ssize_t, total=double)
cdef double log_transitions_around(
    Epoch epoch, Neighbour before, Neighbour after, double xi, Py_ssize_t max_clusters
) noexcept nogil
