from tetiwd.kernels.assign cimport Assignment
from tetiwd.kernels.row_law cimport RowLaw
from tetiwd.kernels.sides cimport Sides
from tetiwd.kernels.split_merge cimport Proposal
from tetiwd.kernels.terms cimport Terms
from tetiwd.kernels.views cimport Neighbour
from tetiwd.kernels.wishart cimport Wishart


cdef class Workspace:
    cdef readonly Py_ssize_t capacity, n
    cdef readonly Assignment assignment
    cdef readonly Terms terms
    cdef readonly RowLaw law
    cdef readonly Wishart wishart
    cdef readonly Sides sides
    cdef readonly Proposal proposal
    cdef readonly double[:, ::1] A
    cdef readonly Py_ssize_t[::1] back, best_back
    cdef readonly Neighbour nobody
