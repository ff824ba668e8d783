cimport cython

from tetiwd.kernels cimport dense
from tetiwd.kernels cimport libc_math as math
from tetiwd.kernels.views cimport Epoch

@cython.locals(c=Py_ssize_t, j=Py_ssize_t, size=Py_ssize_t)
cdef void sort_counts(Epoch epoch, Py_ssize_t[::1] counts) noexcept nogil

@cython.locals(c=Py_ssize_t, share=double, total=double)
cdef double entropy(Epoch epoch, Py_ssize_t[::1] counts) noexcept nogil

@cython.locals(k=Py_ssize_t, i=Py_ssize_t, j=Py_ssize_t, total=double)
cdef double mean_distance(Epoch epoch) noexcept nogil

cdef double log_det(Epoch epoch, double[:, ::1] L) noexcept nogil
