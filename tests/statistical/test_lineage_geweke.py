"""The sampler of moving centres passes Geweke's joint-distribution test with all parameters moving."""

import pytest

from lineage_geweke import ALL, EQUAL_SPREADS, check, z_scores


def test_sampler_leaves_the_joint_distribution_alone():
    check(z_scores(ALL, 1_500))


@pytest.mark.slow
@pytest.mark.parametrize("model", [ALL, EQUAL_SPREADS], ids=["own spreads", "equal spreads"])
def test_sampler_leaves_the_joint_distribution_alone_at_length(model):
    check(z_scores(model, 30_000))
