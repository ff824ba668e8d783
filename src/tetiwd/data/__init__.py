"""The user's data, validated once: squared distances or similarities at several time points."""

from tetiwd.data.constraints import Constraints
from tetiwd.data.negative_type import NegativeType
from tetiwd.data.series import DistanceSeries

__all__ = ["Constraints", "DistanceSeries", "NegativeType"]
