cimport cython


cdef class Sums:
    cdef double at(self, Py_ssize_t c, Py_ssize_t obj) noexcept nogil
    cdef void look(self, Py_ssize_t obj, Py_ssize_t n, double[::1] r) noexcept nogil
    cdef void move(self, Py_ssize_t obj, Py_ssize_t a, Py_ssize_t c) noexcept nogil
    cdef void add(self, Py_ssize_t obj, Py_ssize_t c, double sign) noexcept nogil
    cdef double own(self, Py_ssize_t obj) noexcept nogil
    cdef void open_sides(self) noexcept nogil
    cdef void join_side(self, Py_ssize_t obj, Py_ssize_t side) noexcept nogil
    cdef double to_side(self, Py_ssize_t obj, Py_ssize_t side) noexcept nogil


cdef class MatrixSums(Sums):
    cdef readonly bint single
    cdef readonly const double[:, ::1] D
    cdef readonly const float[:, ::1] D_single
    cdef readonly double per_unit
    cdef readonly double[:, ::1] R
    cdef readonly Py_ssize_t[:, ::1] joined
    cdef readonly Py_ssize_t[::1] n_joined

    cdef double at(self, Py_ssize_t c, Py_ssize_t obj) noexcept nogil
    @cython.locals(c=Py_ssize_t)
    cdef void look(self, Py_ssize_t obj, Py_ssize_t n, double[::1] r) noexcept nogil
    @cython.locals(j=Py_ssize_t)
    cdef void move(self, Py_ssize_t obj, Py_ssize_t a, Py_ssize_t c) noexcept nogil
    @cython.locals(j=Py_ssize_t)
    cdef void add(self, Py_ssize_t obj, Py_ssize_t c, double sign) noexcept nogil
    cdef double own(self, Py_ssize_t obj) noexcept nogil
    @cython.locals(s=Py_ssize_t)
    cdef void open_sides(self) noexcept nogil
    cdef void join_side(self, Py_ssize_t obj, Py_ssize_t side) noexcept nogil
    @cython.locals(j=Py_ssize_t)
    cdef double to_side(self, Py_ssize_t obj, Py_ssize_t side) noexcept nogil


cdef class NodeMatrixSums(MatrixSums):
    @cython.locals(j=Py_ssize_t)
    cdef double to_side(self, Py_ssize_t obj, Py_ssize_t side) noexcept nogil


cdef class FeatureSums(Sums):
    cdef readonly bint single
    cdef readonly const double[:, ::1] X
    cdef readonly const float[:, ::1] X_single
    cdef readonly const double[::1] centre
    cdef readonly double per_unit
    cdef readonly double[:, ::1] R, sides
    cdef readonly Py_ssize_t p, loaded
    cdef readonly double[::1] x
    cdef readonly double square

    @cython.locals(f=Py_ssize_t, square=double, value=double)
    cdef void load(self, Py_ssize_t obj) noexcept nogil
    @cython.locals(f=Py_ssize_t, total=double, n=double)
    cdef double from_row(self, double[:, ::1] rows, Py_ssize_t c) noexcept nogil
    @cython.locals(f=Py_ssize_t)
    cdef void add_to_row(self, double[:, ::1] rows, Py_ssize_t c, double sign) noexcept nogil
    cdef double at(self, Py_ssize_t c, Py_ssize_t obj) noexcept nogil
    @cython.locals(c=Py_ssize_t)
    cdef void look(self, Py_ssize_t obj, Py_ssize_t n, double[::1] r) noexcept nogil
    cdef void move(self, Py_ssize_t obj, Py_ssize_t a, Py_ssize_t c) noexcept nogil
    cdef void add(self, Py_ssize_t obj, Py_ssize_t c, double sign) noexcept nogil
    @cython.locals(s=Py_ssize_t, f=Py_ssize_t)
    cdef void open_sides(self) noexcept nogil
    cdef void join_side(self, Py_ssize_t obj, Py_ssize_t side) noexcept nogil
    cdef double to_side(self, Py_ssize_t obj, Py_ssize_t side) noexcept nogil


cdef class SparseSums(FeatureSums):
    cdef readonly const double[::1] values
    cdef readonly const int[::1] columns
    cdef readonly const Py_ssize_t[::1] ends
    cdef readonly Py_ssize_t start, end

    @cython.locals(e=Py_ssize_t, square=double)
    cdef void load(self, Py_ssize_t obj) noexcept nogil
    @cython.locals(e=Py_ssize_t, total=double, n=double)
    cdef double from_row(self, double[:, ::1] rows, Py_ssize_t c) noexcept nogil
    @cython.locals(e=Py_ssize_t)
    cdef void add_to_row(self, double[:, ::1] rows, Py_ssize_t c, double sign) noexcept nogil
