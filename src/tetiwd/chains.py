"""Several chains: what to check before, how many threads there are, and the sample that comes out."""

import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from tetiwd.checkpoint import Keeper
from tetiwd.choosing import choose
from tetiwd.data import Constraints, DistanceSeries
from tetiwd.data.mapped import for_workers
from tetiwd.distant import DistantChain, DistantRounds, Place
from tetiwd.errands import Workers, as_workers
from tetiwd.errors import Setting, SettingsError, Text, give
from tetiwd.kernels import COMPILED, SLOW, SlowWarning
from tetiwd.pace import Report
from tetiwd.params import CHECKPOINT_SECONDS, Hyperparameters, SamplerSettings, check_whole
from tetiwd.rounds import Rounds
from tetiwd.run_memory import check_room_for_chains
from tetiwd.sample import Sample
from tetiwd.sampler import Chain, kind_of
from tetiwd.threads import n_processors

if TYPE_CHECKING:
    from tetiwd.hosts import Workers as Hosts

WORTH_A_THREAD = 200  # objects of an epoch that takes longer to update than to hand to a thread


@dataclass(frozen=True)
class Checkpoints:
    """Where and how often chains are saved, and whether they go on from there."""

    folder: Path | None
    seconds: float
    resume: bool

    def keeper(self, series: DistanceSeries, chains: list[Chain]) -> Keeper | None:
        """Who keeps the checkpoints of these chains, which have gone on from them if that was asked for."""
        if self.folder is None:
            return None
        keeper = Keeper(self.folder, series, chains, self.seconds)
        keeper.open(resume=self.resume)
        return keeper


def run_chains(
    series: DistanceSeries,
    hyperparameters: Hyperparameters | None = None,
    settings: SamplerSettings | None = None,
    *,
    constraints: Constraints | None = None,
    n_threads: int | None = None,
    progress: Report | bool | None = None,
    checkpoint: str | Path | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    resume: bool = False,
    executor: Executor | Workers | None = None,
    hosts: Any = None,
    begin: Callable[[int], Chain] | None = None,
) -> Sample:
    """Run all chains, until they agree or for as long as the settings say.

    Parameters
    ----------
    series, hyperparameters, settings : DistanceSeries, Hyperparameters, SamplerSettings
        Data, model, and how to sample. Scales in the hyperparameters are in units of ``series.unit``; degrees of
        freedom and a geometry given as "auto" and the like are chosen first, and the sample says what was used.
    constraints : Constraints, optional
        What is known of some objects; the same as ``series.bound_by(constraints)``.
    n_threads : int, optional
        Threads in all; None for one per processor. With two threads per chain or more, large epochs of a chain are
        updated at the same time as well. The draws do not depend on it.
    progress : bool or callable, optional
        True shows a bar for every chain with the time left. Or a function, called a few times a second with where
        every chain is. If it returns True all chains stop after their current sweep, and what was drawn is returned;
        so does Ctrl-C, but while something is still being chosen there is nothing to return, and it is raised.
    checkpoint : str or Path, optional
        Folder for one file per chain, written every ``checkpoint_seconds`` and at the end.
    checkpoint_seconds : float
        Seconds between checkpoints.
    resume : bool
        Continue from those files. The result is the same as without interruption. A finished run is extended
        if ``settings.n_draws`` has grown, or its chains did not agree and ``settings.max_draws`` has grown.
    executor : Executor or Workers, optional
        Who runs the chains: any executor of ``concurrent.futures``, such as a ``ProcessPoolExecutor``, or that of a
        Dask client (:func:`tetiwd.cluster.executor_of`); None for threads. It stays open. Workers get paths, never
        matrices, and the draws do not depend on them. :class:`~tetiwd.errands.Workers` say which folder they share.
    hosts : Client or DaskWorkers, optional
        A ``distributed.Client``, or :class:`~tetiwd.hosts.DaskWorkers` of one: epochs are on its workers, which open
        the files that ``series`` looks at (:func:`~tetiwd.hosts.open_series`). Needs ``settings.spread_epochs``; the
        draws are the same as without.
    begin : callable, optional
        Function of the number of a chain that makes the chain, to begin elsewhere than the settings say.

    Returns
    -------
    Sample
        The draws of all chains.

    Examples
    --------
    >>> from tetiwd import DistanceSeries, Hyperparameters, SamplerSettings, run_chains, simulate_separated
    >>> series = DistanceSeries.from_distances(simulate_separated(seed=1).D, squared=True)
    >>> settings = SamplerSettings(n_chains=2, n_warmup=50, n_draws=50)
    >>> sample = run_chains(series, Hyperparameters(dof=100), settings)
    >>> sample.partitions.n_draws
    100
    """
    settings = settings or SamplerSettings()
    series = series if constraints is None else series.bound_by(constraints)
    n_threads = n_processors() if n_threads is None else n_threads
    check_whole("n_threads", n_threads, 1)
    if resume and checkpoint is None:
        raise SettingsError([Setting("resume", True), " needs the folder with the checkpoints"], give("checkpoint"))
    if not checkpoint_seconds >= 0:
        raise SettingsError([Setting("checkpoint_seconds"), f" must be 0 or more, not {checkpoint_seconds!r}"])
    if executor is not None and hosts is not None:
        raise SettingsError(["give ", Setting("executor"), " or ", Setting("hosts"), ", not both"])
    if begin is not None and not executor is hosts is None:
        raise SettingsError("chains that begin elsewhere than the settings say run in threads")
    workers = None if executor is None else as_workers(executor)
    owners = None if hosts is None else hosts_for(hosts, settings)
    estimate = series.dof if owners is None else partial(dof_by_hosts, series, owners)
    given = hyperparameters or Hyperparameters()
    choice = choose(given, series, settings, estimate, n_threads=n_threads, workers=workers)
    hyperparameters = choice.hyperparameters
    check_run(series, hyperparameters, settings, spread=owners is not None)
    warn_if_slow()
    checkpoints = Checkpoints(None if checkpoint is None else Path(checkpoint), checkpoint_seconds, resume)
    if owners is not None:
        run = partial(spread, n_threads=n_threads, hosts=owners)
    elif workers is not None:
        run = partial(elsewhere, workers=workers)
    else:
        run = partial(here, n_threads=n_threads, begin=begin)
    with (
        watched_by(progress) as report,
        run(series, hyperparameters, settings, checkpoints=checkpoints, report=report) as rounds,
    ):
        ended, frozen = rounds.run()
    return Sample(
        series,
        hyperparameters,
        settings,
        rounds.kept(),
        frozen,
        ended,
        remarks=tuple(rounds.keeper.remarks) if rounds.keeper else (),
        n_discarded=rounds.n_discarded,
        resolution=choice.resolution,
        reasons=choice.reasons,
    )


@contextmanager
def here(
    series: DistanceSeries,
    hyperparameters: Hyperparameters,
    settings: SamplerSettings,
    n_threads: int,
    begin: Callable[[int], Chain] | None,
    checkpoints: Checkpoints,
    report: Report | None,
) -> Iterator[Rounds]:
    """Rounds of chains in threads."""
    make = begin or (lambda index: Chain(series, hyperparameters, settings, index))
    chains = [make(index) for index in range(settings.n_chains)]
    keeper = checkpoints.keeper(series, chains)
    with pools_for_epochs(chains, n_threads):
        yield Rounds(chains, series.times, n_threads, keeper, report)


@contextmanager
def elsewhere(
    series: DistanceSeries,
    hyperparameters: Hyperparameters,
    settings: SamplerSettings,
    workers: Workers,
    checkpoints: Checkpoints,
    report: Report | None,
) -> Iterator[Rounds]:
    """Rounds of chains that workers run; their draws come as checkpoints, into a folder of their own if need be."""
    distant = [DistantChain(series, hyperparameters, settings, index) for index in range(settings.n_chains)]
    chains = cast("list[Chain]", distant)
    keeper = checkpoints.keeper(series, chains)
    with workers.errands((for_workers(series), hyperparameters, settings), checkpoints.folder) as errands:
        keeper = keeper or Keeper(errands.folder / "checkpoint", series, chains, checkpoints.seconds)
        place = Place(str(errands.folder), str(keeper.folder), checkpoints.seconds)
        yield DistantRounds(chains, series.times, 1, keeper, report, errands=errands, place=place)


@contextmanager
def spread(
    series: DistanceSeries,
    hyperparameters: Hyperparameters,
    settings: SamplerSettings,
    n_threads: int,
    hosts: "Hosts",
    checkpoints: Checkpoints,
    report: Report | None,
) -> Iterator[Rounds]:
    """Rounds of chains whose epochs are on hosts."""
    from tetiwd.hosts import SpreadChain

    with hosts.at_work(), ExitStack() as stack:
        chains: list[Chain] = []
        for index in range(settings.n_chains):
            chain = SpreadChain(series, hyperparameters, settings, index, hosts)
            stack.callback(chain.close)
            chains.append(chain)
        yield Rounds(chains, series.times, n_threads, checkpoints.keeper(series, chains), report)


def check_run(
    series: DistanceSeries, hyperparameters: Hyperparameters, settings: SamplerSettings, *, spread: bool = False
) -> None:
    """Refuse a run that memory cannot hold, that its model does not allow, or that cannot start from given labels."""
    kind = kind_of(hyperparameters, settings)
    if settings.spread_epochs and series.ties is not None:
        raise SettingsError(
            [Setting("spread_epochs", True), " and constraints cannot be had together"], "leave out one of them"
        )
    limit = "max_draws" if settings.automatic else "n_draws"
    fewer: Text = ["ask for fewer chains (", Setting("n_chains"), ") or fewer draws (", Setting(limit), ")"]
    check_room_for_chains(series, hyperparameters, settings, "running", fewer, spread=spread)
    if not isinstance(settings.init, str) and not spread:
        kind.start(series, hyperparameters, settings, 0, unit=None)


def hosts_for(hosts: Any, settings: SamplerSettings) -> "Hosts":
    """Who has the epochs of a run: the workers of a Dask client if that was given."""
    from tetiwd.hosts import DaskWorkers

    if not settings.spread_epochs:
        raise SettingsError([Setting("hosts"), " needs epochs that can be apart"], give("spread_epochs", True))
    return hosts if hasattr(hosts, "hire") else DaskWorkers(hosts)


def dof_by_hosts(series: DistanceSeries, hosts: "Hosts", how: str) -> tuple[float, ...]:
    """Degrees of freedom of every epoch, estimated where its data are."""
    from tetiwd.hosts import dof_by_workers

    return dof_by_workers(series, how, hosts)


def warn_if_slow() -> None:
    """Say that the inner loops are not compiled, if so."""
    if not COMPILED:
        warnings.warn(SLOW, SlowWarning, stacklevel=3)


@contextmanager
def watched_by(progress: Report | bool | None) -> Iterator[Report | None]:
    """A function to report progress to; True stands for bars on the terminal."""
    if not isinstance(progress, bool):
        yield progress
    elif not progress:
        yield None
    else:
        from tetiwd.progress import ProgressBar

        with ProgressBar() as bar:
            yield bar


@contextmanager
def pools_for_epochs(chains: list[Chain], n_threads: int) -> Iterator[None]:
    """Give chains the threads that are left over, where epochs are large enough to make use of them."""
    n_each = n_threads // len(chains)
    worthwhile = n_each > 1 and chains[0].state.n_epochs > 1 and np.mean(chains[0].draws.n_objects) >= WORTH_A_THREAD
    with ExitStack() as stack:
        for chain in chains if worthwhile else []:
            chain.pool = stack.enter_context(ThreadPoolExecutor(n_each, thread_name_prefix="tetiwd-epoch"))
        try:
            yield
        finally:
            for chain in chains:
                chain.pool = None
