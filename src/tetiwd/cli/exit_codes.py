"""Exit codes."""

from tetiwd import errors

OK = 0
BUG = 1
USAGE = 2
NOT_CONVERGED = 8
UNFINISHED = 10
INTERRUPTED = 130

BY_ERROR: dict[type[errors.TetiwdError], int] = {
    errors.DataError: 3,
    errors.SettingsError: 4,
    errors.MemoryLimitError: 5,
    errors.RunFolderError: 6,
    errors.CheckpointError: 6,
    errors.SamplingError: 7,
    errors.WorkersError: 9,
}

MEANING = {
    OK: "success",
    BUG: "a bug in tetiwd; run again with --traceback and report it",
    USAGE: "an unknown command or option, or a missing argument",
    3: "the data cannot be used as they are",
    4: "a setting makes no sense",
    5: "not enough memory",
    6: "a results folder or checkpoint is missing, damaged, or in the way, or there is no room to write",
    7: "the sampler cannot continue",
    NOT_CONVERGED: "with --strict: the run is complete, but its chains have not converged",
    9: "there are no workers, or none that answers",
    UNFINISHED: "of tetiwd collect: chains have not come far enough; run their jobs again",
    INTERRUPTED: "stopped by Ctrl-C or a signal; the draws so far are kept",
}


def exit_code_of(error: errors.TetiwdError) -> int:
    """The exit code of an error."""
    return next((code for kind, code in BY_ERROR.items() if isinstance(error, kind)), BUG)
