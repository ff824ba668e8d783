"""What a user with a type checker writes. `make check` checks it strictly; nothing here is run."""

from pathlib import Path
from typing import assert_type

import numpy as np
from numpy.typing import NDArray

from tetiwd import (
    ARI,
    Analysis,
    AnswerSettings,
    Beta,
    Clustering,
    DataError,
    DistanceSeries,
    Gamma,
    Hyperparameters,
    Sample,
    SamplerSettings,
    TeTiWD,
    TiWD,
    classify,
    compare,
    credible_ball,
    extend,
    load_run,
    representative,
    run_chains,
    simulate_separated,
)
from tetiwd.mode_analysis import ModeLineages
from tetiwd.summarize.forecast import Forecast
from tetiwd.summarize.lineages import Lineages

Matrices = list[NDArray[np.float64]]


def estimators(matrices: Matrices, X: NDArray[np.float64]) -> None:
    """scikit-learn's conventions."""
    settings = SamplerSettings(n_chains=2, n_warmup=50, n_draws=50, seed=1)
    model = TeTiWD(squared=True, dof=100.0, alpha=Gamma(1.0, 1.0), rho=Beta(1.0, 1.0), n_next=30, settings=settings)
    assert_type(model.fit(matrices, time=[1, 2, 3]), TeTiWD)
    assert_type(model.labels_.dtype, np.dtype[np.int64])
    assert_type(model.lineages_, Lineages | ModeLineages)
    assert_type(model.forecast(), Forecast)
    assert_type(model.diagnostics_.verdict, str)
    assert_type(model.report("report.html"), Path)
    assert_type(TiWD(tau=0.2, df_A=30.0, min_size=3).fit(X).n_clusters_, int)


def step_by_step(folder: Path) -> Analysis:
    """The functions behind the estimators."""
    try:
        series = DistanceSeries.from_distances(list(simulate_separated(seed=1).D), squared=True)
    except DataError as error:
        raise SystemExit(str(error)) from error
    sample = run_chains(series, Hyperparameters(dof=40.0), SamplerSettings(n_draws=10))
    assert_type(sample, Sample)
    clustering = representative(sample, ARI(), at_most="median")
    assert_type(clustering, Clustering)
    assert_type(credible_ball(sample, clustering).radius, float)
    classify(sample, clustering, series.D[-1][:3], squared=True).table()
    longer = Analysis(extend(sample, series), AnswerSettings(level=0.5))
    compare(load_run(folder), longer)
    return longer
