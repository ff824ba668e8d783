from tetiwd.kernels.assign_nodes cimport NodeAssignment
from tetiwd.kernels.bound_lineages cimport GroupMove
from tetiwd.kernels.lineage_sums cimport LineageSums
from tetiwd.kernels.split_lineages cimport LineageSplit


cdef class NodeWorkspace:
    cdef readonly Py_ssize_t capacity, n_epochs, n
    cdef readonly NodeAssignment assignment
    cdef readonly LineageSplit change
    cdef readonly LineageSums sums
    cdef readonly GroupMove group
