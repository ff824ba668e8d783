cimport cython

@cython.locals(i=Py_ssize_t, j=Py_ssize_t, s=Py_ssize_t, end=Py_ssize_t, label=int, weight=int)
cpdef void count_together(int[:, ::1] rows, int[:, ::1] columns, int[::1] weights, bint same, int[:, ::1] total)
