cimport cython

from tetiwd.kernels cimport draft as drafts
from tetiwd.kernels cimport prices
from tetiwd.kernels.draft cimport Draft


@cython.locals(own=Py_ssize_t, best=Py_ssize_t, moves=bint)
cdef bint offer(Draft draft, Py_ssize_t i) noexcept nogil

@cython.locals(o=Py_ssize_t)
cpdef void allocate(Draft draft, Py_ssize_t[::1] order)

@cython.locals(o=Py_ssize_t, moved=Py_ssize_t)
cpdef Py_ssize_t improve(Draft draft, Py_ssize_t[::1] order)
