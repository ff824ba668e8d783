"""``tetiwd simulate``: data with known clusters, to try things on."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tetiwd.cli import options as o
from tetiwd.cli.console import Console, reports_errors


class Design(StrEnum):
    """What is simulated."""

    model = "model"
    separated = "separated"
    overlapping = "overlapping"
    independent = "independent"
    unequal = "unequal"
    notes = "notes"


@reports_errors
def simulate(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to make; it must not be there yet.")],
    design: Annotated[
        Design,
        typer.Option(
            help="The model itself, one of the designs of the paper (separated, overlapping, independent), unequal: "
            "times with 704, 170 and 123 objects, or notes: invented clinical notes of as many patients."
        ),
    ] = Design.model,
    sizes: Annotated[str, typer.Option(help="With --design model: objects at every time, with commas.")] = "40,60,50",
    seed: Annotated[int, typer.Option(help="Seed.")] = 0,
    quiet: o.Quiet = False,
) -> None:
    """Write squared distances between simulated objects, and the clusters they come from.

    Example:

      tetiwd simulate --out play && tetiwd fit play/distances.npz --squared --out play/run
    """
    import numpy as np

    import tetiwd
    from tetiwd.data.memory import require_memory
    from tetiwd.errors import RunFolderError, SettingsError
    from tetiwd.params import check_seed

    check_seed(seed)
    if out.exists():
        raise RunFolderError(f"{out} is there already; choose another name")
    if design is Design.notes:
        _simulate_notes(out, seed, Console(quiet=quiet))
        return
    if design is Design.model:
        try:
            counts = [int(part) for part in sizes.split(",")]
        except ValueError:
            raise SettingsError(f"--sizes must be whole numbers with commas between them, not {sizes!r}") from None
        needed = 16 * sum(n * n for n in counts)  # the distances, and what it takes to make them
        require_memory(needed, f"simulating up to {max(counts)} objects", "use smaller --sizes")
        model = tetiwd.Hyperparameters(dof=10, alpha=0.5, new_scale=1.0)
        truth = tetiwd.simulate(counts, model, seed=seed)
    else:
        make = {
            Design.separated: tetiwd.simulate_separated,
            Design.overlapping: tetiwd.simulate_overlapping,
            Design.independent: tetiwd.simulate_independent,
            Design.unequal: tetiwd.simulate_unequal,
        }[design]
        truth = make(seed=seed)
    out.mkdir(parents=True)
    times = range(len(truth.D))
    np.savez_compressed(out / "distances.npz", **{f"D_{t}": own for t, own in enumerate(truth.D)})
    lines = ["time,object,lineage"]
    lines += [f"{t},{i},{c}" for t in times for i, c in enumerate(np.asarray(truth.labels[t]).tolist())]
    (out / "truth.csv").write_text("\n".join(lines) + "\n", "utf-8")
    console = Console(quiet=quiet)
    k = [len(np.unique(own)) for own in truth.labels]
    console.say(
        f"{len(k)} times with {', '.join(map(str, k))} clusters, in {out / 'distances.npz'} (squared distances)."
    )
    console.say(f"Find them with: tetiwd fit {out / 'distances.npz'} --squared --out {out / 'run'}")


def _simulate_notes(out: Path, seed: int, console: Console) -> None:
    """A table of invented notes, and the groups and events that were planted in it."""
    from tetiwd.notes.synthetic import synthetic_notes
    from tetiwd.writing import write_table

    found = synthetic_notes(seed)
    out.mkdir(parents=True)
    write_table(out / "notes.csv", found.table)
    write_table(out / "truth.csv", found.truth)
    write_table(out / "events.csv", found.events)
    console.say(
        f"{len(found.table)} synthetic notes of {found.table.patient.nunique()} patients who do not exist, "
        f"in {out / 'notes.csv'}."
    )
    console.say(f"Group them with: tetiwd notes {out / 'notes.csv'} --id patient --outcome died --out {out / 'run'}")
