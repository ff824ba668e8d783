"""The errors a user can meet; every message says what is wrong, where, and what to do."""


class TetiwdError(Exception):
    """Base of all errors raised on purpose by this package."""


class DataError(TetiwdError, ValueError):
    """The data cannot be used as they are."""


class SettingsError(TetiwdError, ValueError):
    """A setting or hyperparameter makes no sense."""


class MemoryLimitError(TetiwdError, MemoryError):
    """More memory would be needed than there is; nothing was begun."""


class CheckpointError(TetiwdError):
    """A checkpoint cannot be used."""


class SamplingError(TetiwdError):
    """The sampler has come to a place where it cannot go on."""


class RunFolderError(TetiwdError):
    """A folder of results cannot be made or read."""
