"""Links in HDF5 files, looked at before anything is read: what is in other files, or without end, is refused."""

from typing import Any

MOST_LINKS = 100_000  # of a file
MOST_GROUPS_WITHIN = 32  # groups, one within another


def check_links(file: Any) -> None:
    """Raise a ValueError if an open file has links to other files, or more links than a file of data has."""
    from h5py import h5l

    n = 0

    def fault_of(name: bytes, about: Any) -> str | None:
        """The first fault ends the visit; HDF5 does not go on well from an error that is raised here."""
        nonlocal n
        n += 1
        if n > MOST_LINKS or name.count(b"/") > MOST_GROUPS_WITHIN:
            return f"there are more than {MOST_LINKS:,} links, or {MOST_GROUPS_WITHIN} groups within groups"
        if about.type not in (h5l.TYPE_HARD, h5l.TYPE_SOFT):
            return f"/{name.decode(errors='replace')} is in another file"
        return None

    fault = file.id.links.visit(fault_of, info=True)
    if fault is not None:
        raise ValueError(fault)
