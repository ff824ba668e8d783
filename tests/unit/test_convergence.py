"""R-hat and effective sample sizes of many quantities at once are those of ArviZ, one by one."""

import numpy as np
import pytest
from arviz_stats.base import array_stats

from reference import rng_for
from tetiwd.convergence import bulk_ess, rank_r_hat, split_r_hat, tail_ess


def quantities(n_chains, n):
    """Independent, slow, alternating, apart, drifting, counted and rarely changing ones."""
    rng = rng_for(140, n_chains, n)
    noise = rng.standard_normal((6, n_chains, n))
    found = [noise[0]]
    for memory in (0.95, -0.7):
        chain = np.zeros((n_chains, n))
        for i in range(1, n):
            chain[:, i] = memory * chain[:, i - 1] + noise[1, :, i]
        found.append(chain)
    found += [noise[2] + 3 * np.arange(n_chains)[:, None], noise[3] + np.linspace(0, 4, n)]
    found += [rng.integers(3, size=(n_chains, n)).astype(float), (rng.random((n_chains, n)) < 0.1).astype(float)]
    found[-1][0, 0] = 1.0
    return np.array(found)


@pytest.mark.parametrize("n", [4, 5, 6, 7, 8, 9, 10, 11, 50, 401])
@pytest.mark.parametrize("n_chains", [1, 2, 4])
def test_the_same_as_arviz(n_chains, n):
    values = quantities(n_chains, n)
    found = {"bulk": bulk_ess(values), "tail": tail_ess(values)}
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = {
            "bulk": [array_stats.ess(one, method="bulk") for one in values],
            "tail": [array_stats.ess(one, method="tail", prob=(0.05, 0.95)) for one in values],
        }
        if n_chains > 1:
            found |= {"split": split_r_hat(values), "rank": rank_r_hat(values)}
            expected |= {how: [array_stats.rhat(one, method=how) for one in values] for how in ("split", "rank")}
    for name, numbers in found.items():
        assert numbers == pytest.approx(np.array(expected[name]), rel=1e-9, nan_ok=True), name


def test_quantities_do_not_know_of_each_other():
    values = quantities(4, 60)
    for measure in (split_r_hat, rank_r_hat, bulk_ess, tail_ess):
        together, alone = measure(values), [measure(values[i : i + 1])[0] for i in range(len(values))]
        assert together == pytest.approx(alone, rel=1e-12)
