cimport cython
from cpython.pycapsule cimport PyCapsule_GetPointer

from tetiwd.kernels cimport libc_math as math

cdef extern from "numpy/random/bitgen.h" nogil:
    ctypedef struct bitgen_t:
        void *state
        double (*next_double)(void *state) noexcept nogil

cdef extern from "numpy/random/distributions.h" nogil:
    double random_standard_normal(bitgen_t *bits)

ctypedef bitgen_t *Bits
cdef double NEGLIGIBLE, COUNTS


cdef class Stream:
    cdef object generator
    cdef bitgen_t *bits
    cdef double uniform(self) noexcept nogil
    cdef double normal(self) noexcept nogil
    cdef Py_ssize_t below(self, Py_ssize_t n) noexcept nogil


cdef double draw_chi_square(Stream stream, double df) noexcept nogil

@cython.locals(i=Py_ssize_t, best=Py_ssize_t, top=double, total=double, gap=double)
cdef (Py_ssize_t, double) exponentiate(double[::1] log_weight, Py_ssize_t n, double power) noexcept nogil

@cython.locals(i=Py_ssize_t)
cdef Py_ssize_t find_index(double[::1] weight, Py_ssize_t n, double target, Py_ssize_t best) noexcept nogil

@cython.locals(best=Py_ssize_t, total=double)
cdef Py_ssize_t draw_index(Stream stream, double[::1] log_weight, Py_ssize_t n, double power) noexcept nogil

@cython.locals(best=Py_ssize_t, total=double)
cdef Py_ssize_t index_at(double[::1] log_weight, Py_ssize_t n, double u) noexcept nogil

cdef bint accept(Stream stream, double log_ratio, double log_proposal, double power) noexcept nogil

cdef double log_bar(Stream stream, double log_ratio, double power) noexcept nogil
