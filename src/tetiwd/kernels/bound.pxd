cimport cython

from tetiwd.kernels cimport assign, births, bonds, partition, slots, terms
from tetiwd.kernels cimport c_arrays as arrays
from tetiwd.kernels.assign cimport Assignment
from tetiwd.kernels.stream cimport Stream
from tetiwd.kernels.views cimport Epoch, Model, Neighbour

@cython.locals(c=Py_ssize_t, i=Py_ssize_t, m=Py_ssize_t, inside=double)
cdef double gather(
    Assignment scratch, Epoch epoch, Model model, Py_ssize_t g, Py_ssize_t k, Py_ssize_t a
) noexcept nogil

@cython.locals(j=Py_ssize_t)
cdef void count_group(
    Epoch epoch, Py_ssize_t c, double[::1] r, double inside, Py_ssize_t m, double sign
) noexcept nogil

@cython.locals(c=Py_ssize_t, j=Py_ssize_t)
cdef void take_group_out(
    Assignment scratch, Epoch epoch, Model model, Py_ssize_t k, Py_ssize_t a, double inside, Py_ssize_t m, bint alone
) noexcept nogil

@cython.locals(c=Py_ssize_t, m0=Py_ssize_t, m1=Py_ssize_t, weight=double)
cdef void weigh_clusters(
    Assignment scratch, Epoch epoch, Neighbour before, Neighbour after, Model model, Py_ssize_t k, Py_ssize_t g,
    Py_ssize_t m
) noexcept nogil

@cython.locals(
    n_groups=Py_ssize_t, moved=Py_ssize_t, g=Py_ssize_t, k=Py_ssize_t, m=Py_ssize_t, a=Py_ssize_t,
    n_present=Py_ssize_t, C=Py_ssize_t, pick=Py_ssize_t, i=Py_ssize_t, b=Py_ssize_t, f=Py_ssize_t, alone=bint, offered=bint, inside=double, own=double
)
cdef (Py_ssize_t, Py_ssize_t) assign_groups(
    Stream rng, Assignment scratch, Epoch epoch, Neighbour before, Neighbour after, Model model, Py_ssize_t n_aux,
    Py_ssize_t offers, Py_ssize_t first
) noexcept nogil

@cython.locals(c=Py_ssize_t, b=Py_ssize_t, f=Py_ssize_t, i=Py_ssize_t)
cdef void move_group(
    Assignment scratch, Epoch epoch, Neighbour before, Neighbour after, Py_ssize_t g, Py_ssize_t a, Py_ssize_t pick,
    double inside, Py_ssize_t m, bint alone
) noexcept nogil
