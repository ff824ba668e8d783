# The names of Python's module math that kernels use, as C knows them.
cdef extern from "<math.h>" nogil:
    double erf(double x)
    double exp(double x)
    double log(double x)
    double sqrt(double x)
    const double inf "INFINITY"
    const double pi "3.14159265358979323846"
