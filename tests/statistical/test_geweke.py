"""The sampler passes Geweke's joint-distribution test."""

from dataclasses import replace

import pytest

from geweke import MODELS, check, z_scores


@pytest.mark.parametrize("model", ["full", "kappa learned", "df_A learned", "own spreads", "own spreads, isotropic"])
def test_sampler_leaves_the_joint_distribution_alone(model):
    check(z_scores(MODELS[model], "distances", 2_000))


def test_so_does_a_sampler_of_epochs_that_are_not_coupled():
    check(z_scores(replace(MODELS["full"], coupling=False), "distances", 2_000))


def test_so_does_a_sampler_of_spread_epochs():
    check(z_scores(MODELS["full"], "distances", 1_000, spread_epochs=True, n_split_merge=2))


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
def test_so_does_a_sampler_of_spread_epochs_at_length(model):
    check(z_scores(MODELS[model], "distances", 40_000, spread_epochs=True, n_split_merge=2))


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("kind", ["distances", "similarities"])
def test_sampler_leaves_the_joint_distribution_alone_at_length(model, kind):
    if kind == "similarities" and MODELS[model].tau_used != 0:
        pytest.skip("spreads of their own need distances")
    check(z_scores(MODELS[model], kind, 40_000))
