"""Trials: short runs of several models on the same data, to choose between them before the run itself."""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetiwd.data import DistanceSeries
from tetiwd.data.checks import Matrix
from tetiwd.data.mapped import for_workers, open_mapped
from tetiwd.data.tree_likeness import TREE_LIKE, mean_delta
from tetiwd.draws import Draws
from tetiwd.errands import Life, Workers, as_workers
from tetiwd.errors import Setting, Text
from tetiwd.merit import merit
from tetiwd.params import Hyperparameters, SamplerSettings
from tetiwd.resolution import Part, ResolutionPath, Step
from tetiwd.run_memory import check_room_for_chains
from tetiwd.sample import Sample
from tetiwd.sampler import Chain
from tetiwd.summarize.clustering import as_clustering
from tetiwd.summarize.losses import ARI
from tetiwd.summarize.point_estimate import best_partition, linked, place_links, source_of_links
from tetiwd.threads import in_threads, n_processors

N_CHAINS, N_WARMUP, N_DRAWS = 2, 50, 75
FEWEST_DRAWS = 10  # of trials of runs with a shorter warm-up
N_SEARCHES, N_LINKED = 4, 20  # searches for a point estimate, and draws from which its clusters are linked
STEPS_PER_DOUBLING = 2  # of the degrees of freedom
REACH, FARTHEST = STEPS_PER_DOUBLING, 2 * STEPS_PER_DOUBLING  # steps around the best one, and from the estimate
BY_CHANCE = 0.1  # certainty below which the draws have nothing in common but one large cluster
SHARE = 0.8  # of the objects of every epoch that are in a subsample
MOST_TRIED = 20_000  # objects in all; of more, some are drawn
MOST_DRAWN, MOST_OF_AN_EPOCH, FEWEST_OF_AN_EPOCH = 10_000, 2000, 10  # the last if there are very many epochs


def trial_settings(settings: SamplerSettings) -> SamplerSettings:
    """How trials sample: as the run does, but briefly. The number of its draws, which may grow, changes nothing."""
    n_warmup = min(settings.n_warmup, N_WARMUP)
    n_draws = max(FEWEST_DRAWS, n_warmup * N_DRAWS // N_WARMUP)
    n_uncoupled = None if settings.n_uncoupled is None else min(settings.n_uncoupled, n_warmup)
    return replace(
        settings,
        n_chains=N_CHAINS,
        n_warmup=n_warmup,
        n_draws=n_draws,
        n_discarded=0,
        n_uncoupled=n_uncoupled,
        thin=1,
        anneal=None,
        geometry_every=0,
    )


def try_out(
    series: DistanceSeries,
    models: Sequence[Hyperparameters],
    settings: SamplerSettings,
    n_threads: int | None,
    workers: Workers | None = None,
) -> list[Sample]:
    """A short run of every model, in threads or by workers. The draws do not depend on either."""
    settings = trial_settings(settings)
    together = replace(settings, n_chains=settings.n_chains * len(models))
    remedy: Text = ["give a number with ", Setting("dof"), " and a model with ", Setting("geometry"), " to try none"]
    check_room_for_chains(series, max(models, key=lambda model: model.moves), together, "trying models with", remedy)

    jobs = [(model, index) for model in range(len(models)) for index in range(settings.n_chains)]
    if workers is None:
        draws = _in_threads(series, models, settings, jobs, n_threads or n_processors())
    else:
        with workers.errands((for_workers(series), models, settings)) as errands:
            draws = errands.run(trial, [(str(errands.folder), *job) for job in jobs])
    by_model = [draws[i : i + settings.n_chains] for i in range(0, len(draws), settings.n_chains)]
    return [Sample(series, model, settings, its, []) for model, its in zip(models, by_model, strict=True)]


def _in_threads(
    series: DistanceSeries,
    models: Sequence[Hyperparameters],
    settings: SamplerSettings,
    jobs: list[tuple[int, int]],
    n_threads: int,
) -> list[Draws]:
    stop = threading.Event()

    def run(job: tuple[int, int]) -> Draws:
        return _draws_of(Chain(series, models[job[0]], settings, job[1]), stop.is_set)

    draws = in_threads(run, jobs, n_threads, lambda: False, stop)
    if stop.is_set():
        raise KeyboardInterrupt
    return draws


def trial(life: Life, folder: str, model: int, index: int) -> Draws:
    """Errand: one chain of one model; the folder holds data, models and settings."""
    series, models, settings = open_mapped(Path(folder))
    return _draws_of(Chain(series, models[model], settings, index), lambda: life.halted)


def _draws_of(chain: Chain, stop: Callable[[], bool]) -> Draws:
    while not chain.finished and not stop():
        chain.step()
    return chain.draws


def as_step(sample: Sample) -> Step:
    """The clustering that a trial has found, with its merit."""
    partitions, how = sample.partitions, source_of_links(sample, "auto")
    clusters = [
        best_partition(partitions.epoch(t), ARI(), "median", N_SEARCHES, 0, t) for t in range(partitions.n_epochs)
    ]
    source = place_links(how, clusters) if isinstance(how, DistanceSeries) else how
    found = as_clustering(partitions, linked(partitions.thinned(N_LINKED), clusters, source), ARI())
    if 1 - found.expected_loss < BY_CHANCE:
        found = as_clustering(partitions, [np.zeros_like(labels) for labels in found.labels], ARI())
    dof = sample.hyperparameters.dof_by_epoch(len(found.labels))
    return Step(dof, tuple(found.labels), merit(sample.series, found.labels), 1 - found.expected_loss)


def resolution_path(
    series: DistanceSeries,
    hyperparameters: Hyperparameters | None = None,
    settings: SamplerSettings | None = None,
    *,
    subsample: bool = False,
    usual: Any = None,
    n_threads: int | None = None,
    executor: Executor | Workers | None = None,
) -> ResolutionPath:
    """Clusters from coarse to fine: short runs with several degrees of freedom, and which of them to take.

    Values are tried around the estimate from moments until half and twice the best one are among them. Of more than
    20,000 objects in all, a random sample is tried, at most 2,000 of an epoch, which depends on the seed.

    The step taken is the one nearest to the estimate among those that are as good as any. If all distances are known
    and nearly those of a tree, as between genomes, it is the coarsest one.

    Parameters
    ----------
    series, hyperparameters, settings : DistanceSeries, Hyperparameters, SamplerSettings
        Data, model, and how to sample. Degrees of freedom in the hyperparameters are not looked at, and there are two
        short chains for every value. ``geometry="auto"`` is the paper's model, or moving centres if a setting of theirs
        is given.
    subsample : bool
        True to repeat everything on four fifths of the objects, to see whether clusters are the same there.
    usual : optional
        The estimate from moments, if it is known already.
    n_threads : int, optional
        Threads in all; None for one per processor. The result does not depend on it.
    executor : Executor or Workers, optional
        Who makes the short runs, if not threads; see :func:`tetiwd.run_chains`.

    Returns
    -------
    ResolutionPath
        ``table()`` has one row per value of the degrees of freedom; ``best`` is the step to take.

    Examples
    --------
    >>> import numpy as np
    >>> from tetiwd import DistanceSeries, resolution_path
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(40, 3)) + 6 * np.repeat([0, 1], 20)[:, None]
    >>> path = resolution_path(DistanceSeries.from_features(X, time=np.zeros(40)))
    >>> path.table().columns.tolist()
    ['dof', 'clusters', 'separation', 'agreement', 'score', 'certainty', 'stability', 'persistence', 'like_chosen',
    'like_next', 'chosen']
    """
    settings = settings or SamplerSettings()
    workers = None if executor is None else as_workers(executor)
    model = (hyperparameters or Hyperparameters()).without_auto()
    usual = series.dof() if usual is None else usual
    steps, part = dict[int, Step](), part_to_try(series, settings.seed)
    of_tree = series.cross is not None and mean_delta(series.cross) <= TREE_LIKE
    if part is not None:
        series, settings = series.restricted(part.rows), starting_with(settings, part.rows)
    untried = list(range(-REACH, REACH + 1))
    while untried:
        models = [model.with_dof(scaled(usual, at)) for at in untried]
        found = [as_step(sample) for sample in try_out(series, models, settings, n_threads, workers)]
        if subsample:
            found = [*tested_on_some(series, models, found, settings, n_threads, workers)]
        steps |= dict(zip(untried, found, strict=True))
        order = sorted(steps)
        path = ResolutionPath(tuple(steps[at] for at in order), order.index(0), part=part, of_tree=of_tree)
        best = order[path.chosen]
        untried = [at for at in range(best - REACH, best + REACH + 1) if at not in steps and abs(at) <= FARTHEST]
    return path


def part_to_try(series: DistanceSeries, seed: int) -> Part | None:
    """Equally many objects of every epoch, or all of a small one; None if all can be tried."""
    sizes = np.array(series.n_objects)
    if sizes.sum() <= MOST_TRIED:
        return None
    fitting = (n for n in range(MOST_OF_AN_EPOCH, FEWEST_OF_AN_EPOCH, -1) if np.minimum(sizes, n).sum() <= MOST_DRAWN)
    most = next(fitting, FEWEST_OF_AN_EPOCH)
    rng = np.random.default_rng(seed)
    return Part(tuple(some_of(D, min(most, len(D)), rng) for D in series.matrices), series.n_objects)


def starting_with(settings: SamplerSettings, rows: Sequence[NDArray[np.int64]]) -> SamplerSettings:
    """The same settings for some of the objects: labels to start from, if given, are theirs."""
    if isinstance(settings.init, str):
        return settings
    return replace(settings, init=[np.asarray(own)[some] for own, some in zip(settings.init, rows, strict=True)])


def scaled(dof: Sequence[float], at: int) -> tuple[float, ...]:
    """Degrees of freedom so many steps finer (or coarser, below 0)."""
    return tuple(value * 2 ** (at / STEPS_PER_DOUBLING) for value in dof)


def tested_on_some(
    series: DistanceSeries,
    models: Sequence[Hyperparameters],
    steps: Sequence[Step],
    settings: SamplerSettings,
    n_threads: int | None,
    workers: Workers | None,
) -> Iterator[Step]:
    """The steps with their stability, from trials on some of the objects."""
    rng = np.random.default_rng(settings.seed)
    rows = [some_of(D, max(2, round(SHARE * len(D))), rng) for D in series.matrices]
    settings = starting_with(settings, rows)
    samples = try_out(series.restricted(rows), models, settings, n_threads, workers)
    for step, sample in zip(steps, samples, strict=True):
        yield replace(step, stability=stability(step, rows, sample))


def some_of(matrix: Matrix, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Rows of n objects; if all of these are identical, the last one gives way to one that differs."""
    rows = rng.permutation(len(matrix))[:n]
    among, first = matrix[np.ix_(rows, rows)], matrix[rows[0]]
    others = np.flatnonzero(first != first[rows[0]])
    if np.ptp(among) == 0 and len(others):
        rows[-1] = others[0]
    return np.sort(rows)


def stability(step: Step, rows: Sequence[NDArray[np.int64]], sample: Sample) -> float:
    """Mean adjusted Rand index of the clusters of a step with those in draws from some of the objects."""
    labels = [labels_t[rows_t] for labels_t, rows_t in zip(step.labels, rows, strict=True)]
    return 1 - as_clustering(sample, labels, "ari").expected_loss
