"""The errors a user can meet; every message says what is wrong, where, and what to do."""


class TetiwdError(Exception):
    """Base of all errors raised on purpose by this package."""


class DataError(TetiwdError, ValueError):
    """The data cannot be used as they are."""


class SettingsError(TetiwdError, ValueError):
    """A setting or hyperparameter makes no sense."""


class CheckpointError(TetiwdError):
    """A checkpoint cannot be used."""


class SamplingError(TetiwdError):
    """The sampler has come to a place where it cannot go on."""
