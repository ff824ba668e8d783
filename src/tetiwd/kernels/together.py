"""How often objects are together in draws of partitions."""

try:
    import cython
except ImportError:
    from tetiwd.kernels import no_cython as cython


def count_together(rows, columns, weights, same, total):
    """Add to ``total`` (n, m) the weights (S,) of draws that give objects of (S, n) and (S, m) the same label.

    With ``same`` both are the same objects, and only pairs i ≥ j are counted.
    """
    with cython.nogil:
        for i in range(rows.shape[1]):
            end = i + 1 if same else columns.shape[1]
            for s in range(rows.shape[0]):
                label, weight = rows[s, i], weights[s]
                for j in range(end):
                    total[i, j] += weight if columns[s, j] == label else 0
