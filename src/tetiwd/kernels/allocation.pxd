cimport cython

from tetiwd.kernels cimport libc_math as math


cdef class Draft:
    cdef readonly Py_ssize_t n, n_draws, room
    cdef public Py_ssize_t n_clusters
    cdef readonly bint by_pairs
    cdef readonly int[:, ::1] row, counts
    cdef readonly double[::1] grow, meet, pairs_theirs, pairs_both, margin, price, mine, index
    cdef readonly double[:, ::1] weight
    cdef readonly Py_ssize_t weighed
    cdef readonly Py_ssize_t[::1] first, labels, sizes


@cython.locals(s=Py_ssize_t, r=Py_ssize_t)
cdef void put(Draft draft, Py_ssize_t i, Py_ssize_t g) noexcept nogil

@cython.locals(g=Py_ssize_t, s=Py_ssize_t, r=Py_ssize_t)
cdef void take_out(Draft draft, Py_ssize_t i) noexcept nogil

@cython.locals(last=Py_ssize_t, r=Py_ssize_t, i=Py_ssize_t)
cdef void close(Draft draft, Py_ssize_t g) noexcept nogil

cdef void weigh(Draft draft, Py_ssize_t i) noexcept nogil

@cython.locals(k=Py_ssize_t, own=Py_ssize_t, g=Py_ssize_t, s=Py_ssize_t, r=Py_ssize_t, stay=double)
cdef void weigh_by_tables(Draft draft, Py_ssize_t i) noexcept nogil

@cython.locals(own=Py_ssize_t, end=Py_ssize_t, g=Py_ssize_t, s=Py_ssize_t, r=Py_ssize_t, lost=int)
cdef void weigh_by_pairs(Draft draft, Py_ssize_t i) noexcept nogil

@cython.locals(
    g=Py_ssize_t, s=Py_ssize_t, pairs=double, mine=double, both=double, theirs=double, chance=double, expected=double
)
cdef void weigh_pairs(Draft draft, Py_ssize_t own, Py_ssize_t end) noexcept nogil

@cython.locals(g=Py_ssize_t, best=Py_ssize_t, end=Py_ssize_t)
cdef Py_ssize_t cheapest(Draft draft, Py_ssize_t own) noexcept nogil

@cython.locals(own=Py_ssize_t, best=Py_ssize_t, moves=bint)
cdef bint offer(Draft draft, Py_ssize_t i) noexcept nogil

@cython.locals(own=Py_ssize_t, n_clusters=Py_ssize_t)
cdef void put_elsewhere(Draft draft, Py_ssize_t i, Py_ssize_t g) noexcept nogil

@cython.locals(o=Py_ssize_t)
cpdef void allocate(Draft draft, Py_ssize_t[::1] order)

@cython.locals(o=Py_ssize_t, moved=Py_ssize_t)
cpdef Py_ssize_t improve(Draft draft, Py_ssize_t[::1] order)

@cython.locals(o=Py_ssize_t)
cpdef void clear(Draft draft, Py_ssize_t[::1] members)

@cython.locals(i=Py_ssize_t, g=Py_ssize_t, s=Py_ssize_t, r=Py_ssize_t)
cpdef void fill(Draft draft, Py_ssize_t[::1] labels)

@cython.locals(s=Py_ssize_t, r=Py_ssize_t, g=Py_ssize_t, total=double)
cpdef void sum_in_common(Draft draft, double[::1] f, double[::1] out)
