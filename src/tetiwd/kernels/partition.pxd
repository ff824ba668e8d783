cimport cython

from tetiwd.kernels cimport gamma
from tetiwd.kernels cimport libc_math as math
from tetiwd.kernels.views cimport Epoch, Model, Neighbour

cdef double worth_of_past(double kappa, Py_ssize_t k_before) noexcept nogil

cdef double share_of_label(double rate, Py_ssize_t max_clusters) noexcept nogil

@cython.locals(kappa=double, worth=double, share=double, backward=double, known=double)
cdef double weight_of_present(
    Py_ssize_t size, Py_ssize_t before, Py_ssize_t after, Model model, Py_ssize_t k_before
) noexcept nogil

@cython.locals(kappa=double, worth=double, known=double, total=double)
cdef double log_weight_of_group(
    Py_ssize_t size, Py_ssize_t n, Py_ssize_t before, Py_ssize_t after, Model model, Py_ssize_t k_before
) noexcept nogil

@cython.locals(kappa=double, worth=double, share=double, backward=double, known=double)
cdef double weight_of_birth(
    Py_ssize_t before, Py_ssize_t after, Model model, Py_ssize_t k_before, Py_ssize_t free_here, Py_ssize_t unused,
    Py_ssize_t born_next
) noexcept nogil

@cython.locals(new=double)
cdef double weight_of_start(Py_ssize_t after, Model model) noexcept nogil

cdef double ratio_of_rising(double x, double y, Py_ssize_t n) noexcept nogil

@cython.locals(b=Py_ssize_t, n_before=Py_ssize_t)
cdef double log_normaliser(Neighbour before, Epoch epoch, double xi, double kappa) noexcept nogil

@cython.locals(c=Py_ssize_t, n_new=Py_ssize_t, free=Py_ssize_t, total=double, worth=double, share=double)
cdef double log_transition(
    Py_ssize_t[::1] counts_before, Py_ssize_t k_before, Py_ssize_t[::1] counts, Py_ssize_t k, Py_ssize_t[::1] back,
    double xi, double kappa, Py_ssize_t max_clusters
) noexcept nogil

@cython.locals(k=Py_ssize_t, total=double, xi=double, kappa=double)
cdef double log_transitions_around(
    Epoch epoch, Neighbour before, Neighbour after, Model model
) noexcept nogil
