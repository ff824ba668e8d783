"""Arrays as the innermost loops take them; compiled, they are pointers, and loops work on several numbers at once.

The functions that take them promise that what they write overlaps with nothing else they are given. Every number is
the same as computed one by one. Pointers are not checked by the build with checked indices, but by the sanitized one.
"""


def row(values):
    """A one-dimensional array."""
    return values


def matrix(values):
    """A two-dimensional array, of which rows are taken."""
    return values


def row_of(values, i):
    """Row i of a matrix."""
    return values[i]
