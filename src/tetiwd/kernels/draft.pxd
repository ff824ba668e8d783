cimport cython


cdef class Draft:
    cdef readonly Py_ssize_t n, n_draws, n_counted, room, n_clusters, pairs_mine, pairs_shared, weighed
    cdef readonly bint paired, by_index
    cdef readonly int[:, ::1] together, row, sums, counts
    cdef readonly int[::1] exact
    cdef readonly double[::1] grow, meet, pairs_theirs, pairs_both, price, index, lost
    cdef readonly double[:, ::1] weight
    cdef readonly Py_ssize_t[::1] first, labels, sizes


@cython.locals(s=Py_ssize_t, r=Py_ssize_t, j=Py_ssize_t)
cdef void put(Draft draft, Py_ssize_t i, Py_ssize_t g) noexcept nogil

@cython.locals(g=Py_ssize_t, s=Py_ssize_t, r=Py_ssize_t, j=Py_ssize_t)
cdef void take_out(Draft draft, Py_ssize_t i) noexcept nogil

@cython.locals(last=Py_ssize_t, i=Py_ssize_t)
cdef void close(Draft draft, Py_ssize_t g) noexcept nogil

@cython.locals(own=Py_ssize_t, n_clusters=Py_ssize_t)
cdef void move(Draft draft, Py_ssize_t i, Py_ssize_t g) noexcept nogil

@cython.locals(o=Py_ssize_t)
cpdef void clear(Draft draft, Py_ssize_t[::1] members)

@cython.locals(i=Py_ssize_t)
cpdef void fill(Draft draft, Py_ssize_t[::1] labels)

cpdef void copy(Draft draft, Draft other)

@cython.locals(s=Py_ssize_t, r=Py_ssize_t, g=Py_ssize_t)
cpdef void sum_in_common(Draft draft, double[::1] f, double[::1] out)
