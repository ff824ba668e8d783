cimport cython

from tetiwd.kernels.draft cimport Draft


cdef void weigh(Draft draft, Py_ssize_t i) noexcept nogil

@cython.locals(g=Py_ssize_t, best=Py_ssize_t, end=Py_ssize_t)
cdef Py_ssize_t cheapest(Draft draft, Py_ssize_t own) noexcept nogil

@cython.locals(k=Py_ssize_t, own=Py_ssize_t, g=Py_ssize_t, known=bint)
cdef void weigh_by_tables(Draft draft, Py_ssize_t i) noexcept nogil

@cython.locals(S=Py_ssize_t, shared=Py_ssize_t, size=Py_ssize_t, low=Py_ssize_t, rest=double)
cdef double price_by_pairs(Draft draft, Py_ssize_t i, Py_ssize_t g) noexcept nogil

@cython.locals(own=Py_ssize_t, s=Py_ssize_t, saved=double)
cdef double price_in_draws(Draft draft, Py_ssize_t i, Py_ssize_t g) noexcept nogil

@cython.locals(
    own=Py_ssize_t, end=Py_ssize_t, g=Py_ssize_t, mine=Py_ssize_t, both=Py_ssize_t, more=Py_ssize_t, shared=Py_ssize_t,
    pairs=double, theirs=double
)
cdef void weigh_by_mean_index(Draft draft, Py_ssize_t i) noexcept nogil

@cython.locals(chance=double, expected=double)
cdef double rand_index(double mine, double theirs, double both, double pairs) noexcept nogil

@cython.locals(own=Py_ssize_t, end=Py_ssize_t, g=Py_ssize_t, s=Py_ssize_t, total=double)
cdef void weigh_by_index(Draft draft, Py_ssize_t i) noexcept nogil

@cython.locals(g=Py_ssize_t, s=Py_ssize_t, mine=Py_ssize_t, pairs=double, theirs=double, expected=double)
cdef void weigh_pairs(Draft draft, Py_ssize_t own, Py_ssize_t end) noexcept nogil
