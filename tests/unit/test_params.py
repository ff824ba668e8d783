"""Hyperparameters: priors, and what is refused."""

import re
from math import inf

import numpy as np
import pytest
from scipy.stats import gamma

from tetiwd import Gamma, Hyperparameters, log_joint
from tetiwd.errors import SettingsError
from tetiwd.priors import log_prior


def test_gamma_density_is_scipys():
    for x in (0.01, 0.7, 12.0):
        assert Gamma(2.5, 0.4).log_density(x) == pytest.approx(gamma.logpdf(x, 2.5, scale=0.4))
    assert Gamma(2.5, 0.4).mean == pytest.approx(1.0)
    assert Gamma(1, 1).log_density(0.0) == -inf
    assert Gamma(1, 1).log_density(-1.0) == -inf


def test_fixed_quantities_have_no_density():
    assert log_prior(2.0, 2.0) == 0
    assert log_prior(2.0, 2.5) == -inf


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dof": 0}, "dof must be a positive finite number, not 0"),
        ({"dof": (3.0, -1.0)}, "dof must be a positive finite number, not -1.0"),
        ({"dof": 3, "df_A": inf}, "df_A must be a positive finite number, not inf"),
        ({"dof": 3, "alpha": -1}, "alpha must be a positive finite number, not -1"),
        ({"dof": 3, "xi": "1"}, "xi must be a positive finite number, not '1'"),
        ({"dof": 3, "new_scale": True}, "new_scale must be a positive finite number, not True"),
        ({"dof": 3, "max_clusters": 0}, "max_clusters must be a whole number of at least 1 or None, not 0"),
        (
            {"dof": 3, "max_clusters": float("nan")},
            "whole number of at least 1 or None, not nan",
        ),
        ({"dof": 3, "max_clusters": True}, "max_clusters must be a whole number of at least 1 or None, not True"),
        ({"dof": []}, "dof must be a positive finite number, not []"),
        (
            {"dof": "car"},
            'dof must be "auto", "moments", "rank", "spectrum", "dispersion", a number, or one number per epoch',
        ),
        ({"dof": 3, "max_clusters": 2.5}, "max_clusters must be a whole number of at least 1 or None, not 2.5"),
        ({"dof": 3, "df_A": 10, "max_clusters": 30}, "df_A must exceed max_clusters − 1 = 29"),
    ],
)
def test_nonsense_is_refused(options, message):
    with pytest.raises(SettingsError, match=re.escape(message)):
        Hyperparameters(**options)


def test_gamma_needs_positive_parameters():
    with pytest.raises(SettingsError, match="Gamma scale must be a positive"):
        Gamma(1, 0)


def test_a_sampled_quantity_needs_a_value():
    D = np.array([[0.0, 1], [1, 0]])
    with pytest.raises(ValueError, match=re.escape("alpha has a Gamma prior, so its value must be given")):
        log_joint([D], [[0, 0]], [[[1.0]]], Hyperparameters(dof=2))


def test_joint_is_minus_infinity_off_the_fixed_value():
    D = np.array([[0.0, 1], [1, 0]])
    h = Hyperparameters(dof=2, alpha=1.0, new_scale=1.0)
    assert np.isfinite(log_joint([D], [[0, 0]], [[[1.0]]], h))
    assert log_joint([D], [[0, 0]], [[[1.0]]], h, alpha=2.0) == -inf


@pytest.mark.parametrize("dof", [(3.0, 4.0), [3, 4], np.array([3, 4])], ids=["tuple", "list", "array"])
def test_degrees_of_freedom_per_epoch(dof):
    assert Hyperparameters(dof=dof).dof_by_epoch(2) == (3, 4)
    assert Hyperparameters(dof=dof) == Hyperparameters(dof=(3, 4))
    assert Hyperparameters(dof=np.float32(3)).dof_by_epoch(2) == (3, 3)
    with pytest.raises(SettingsError, match="dof has 2 values for 3 epochs"):
        Hyperparameters(dof=dof).dof_by_epoch(3)
    with pytest.raises(SettingsError, match="dof has 2 values for 1 epoch;"):
        Hyperparameters(dof=dof).dof_by_epoch(1)
