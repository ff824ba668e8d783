"""Linear algebra of small matrices, k×k blocks of larger arrays.

Written by hand, because the bits of a BLAS depend on its number of threads.
"""

import math

from tetiwd.kernels import arrays


def cholesky(A, k, L):
    """Lower factor of the leading k×k block of A into L; False if A is not positive definite.

    Only the lower triangle of A is read, which may be L itself. The upper triangle of L becomes the transposed factor:
    its rows are what the inner loop runs along.
    """
    for i in range(k):
        for j in range(i + 1):
            L[i, j] = A[i, j]
    for m in range(k):
        if not L[m, m] > 0.0:
            return False
        L[m, m] = math.sqrt(L[m, m])
        inverse = 1.0 / L[m, m]
        for i in range(m + 1, k):
            x = L[i, m] * inverse
            L[i, m] = L[m, i] = x
            for j in range(m + 1, i + 1):
                L[i, j] -= x * L[m, j]
    return True


def solve_lower(L, k, x):
    """x ← L⁻¹ x, along the rows of the transposed factor above the diagonal."""
    for j in range(k):
        x[j] /= L[j, j]
        x_j = x[j]
        for i in range(j + 1, k):
            x[i] -= L[j, i] * x_j


def solve_upper(L, k, x):
    """x ← L⁻ᵀ x."""
    for j in range(k - 1, -1, -1):
        x[j] /= L[j, j]
        x_j = x[j]
        for i in range(j):
            x[i] -= L[j, i] * x_j


def solve_lower_rows(L, m, B, n):
    """B ← L⁻¹ B for m rows and n columns."""
    for i in range(m):
        for j in range(i):
            x = L[i, j]
            for c in range(n):
                B[i, c] -= x * B[j, c]
        inverse = 1.0 / L[i, i]
        for c in range(n):
            B[i, c] *= inverse


def solve_upper_rows(L, m, B, n):
    """B ← L⁻ᵀ B for m rows and n columns."""
    for i in range(m - 1, -1, -1):
        for j in range(i + 1, m):
            x = L[j, i]
            for c in range(n):
                B[i, c] -= x * B[j, c]
        inverse = 1.0 / L[i, i]
        for c in range(n):
            B[i, c] *= inverse


def multiply(A, B, k, out):
    """out ← A B, row by row."""
    for i in range(k):
        for c in range(k):
            out[i, c] = 0.0
        for m in range(k):
            x = A[i, m]
            for c in range(k):
                out[i, c] += x * B[m, c]


def square(X, k, out):
    """out ← Xᵀ X, row by row."""
    for i in range(k):
        for c in range(i + 1):
            out[i, c] = 0.0
        for m in range(k):
            x = X[m, i]
            for c in range(i + 1):
                out[i, c] += x * X[m, c]
        for c in range(i):
            out[c, i] = out[i, c]


def log_det(L, k):
    """Log determinant of L Lᵀ."""
    total = 0.0
    for i in range(k):
        total += math.log(L[i, i])
    return 2.0 * total


def trace_of_solution(F, k, L, X):
    """tr((F Fᵀ)⁻¹ L Lᵀ), the squared length of X = F⁻¹ L, which is scratch."""
    total = 0.0
    for i in range(k):
        for c in range(i + 1):
            X[i, c] = L[i, c]
        for j in range(i):
            x = F[i, j]
            for c in range(j + 1):
                X[i, c] -= x * X[j, c]
        inverse = 1.0 / F[i, i]
        for c in range(i + 1):
            X[i, c] *= inverse
            total += X[i, c] * X[i, c]
    return total


def times(C, n_rows, m, h, out):
    """out ← C h."""
    for i in range(n_rows):
        total = 0.0
        for j in range(m):
            total += C[i, j] * h[j]
        out[i] = total


def quadratic(G, m, x, Gx):
    """Squared distance between the last point of a Gram matrix and the combination x of the others; Gx is scratch."""
    combine(arrays.matrix(G), m, arrays.row(x), arrays.row(Gx))
    total = G[m, m]
    for i in range(m):
        total += x[i] * (Gx[i] - 2.0 * G[i, m])
    return max(total, 0.0)


def combine(A, k, x, out):
    """out ← xᵀ A, four rows at a time."""
    for j in range(k):
        out[j] = 0.0
    done = k - k % 4
    for i in range(0, done, 4):
        add_four(
            k, x[i], arrays.row_of(A, i), x[i + 1], arrays.row_of(A, i + 1), x[i + 2], arrays.row_of(A, i + 2),
            x[i + 3], arrays.row_of(A, i + 3), out,
        )  # fmt: skip
    for i in range(done, k):
        add_one(k, x[i], arrays.row_of(A, i), out)


def add_one(k, x, row, out):
    """out ← out + x · row."""
    for j in range(k):
        out[j] += x * row[j]


def add_four(k, x_0, row_0, x_1, row_1, x_2, row_2, x_3, row_3, out):
    """The same with four rows, one after the other."""
    for j in range(k):
        out[j] = (((out[j] + x_0 * row_0[j]) + x_1 * row_1[j]) + x_2 * row_2[j]) + x_3 * row_3[j]


def copy_block(A, k, B):
    """B ← the leading k×k block of A."""
    for i in range(k):
        for j in range(k):
            B[i, j] = A[i, j]
