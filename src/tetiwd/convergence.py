"""R-hat and effective sample sizes of many quantities at once (Vehtari et al. 2021), as ArviZ defines them.

Arrays have shape (quantities, chains, draws), with at least four draws. A run asks again and again while it samples,
which a loop over quantities would make slow.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
TAILS = (0.05, 0.95)
SAME = np.finfo(float).resolution  # values that differ by less are constant


def split_r_hat(values: Floats) -> Floats:
    """R-hat of the halves of all chains."""
    return _r_hat(split(values))


def rank_r_hat(values: Floats) -> Floats:
    """R-hat of normal scores, of the values or of their distances from the median, whichever is larger."""
    halves = split(values)
    folded = np.abs(halves - np.median(halves, axis=(1, 2), keepdims=True))
    return np.maximum(_r_hat(normal_scores(halves)), _r_hat(normal_scores(folded)))


def bulk_ess(values: Floats) -> Floats:
    """Effective sample size for the centre of a distribution."""
    return _ess(normal_scores(split(values)))


def tail_ess(values: Floats) -> Floats:
    """Effective sample size for its tails, the smaller of the two."""
    low, high = np.quantile(values, TAILS, axis=(1, 2))
    below = [split(values <= quantile[:, None, None]).astype(float) for quantile in (low, high)]
    return np.minimum(*map(_ess, below))


def split(values: NDArray[Any]) -> NDArray[Any]:
    """Every chain as two; a draw in the middle is left out."""
    half = values.shape[2] // 2
    return np.concatenate([values[:, :, :half], values[:, :, -half:]], axis=1)


def normal_scores(values: Floats) -> Floats:
    """Ranks among all draws of a quantity, as quantiles of a normal distribution (Blom 1958)."""
    from scipy.special import ndtri
    from scipy.stats import rankdata

    n = values[0].size
    ranks = rankdata(values.reshape(len(values), n), axis=1)
    return np.asarray(ndtri((ranks - 3 / 8) / (n + 1 / 4))).reshape(values.shape)


def _r_hat(values: Floats) -> Floats:
    n = values.shape[2]
    between, within = n * values.mean(axis=2).var(axis=1, ddof=1), values.var(axis=2, ddof=1).mean(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):  # chains that stand still
        return np.asarray(np.sqrt((between / within + n - 1) / n))


def _ess(values: Floats) -> Floats:
    """Effective sample size from autocorrelations, summed as long as they are positive and fall (Geyer 1992)."""
    n_quantities, n_chains, n = values.shape
    covariance = _autocovariance(values).mean(axis=1)
    within = covariance[:, :1] * n / (n - 1)
    total = within * (n - 1) / n + values.mean(axis=2).var(axis=1, ddof=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):  # constants
        rho = 1 - (within - covariance) / total
    rho[:, 0] = 1.0
    last = max(0, (n - 3) // 2)  # of the pairs of lags that are looked at
    pairs = rho[:, : 2 * last + 2].reshape(n_quantities, last + 1, 2).sum(axis=2)
    ended = pairs <= 0
    end = np.where(ended.any(axis=1), ended.argmax(axis=1), last)
    summed = np.where(np.arange(last + 1) < end[:, None], np.minimum.accumulate(pairs, axis=1), 0.0).sum(axis=1)
    rows = np.arange(n_quantities)
    one_more = rho[rows, 2 * end]
    one_more[(one_more <= 0) & (pairs[rows, end] < 0)] = 0.0
    tau = np.maximum(2 * summed + one_more - 1, 1 / np.log10(n_chains * n))
    return np.where(np.ptp(values, axis=(1, 2)) < SAME, n_chains * n, n_chains * n / tau)


def _autocovariance(values: Floats) -> Floats:
    """Autocovariance of every chain at every lag."""
    from scipy.fft import irfft, next_fast_len, rfft

    n = values.shape[2]
    m = next_fast_len(2 * n, real=True)
    spectrum = rfft(values - values.mean(axis=2, keepdims=True), n=m, axis=2)
    result: Floats = irfft(np.abs(spectrum) ** 2, n=m, axis=2)[:, :, :n] / n
    return result
