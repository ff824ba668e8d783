"""Room that a limit of the shell or the batch system (``ulimit -v``) leaves to this process.

It counts addresses, not memory: libraries take hundreds of megabytes before there are any data.
"""

from pathlib import Path

from tetiwd.errors import MemoryLimitError

LIBRARIES = 800 << 20  # bytes that loading everything takes, on a machine with a few processors
LIMIT = "the limit that ulimit -v shows, less what is in use"


def left_of_address_space() -> int | None:
    """Bytes that may still be asked for; None if there is no limit, or where it is not known."""
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
        return None if limit == resource.RLIM_INFINITY else max(0, limit - pages * resource.getpagesize())
    except (ImportError, OSError, ValueError):
        return None


def check_room_for_libraries() -> None:
    """Refuse to begin where libraries cannot be loaded, which would fail in the middle."""
    left = left_of_address_space()
    if left is not None and left < LIBRARIES:
        raise MemoryLimitError(
            f"loading the libraries takes {LIBRARIES >> 20} MiB of address space, but only {left >> 20} MiB can be had "
            f"({LIMIT})",
            "raise the limit",
        )
