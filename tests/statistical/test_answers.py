"""Are answers as certain as they say? Links between clusters, and the place of objects that were held out."""

from functools import cache

import numpy as np
import pytest

from reference import rng_for
from tetiwd import (
    DistanceSeries,
    Hyperparameters,
    SamplerSettings,
    align,
    classify,
    lineages,
    representative,
    run_chains,
    simulate,
    simulate_overlapping,
    simulate_separated,
)
from tetiwd.model import Simulation
from tetiwd.model.simulation import draw_objects
from tetiwd.summarize.clustering import as_clustering

pytestmark = pytest.mark.slow

SPREAD = np.array([0.25, 1.0, 4.0, 12.0, 0.5])  # how far out the centre of every lineage lies
SIZES = [[21, 15, 9, 6, 0], [21, 14, 10, 7, 0], [20, 15, 9, 7, 8], [21, 13, 0, 7, 9], [18, 16, 0, 6, 10]]


def simulate_distinct(seed):
    """Lineages that differ in size and place; one is born at the third epoch, one dies at the fourth."""
    rng = rng_for(seed, 90)
    labels = [rng.permutation(np.repeat(np.arange(5), sizes)) for sizes in SIZES]
    A = [np.diag(SPREAD[np.unique(own)]) for own in labels]
    return Simulation(X=draw_objects(labels, A, 1.0, (40,) * 5, rng), labels=labels, alpha=1.0, A=A)


def fit(D, dof, seed, n=150):
    series = DistanceSeries.from_distances(D, squared=True)
    settings = SamplerSettings(n_chains=2, n_warmup=n, n_draws=n, geometry_every=4, anneal=None, seed=seed)
    return run_chains(series, Hyperparameters(dof=dof), settings)


@cache
def links_of(design, n_series):
    """Every link of the tables with its probability, whether the truth has it, and the series it is of."""
    rows = []
    for seed in range(n_series):
        truth = design(seed)
        sample = fit(truth.D, truth.X[0].shape[1], seed)
        clustering = representative(sample, n_runs=2)
        links = lineages(align(sample, clustering)).links()
        true_lineage = {
            (int(g), t): int(np.bincount(true[own == g]).argmax())
            for t, (own, true) in enumerate(zip(clustering.labels, truth.labels, strict=True))
            for g in np.unique(own)
        }
        for link in links.itertuples():
            right = true_lineage[link.source] == true_lineage[link.target]
            rows.append((link.probability, right, link.in_clustering, seed))
    p, right, chosen, series = map(np.array, zip(*rows, strict=True))
    return p, right, chosen, series


DESIGNS = [(simulate_separated, 4), (simulate_distinct, 6)]


def test_links_that_are_called_sure_are_right():
    found = [links_of(*design) for design in DESIGNS]
    p, right, chosen = (np.concatenate([one[i] for one in found]) for i in range(3))
    sure = p >= 0.95
    print(
        f"\nlinks: {right[chosen].mean():.0%} of {chosen.sum()} in clusterings are right, said {p[chosen].mean():.0%}"
    )
    print(f"links called sure: {right[sure].mean():.1%} of {sure.sum()}")
    assert sure.sum() >= 30
    assert right[sure].mean() >= 0.95


@pytest.mark.parametrize(("design", "n_series"), DESIGNS)
def test_as_many_links_are_right_as_the_probabilities_say(design, n_series):
    """The error of the difference is taken between series, which are independent."""
    p, right, _, series = links_of(design, n_series)
    for low, high in ((0.0, 0.5), (0.5, 1.01)):
        some = (p >= low) & (p < high)
        gaps = np.array([(right - p)[some & (series == s)].sum() for s in range(n_series)])
        within = np.sqrt((p * (1 - p))[some].sum())
        error = max(within, gaps.std(ddof=1) * np.sqrt(n_series))
        shown = f"{some.sum()} links, {right[some].mean():.2f} right, said {p[some].mean():.2f}"
        print(f"\n{design.__name__} {low} to {high}: {shown}")
        assert abs(gaps.sum()) < 4 * error


@cache
def held_out(seed, t=2, n_out=50):
    """Objects of one epoch held out, classified, with the true classes of all."""
    truth = simulate_overlapping(seed)
    n = len(truth.labels[t])
    out = np.sort(rng_for(seed, 91).choice(n, n_out, replace=False))
    keep = np.setdiff1d(np.arange(n), out)
    D = [own[np.ix_(keep, keep)] if s == t else own for s, own in enumerate(truth.D)]
    sample = fit(D, truth.X[0].shape[1], seed, n=200)
    clustering = representative(sample, n_runs=1, max_draws=200)
    new = truth.D[t][np.ix_(out, keep)]
    found = classify(sample, clustering, new, squared=True, t=t, together=True, max_draws=120)
    return found, clustering.labels[t], truth.labels[t][keep], truth.labels[t][out], new


SEEDS = (0, 1, 2)


def reliability(p, same, group):
    """By bins of p: how far the share of True is off, and its error between groups, which hang together inside."""
    rows = []
    print()
    for low in np.arange(5) / 5:
        some = (p >= low) & (p <= low + 0.2) if low > 0.7 else (p >= low) & (p < low + 0.2)
        by_group = np.bincount(group[some], (same - p)[some])
        away, error = (same - p)[some].mean(), np.sqrt((by_group**2).sum()) / some.sum()
        rows.append((away, error))
        print(f"together {low:.1f}: {some.sum()} pairs, said {p[some].mean():.2f}, off {away:+.3f} ± {error:.3f}")
    return rows


def pairs_of(found, kept, out, first_group):
    """Pairs of a new object and an old one: probability, truth, and the true cluster of the new object."""
    group = np.broadcast_to(first_group + out[:, None], found.together.shape)
    return found.together.ravel(), (out[:, None] == kept).ravel(), group.ravel()


def test_probabilities_to_be_together_are_calibrated_where_clusters_overlap():
    """Not from the prior: few large clusters, which draws rather split. A true cluster is split or not as a whole."""
    parts = []
    for seed in SEEDS:
        found, _, kept, out, _ = held_out(seed)
        parts.append(pairs_of(found, kept, out, 5 * seed))
    rows = reliability(*map(np.concatenate, zip(*parts, strict=True)))
    assert all(abs(away) < 4 * error for away, error in rows)


def from_the_model(seed):
    """Data from the model, all scales known; objects of one epoch are held out and classified."""
    truth = simulate((24, 20), Hyperparameters(dof=10, df_A=30, alpha=1.2, xi=1.5, new_scale=1.0), seed)
    rng, t = rng_for(seed, 92), seed % 2
    out = np.sort(rng.choice(len(truth.labels[t]), 6, replace=False))
    keep = np.setdiff1d(np.arange(len(truth.labels[t])), out)
    D = [own[np.ix_(keep, keep)] if s == t else own for s, own in enumerate(truth.D)]
    series = DistanceSeries.from_distances(D, squared=True)
    h = Hyperparameters(dof=10, df_A=30, alpha=1.2 / series.unit, xi=1.5, new_scale=1.0 / series.unit)
    settings = SamplerSettings(n_chains=1, n_warmup=100, n_draws=240, geometry_every=6, anneal=None, seed=seed)
    sample = run_chains(series, h, settings)
    labels = [np.zeros(n, dtype=int) for n in series.n_objects]
    new = truth.D[t][np.ix_(out, keep)]
    found = classify(sample, as_clustering(sample, labels), new, squared=True, t=t, n_births=8, together=True)
    return found, truth.labels[t][keep], truth.labels[t][out]


def test_on_data_from_the_model_probabilities_are_calibrated():
    """Here calibration is a theorem; errors are between series. The same for "in a cluster with nobody"."""
    parts, alone, was_alone, n_series = [], [], [], 36
    for seed in range(n_series):
        found, kept, out = from_the_model(seed)
        p, same, _ = pairs_of(found, kept, out, 0)
        parts.append((p, same, np.full(len(p), seed)))
        alone.append((found.none - found.unlisted).sum())
        was_alone.append((~np.isin(out, kept)).sum())
    rows = reliability(*map(np.concatenate, zip(*parts, strict=True)))
    assert all(abs(away) < 4 * error for away, error in rows)
    gap = np.array(was_alone) - alone
    print(f"alone: {np.sum(was_alone)} objects, said {np.sum(alone):.1f} ± {np.sqrt((gap**2).sum()):.1f}")
    assert abs(gap.sum()) < 4 * np.sqrt((gap**2).sum())


def class_log_loss(seed):
    """Mean −log probability of the true class, by classification and by the nearest neighbour at its best."""
    found, labels, kept, out, new = held_out(seed)
    K = int(kept.max()) + 1
    shares = np.array([np.bincount(kept[labels == g], minlength=K) + 0.5 for g in found.lineages])
    base = np.bincount(kept, minlength=K) + 0.5
    P = found.probabilities @ (shares / shares.sum(axis=1, keepdims=True)) + np.outer(found.none, base / base.sum())
    ours = -np.log(P[np.arange(len(out)), out])
    right = kept[new.argmin(axis=1)] == out
    accuracy = np.clip(right.mean(), 1e-3, 1 - 1e-3)  # the best constant confidence, known afterwards
    return ours, -np.log(np.where(right, accuracy, (1 - accuracy) / (K - 1)))


def test_classification_beats_the_nearest_neighbour_at_its_best():
    ours, nearest = (np.concatenate(one) for one in zip(*map(class_log_loss, SEEDS), strict=True))
    gain = nearest - ours
    error = gain.std(ddof=1) / np.sqrt(len(gain))
    print(f"\nclass log loss {ours.mean():.3f}, nearest {nearest.mean():.3f}, gain {gain.mean():.3f} ± {error:.3f}")
    assert gain.mean() > 2 * error
