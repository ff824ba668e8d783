"""Where chains start."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, ward
from scipy.spatial.distance import squareform
from sklearn.metrics import adjusted_rand_score

from runs import small_series
from tetiwd import DistanceSeries, Hyperparameters, SamplerSettings, simulate_separated, start
from tetiwd.errors import SettingsError
from tetiwd.moves.scale import SMALLEST_ALPHA
from tetiwd.sampler import Chain

MODEL = Hyperparameters(dof=6)


def test_every_chain_has_its_own_coarseness():
    assert [start.coarseness(chain, 4) for chain in range(4)] == [2, 4, 9, 20]
    assert start.coarseness(0, 1) == 6
    chains = [Chain(small_series((70, 50)), MODEL, SamplerSettings(n_chains=3), i) for i in range(3)]
    assert [c.state.n_clusters.tolist() for c in chains] == [[2, 2], [6, 6], [20, 16]]


def test_ward_cut_is_scipys():
    D = small_series((40, 30)).D[0]
    expected = fcluster(ward(np.sqrt(squareform(D, checks=False))), 5, "maxclust")
    assert adjusted_rand_score(expected, start.ward_labels(D, 5)) == 1


def test_large_epochs_are_cut_on_a_sample(monkeypatch):
    truth = simulate_separated(1)
    monkeypatch.setattr("tetiwd.data.sampling.WARD_OBJECTS", 12)
    found = start.ward_labels(truth.D[0], 3)
    assert adjusted_rand_score(truth.labels[0], found) > 0.8


def test_one_cluster():
    chain = Chain(small_series(), MODEL, SamplerSettings(init="one"))
    assert chain.state.n_clusters.tolist() == [1, 1, 1]


def test_given_labels_keep_their_links_through_the_first_sweep_count():
    labels = [np.arange(14) % 3, np.arange(11) % 2 + 1, np.arange(12) % 2 + 5]
    settings = SamplerSettings(init=labels)
    assert settings.n_apart == 0
    state = Chain(small_series(), MODEL, settings).state
    assert state.forward[0, :3].tolist() == [-1, 0, 1]
    assert (state.forward[1] == -1).all()
    assert [len(np.unique(own)) for own in state.labels()] == [3, 2, 2]


@pytest.mark.parametrize(
    ("init", "model", "message"),
    [
        ([np.zeros(14, int)], MODEL, "init has labels for 1 epochs, but there are 3"),
        ([np.zeros(14, int), np.zeros(9, int), np.zeros(12, int)], MODEL, "init of epoch 1 must be 11 integers"),
        (
            [np.zeros(14), np.zeros(11, int), np.zeros(12, int)],
            MODEL,
            "init of epoch 0 must be 14 integers, not float64",
        ),
        (
            [np.arange(14), np.zeros(11, int), np.zeros(12, int)],
            Hyperparameters(dof=6, max_clusters=5),
            "the start has 14 clusters at epoch 0, but max_clusters and df_A allow 5",
        ),
        (
            [np.arange(14) % 3, np.arange(11) % 3 + 3, np.zeros(12, int)],
            Hyperparameters(dof=6, max_clusters=4),
            "the start needs more than max_clusters=4 at consecutive epochs",
        ),
    ],
)
def test_impossible_starts_are_refused(init, model, message):
    with pytest.raises(SettingsError, match=message):
        Chain(small_series(), model, SamplerSettings(init=init))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_chains": 0}, "n_chains must be a whole number of at least 1, not 0"),
        ({"n_draws": 2.5}, "n_draws must be a whole number of at least 1 or None, not 2.5"),
        ({"thin": True}, "thin must be a whole number of at least 1, not True"),
        ({"seed": -1}, "seed must be a whole number of at least 0, not -1"),
        ({"n_uncoupled": 1200}, "n_uncoupled must not exceed n_warmup=200, but is 1200"),
        ({"init": "random"}, "init must be"),
        ({"anneal": "slowly"}, "anneal must be"),
    ],
)
def test_bad_settings_are_refused(options, message):
    with pytest.raises(SettingsError, match=message):
        SamplerSettings(**options)


def test_identical_objects_do_no_harm():
    """Half of the objects are copies of each other."""
    X = np.repeat(np.random.default_rng(1).standard_normal((8, 3)), 2, axis=0)
    D = ((X[:, None] - X[None]) ** 2).sum(-1)
    chain = Chain(DistanceSeries.from_distances([D, D], squared=True), MODEL, SamplerSettings(n_warmup=20, n_draws=20))
    while not chain.finished:
        chain.step()
    chain.state.check_invariants()


def test_many_copies_of_few_objects_are_survived():
    """The density grows without bound as alpha goes to zero; it stops at the smallest alpha allowed."""
    X = np.repeat(np.random.default_rng(2).standard_normal((3, 4)), 6, axis=0)
    D = ((X[:, None] - X[None]) ** 2).sum(-1)
    series = DistanceSeries.from_distances([D, D], squared=True)
    chain = Chain(series, Hyperparameters(dof=20), SamplerSettings(n_warmup=300, n_draws=50))
    while not chain.finished:
        chain.step()
    assert chain.state.alpha >= SMALLEST_ALPHA
    assert np.isfinite(chain.draws.log_joint).all()
    assert chain.draws.n_clusters[-1].tolist() == [3, 3]
