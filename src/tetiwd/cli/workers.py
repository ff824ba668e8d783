"""Options for Dask workers, and the client that they ask for."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tetiwd.cli import options as o

if TYPE_CHECKING:
    from tetiwd.errands import Workers

WORKERS = "Other processes and machines"

Scheduler = Annotated[
    str | None,
    o.option(
        "--scheduler",
        panel=WORKERS,
        text="Work on the machines of this Dask scheduler, which must see the results folder under the same name.",
        metavar="ADDRESS",
    ),
]
LocalCluster = Annotated[
    int | None,
    o.option("--local-cluster", panel=WORKERS, text="Start so many Dask workers on this machine.", min=1),
]
Dashboard = Annotated[
    bool,
    o.option("--dashboard", panel=WORKERS, text="With --local-cluster: Dask's dashboard, for this machine alone."),
]


@contextmanager
def client_for(scheduler: str | None, n_local: int | None, *, dashboard: bool = False) -> Iterator[Any]:
    """A Dask client if one was asked for, otherwise None; whatever was opened is closed."""
    from tetiwd.cluster import dask_workers

    if scheduler is None and n_local is None:
        yield None
        return
    with dask_workers(scheduler, n_local=n_local, dashboard=dashboard) as client:
        yield client


@contextmanager
def workers_for(
    scheduler: str | None, n_local: int | None, *, near: Path | None = None, dashboard: bool = False
) -> Iterator["Workers | None"]:
    """The same as workers whose files are beside those of the results, if other machines are to see them."""
    from tetiwd.cluster import executor_of
    from tetiwd.errands import Workers

    with client_for(scheduler, n_local, dashboard=dashboard) as client:
        shared = None if scheduler is None or near is None else near.absolute().parent
        yield None if client is None else Workers(executor_of(client), shared)
