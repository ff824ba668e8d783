cimport cython

from tetiwd.kernels cimport libc_math as math
from tetiwd.kernels cimport lineage_sums, shift_sums, stream
from tetiwd.kernels.lineage_sums cimport LineageSums
from tetiwd.kernels.nodes cimport Motion, Nodes
from tetiwd.kernels.stream cimport Stream


@cython.locals(
    accepted=Py_ssize_t, c=Py_ssize_t, current=double, proposed=double, spread=double, x=double, x_new=double,
    gain=double, B=double
)
cdef Py_ssize_t move_spreads(
    Stream rng, LineageSums sums, Nodes given, Motion motion, double step
) noexcept nogil
