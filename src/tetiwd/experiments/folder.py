"""The folder of an experiment: one small table per unit, so that whatever was done stays done."""

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tetiwd.errors import RunFolderError
from tetiwd.experiments.plan import Plan, Unit
from tetiwd.experiments.unit import COLUMNS
from tetiwd.io.writing import write_table, write_text

if TYPE_CHECKING:
    import pandas as pd

PLAN = "experiment.toml"


class ExperimentFolder:
    """Where an experiment keeps its plan and what every unit found."""

    def __init__(self, path: Path) -> None:
        self.path = Path(path)
        self.units = self.path / "units"

    def open(self, plan: Plan) -> None:
        """Make the folder, or go on in one that was made for the same plan."""
        import tomli_w

        if not self.path.exists():
            self.units.mkdir(parents=True)
            write_text(self.path / PLAN, tomli_w.dumps(plan.to_dict()))
            return
        try:
            there = tomllib.loads((self.path / PLAN).read_text("utf-8"))
        except (OSError, tomllib.TOMLDecodeError):
            raise RunFolderError(f"{self.path} is there already and is no experiment; choose another folder") from None
        differing = sorted(key for key, value in plan.to_dict().items() if there.get(key) != value)
        if differing:
            raise RunFolderError(
                f"{self.path} holds an experiment with another {differing[0]} ({there.get(differing[0])!r}); "
                "choose another folder, or give the same settings to go on"
            )
        self.units.mkdir(exist_ok=True)

    def table_of(self, unit: Unit) -> Path:
        """Where the table of a unit belongs."""
        return self.units / f"{unit.name}.csv"

    def write(self, unit: Unit, table: "pd.DataFrame") -> None:
        """Keep what a unit found."""
        write_table(self.table_of(unit), table)

    def is_done(self, unit: Unit) -> bool:
        """Is its table there?"""
        return self.table_of(unit).is_file()

    def results(self, plan: Plan) -> "pd.DataFrame":
        """All tables as one, also written as results.csv."""
        import pandas as pd

        tables = [pd.read_csv(self.table_of(unit)) for unit in plan.units() if self.is_done(unit)]
        if not tables:
            raise RunFolderError(f"nothing in {self.path} is done yet")
        for table in tables:
            if tuple(table.columns) != COLUMNS:
                raise RunFolderError(f"{self.units} holds tables of another version; choose another folder")
        results = pd.concat(tables, ignore_index=True)
        order = {name: i for i, name in enumerate(plan.of_design.variants)}
        rank = np.lexsort((results["repeat"], results["protocol"], results["variant"].map(order)))
        results = results.iloc[rank].reset_index(drop=True)
        write_table(self.path / "results.csv", results)
        return results
