cimport cython

from tetiwd.kernels cimport libc_math as math
from tetiwd.kernels cimport stream, terms
from tetiwd.kernels.stream cimport Stream
from tetiwd.kernels.terms cimport Terms
from tetiwd.kernels.views cimport Epoch, Model

cdef Py_ssize_t MOST_STEPS
cdef double SMALL_STEP, INSIDE


@cython.locals(x=double)
cdef double draw_from_prior(Stream rng, double tau, double limit) noexcept nogil

@cython.locals(root=double, inside=double, gap=double)
cdef double log_cut_normal(double x, double mode, double precision, double limit) noexcept nogil

@cython.locals(c=Py_ssize_t, total=double)
cdef double log_prior_of_spreads(Epoch epoch, Model model) noexcept nogil

@cython.locals(
    n=double, half=double, w=double, prior=double, most=double, x=double, curvature=double, pull=double, new=double,
    step=double
)
cdef (double, double) find_law(Epoch epoch, Model model, Py_ssize_t c) noexcept nogil

@cython.locals(x=double, mode=double, precision=double)
cdef double propose_spread(Stream rng, Epoch epoch, Model model, Py_ssize_t c, bint drawn) noexcept nogil

@cython.locals(
    c=Py_ssize_t, accepted=Py_ssize_t, current=double, proposed=double, prior=double, old=double, ratio=double,
    x=double, x_new=double
)
cdef Py_ssize_t move_spreads_of_epoch(Stream rng, Terms own_terms, Epoch epoch, Model model) noexcept nogil
