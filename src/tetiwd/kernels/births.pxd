cimport cython

from tetiwd.kernels cimport bonds, dense, partition, spread_law, stream, terms
from tetiwd.kernels cimport c_arrays as arrays
from tetiwd.kernels cimport libc_math as math
from tetiwd.kernels.c_arrays cimport Row
from tetiwd.kernels.stream cimport Stream
from tetiwd.kernels.terms cimport Terms, Without
from tetiwd.kernels.views cimport Epoch, Model, Neighbour


cdef class Births:
    cdef readonly Py_ssize_t[::1] active, ended, beginning, linked, linked_back
    cdef readonly Py_ssize_t n_active, n_ended, n_beginning, n_linked, n_back
    cdef readonly double[:, ::1] factor, beta, forward_factor, weight, block, back_factor
    cdef readonly double[::1] residual, x, p, u
    cdef readonly double total


cdef class Candidates:
    cdef readonly Py_ssize_t room
    cdef public double reference
    cdef public Py_ssize_t best
    cdef readonly double[::1] log_weight, volume, schur, spread, born, together
    cdef readonly Py_ssize_t[::1] slot, back, forward
    cdef readonly double[:, ::1] h


@cython.locals(
    i=Py_ssize_t, e=Py_ssize_t, v=Py_ssize_t, n_new=Py_ssize_t, free_here=Py_ssize_t, unused=Py_ssize_t,
    born_next=Py_ssize_t, m0=Py_ssize_t, m1=Py_ssize_t
)
cdef void weigh_kinds(Births births, Epoch epoch, Neighbour before, Neighbour after, Model model) noexcept nogil

@cython.locals(
    c=Py_ssize_t, b=Py_ssize_t, f=Py_ssize_t, n_active=Py_ssize_t, n_linked=Py_ssize_t, n_back=Py_ssize_t,
    n_ended=Py_ssize_t, n_beginning=Py_ssize_t
)
cdef void list_clusters(
    Births births, Epoch epoch, Neighbour before, Neighbour after, Py_ssize_t out
) noexcept nogil

@cython.locals(i=Py_ssize_t, j=Py_ssize_t, e=Py_ssize_t, c=Py_ssize_t)
cdef void prepare_births(
    Births births, Epoch epoch, Neighbour before, Neighbour after, Model model, Py_ssize_t out
) noexcept nogil

@cython.locals(i=Py_ssize_t, j=Py_ssize_t, e=Py_ssize_t, b=Py_ssize_t, residual=double)
cdef void regress_ended(Births births, Epoch epoch, Neighbour before) noexcept nogil

@cython.locals(i=Py_ssize_t, c=Py_ssize_t)
cdef double draw_row(
    Stream rng, Births births, Py_ssize_t e, double df_A, double[:, ::1] h, Py_ssize_t row
) noexcept nogil

@cython.locals(i=Py_ssize_t, j=Py_ssize_t, g=Py_ssize_t, schur=double, quadratic=double)
cdef double log_forward_ratio(
    Births births, Neighbour after, Epoch epoch, Py_ssize_t f, double q, Model model
) noexcept nogil

@cython.locals(i=Py_ssize_t, j=Py_ssize_t, q=double, total=double)
cdef double weigh_forward(
    Births births, Neighbour after, Epoch epoch, Py_ssize_t f, double[:, ::1] h, Py_ssize_t row, double schur,
    Model model
) noexcept nogil

@cython.locals(
    i=Py_ssize_t, own_h=Row, h_i=double, M_hh=double, y_h=double, Mr_h=double, Q_hh=double, p_h=double, m_h=double,
    q_h=double
)
cdef double log_likelihood_of_birth(
    Terms own_terms, Without out, Model model, double own, double[:, ::1] h, Py_ssize_t row, double schur,
    double spread, Py_ssize_t k, double reference
) noexcept nogil

@cython.locals(
    k=Py_ssize_t, row=Py_ssize_t, c=Py_ssize_t, b=Py_ssize_t, f=Py_ssize_t, e=Py_ssize_t, v=Py_ssize_t, itself=bint,
    schur=double, spread=double, weight=double, value=double
)
cdef Py_ssize_t offer_births(
    Stream rng, Candidates found, Py_ssize_t C, Epoch epoch, Neighbour before, Neighbour after, Model model,
    Terms own_terms, Without out, Births births, double own, Py_ssize_t n_aux, Py_ssize_t a, bint alone
) noexcept nogil

@cython.locals(m0=Py_ssize_t, m1=Py_ssize_t)
cdef double weigh_rest(
    Neighbour before, Neighbour after, Model model, Py_ssize_t b, Py_ssize_t f, Py_ssize_t n
) noexcept nogil

@cython.locals(e=Py_ssize_t, v=Py_ssize_t)
cdef double weight_of_kind(Births births, Py_ssize_t b, Py_ssize_t f) noexcept nogil

@cython.locals(e=Py_ssize_t, v=Py_ssize_t, last_e=Py_ssize_t, last_v=Py_ssize_t)
cdef (Py_ssize_t, Py_ssize_t) draw_kind(Stream rng, Births births) noexcept nogil
