cimport cython

from tetiwd.kernels cimport libc_math as math
from tetiwd.kernels.bonds cimport Bonds
from tetiwd.kernels.nodes cimport Nodes


@cython.locals(g=Py_ssize_t)
cdef bint is_in_group(Bonds bonds, Py_ssize_t obj) noexcept nogil

@cython.locals(i=Py_ssize_t)
cdef void add_pull(Bonds bonds, Py_ssize_t g, Py_ssize_t[::1] z, double[::1] log_weight) noexcept nogil

cdef Py_ssize_t lineage_of(Nodes given, Py_ssize_t g) noexcept nogil

@cython.locals(n=Py_ssize_t, i=Py_ssize_t)
cdef Py_ssize_t count_within(Nodes given, Py_ssize_t g, Py_ssize_t lo, Py_ssize_t hi) noexcept nogil

@cython.locals(first=Py_ssize_t, last=Py_ssize_t)
cdef bint is_within(Nodes given, Py_ssize_t g, Py_ssize_t lo, Py_ssize_t hi) noexcept nogil

@cython.locals(g=Py_ssize_t, c=Py_ssize_t)
cdef void divide(
    Nodes given, Py_ssize_t a, Py_ssize_t b, Py_ssize_t lo, Py_ssize_t hi, Py_ssize_t[::1] side, bint split
) noexcept nogil

@cython.locals(g=Py_ssize_t, c=Py_ssize_t, n=Py_ssize_t)
cdef bint exchange(Nodes given, Py_ssize_t a, Py_ssize_t b, Py_ssize_t lo, Py_ssize_t hi) noexcept nogil

@cython.locals(total=double, g=Py_ssize_t, h=Py_ssize_t, i=Py_ssize_t, now=bint, then=bint)
cdef double gain(Nodes given, Bonds bonds) noexcept nogil
