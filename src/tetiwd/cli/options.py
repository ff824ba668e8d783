"""Options that several commands share, and how they become settings."""

from pathlib import Path
from typing import Annotated, Any

import typer

from tetiwd.errors import SettingsError

DATA, MODEL, RUN, SHOW = "What the files hold", "Model", "Run", "Output"


def _option(*names: str, panel: str, text: str, **more: Any) -> Any:
    return typer.Option(*names, help=text, rich_help_panel=panel, show_default=False, **more)


Files = Annotated[list[Path], typer.Argument(help="Files with the data; one for all times, or one per time.")]
Folder = Annotated[Path, typer.Argument(metavar="RUN", help="Folder that fit has written.")]

Format = Annotated[
    str | None,
    _option("--format", panel=DATA, text="arrays, matrix, long, features, h5ad or fasta; found out if not given."),
]
Squared = Annotated[
    bool | None,
    _option("--squared/--plain", panel=DATA, text="Are the numbers squared distances, or plain ones? Never guessed."),
]
Similarities = Annotated[bool, _option("--similarities", panel=DATA, text="The numbers are similarities.")]
Metric = Annotated[
    str | None,
    _option("--metric", panel=DATA, text="How features or sequences are compared: euclidean, cosine, hellinger, ..."),
]
Standardize = Annotated[
    bool, _option("--standardize", panel=DATA, text="Bring every feature to mean 0 and standard deviation 1.")
]
Columns = Annotated[str | None, _option("--columns", panel=DATA, text="Feature columns, with commas between them.")]
Id = Annotated[str | None, _option("--id", panel=DATA, text="Column with the ids of objects.")]
Time = Annotated[str | None, _option("--time", panel=DATA, text="Column with the times.")]
Times = Annotated[
    str | None, _option("--times", panel=DATA, text="Labels of the times, one per file, with commas between them.")
]
By = Annotated[
    str | None, _option("--by", panel=DATA, text="Put dates into times of a year, quarter, month, week or day.")
]
Objects = Annotated[
    Path | None, _option("--objects", panel=DATA, text="Table with id and time of every row of one matrix or sequence.")
]
Missing = Annotated[bool, _option("--drop-missing", panel=DATA, text="Leave out rows with missing values.")]
DropSmall = Annotated[bool, _option("--drop-small", panel=DATA, text="Leave out times with fewer than 3 objects.")]
Symmetrize = Annotated[
    bool, _option("--symmetrize", panel=DATA, text="Average the two distances of a pair where they differ.")
]
Cross = Annotated[
    bool | None,
    _option("--cross/--no-cross", panel=DATA, text="Use distances between times to link clusters (up to 5000 rows)."),
]

Dof = Annotated[
    str | None, _option("--dof", panel=MODEL, text="Degrees of freedom: auto, rank, spectrum, dispersion or a number.")
]
Xi = Annotated[float | None, _option("--xi", panel=MODEL, text="Rate of new clusters (1).")]
MaxClusters = Annotated[int | None, _option("--max-clusters", panel=MODEL, text="Most clusters at a time (no limit).")]
Loss = Annotated[str | None, _option("--loss", panel=MODEL, text="Loss of the one clustering: vi, binder or ari (vi).")]
AtMost = Annotated[
    str | None,
    _option(
        "--at-most", panel=MODEL, text="Most clusters of the one clustering at a time: a number or median (no limit)."
    ),
]
Links = Annotated[
    str | None, _option("--links", panel=MODEL, text="What links clusters: auto, model, objects or place (auto).")
]

Chains = Annotated[int | None, _option("--chains", panel=RUN, text="MCMC chains (4).")]
Warmup = Annotated[int | None, _option("--warmup", panel=RUN, text="Sweeps of each before draws are kept (1000).")]
NDraws = Annotated[int | None, _option("--draws", panel=RUN, text="Draws of each (1000).")]
Seed = Annotated[int | None, _option("--seed", panel=RUN, text="Seed of everything random (0).")]
Threads = Annotated[int | None, _option("--threads", panel=RUN, text="Threads; one per processor if not given.", min=1)]
CheckpointSeconds = Annotated[
    float, _option("--checkpoint-seconds", panel=RUN, text="Time between checkpoints of a chain (60).", min=0)
]
SettingsFile = Annotated[
    Path | None, _option("--settings", panel=RUN, text="TOML file with settings; options given here win over it.")
]
Assignments = Annotated[
    list[str] | None,
    _option("--set", panel=RUN, text="Any other setting, such as model.df_A=200; may be repeated.", metavar="T.NAME=V"),
]

Quiet = Annotated[bool, _option("--quiet", "-q", panel=SHOW, text="Say nothing but warnings and errors.")]
Json = Annotated[bool, _option("--json", panel=SHOW, text="Print the result as JSON.")]
Overwrite = Annotated[bool, _option("--overwrite", panel=SHOW, text="Replace what is there.")]


def data_tables(
    *,
    format: str | None,
    squared: bool | None,
    similarities: bool,
    metric: str | None,
    standardize: bool,
    columns: str | None,
    id: str | None,
    time: str | None,
    times: str | None,
    by: str | None,
    objects: Path | None,
    drop_missing: bool,
    drop_small: bool,
    symmetrize: bool,
    cross: bool | None,
) -> dict[str, Any]:
    """The [data] table of what was given."""
    return _given(
        format=format,
        squared=squared,
        kind="similarities" if similarities else None,
        metric=metric,
        standardize=standardize or None,
        columns=None if columns is None else [name.strip() for name in columns.split(",")],
        id=id,
        time=time,
        times=None if times is None else [_number_or_text(value) for value in times.split(",")],
        by=by,
        objects=None if objects is None else str(objects),
        missing="drop" if drop_missing else None,
        drop_small=drop_small or None,
        symmetrize="mean" if symmetrize else None,
        cross=cross,
    )


def model_tables(dof: str | None, xi: float | None, max_clusters: int | None) -> dict[str, Any]:
    """The [model] table of what was given."""
    return _given(dof=None if dof is None else _dof(dof), xi=xi, max_clusters=max_clusters)


def sampler_tables(chains: int | None, warmup: int | None, draws: int | None, seed: int | None) -> dict[str, Any]:
    """The [sampler] table of what was given."""
    return _given(n_chains=chains, n_warmup=warmup, n_draws=draws, seed=seed)


def answer_tables(loss: str | None, at_most: str | None, links: str | None) -> dict[str, Any]:
    """The [answers] table of what was given."""
    limit = int(at_most) if at_most and at_most.isdecimal() else at_most
    return _given(loss=loss, at_most=limit, links=links)


def _given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _dof(text: str) -> Any:
    """A name, a number, or one number per time with commas between them."""
    if text.replace("_", "").isalpha() and text not in ("nan", "inf", "infinity"):
        return text
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        raise SettingsError(
            f"--dof must be a name, a number, or numbers with commas between them, not {text!r}"
        ) from None
    return numbers if len(numbers) > 1 else numbers[0]


def _number_or_text(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text.strip()
