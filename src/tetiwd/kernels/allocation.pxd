cimport cython


cdef class Draft:
    cdef readonly Py_ssize_t n, n_draws, n_rows, room
    cdef public Py_ssize_t n_clusters
    cdef readonly bint by_pairs
    cdef readonly int[:, ::1] row, counts
    cdef readonly double[:, ::1] saved
    cdef readonly double[::1] grow, meet, pairs_theirs, pairs_both, price, mine
    cdef readonly Py_ssize_t[::1] labels, sizes


@cython.locals(s=Py_ssize_t, r=Py_ssize_t, common=int)
cdef void put(Draft draft, Py_ssize_t i, Py_ssize_t g, int sign) noexcept nogil

@cython.locals(last=Py_ssize_t, r=Py_ssize_t, i=Py_ssize_t)
cdef void close(Draft draft, Py_ssize_t g) noexcept nogil

@cython.locals(expected=double, best=double)
cdef double adjusted_rand(double both, double mine, double theirs, double pairs) noexcept nogil

@cython.locals(k=Py_ssize_t, g=Py_ssize_t, s=Py_ssize_t, r=Py_ssize_t)
cdef void weigh(Draft draft, Py_ssize_t i) noexcept nogil

@cython.locals(
    k=Py_ssize_t, g=Py_ssize_t, s=Py_ssize_t, r=Py_ssize_t, pairs=double, total=double, both=double, theirs=double,
    chance=double, expected=double
)
cdef void weigh_by_pairs(Draft draft, Py_ssize_t i) noexcept nogil

@cython.locals(g=Py_ssize_t, best=Py_ssize_t)
cdef Py_ssize_t cheapest(Draft draft) noexcept nogil

@cython.locals(g=Py_ssize_t, best=Py_ssize_t, alone=bint, moves=bint, stay=double)
cdef bint offer(Draft draft, Py_ssize_t i) noexcept nogil

@cython.locals(o=Py_ssize_t)
cpdef void allocate(Draft draft, Py_ssize_t[::1] order)

@cython.locals(o=Py_ssize_t, _=Py_ssize_t, moved=Py_ssize_t)
cpdef bint improve(Draft draft, Py_ssize_t[::1] order, Py_ssize_t most_passes)

@cython.locals(o=Py_ssize_t, g=Py_ssize_t)
cpdef void clear(Draft draft, Py_ssize_t[::1] members)
