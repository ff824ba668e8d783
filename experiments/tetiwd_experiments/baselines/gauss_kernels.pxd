cimport cython
from libc cimport math


cdef class View:
    cdef double[:, ::1] X, sums
    cdef Py_ssize_t[::1] z, size, order, counts, back, forward


@cython.locals(j=Py_ssize_t, p=Py_ssize_t)
cpdef double log_predictive(View epoch, Py_ssize_t i, Py_ssize_t c, double within, double between) noexcept

@cython.locals(j=Py_ssize_t, total=Py_ssize_t)
cdef Py_ssize_t unlinked(View epoch, Py_ssize_t[::1] link) noexcept

@cython.locals(j=Py_ssize_t, c=Py_ssize_t)
cdef Py_ssize_t pick_unlinked(View epoch, Py_ssize_t[::1] link, double target) noexcept

@cython.locals(j=Py_ssize_t)
cdef Py_ssize_t pick(double[::1] log_weight, Py_ssize_t n, double top, double u) noexcept

@cython.locals(j=Py_ssize_t, c=Py_ssize_t, last=Py_ssize_t)
cdef void take_out(View epoch, View before, View after, Py_ssize_t i) noexcept

@cython.locals(j=Py_ssize_t)
cdef void put_in(View epoch, Py_ssize_t i, Py_ssize_t c) noexcept

@cython.locals(size=double, earlier=Py_ssize_t, later=Py_ssize_t)
cdef double log_weight_of_member(
    View epoch, View before, View after, Py_ssize_t i, Py_ssize_t c, double within, double between
) noexcept

@cython.locals(
    i=Py_ssize_t, j=Py_ssize_t, n=Py_ssize_t, k=Py_ssize_t, a=Py_ssize_t, b=Py_ssize_t, c=Py_ssize_t,
    ended=Py_ssize_t, begun=Py_ssize_t, chosen=Py_ssize_t, top=double, log_weight="double[::1]"
)
cpdef void update_objects(object rng, View epoch, View before, View after, double xi, double within, double between)

@cython.locals(j=Py_ssize_t)
cdef Py_ssize_t any_cluster(View epoch, double u) noexcept

cdef double log_gain_of_link(Py_ssize_t earlier, Py_ssize_t later, double xi) noexcept

@cython.locals(c=Py_ssize_t, f=Py_ssize_t, a=Py_ssize_t, g=Py_ssize_t, gain=double)
cpdef void update_links(object rng, View here, View there, Py_ssize_t n_steps, double xi)
