cimport cython

from tetiwd.kernels cimport dense, stream, wishart
from tetiwd.kernels cimport c_arrays as arrays
from tetiwd.kernels cimport libc_math as math
from tetiwd.kernels.stream cimport Stream
from tetiwd.kernels.terms cimport Terms
from tetiwd.kernels.views cimport Epoch, Model, Neighbour
from tetiwd.kernels.wishart cimport Wishart

cdef Py_ssize_t MOST_STEPS
cdef double LOG_2_PI, SMALL_STEP


cdef class RowLaw:
    cdef readonly Py_ssize_t m, n_after
    cdef readonly Py_ssize_t[::1] others, linked, back, slots
    cdef readonly double[:, ::1] A, L, V, to_means, gram, to_after, A_after, block, factor, rows
    cdef readonly double[:, ::1] data_precision, after_precision
    cdef readonly double[::1] data_pull, after_pull
    cdef readonly double[::1] mean, beta, A_beta, x, u, Gu, Ah, within, to_origin, h, h_new
    cdef readonly double df, scale, data_weight, after_weight, power, noise_of_mean, noise_of_origin
    cdef readonly double seen_data, seen_after


@cython.locals(m=Py_ssize_t, n=Py_ssize_t, i=Py_ssize_t, j=Py_ssize_t, residual=double)
cdef double regress_on_before(
    RowLaw law, Epoch epoch, Neighbour before, Model model, Py_ssize_t b, double[::1] beta
) noexcept nogil

@cython.locals(m=Py_ssize_t, i=Py_ssize_t, j=Py_ssize_t, a=Py_ssize_t, b=Py_ssize_t)
cdef void look_at_means(RowLaw law, Epoch epoch, Model model, Py_ssize_t c) noexcept nogil

@cython.locals(i=Py_ssize_t, j=Py_ssize_t, total=double, spread=double)
cdef void centre_gram(RowLaw law, Py_ssize_t m) noexcept nogil

@cython.locals(m=Py_ssize_t, n=Py_ssize_t, f=Py_ssize_t, g=Py_ssize_t, i=Py_ssize_t, j=Py_ssize_t)
cdef void look_at_after(RowLaw law, Epoch epoch, Neighbour after, Model model, Py_ssize_t c) noexcept nogil

@cython.locals(
    m=Py_ssize_t, n=Py_ssize_t, i=Py_ssize_t, own=double, left=double, offset_data=double, offset_after=double,
    error_data=double, error_after=double, x=double, curvature=double, s=double, slope=double, share=double,
    step=double
)
cdef (double, double) schur_given(RowLaw law, double[::1] h) noexcept nogil

@cython.locals(m=Py_ssize_t, i=Py_ssize_t, j=Py_ssize_t, v=Py_ssize_t, x=double, total=double)
cdef void inform(
    RowLaw law, double[:, ::1] C, Py_ssize_t n, double[:, ::1] G, double[:, ::1] precision, double[::1] pull
) noexcept nogil

@cython.locals(i=Py_ssize_t, j=Py_ssize_t)
cdef void add_information(RowLaw law, double weight, double[:, ::1] precision, double[::1] pull) noexcept nogil

@cython.locals(m=Py_ssize_t, i=Py_ssize_t, j=Py_ssize_t)
cdef bint find_mean(RowLaw law) noexcept nogil

@cython.locals(m=Py_ssize_t, i=Py_ssize_t)
cdef void list_others(RowLaw law, Epoch epoch, Py_ssize_t c, Py_ssize_t skip) noexcept nogil

@cython.locals(m=Py_ssize_t, i=Py_ssize_t, j=Py_ssize_t)
cdef void find_row_law(
    RowLaw law, Epoch epoch, Neighbour before, Neighbour after, Model model, Py_ssize_t c, Py_ssize_t skip
) noexcept nogil

@cython.locals(
    m=Py_ssize_t, i=Py_ssize_t, j=Py_ssize_t, square=double, total=double, mode=double, curvature=double, gap=double,
    log_det=double, gaussian=double
)
cdef double log_density_of_row(RowLaw law, double[::1] h, double schur) noexcept nogil

@cython.locals(m=Py_ssize_t, i=Py_ssize_t, mode=double, curvature=double)
cdef double draw_row_from_law(Stream rng, RowLaw law, double[::1] h) noexcept nogil

@cython.locals(m=Py_ssize_t, i=Py_ssize_t, j=Py_ssize_t, total=double, variance=double)
cdef void set_row(RowLaw law, double[:, ::1] A, Py_ssize_t c, double[::1] h, double schur) noexcept nogil

@cython.locals(m=Py_ssize_t, i=Py_ssize_t, schur=double)
cdef double get_row(RowLaw law, double[:, ::1] A, Py_ssize_t c, double[::1] h) noexcept nogil

@cython.locals(schur=double)
cdef double propose_row(
    Stream rng, RowLaw law, Epoch epoch, Neighbour before, Neighbour after, Model model, Py_ssize_t c,
    Py_ssize_t skip, bint drawn
) noexcept nogil

@cython.locals(
    k=Py_ssize_t, c=Py_ssize_t, accepted=Py_ssize_t, current=double, proposed=double, ratio=double, schur=double,
    schur_new=double
)
cdef Py_ssize_t move_rows(
    Stream rng, RowLaw law, Terms own_terms, Wishart scratch, double[:, ::1] trial, Epoch epoch, Neighbour before,
    Neighbour after, Model model
) noexcept nogil
