"""What the number means with which the program ends."""

from tetiwd import errors

OK = 0
BUG = 1  # something went wrong that should not
USAGE = 2  # an unknown option, a missing argument
NOT_CONVERGED = 8
INTERRUPTED = 130

BY_ERROR: dict[type[errors.TetiwdError], int] = {
    errors.DataError: 3,
    errors.SettingsError: 4,
    errors.MemoryLimitError: 5,
    errors.RunFolderError: 6,
    errors.CheckpointError: 6,
    errors.SamplingError: 7,
}

MEANING = {
    OK: "all is well",
    BUG: "a fault of the program; run again with --traceback and report it",
    USAGE: "an unknown command or option, or a missing argument",
    3: "the data cannot be used as they are",
    4: "a setting makes no sense",
    5: "more memory would be needed than there is",
    6: "a results folder or checkpoint is missing, damaged, or in the way",
    7: "the sampler could not go on",
    NOT_CONVERGED: "with --strict: the run ended, but its chains do not agree",
    INTERRUPTED: "stopped by Ctrl-C or a signal; what was drawn is kept",
}


def exit_code_of(error: errors.TetiwdError) -> int:
    """The number for an error."""
    for kind, code in BY_ERROR.items():
        if isinstance(error, kind):
            return code
    return BUG
