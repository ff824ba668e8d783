"""Calibration of what users see: is what is said to be 90 % certain right nine times out of ten?

Data come from the models themselves and from worlds that break their assumptions. The fits have default settings, so
that degrees of freedom and model are chosen from the data, too. Truth is known, and every stated probability is
compared with how often it came true.
"""

from typing import Any

import numpy as np
from benchmarks.table import Row, aligned
from numpy.typing import NDArray

from verification.check import Check, Found, Job

N_DATA_SETS, BATCH = 40, 4
N_BY_EPOCH, N_CLUSTERS, DIMENSIONS = (50, 50, 50, 50, 50), 4, 6
BINS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
CLAIMED = 0.5  # links and memberships that are looked at
TOLERANCE = 0.05
QUESTIONS = {
    "pairs": "two objects of a time are in one cluster",
    "memberships": "an object belongs to its cluster",
    "links": "a cluster continues one of the time before",
    "clusters": "90 % intervals of the number of clusters",
    "forecast": "90 % intervals of shares at the next time",
    "growth": "90 % intervals of growth rates",
}
INTERVALS = ("clusters", "forecast", "growth")  # stated at .9


def jobs(few: bool) -> list[Job]:
    """Batches of data sets from every world."""
    n = 1 if few else N_DATA_SETS // BATCH
    return [Job(f"{world}, {i}", {"world": world, "batch": i}) for world in WORLDS for i in range(n)]


def run(world: str, batch: int) -> Found:
    """What was stated, and whether it came true, as counts by bin of stated probability."""
    found: Found = {"world": world}
    for i in range(BATCH):
        for question, (stated, true) in of_data_set(world, BATCH * batch + i).items():
            bins = np.clip(np.searchsorted(BINS, stated, side="right") - 1, 0, len(BINS) - 2)
            cells = found.setdefault(question, [[0, 0.0, 0] for _ in BINS[:-1]])
            for b in range(len(cells)):
                own = bins == b
                cells[b][0] += int(own.sum())
                cells[b][1] += float(stated[own].sum())
                cells[b][2] += int(true[own].sum())
    return found


Answers = dict[str, tuple[NDArray[Any], NDArray[Any]]]  # stated probabilities, and whether they came true


def of_data_set(world: str, seed: int) -> Answers:
    """Fit all times but the last, and compare every statement with the truth."""
    from tetiwd import DistanceSeries, SamplerSettings, run_chains
    from tetiwd.analysis import Analysis

    rng = np.random.default_rng([seed, 83])
    X, labels, shares = WORLDS[world](rng)
    D = dissimilarities(np.concatenate(X), rng, crooked=world == "not Euclidean")
    ends = np.cumsum([len(x) for x in X])
    T = len(X) - 1
    blocks = [D[end - len(x) : end, end - len(x) : end] for end, x in zip(ends, X, strict=True)]
    cross = None if world == "paper's model" else D[: ends[T - 1], : ends[T - 1]]  # which that model does not have
    series = DistanceSeries.from_distances(blocks[:T], squared=True, cross=cross)
    analysis = Analysis(run_chains(series, settings=SamplerSettings(seed=seed, max_draws=1000), n_threads=1))
    return {
        "pairs": pairs(analysis, labels),
        "memberships": memberships(analysis, labels),
        "links": links(analysis, labels),
        "clusters": clusters(analysis, labels),
        "forecast": forecast(analysis, labels),
        "growth": growth(analysis, labels, shares),
    }


def majority(found: NDArray[Any], true: NDArray[Any]) -> dict[int, int]:
    """The most frequent true label of every cluster."""
    return {int(c): int(np.bincount(true[found == c]).argmax()) for c in np.unique(found)}


def pairs(analysis: Any, labels: list[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Pairs of objects of one time."""
    stated, true = [], []
    for probability, own in zip(analysis.coclustering, labels, strict=False):
        rows = np.triu_indices(len(own), 1)
        stated.append(np.asarray(probability)[rows])
        true.append((own[:, None] == own[None, :])[rows])
    return np.concatenate(stated), np.concatenate(true)


def memberships(analysis: Any, labels: list[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Objects are right if most of their cluster has their true label."""
    stated, true = [], []
    for certainty, found, own in zip(analysis.memberships.certainty, analysis.clustering.labels, labels, strict=False):
        most = majority(found, own)
        keep = found >= 0
        stated.append(np.asarray(certainty)[keep])
        true.append(np.array([most[int(c)] == label for c, label in zip(found[keep], own[keep], strict=True)]))
    return np.concatenate(stated), np.concatenate(true)


def links(analysis: Any, labels: list[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Links are right if most of both clusters have the same true label."""
    most = [majority(found, own) for found, own in zip(analysis.clustering.labels, labels, strict=False)]
    table = analysis.lineages.links()
    times = {time: t for t, time in enumerate(analysis.sample.series.times)}
    stated, true = [], []
    for link in table.itertuples():
        (g, s), (h, t) = link.source, link.target
        if link.probability >= CLAIMED:
            stated.append(link.probability)
            true.append(most[times[s]].get(g) == most[times[t]].get(h))
    return np.array(stated), np.array(true, dtype=bool)


def clusters(analysis: Any, labels: list[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Is the true number of clusters in its interval?"""
    table = analysis.n_clusters()
    true = [
        low <= len(np.unique(own)) <= high for low, high, own in zip(table.lower, table.upper, labels, strict=False)
    ]
    return np.full(len(true), 0.899), np.array(true)


def forecast(analysis: Any, labels: list[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Are the shares of the lineages at the time that was left out in their intervals?

    Lineages stand for the true label that most of them have; a label that several claim goes to the largest.
    """
    last = analysis.sample.series.n_epochs - 1
    found, own, coming = analysis.clustering.labels[last], labels[last], labels[last + 1]
    most, sizes = majority(found, own), {int(c): int((found == c).sum()) for c in np.unique(found)}
    table = analysis.forecast.table()
    true = []
    for row in table.itertuples():
        if isinstance(row.cluster, str) or row.cluster not in sizes:
            continue
        label = most[row.cluster]
        rivals = [sizes[c] for c, other in most.items() if other == label]
        if sizes[row.cluster] == max(rivals):
            true.append(row.lower - 1e-9 <= (coming == label).mean() <= row.upper + 1e-9)
    return np.full(len(true), 0.899), np.array(true, dtype=bool)


def growth(analysis: Any, labels: list[Any], shares: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Are the growth rates of the shares that objects were drawn with in their intervals?

    Lineages stand for true labels as in a forecast; a rate is the slope of the log odds from their first time to their
    last, weighted by the precision of a share.
    """
    sizes, n_labels = np.asarray(analysis.clustering.sizes), shares.shape[1]
    members = np.zeros((sizes.shape[1], n_labels))
    for found, own in zip(analysis.clustering.labels, labels, strict=False):
        np.add.at(members, (found[found >= 0], own[found >= 0]), 1)
    table = analysis.growth.table()
    true = []
    for g, (lower, upper) in enumerate(zip(table.lower, table.upper, strict=True)):
        label = int(members[g].argmax())
        times = np.flatnonzero(sizes[:, g])
        share = shares[times[0] : times[-1] + 1, label]
        rivals = members[members.argmax(axis=1) == label].sum(axis=1)
        if np.isfinite(lower) and members[g].sum() == rivals.max() and share.min() > 0:
            true.append(lower <= slope_of_log_odds(share) <= upper)
    return np.full(len(true), 0.899), np.array(true, dtype=bool)


def slope_of_log_odds(share: NDArray[Any]) -> float:
    """Per time step, weighted by the precision of the log odds that are estimated from a sample."""
    weight, step = share * (1 - share), np.arange(len(share))
    step = step - (weight * step).sum() / weight.sum()
    return float((weight * step * np.log(share / (1 - share))).sum() / (weight * step**2).sum())


def dissimilarities(X: NDArray[Any], rng: np.random.Generator, *, crooked: bool) -> NDArray[Any]:
    """Squared Euclidean distances, or squared city-block distances, which are not Euclidean."""
    from scipy.spatial.distance import pdist, squareform

    D = squareform(pdist(X, "cityblock") ** 2 if crooked else pdist(X, "sqeuclidean"))
    return np.asarray(D) / X.shape[1]


World = tuple[list[Any], list[Any], NDArray[Any]]  # features and labels by time; shares by time and label


def drifting(rng: np.random.Generator, noise: Any, step: float = 0.3) -> World:
    """Clusters whose centres drift; ``noise`` scatters so many objects of a cluster."""
    labels, shares = draw_sizes(rng)
    centres = 1.8 * rng.standard_normal((N_CLUSTERS, DIMENSIONS))
    X = []
    for own in labels:
        X.append(centres[own] + noise(own))
        centres = np.sqrt(1 - step**2) * centres + 1.8 * step * rng.standard_normal(centres.shape)
    return X, labels, shares


def draw_sizes(rng: np.random.Generator) -> tuple[list[Any], NDArray[Any]]:
    """Labels, and the shares that they are drawn with, which depend on the sizes before; no cluster is ever empty."""
    labels: list[Any] = []
    shares, weights = [], np.ones(N_CLUSTERS)
    for n in N_BY_EPOCH:
        sizes = np.zeros(N_CLUSTERS, dtype=int)
        while not sizes.all():
            share = rng.dirichlet(weights)
            own = rng.choice(N_CLUSTERS, size=n, p=share)
            sizes = np.bincount(own, minlength=N_CLUSTERS)
        labels.append(own)
        shares.append(share)
        weights = sizes + 1 / N_CLUSTERS
    return labels, np.array(shares)


def shares_behind(labels: list[Any], h: Any, rng: np.random.Generator) -> NDArray[Any]:
    """Shares that labels from an urn were drawn with: given the labels and those before they have a Dirichlet law."""
    from tetiwd.model.urn import remember

    n_labels = 1 + max(int(own.max()) for own in labels)
    memory: dict[int, float] = {}
    shares = []
    for own in labels:
        sizes = dict(zip(*(part.tolist() for part in np.unique(own, return_counts=True)), strict=True))
        new = h.xi * (h.kappa if memory else 1.0)
        weights = [memory.get(c, 0.0) + sizes.get(c, 0) for c in range(n_labels)]
        drawn = rng.gamma([*weights, new])
        shares.append(drawn[:-1] / drawn.sum())
        memory = remember(memory, sizes, h.delta if h.moves else 0.0, h.kappa)
    return np.array(shares)


def from_the_paper(rng: np.random.Generator) -> World:
    """The paper's model."""
    from tetiwd import Hyperparameters, simulate

    h = Hyperparameters(dof=DIMENSIONS, alpha=0.3, new_scale=1.0, xi=0.8, kappa=1.0)
    truth = simulate(N_BY_EPOCH, h, rng)
    return truth.X, truth.labels, shares_behind(truth.labels, h, rng)


def from_moving_centres(rng: np.random.Generator) -> World:
    """The model of moving centres."""
    from tetiwd import Hyperparameters
    from tetiwd.model.moving import simulate_moving

    fixed = {"alpha": 0.3, "new_scale": 1.0, "rho": 0.95, "xi": 0.8, "tau": 0.2, "delta": 0.5, "kappa": 0.5}
    h = Hyperparameters(dof=DIMENSIONS, geometry="moving", **fixed)
    truth = simulate_moving(N_BY_EPOCH, h, rng)
    return truth.X, truth.labels, shares_behind(truth.labels, h, rng)


def with_heavy_tails(rng: np.random.Generator) -> World:
    """Student's t with three degrees of freedom instead of a normal."""

    def noise(own: NDArray[Any]) -> NDArray[Any]:
        chi = np.sqrt(rng.chisquare(3, size=(len(own), 1)) / 3)
        return np.asarray(rng.standard_normal((len(own), DIMENSIONS)) / chi)

    return drifting(rng, noise)


def with_unequal_spreads(rng: np.random.Generator) -> World:
    """The widest cluster is four times as wide as the narrowest."""
    width = np.geomspace(0.5, 2.0, N_CLUSTERS)
    return drifting(rng, lambda own: width[own][:, None] * rng.standard_normal((len(own), DIMENSIONS)))


def with_outliers(rng: np.random.Generator) -> World:
    """One object in twenty is far from everything."""

    def noise(own: NDArray[Any]) -> NDArray[Any]:
        far = np.where(rng.random((len(own), 1)) < 0.05, 8.0, 1.0)
        return np.asarray(far * rng.standard_normal((len(own), DIMENSIONS)))

    return drifting(rng, noise)


def plain(rng: np.random.Generator) -> World:
    """Drifting normal clusters; sizes as no model has them."""
    return drifting(rng, lambda own: rng.standard_normal((len(own), DIMENSIONS)))


WORLDS = {
    "paper's model": from_the_paper,
    "moving centres": from_moving_centres,
    "drifting clusters": plain,
    "heavy tails": with_heavy_tails,
    "unequal spreads": with_unequal_spreads,
    "outliers": with_outliers,
    "not Euclidean": plain,
}
TRUE_TO_A_MODEL = ("paper's model", "moving centres")


def together(found: dict[str, Found]) -> dict[str, dict[str, NDArray[Any]]]:
    """Counts by world and question: number, sum of stated probabilities, number that came true, by bin."""
    worlds: dict[str, dict[str, NDArray[Any]]] = {world: {} for world in WORLDS}
    for one in found.values():
        for question in QUESTIONS:
            cells = np.array(one[question])
            worlds[one["world"]][question] = worlds[one["world"]].get(question, 0) + cells
    return worlds


def rows(found: dict[str, Found]) -> list[Row]:
    """Stated against true, for what is stated with at least even odds."""
    table = []
    for world, own in together(found).items():
        for question, words in QUESTIONS.items():
            if question not in own:
                continue
            upper = own[question][[low >= CLAIMED for low in BINS[:-1]]]
            n, stated, right = upper[:, 0].sum(), upper[:, 1].sum(), upper[:, 2].sum()
            if not n:
                continue
            says, is_true = (0.9 if question in INTERVALS else stated / n), right / n
            value = f"stated {100 * says:.0f} %, true {100 * is_true:.0f} % of {int(n):,}"
            goal = f"true ≥ stated − {100 * TOLERANCE:.0f}" if world in TRUE_TO_A_MODEL else "–"
            held = bool(is_true >= says - TOLERANCE) if world in TRUE_TO_A_MODEL else None
            table.append(Row(f"{world}: {words}", value, goal, held))
    return table


def summary(found: dict[str, Found]) -> str:
    """One table that says where to trust which number."""
    lines = []
    for world, own in together(found).items():
        if not own:
            continue
        cells = [world]
        for question in QUESTIONS:
            upper = own[question][[low >= CLAIMED for low in BINS[:-1]]]
            n = upper[:, 0].sum()
            says = 0.9 if question in INTERVALS else upper[:, 1].sum() / max(n, 1)
            over = says - upper[:, 2].sum() / max(n, 1)
            word = "trust" if over <= TOLERANCE else "too sure" if over <= 3 * TOLERANCE else "do not trust"
            cells.append(f"{word} ({points(-100 * over)})" if n else "–")
        lines.append(cells)
    return aligned(("world", *QUESTIONS), lines)


def points(difference: float) -> str:
    """A whole number with its sign."""
    return f"{difference:+.0f}".replace("-", "−") if round(difference) else "0"


def plot(found: dict[str, Found]) -> Any:
    """Stated probabilities against how often they came true, by world."""
    import matplotlib.pyplot as plt

    worlds = together(found)
    shown = [question for question in QUESTIONS if question not in INTERVALS]
    figure, axes = plt.subplots(1, len(shown), figsize=(10, 3.6), sharex=True, sharey=True, layout="constrained")
    for axis, question in zip(axes, shown, strict=True):
        axis.plot([0, 1], [0, 1], color="0.7", linewidth=0.8)
        for world, own in worlds.items():
            cells = own[question][own[question][:, 0] >= 20] if question in own else np.empty((0, 3))
            if len(cells):
                axis.plot(cells[:, 1] / cells[:, 0], cells[:, 2] / cells[:, 0], marker="o", markersize=3, label=world)
        axis.set_title(QUESTIONS[question], fontsize=9)
        axis.set_xlabel("stated")
    axes[0].set_ylabel("came true")
    axes[-1].legend(fontsize=7, loc="upper left")
    return figure


CHECK = Check(
    "Answers",
    "Are stated probabilities right as often as they say? Data come from the models and from worlds that break their "
    "assumptions; all settings are defaults, so that the choice of the degrees of freedom is tested, too. A 90 % "
    "interval should contain the truth nine times out of ten; probabilities of at least one half should be right as "
    "often as they say on average. There is a limit only for data from the models. In the first table, numbers in "
    "brackets are percentage points, true minus stated: below −5 the package is too sure, below −15 the number should "
    "not be trusted.",
    jobs,
    run,
    rows,
    plot,
    summary,
    inner=True,
)
