"""A path of resolutions as a JSON file."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tetiwd.errors import DataError
from tetiwd.io.plain_texts import from_json
from tetiwd.merit import Merit
from tetiwd.resolution import Part, ResolutionPath, Step
from tetiwd.writing import write_text


def write_resolution(path: Path, resolution: ResolutionPath) -> None:
    """All steps with their clusters, objects in the order of the data; if only a sample was tried, which ones."""
    steps = [
        {
            "dof": list(step.dof),
            "separation": step.merit.separation,
            "agreement": step.merit.agreement,
            "certainty": step.certainty,
            "stability": None if np.isnan(step.stability) else step.stability,
            "lineages": [labels.tolist() for labels in step.labels],
        }
        for step in resolution.steps
    ]
    known: dict[str, Any] = {
        "chosen": resolution.chosen,
        "usual": resolution.usual,
        "tree": resolution.of_tree,
        "sample": None,
        "steps": steps,
    }
    if resolution.part is not None:
        rows, of = resolution.part.rows, resolution.part.n_objects
        known["sample"] = {"n_objects": [len(some) for some in rows], "of": of, "objects": [x.tolist() for x in rows]}
    write_text(path, json.dumps(known) + "\n")


def read_resolution(path: Path, n_objects: Sequence[int]) -> ResolutionPath:
    """The path that :func:`write_resolution` was given, for so many objects at every epoch."""
    try:
        read = from_json(path.read_text("utf-8"))
        steps = tuple(
            Step(
                tuple(map(float, step["dof"])),
                tuple(np.asarray(labels, dtype=np.int64) for labels in step["lineages"]),
                Merit(float(step["separation"]), float(step["agreement"])),
                float(step["certainty"]),
                float("nan") if step["stability"] is None else float(step["stability"]),
            )
            for step in read["steps"]
        )
        part = None if read.get("sample") is None else _part(read["sample"]["objects"], n_objects)
        path_of = ResolutionPath(steps, int(read["usual"]), int(read["chosen"]), part, bool(read.get("tree")))
        if not 0 <= min(path_of.usual, path_of.chosen) <= max(path_of.usual, path_of.chosen) < len(steps):
            raise ValueError("no such step")
        tried = tuple(n_objects) if part is None else tuple(map(len, part.rows))
        if {tuple(map(len, step.labels)) for step in steps} != {tried}:
            raise ValueError("other objects")
        return path_of
    except (OSError, ArithmeticError, ValueError, KeyError, TypeError) as error:
        raise DataError(f"{path.name} is damaged") from error


def _part(objects: list[list[int]], n_objects: Sequence[int]) -> Part:
    rows = tuple(np.asarray(some, dtype=np.int64) for some in objects)
    if not all(0 <= some.min() <= some.max() < n for some, n in zip(rows, n_objects, strict=True)):
        raise ValueError("no such object")
    return Part(rows, tuple(n_objects))
