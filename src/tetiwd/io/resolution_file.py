"""A path of resolutions as a JSON file."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tetiwd.errors import DataError
from tetiwd.merit import Merit
from tetiwd.resolution import ResolutionPath, Step
from tetiwd.writing import write_text


def write_resolution(path: Path, resolution: ResolutionPath) -> None:
    """All steps with their clusters, objects in the order of the data."""
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
    write_text(path, json.dumps({"chosen": resolution.chosen, "usual": resolution.usual, "steps": steps}) + "\n")


def read_resolution(path: Path, n_objects: Sequence[int]) -> ResolutionPath:
    """The path that :func:`write_resolution` was given, for so many objects at every epoch."""
    try:
        read = json.loads(path.read_text("utf-8"))
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
        path_of = ResolutionPath(steps, int(read["usual"]), int(read["chosen"]))
        if not 0 <= min(path_of.usual, path_of.chosen) <= max(path_of.usual, path_of.chosen) < len(steps):
            raise ValueError("no such step")
        if {tuple(map(len, step.labels)) for step in steps} != {tuple(n_objects)}:
            raise ValueError("other objects")
        return path_of
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(f"{path.name} is damaged") from error
