"""The sampler passes Geweke's joint-distribution test."""

import pytest

from geweke import MODELS, check, z_scores

CASES = {(model, "distances"): 3_000 for model in MODELS} | {("full", "similarities"): 3_000}
CASES["full", "distances"] = 6_000  # statistics of linked clusters mix slowest here


@pytest.mark.parametrize(("model", "kind"), CASES)
def test_sampler_leaves_the_joint_distribution_alone(model, kind):
    check(z_scores(MODELS[model], kind, CASES[model, kind]))


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("kind", ["distances", "similarities"])
def test_sampler_leaves_the_joint_distribution_alone_at_length(model, kind):
    check(z_scores(MODELS[model], kind, 40_000))
