"""Linear algebra of small matrices, k×k blocks of larger arrays.

Written by hand, because the bits of a BLAS depend on its number of threads.
"""

import math


def cholesky(A, k, L):
    """Lower factor of the leading k×k block of A into L; False if A is not positive definite."""
    for i in range(k):
        for j in range(i + 1):
            total = A[i, j]
            for m in range(j):
                total -= L[i, m] * L[j, m]
            if i == j:
                if not total > 0.0:
                    return False
                L[i, i] = math.sqrt(total)
            else:
                L[i, j] = total / L[j, j]
    return True


def solve_lower(L, k, x):
    """x ← L⁻¹ x."""
    for i in range(k):
        total = x[i]
        for j in range(i):
            total -= L[i, j] * x[j]
        x[i] = total / L[i, i]


def solve_upper(L, k, x):
    """x ← L⁻ᵀ x."""
    for i in range(k - 1, -1, -1):
        total = x[i]
        for j in range(i + 1, k):
            total -= L[j, i] * x[j]
        x[i] = total / L[i, i]


def solve_columns(L, m, B, n_columns, out, x):
    """out ← (L Lᵀ)⁻¹ B, column by column; x is scratch."""
    for j in range(n_columns):
        for i in range(m):
            x[i] = B[i, j]
        solve_lower(L, m, x)
        solve_upper(L, m, x)
        for i in range(m):
            out[i, j] = x[i]


def log_det(L, k):
    """Log determinant of L Lᵀ."""
    total = 0.0
    for i in range(k):
        total += math.log(L[i, i])
    return 2.0 * total


def trace_of_solution(L, k, B, x):
    """tr((L Lᵀ)⁻¹ B); x is scratch."""
    total = 0.0
    for j in range(k):
        for i in range(k):
            x[i] = B[i, j]
        solve_lower(L, k, x)
        solve_upper(L, k, x)
        total += x[j]
    return total


def times(C, n_rows, m, h, out):
    """out ← C h."""
    for i in range(n_rows):
        total = 0.0
        for j in range(m):
            total += C[i, j] * h[j]
        out[i] = total


def quadratic(G, m, x):
    """Squared distance between the last point of a Gram matrix and the combination x of the others."""
    total = G[m, m]
    for i in range(m):
        total -= 2.0 * x[i] * G[i, m]
        for j in range(m):
            total += x[i] * G[i, j] * x[j]
    return max(total, 0.0)


def copy_block(A, k, B):
    """B ← the leading k×k block of A."""
    for i in range(k):
        for j in range(k):
            B[i, j] = A[i, j]
