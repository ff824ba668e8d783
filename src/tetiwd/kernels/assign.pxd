cimport cython

from tetiwd.kernels cimport births, bonds, partition, slots, stream, terms, views
from tetiwd.kernels cimport c_arrays as arrays
from tetiwd.kernels cimport libc_math as math
from tetiwd.kernels.births cimport Births, Candidates
from tetiwd.kernels.stream cimport Stream
from tetiwd.kernels.terms cimport Terms, Without
from tetiwd.kernels.views cimport Epoch, Model, Neighbour

cdef Py_ssize_t MOST_UPDATES


cdef class Assignment:
    cdef readonly Terms terms
    cdef readonly Without out
    cdef readonly Births births
    cdef readonly Candidates found
    cdef readonly double[::1] r, divided
    cdef readonly double[:, ::1] log_prior


@cython.locals(m0=Py_ssize_t, m1=Py_ssize_t, size=Py_ssize_t, k_before=Py_ssize_t)
cdef void weigh_cluster(
    double[:, ::1] log_prior, Epoch epoch, Neighbour before, Neighbour after, Model model, Py_ssize_t c
) noexcept nogil

@cython.locals(C=Py_ssize_t, c=Py_ssize_t, best=Py_ssize_t, weight=double)
cdef Py_ssize_t weigh_present(
    Assignment scratch, Py_ssize_t k, Model model, double own, Py_ssize_t a, bint alone
) noexcept nogil

cdef double at_most(Candidates found, Py_ssize_t i, double half) noexcept nogil

cdef double at_least(Candidates found, Py_ssize_t i, double half) noexcept nogil

@cython.locals(i=Py_ssize_t, half=double, top=double)
cdef void add_volumes(Candidates found, Py_ssize_t n_present, Model model) noexcept nogil

@cython.locals(
    i=Py_ssize_t, best=Py_ssize_t, second=Py_ssize_t, top=double, half=double, highest=double, bound=double, u=double,
    others=double
)
cdef Py_ssize_t choose(
    Stream rng, Candidates found, Py_ssize_t n_present, Py_ssize_t C, Model model
) noexcept nogil

@cython.locals(i=Py_ssize_t, n_born=Py_ssize_t, pick=Py_ssize_t, top=double, total=double)
cdef Py_ssize_t choose_by_kind(
    Stream rng, Candidates found, Py_ssize_t n_present, Py_ssize_t C, double power
) noexcept nogil

@cython.locals(k=Py_ssize_t, c=Py_ssize_t)
cdef void look_anew(Assignment scratch, Epoch epoch, Neighbour before, Neighbour after, Model model) noexcept nogil

@cython.locals(
    n=Py_ssize_t, moved=Py_ssize_t, trusted=Py_ssize_t, obj=Py_ssize_t, k=Py_ssize_t, a=Py_ssize_t, c=Py_ssize_t,
    n_present=Py_ssize_t, C=Py_ssize_t, pick=Py_ssize_t, alone=bint, offered=bint, some_bound=bint
)
cdef (Py_ssize_t, Py_ssize_t) assign_objects(
    Stream rng, Assignment scratch, Epoch epoch, Neighbour before, Neighbour after, Model model, Py_ssize_t n_aux,
    Py_ssize_t offers, Py_ssize_t first
) noexcept nogil

@cython.locals(k=Py_ssize_t, c=Py_ssize_t, b=Py_ssize_t, f=Py_ssize_t)
cdef Py_ssize_t move_object(
    Assignment scratch, Epoch epoch, Neighbour before, Neighbour after, Model model, Py_ssize_t obj, Py_ssize_t a,
    Py_ssize_t pick, double own, bint alone, Py_ssize_t trusted
) noexcept nogil
