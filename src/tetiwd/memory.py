"""How much memory there is, and a refusal with numbers before more than that is asked for.

What a process may still take is the least of what the machine has left, what every control group above the process (a
container, a batch job) still allows, and what ``ulimit -v`` leaves. All are read from Linux; elsewhere nothing is known
and nothing is refused.
"""

from collections.abc import Iterator
from pathlib import Path

from tetiwd.address_space import LIMIT, left_of_address_space
from tetiwd.errors import MemoryLimitError, Text

SMALLER_DATA = "use fewer objects or epochs, or float32 instead of float64"

PROCESS, GROUPS = Path("/proc"), Path("/sys/fs/cgroup")

# Files with the limit and the use of a group, and how the lines of memory.stat begin that say how much of the use are
# copies of files, which is given back when it is needed.
VERSION_1 = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_")
VERSION_2 = ("memory.max", "memory.current", "")


def require_memory(needed: int, purpose: str, remedy: Text) -> None:
    """Refuse what cannot fit: say how much it would take, how much there is, what limits it, and what to do."""
    room = available_memory()
    if room is None or needed <= room[0]:
        return
    raise MemoryLimitError(
        f"{purpose} takes {in_gib(needed)} of memory, but only {in_gib(room[0])} can be had ({room[1]})", remedy
    )


def available_memory() -> tuple[int, str] | None:
    """Bytes that can still be had and what limits them; None where that is not known."""
    left = left_of_address_space()
    return min([*_left_on_the_machine(), *_left_in_groups(), *([] if left is None else [(left, LIMIT)])], default=None)


def in_gib(n_bytes: int) -> str:
    """A number of bytes for people."""
    return f"{max(0, n_bytes) / 2**30:,.2f} GiB"


def _left_on_the_machine() -> Iterator[tuple[int, str]]:
    kilobytes = _values_by_name(PROCESS / "meminfo").get("MemAvailable:")
    if kilobytes is not None:
        yield 1024 * kilobytes, "free on this machine"


def _left_in_groups() -> Iterator[tuple[int, str]]:
    """Room in the groups of this process and in all groups around them; a container may see only the outermost."""
    for line in _read(PROCESS / "self" / "cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            files, roots = VERSION_2, [GROUPS, GROUPS / "unified"]
        elif "memory" in controllers.split(","):
            files, roots = VERSION_1, [GROUPS / "memory"]
        else:
            continue
        names = path.strip("/").split("/")
        for root in roots:
            for depth in range(len(names) + 1):
                yield from _left_in_group(root.joinpath(*names[:depth]), *files)


def _left_in_group(group: Path, limit_file: str, use_file: str, prefix: str) -> Iterator[tuple[int, str]]:
    limit, use = _read(group / limit_file).strip(), _read(group / use_file).strip()
    if limit.isdecimal() and use.isdecimal():  # "max" where there is no limit
        parts = _values_by_name(group / "memory.stat")
        in_use = int(use) - sum(parts.get(f"{prefix}{kind}_file", 0) for kind in ("active", "inactive"))
        yield max(0, int(limit) - in_use), f"the limit in {group / limit_file} less what is in use"


def _values_by_name(file: Path) -> dict[str, int]:
    """Lines of a name and a number."""
    rows = [line.split() for line in _read(file).splitlines()]
    return {row[0]: int(row[1]) for row in rows if len(row) > 1 and row[1].isdecimal()}


def _read(file: Path) -> str:
    """The text of a file, nothing if it cannot be read."""
    try:
        return file.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
