"""How often objects are together in draws of partitions."""

try:
    import cython
except ImportError:
    from tetiwd.kernels import no_cython as cython


def count_together(rows, columns, same, total):
    """Add to ``total`` (n, m) in how many draws an object of (S, n) has the label of one of (S, m).

    With ``same`` both are the same objects, and only pairs i ≥ j are counted.
    """
    with cython.nogil:
        for i in range(rows.shape[1]):
            end = i + 1 if same else columns.shape[1]
            for s in range(rows.shape[0]):
                label = rows[s, i]
                for j in range(end):
                    total[i, j] += columns[s, j] == label
