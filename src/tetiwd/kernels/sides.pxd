cimport cython

from tetiwd.kernels cimport row_law, stream, views
from tetiwd.kernels cimport libc_math as math
from tetiwd.kernels.row_law cimport RowLaw
from tetiwd.kernels.stream cimport Stream
from tetiwd.kernels.views cimport Epoch, Model, Neighbour


cdef class Sides:
    cdef readonly Py_ssize_t n_members
    cdef readonly Py_ssize_t[::1] members, side, of_group
    cdef readonly double[:, ::1] distance
    cdef readonly double[::1] uncertainty, count_before, count, own, within, to_place, r, log_weight, sums, beta, weight, row
    cdef readonly double across


@cython.locals(a=Py_ssize_t, i=Py_ssize_t)
cdef void clear_sides(Sides sides) noexcept nogil

@cython.locals(ahead=Py_ssize_t, n=Py_ssize_t, obj=Py_ssize_t, i=Py_ssize_t, j=Py_ssize_t)
cdef void list_members(
    Stream rng, Sides sides, Epoch epoch, Py_ssize_t a, Py_ssize_t b, Py_ssize_t first, Py_ssize_t second
) noexcept nogil

@cython.locals(
    m=Py_ssize_t, k=Py_ssize_t, i=Py_ssize_t, j=Py_ssize_t, obj=Py_ssize_t, rest=double, constant=double, total=double
)
cdef void predict_side(
    Sides sides, Py_ssize_t s, RowLaw law, Epoch epoch, Neighbour before, Model model, Py_ssize_t a, Py_ssize_t b,
    Py_ssize_t slot_before
) noexcept nogil

@cython.locals(n=double, precision=double, place=double, distance=double, half=double, spread=double)
cdef double weigh_side(Model model, Sides sides, Py_ssize_t i, Py_ssize_t a, double r) noexcept nogil

@cython.locals(
    n_fixed=Py_ssize_t, i=Py_ssize_t, obj=Py_ssize_t, a=Py_ssize_t, g=Py_ssize_t, own=double, ahead=double,
    total=double
)
cdef double allocate(Stream rng, Epoch epoch, Model model, Sides sides, bint drawn) noexcept nogil

@cython.locals(a=Py_ssize_t)
cdef void sum_sides(Model model, Sides sides) noexcept nogil
