"""The verdict on the chains, in numbers and in words."""

import numpy as np
import pytest
from arviz_stats.base import array_stats

from reference import rng_for
from tetiwd.diagnostics import diagnose, shown_r_hat, whole_draws
from tetiwd.draws import SCALARS, Draws

AXES = {"geometry_acceptance": "time"}


def made_up(k_by_chain, n=400, n_objects=(6, 5), shift=(0.0, 0.0, 0.0, 0.0)):
    """Draws with given numbers of clusters at the second epoch, everything else alike."""
    rng, chains = rng_for(40), []
    for k, move in zip(k_by_chain, shift, strict=False):
        arrays = {name: rng.standard_normal(n) + move for name in SCALARS}
        arrays |= {name: rng.standard_normal((n, 2)) for name in ("entropy", "spread", "log_det_A")}
        arrays |= {"xi": np.ones(n), "geometry_acceptance": rng.uniform(0.8, 1.0, size=(n, 2))}
        arrays["n_clusters"] = np.column_stack([np.full(n, 3), k + (rng.random(n) < 0.2)])
        arrays["labels"] = rng.integers(3, size=(n, 11)).astype(np.uint16)
        arrays |= {"geometry": np.empty(0), "geometry_every": np.array(0)}
        chains.append(Draws.from_arrays(n_objects, arrays, AXES))
    return chains


def changed(draws, **columns):
    """The same draws with other columns."""
    arrays = {name: np.array(values) for name, values in columns.items()}
    return Draws.from_arrays(draws.n_objects, draws.to_arrays() | arrays, AXES)


def test_chains_that_agree():
    chains = made_up([4, 4, 4, 4])
    found = diagnose(chains, [2001, 2003])
    assert found.converged
    assert found.verdict == "All 4 MCMC chains agree."
    values = np.array([d.log_joint for d in chains])
    assert found["log_joint"].r_hat == pytest.approx(array_stats.rhat(values, method="rank"))
    assert found["log_joint"].ess_bulk == pytest.approx(array_stats.ess(values, method="bulk"))
    assert found["log_joint"].ess_tail == pytest.approx(array_stats.ess(values, method="tail", prob=(0.05, 0.95)))


def test_constants_are_called_constant():
    found = diagnose(made_up([4, 4, 4, 4]), [2001, 2003])
    assert found["xi"].constant
    assert str(found["xi"]) == "xi: constant at 1"
    assert found["k at 2001"].constant
    assert "R-hat" in str(found["k at 2003"])


def test_disagreement_names_the_epoch_the_numbers_and_the_chains():
    found = diagnose(made_up([4, 4, 6, 6]), [2001, 2003])
    assert not found.converged
    assert found.verdict.startswith("MCMC chains disagree on k at 2003: ")
    assert "4 in chains 1, 2 and 6 in chains 3, 4" in found.verdict


def test_other_disagreement_gives_the_means():
    found = diagnose(made_up([4, 4, 4, 4], shift=(0, 0, 0, 9)), [2001, 2003])
    assert "means by chain" in found.verdict
    assert not found.converged


def test_chains_that_stand_still_in_different_places_disagree():
    chains = [changed(draws, n_clusters=[[3, k]] * 400) for draws, k in zip(made_up([4, 4]), (3, 5), strict=True)]
    found = diagnose(chains, [2001, 2003])
    assert found["k at 2003"].r_hat == np.inf
    assert found.verdict.startswith("MCMC chains disagree on k at 2003: 3 in chain 1 and 5 in chain 2")


def test_a_rare_excursion_is_no_disagreement():
    chains = [changed(draws, n_clusters=[[3, 4]] * 400) for draws in made_up([4, 4, 4, 4])]
    chains[0] = changed(chains[0], n_clusters=[[3, 4]] * 399 + [[3, 5]])
    assert diagnose(chains, [2001, 2003])["k at 2003"].r_hat < 1.05


def test_too_few_effective_draws_are_said():
    chains, rng = [], rng_for(41)
    for draws in made_up([4, 4, 4, 4]):
        slow = [0.0]
        for step in rng.standard_normal(399):
            slow.append(0.92 * slow[-1] + step)
        chains.append(changed(draws, alpha=slow))
    found = diagnose(chains, [2001, 2003])
    assert not found.converged
    assert "MCMC chains agree, but alpha has only" in found.verdict


def test_one_chain_and_no_draws():
    assert diagnose(made_up([4]), [2001, 2003]).verdict.startswith("One MCMC chain only")
    assert diagnose(made_up([4, 4], n=3), [2001, 2003]).verdict == "Too few draws to judge: 3, 3 by MCMC chain."


def test_one_chain_that_has_not_settled_is_not_said_to_disagree_with_others():
    (draws,) = made_up([4])
    found = diagnose([changed(draws, n_clusters=[[3, 4]] * 200 + [[3, 6]] * 200)], [2001, 2003])
    assert found.verdict.startswith("The one MCMC chain has not settled: its halves differ in k at 2003 (R-hat ")
    assert "chains" not in found.verdict


@pytest.mark.parametrize("bad", [np.nan, -np.inf])
def test_densities_that_are_not_finite_are_no_agreement(bad):
    chains = made_up([4, 4, 4, 4])
    log_joint = chains[2].log_joint.copy()
    log_joint[7] = bad
    chains[2] = changed(chains[2], log_joint=log_joint)
    found = diagnose(chains, [2001, 2003])
    assert not found.converged
    assert "log_joint" in found.verdict


def test_a_jump_within_chains_that_is_the_same_in_all_is_no_agreement():
    chains = [changed(draws, n_clusters=[[3, 4]] * 200 + [[3, 6]] * 200) for draws in made_up([4, 4])]
    assert not diagnose(chains, [2001, 2003]).converged


def test_unknown_quantity():
    with pytest.raises(KeyError, match="there are log_joint"):
        diagnose(made_up([4, 4]), [2001, 2003])["beta"]


def test_geometry_that_hardly_moves_is_told():
    chains = [changed(draws, geometry_acceptance=[[0.9, 0.01]] * 400) for draws in made_up([4, 4, 4, 4])]
    found = diagnose(chains, [2001, 2003])
    assert not found.converged
    assert "geometry hardly moves at 2003 (1.0% of proposals are accepted)" in found.verdict
    chains = [changed(draws, geometry_acceptance=[[np.nan, np.nan]] * 400) for draws in chains]
    assert diagnose(chains, [2001, 2003]).verdict == "All 4 MCMC chains agree."


def test_links_that_differ_between_chains_are_told():
    """Same clusters in all chains, but two of four link them the other way round."""
    chains = made_up([4, 4, 4, 4])
    for i, draws in enumerate(chains):
        crossed = [0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1] if i < 2 else [0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0]
        chains[i] = changed(draws, labels=[crossed] * 400)
    found = diagnose(chains, [2001, 2003])
    assert not found.converged
    assert found["pairs linked from 2001 to 2003"].r_hat > 1.1
    assert found["pairs together at 2003"].constant


@pytest.mark.parametrize(("ess", "shown"), [(99.7, "99"), (100.0, "100"), (1234.9, "1,234")])
def test_too_few_effective_draws_look_like_it(ess, shown):
    assert whole_draws(ess) == shown


def test_the_verdict_does_not_say_that_enough_draws_are_too_few(monkeypatch):
    monkeypatch.setattr("tetiwd.diagnostics._r_hat", lambda values: np.ones(len(values)))
    monkeypatch.setattr("tetiwd.diagnostics.bulk_ess", lambda values: np.full(len(values), 99.7))
    found = diagnose(made_up([4, 4]), [2001, 2003])
    assert "has only 99 effective draws (at least 100 are needed)" in found.verdict
    assert found.standing == "R-hat 1.00, 99 of 100 effective draws"
    assert all("effective draws 99 (bulk)" in str(quantity) for quantity in found.quantities if not quantity.constant)


@pytest.mark.parametrize(("r_hat", "shown"), [(1.05, "1.05"), (1.0501, "1.0501"), (1.054, "1.054"), (1.07, "1.07")])
def test_an_r_hat_that_is_too_large_looks_like_it(r_hat, shown):
    assert shown_r_hat(r_hat) == shown
