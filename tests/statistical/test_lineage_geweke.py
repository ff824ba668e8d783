"""The sampler of moving centres passes Geweke's joint-distribution test with all parameters moving."""

import pytest

from lineage_geweke import ALL, DISPLACED, EQUAL_SPREADS, check, z_scores


@pytest.mark.parametrize("model", [ALL, DISPLACED], ids=["still", "displaced"])
def test_sampler_leaves_the_joint_distribution_alone(model):
    check(z_scores(model, 1_500))


@pytest.mark.slow
@pytest.mark.parametrize(
    "model", [ALL, EQUAL_SPREADS, DISPLACED], ids=["own spreads", "equal spreads", "displaced epochs"]
)
def test_sampler_leaves_the_joint_distribution_alone_at_length(model):
    check(z_scores(model, 30_000))
