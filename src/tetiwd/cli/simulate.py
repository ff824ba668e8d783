"""``tetiwd simulate``: data with known clusters."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tetiwd.cli import options as o
from tetiwd.cli.command import command
from tetiwd.cli.console import Console
from tetiwd.errors import RunFolderError, Setting, SettingsError, plural

SIZES = "40,60,50"


class Design(StrEnum):
    """Designs of a simulation."""

    model = "model"
    separated = "separated"
    overlapping = "overlapping"
    independent = "independent"
    unequal = "unequal"
    notes = "notes"


@command()
def simulate(
    *,
    out: Annotated[Path, o.option("--out", "-o", text="Folder to create.")],
    design: Annotated[
        Design,
        typer.Option(
            help="model: draws from the model itself; separated, overlapping, independent: the designs of the paper; "
            "unequal: times with 704, 170 and 123 objects; notes: invented clinical notes of as many patients."
        ),
    ] = Design.model,
    sizes: Annotated[
        str | None, o.option("--sizes", text=f"For the design model: objects at every time. [default: {SIZES}]")
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 0,
    quiet: o.Quiet = False,
) -> None:
    """Write squared distances between simulated objects, and the clusters they come from.

    Example:

      tetiwd simulate --out play && tetiwd fit play/distances.npz --squared --out play/run
    """
    import numpy as np

    import tetiwd
    from tetiwd.memory import require_memory
    from tetiwd.params import check_seed

    check_seed(seed)
    if sizes is not None and design is not Design.model:
        raise SettingsError(f"the design {design.value} has sizes of its own", ["leave out ", Setting("sizes")])
    if out.exists():
        raise RunFolderError(f"{out} is there already", "choose another name")
    if design is Design.notes:
        _simulate_notes(out, seed, Console(quiet=quiet))
        return
    if design is Design.model:
        counts = _counts(sizes or SIZES)
        needed = 16 * sum(n * n for n in counts)  # the distances, and what it takes to make them
        require_memory(needed, f"simulating up to {max(counts)} objects", "use smaller --sizes")
        model = tetiwd.Hyperparameters(dof=10, alpha=0.5, new_scale=1.0)
        truth = tetiwd.simulate(counts, model, seed=seed)
    else:
        truth = getattr(tetiwd, f"simulate_{design}")(seed=seed)
    out.mkdir(parents=True)
    times = range(len(truth.D))
    np.savez_compressed(out / "distances.npz", allow_pickle=False, **{f"D_{t}": D for t, D in enumerate(truth.D)})
    lines = ["time,object,lineage"]
    lines += [f"{t},{i},{c}" for t in times for i, c in enumerate(np.asarray(truth.labels[t]).tolist())]
    (out / "truth.csv").write_text("\n".join(lines) + "\n", "utf-8")
    console = Console(quiet=quiet)
    k = [len(np.unique(labels)) for labels in truth.labels]
    clusters = f"{plural(len(k), 'time')} with {', '.join(map(str, k))} clusters"
    console.say(f"{clusters}, in {out / 'distances.npz'} (squared distances).")
    console.say(f"Find them with: tetiwd fit {out / 'distances.npz'} --squared --out {out / 'run'}")


def _counts(sizes: str) -> list[int]:
    try:
        return [int(part) for part in sizes.split(",")]
    except ValueError:
        fault = f" must be whole numbers with commas between them, not {sizes!r}"
        raise SettingsError([Setting("sizes"), fault]) from None


def _simulate_notes(out: Path, seed: int, console: Console) -> None:
    """A table of invented notes, and the groups and events that were planted in it."""
    from tetiwd.notes.synthetic import synthetic_notes

    synthetic = synthetic_notes(seed)
    file = synthetic.write(out)
    console.say(
        f"{len(synthetic.table)} synthetic notes of {synthetic.table.patient.nunique()} patients who do not exist, "
        f"in {file}."
    )
    console.say(f"Group them with: tetiwd notes {file} --id patient --outcome died --out {out / 'run'}")
