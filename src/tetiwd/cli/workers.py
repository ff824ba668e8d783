"""Options for Dask workers, and the client that they ask for."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

from tetiwd.cli import options as o

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
def elsewhere(
    scheduler: str | None,
    n_local: int | None,
    *,
    near: Path | None = None,
    dashboard: bool = False,
    spread_epochs: bool = False,
) -> Iterator[dict[str, Any]]:
    """Who works, as arguments of a fit: workers for whole chains, or for the epochs of each, or nobody else.

    Files of workers are beside those of the results, if other machines are to see them.
    """
    from tetiwd.cluster import executor_of
    from tetiwd.errands import Workers

    with client_for(scheduler, n_local, dashboard=dashboard) as client:
        if client is None:
            yield {}
        elif spread_epochs:
            yield {"hosts": client}
        else:
            yield {"workers": Workers(executor_of(client), None if scheduler is None else shared_beside(near))}


def shared_beside(near: Path | None) -> Path | None:
    """The folder that the results are in."""
    return None if near is None else near.absolute().parent
