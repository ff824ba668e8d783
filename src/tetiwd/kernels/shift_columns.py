"""What all lineages have in common when the objects of every epoch are displaced together.

Without displacements that is an unknown origin, one column U = 1, and Y, Λ and B of ``node_terms`` are numbers. With
displacements of variance γ it is q = 1 + T columns: 1, and √γ e_t for every epoch t. Then Y has a row for every node,
and Λ and B are matrices. The formulas are those of ``tetiwd.model.nodes``.
"""

from tetiwd.kernels import centres, dense


def clear(x, i, q):
    """Row i of x ← 0."""
    for j in range(q):
        x[i, j] = 0.0


def set_lineage(own, counts, c, spread, root, row, Y, first):
    """Ỹ of a lineage whose centres have been smoothed, into rows ``first`` … of Y; 0 where there are no objects.

    ``root`` is √γ, and ``row`` is scratch.
    """
    T = own.n_epochs
    for t in range(T):
        clear(Y, first + t, T + 1)
        if counts[c, t] > 0:
            centres.row_of(own, t, root / spread, row, 0)
            Y[first + t, 0] = own.Y[t] / spread
            for s in range(T):
                Y[first + t, 1 + s] = -row[0, s] * counts[c, s] / spread
            Y[first + t, 1 + t] += root / spread


def begin_weight(weight, q):
    """Λ without objects."""
    for i in range(q):
        clear(weight, i, q)
        weight[i, i] = 1.0 if i > 0 else 0.0


def add_weight(weight, q, n, t, root, Y, i):
    """Count n objects of epoch t, a node with row i of Ỹ, into Λ."""
    for j in range(q):
        weight[0, j] += n * Y[i, j]
        weight[1 + t, j] += n * root * Y[i, j]


def combine(x, o, first, last, Y, q, out, i):
    """Row i of ``out`` += Σ_k of x[o, k] times row k of Y, over k = ``first`` … ``last`` − 1 where x is not 0."""
    for k in range(first, last):
        x_k = x[o, k]
        if x_k != 0.0:
            for j in range(q):
                out[i, j] += x_k * Y[k, j]


def add_product(out, q, factor, x, i, y, k):
    """out += factor · (row i of x)ᵀ (row k of y)."""
    for m in range(q):
        x_m = factor * x[i, m]
        for j in range(q):
            out[m, j] += x_m * y[k, j]


def invert(A, q, out):
    """out ← A⁻¹ for a positive definite A, which is overwritten by its factor."""
    dense.cholesky(A, q, A)
    for i in range(q):
        clear(out, i, q)
        out[i, i] = 1.0
    dense.solve_lower_rows(A, q, out, q)
    dense.solve_upper_rows(A, q, out, q)
