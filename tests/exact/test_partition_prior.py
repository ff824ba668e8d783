"""The partition prior is a probability, is Ewens' at one epoch, and gives the weights of single objects."""

from math import exp, isinf, lgamma, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import canonical, linked_partitions, rng_for, set_partitions
from tetiwd.model import FreeLabels, candidate_weight, log_prior_partitions
from tetiwd.model.urn import log_prior_lineages


@pytest.mark.parametrize("sizes", [(4,), (3, 3), (2, 2, 2), (1, 4), (3, 1, 2)])
@pytest.mark.parametrize("max_clusters", [None, 1, 2, 3, 5, 50])
@pytest.mark.parametrize(("xi", "kappa"), [(0.3, 1.0), (1.0, 1.0), (4.0, 1.0), (0.3, 2.5), (1.0, 0.05), (4.0, 0.4)])
def test_sums_to_one(sizes, max_clusters, xi, kappa):
    series = list(linked_partitions(sizes))
    assert len({canonical(s) for s in series}) == len(series)
    total = sum(exp(log_prior_partitions(s, xi, max_clusters, kappa)) for s in series)
    assert total == pytest.approx(1.0, abs=1e-12)


def test_without_absences_it_is_the_urn_of_moving_centres():
    series = [[0, 0, 1, 2], [0, 1, 1, 3], [3, 3, 1, 4]]
    for kappa in (0.2, 1.0, 3.0):
        assert log_prior_partitions(series[:2], 1.5, None, kappa) == pytest.approx(
            log_prior_lineages(series[:2], 1.5, 0.7, kappa), abs=1e-12
        )
    gone = log_prior_lineages(series, 1.5, 1e-12, 0.2)  # lineages 0 and 2 are as good as forgotten when the third comes
    assert log_prior_partitions(series, 1.5, None, 0.2) == pytest.approx(gone, abs=1e-9)


@pytest.mark.parametrize("xi", [0.5, 2.0])
def test_one_epoch_is_ewens(xi):
    for labels in set_partitions(6):
        sizes = np.bincount(labels)
        ewens = len(sizes) * log(xi) + sum(lgamma(n) for n in sizes) - sum(log(xi + i) for i in range(6))
        assert log_prior_partitions([labels], xi) == pytest.approx(ewens, abs=1e-12)


def test_two_objects_share_a_cluster_with_probability_one_over_one_plus_xi():
    assert log_prior_partitions([[0, 0]], 3.0) == pytest.approx(log(1 / 4))


@pytest.mark.parametrize("max_clusters", [None, 4])
def test_objects_and_names_are_exchangeable(max_clusters):
    rng = rng_for(2)
    series = [rng.integers(4, size=n) for n in (5, 7, 4)]
    expected = log_prior_partitions(series, 1.3, max_clusters)
    shuffled = [rng.permutation(labels) for labels in series]
    assert log_prior_partitions(shuffled, 1.3, max_clusters) == pytest.approx(expected, abs=1e-12)
    names = rng.permutation(40)
    renamed = [names[labels] for labels in series]
    assert log_prior_partitions(renamed, 1.3, max_clusters) == pytest.approx(expected, abs=1e-12)


def test_large_finite_k_approaches_the_dirichlet_process():
    series = [[0, 0, 1, 2], [0, 1, 1, 3], [3, 3, 1, 4]]
    for kappa in (1.0, 0.4):
        limit = log_prior_partitions(series, 1.5, None, kappa)
        assert log_prior_partitions(series, 1.5, 10**7, kappa) == pytest.approx(limit, abs=1e-5)


def test_an_id_that_returns_after_a_gap_is_a_new_cluster():
    assert log_prior_partitions([[0, 0], [1], [0, 0]], 1.0) == log_prior_partitions([[0, 0], [1], [2, 2]], 1.0)


def test_more_clusters_than_allowed_have_probability_zero():
    assert isinf(log_prior_partitions([[0, 1, 2]], 1.0, 2))


@pytest.mark.parametrize("max_clusters", [2.5, 0, -1, np.inf, np.nan])
def test_a_number_of_labels_that_is_none_is_refused(max_clusters):
    with pytest.raises(ValueError, match="whole number of at least 1 or None"):
        log_prior_partitions([[0, 1]], 1.0, max_clusters)


@pytest.mark.parametrize("labels", [[0.0, 1.5], ["a", "b"], [None, 1]])
def test_labels_that_are_no_integers_are_refused(labels):
    with pytest.raises(ValueError, match="labels must be integers"):
        log_prior_partitions([[0, 1], labels], 1.0)


def test_finite_weights_need_the_free_labels():
    with pytest.raises(ValueError, match="number of free labels"):
        candidate_weight(1, 0, 0, 1.0, max_clusters=3)


def candidates(series, t, out):
    """Every placement of one object at epoch t: (kind, series with it placed, sizes that its weight needs)."""
    series = [np.array(labels) for labels in series]
    others = np.delete(series[t], out)
    here = set(others.tolist())
    sizes = [dict(zip(*(a.tolist() for a in np.unique(s, return_counts=True)), strict=True)) for s in series]
    before = sizes[t - 1] if t else {}
    after = sizes[t + 1] if t + 1 < len(series) else {}
    ended = sorted(set(before) - here)
    beginning = sorted(set(after) - here)

    def placed(label, later_name=None):
        new = [labels.copy() for labels in series]
        new[t][out] = label
        if later_name is not None:  # the lineage that began at t+1 takes the name it now continues
            for s in range(t + 1, len(new)):
                new[s][new[s] == later_name] = label
        return new

    for c in sorted(here):
        yield "existing", placed(c), (int((others == c).sum()), before.get(c, 0), after.get(c, 0))
    for b in ended:
        yield "revive", placed(b), (0, before[b], 0)
    for f in beginning:
        yield "start", placed(f), (0, 0, after[f])
    for b in ended:
        for f in beginning:
            yield "join", placed(b, f), (0, before[b], after[f])
    yield "new", placed(10_000), (0, 0, 0)


def runs_apart(series):
    """Lineage ids such that no id returns after a gap."""
    return [np.array(labels) for labels in canonical(series)]


def free_labels(series, t, out, max_clusters):
    others = set(np.delete(series[t], out).tolist())
    before = set(series[t - 1].tolist()) if t else set()
    after = set(series[t + 1].tolist()) if t + 1 < len(series) else None
    return FreeLabels(
        here=max_clusters - len(before | others),
        unused=max_clusters - len(others),
        born_next=None if after is None else len(after - others),
    )


@given(
    seed=st.integers(0, 2**32 - 1),
    sizes=st.lists(st.integers(1, 6), min_size=1, max_size=4),
    xi=st.floats(0.1, 5),
    max_clusters=st.sampled_from([None, 1, 2, 3, 4, 5, 8, 30]),
    kappa=st.one_of(st.just(1.0), st.floats(0.05, 5)),
)
def test_weight_of_every_candidate_is_the_ratio_of_the_prior(seed, sizes, xi, max_clusters, kappa):
    rng = rng_for(seed)
    most = min(4, max_clusters or 4)  # no more names than labels: the series itself is possible
    series = runs_apart([rng.integers(most, size=n) for n in sizes])
    t = int(rng.integers(len(sizes)))
    out = int(rng.integers(sizes[t]))
    vacated = [labels.copy() for labels in series]
    vacated[t][out] = 20_000  # a singleton of its own: nothing stays linked through the object
    vacated = runs_apart(vacated)
    free = None if max_clusters is None else free_labels(vacated, t, out, max_clusters)
    found = list(candidates(vacated, t, out))
    log_priors = np.array([log_prior_partitions(s, xi, max_clusters, kappa) for _, s, _ in found])
    how = {"kappa": kappa, "first": t == 0}
    weights = np.array([candidate_weight(*n, xi, max_clusters, free, **how) for _, _, n in found])
    possible = np.isfinite(log_priors)
    assert np.array_equal(possible, weights > 0)
    assert possible.any()
    gap = log_priors[possible] - np.log(weights[possible])
    assert np.ptp(gap) < 1e-9


def test_the_table_of_weights_covers_all_five_kinds():
    """Lineage 0 ends at epoch 0, lineage 1 begins at epoch 2; the object of epoch 1 may link them, or not."""
    series = [np.array([0, 0, 5]), np.array([5, 99]), np.array([1, 1, 1, 5])]
    xi = 1.7
    expected = {"existing": (1 + 1) * (1 + 1) / 1, "revive": 2, "start": 3, "join": 2 * 3 / xi, "new": xi}
    found = {kind: candidate_weight(*n, xi) for kind, _, n in candidates(series, 1, 1)}
    assert found == pytest.approx(expected)


def test_the_printed_forward_factor_of_the_paper_is_not_a_ratio_of_the_prior():
    """The paper prints n_{t+1}/n_t where its own joint gives (n_t + n_{t+1})/n_t."""
    series = [np.array([0, 0]), np.array([0, 0, 1, 9]), np.array([0, 0, 0, 1])]
    found = [(s, n) for kind, s, n in candidates(series, 1, 3) if kind == "existing"]
    log_priors = [log_prior_partitions(s, 1.0) for s, _ in found]
    ours = [log(candidate_weight(*n, 1.0)) for _, n in found]
    printed = [log((before + size) * after / size) for _, (size, before, after) in found]
    assert ours[0] - ours[1] == pytest.approx(log_priors[0] - log_priors[1], abs=1e-12)
    assert abs((printed[0] - printed[1]) - (log_priors[0] - log_priors[1])) > 0.1
