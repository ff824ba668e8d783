"""Several chains: what to check before, how many threads there are, and the sample that comes out."""

import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np

from tetiwd.checkpoint import Keeper
from tetiwd.choosing import choose
from tetiwd.data import Constraints, DistanceSeries
from tetiwd.errors import Setting, SettingsError, Text, give
from tetiwd.kernels import COMPILED, SLOW, SlowWarning
from tetiwd.pace import Report
from tetiwd.params import CHECKPOINT_SECONDS, Hyperparameters, SamplerSettings, check_whole
from tetiwd.rounds import Rounds
from tetiwd.run_memory import check_room_for_chains
from tetiwd.sample import Sample
from tetiwd.sampler import Chain, kind_of
from tetiwd.threads import n_processors

WORTH_A_THREAD = 200  # objects of an epoch that takes longer to update than to hand to a thread


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
) -> Sample:
    """Run all chains, until they agree or for as long as the settings say.

    Parameters
    ----------
    series, hyperparameters, settings
        Data, model, and how to sample. Scales in the hyperparameters are in units of ``series.unit``; degrees of
        freedom and a geometry given as "auto" and the like are chosen first, and the sample says what was used.
    constraints
        What is known of some objects; the same as ``series.bound_by(constraints)``.
    n_threads
        Threads in all; None for one per processor. With two threads per chain or more, large epochs of a chain are
        updated at the same time as well. The draws do not depend on it.
    progress
        True shows a bar for every chain with the time left. Or a function, called a few times a second with where
        every chain is. If it returns True all chains stop after their current sweep, and what was drawn is returned;
        so does Ctrl-C, but while something is still being chosen there is nothing to return, and it is raised.
    checkpoint
        Folder for one file per chain, written every ``checkpoint_seconds`` and at the end.
    resume
        Continue from those files. The result is the same as without interruption. A finished run is extended
        if ``settings.n_draws`` has grown, or its chains did not agree and ``settings.max_draws`` has grown.
    """
    settings = settings or SamplerSettings()
    series = series if constraints is None else series.bound_by(constraints)
    n_threads = n_processors() if n_threads is None else n_threads
    check_whole("n_threads", n_threads, 1)
    if resume and checkpoint is None:
        raise SettingsError([Setting("resume", True), " needs the folder with the checkpoints"], give("checkpoint"))
    if not checkpoint_seconds >= 0:
        raise SettingsError([Setting("checkpoint_seconds"), f" must be 0 or more, not {checkpoint_seconds!r}"])
    choice = choose(hyperparameters or Hyperparameters(), series, settings, n_threads=n_threads)
    hyperparameters = choice.hyperparameters
    check_run(series, hyperparameters, settings)
    warn_if_slow()
    chains = [Chain(series, hyperparameters, settings, index) for index in range(settings.n_chains)]
    keeper = None if checkpoint is None else Keeper(Path(checkpoint), series, chains, checkpoint_seconds)
    if keeper:
        keeper.open(resume=resume)
    with pools_for_epochs(chains, n_threads), watched_by(progress) as report:
        rounds = Rounds(chains, series.times, n_threads, keeper, report)
        ended, frozen = rounds.run()
    return Sample(
        series,
        hyperparameters,
        settings,
        rounds.kept(),
        frozen,
        ended,
        remarks=tuple(keeper.remarks) if keeper else (),
        n_discarded=rounds.n_discarded,
        resolution=choice.resolution,
        reasons=choice.reasons,
    )


def check_run(series: DistanceSeries, hyperparameters: Hyperparameters, settings: SamplerSettings) -> None:
    """Refuse a run that memory cannot hold, or that cannot start from the labels given."""
    limit = "max_draws" if settings.automatic else "n_draws"
    fewer: Text = ["ask for fewer chains (", Setting("n_chains"), ") or fewer draws (", Setting(limit), ")"]
    check_room_for_chains(series, hyperparameters, settings, "running", fewer)
    if not isinstance(settings.init, str):
        kind_of(hyperparameters).start(series, hyperparameters, settings, 0, unit=None)


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
