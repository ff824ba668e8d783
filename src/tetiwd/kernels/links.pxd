cimport cython

from tetiwd.kernels cimport bonds, dense, partition, row_law, stream, wishart
from tetiwd.kernels cimport libc_math as math
from tetiwd.kernels.row_law cimport RowLaw
from tetiwd.kernels.stream cimport Stream
from tetiwd.kernels.terms cimport Terms
from tetiwd.kernels.views cimport Epoch, Model, Neighbour
from tetiwd.kernels.wishart cimport Wishart

@cython.locals(f=Py_ssize_t, total=double)
cdef double gain_of_matching(double[:, ::1] joins, Py_ssize_t k_right, Py_ssize_t[::1] back) noexcept nogil

@cython.locals(total=double)
cdef double log_boundary(
    Neighbour left, Neighbour right, Py_ssize_t k_right, Py_ssize_t[::1] back, double[:, ::1] joins, Wishart scratch,
    Model model
) noexcept nogil

@cython.locals(g=Py_ssize_t, partner_of_c=Py_ssize_t, partner_of_f=Py_ssize_t)
cdef void propose_links(
    Py_ssize_t[::1] back, Py_ssize_t[::1] forward, Py_ssize_t k_right, Py_ssize_t c, Py_ssize_t f,
    Py_ssize_t[::1] new_back
) noexcept nogil

@cython.locals(c=Py_ssize_t, f=Py_ssize_t)
cdef void set_links(
    Neighbour left, Neighbour right, Py_ssize_t k_right, Py_ssize_t[::1] new_back
) noexcept nogil

@cython.locals(
    k_left=Py_ssize_t, k_right=Py_ssize_t, accepted=Py_ssize_t, c=Py_ssize_t, f=Py_ssize_t, current=double,
    proposed=double
)
cdef Py_ssize_t move_links(
    Stream rng, Neighbour left, Neighbour right, double[:, ::1] joins, Wishart scratch, Py_ssize_t[::1] new_back,
    Model model, Py_ssize_t n_steps
) noexcept nogil

@cython.locals(b=Py_ssize_t, c=Py_ssize_t)
cdef void exchange_side(Py_ssize_t[::1] links, Neighbour neighbour, Py_ssize_t f, Py_ssize_t g) noexcept nogil

cdef void exchange_links(
    Epoch epoch, Neighbour before, Neighbour after, Py_ssize_t f, Py_ssize_t g, Py_ssize_t sides
) noexcept nogil

@cython.locals(back=Py_ssize_t, forward=Py_ssize_t)
cdef bint anything_to_exchange(Epoch epoch, Py_ssize_t f, Py_ssize_t g, Py_ssize_t sides) noexcept nogil

@cython.locals(current=double, proposed=double)
cdef double gain_of_sizes(
    Epoch epoch, Neighbour before, Neighbour after, Model model, Py_ssize_t f, Py_ssize_t g, Py_ssize_t sides
) noexcept nogil

@cython.locals(b=Py_ssize_t, f=Py_ssize_t)
cdef double gain_of_cluster(
    double[:, ::1] joins, double[:, ::1] left, double[:, ::1] right, Epoch epoch, Py_ssize_t c
) noexcept nogil

@cython.locals(gain=double)
cdef double gain_of_exchange(
    double[:, ::1] joins, double[:, ::1] left, double[:, ::1] right, Epoch epoch, Neighbour before, Neighbour after,
    Py_ssize_t f, Py_ssize_t g, Py_ssize_t sides
) noexcept nogil

@cython.locals(
    k=Py_ssize_t, accepted=Py_ssize_t, f=Py_ssize_t, g=Py_ssize_t, sides=Py_ssize_t, current=double, proposed=double,
    gained=double, known=double, ratio=double, forth=double
)
cdef Py_ssize_t exchange_with_rows(
    Stream rng, RowLaw law, Terms own_terms, Wishart scratch, double[:, ::1] old, Epoch epoch, Neighbour before,
    Neighbour after, double[:, ::1] joins, double[:, ::1] left, double[:, ::1] right, Model model, Py_ssize_t n_steps
) noexcept nogil

@cython.locals(c=Py_ssize_t, f=Py_ssize_t)
cdef bint link_first_free_pair(Neighbour left, Neighbour right) noexcept nogil

@cython.locals(
    k_left=Py_ssize_t, k_right=Py_ssize_t, c=Py_ssize_t, f=Py_ssize_t, g=Py_ssize_t, current=double, best=double,
    proposed=double
)
cdef double find_links(
    Neighbour left, Neighbour right, double[:, ::1] joins, Wishart scratch, Py_ssize_t[::1] new_back,
    Py_ssize_t[::1] best_back, Model model
) noexcept nogil
