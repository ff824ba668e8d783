"""Objects without any clusters are not divided into some, with nothing set."""

import numpy as np
import pytest

from reference import rng_for
from tetiwd import SamplerSettings, TeTiWD

N, T = 40, 2


@pytest.mark.parametrize("p", [1, 2, 5])
def test_a_single_cloud_is_one_cluster_at_every_time(p):
    X = rng_for(1200, p).standard_normal((N * T, p))
    model = TeTiWD(settings=SamplerSettings(n_draws=100)).fit(X, time=np.repeat(range(T), N))
    assert [len(np.unique(labels[labels >= 0])) for labels in model.labels_by_time_] == [1] * T
