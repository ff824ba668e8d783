"""One run over several machines: the data of an epoch stay where they are read, and only clusters travel.

A :class:`SpreadChain` runs here; an :class:`EpochHost` in every worker has some epochs and visits them. Nothing below
``chains.py`` but this package knows of workers, and only ``dask_workers.py`` knows of Dask.
"""

from tetiwd.hosts.begin import dof_by_workers
from tetiwd.hosts.chain import SpreadChain
from tetiwd.hosts.dask_workers import DaskWorkers
from tetiwd.hosts.host import EpochHost, LocalHost
from tetiwd.hosts.opening import in_files, open_series
from tetiwd.hosts.workers import HostLost, LocalWorkers, Traffic, Workers

__all__ = [
    "DaskWorkers",
    "EpochHost",
    "HostLost",
    "LocalHost",
    "LocalWorkers",
    "SpreadChain",
    "Traffic",
    "Workers",
    "dof_by_workers",
    "in_files",
    "open_series",
]
