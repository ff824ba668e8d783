"""The folder of an experiment: one small table per repeat, so that finished repeats stay finished."""

import tomllib
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import tetiwd
from tetiwd.errors import RunFolderError
from tetiwd.writing import write_table, write_text
from tetiwd_experiments.plan import Plan, Repeat
from tetiwd_experiments.repeat import COLUMNS

if TYPE_CHECKING:
    import pandas as pd

PLAN = "experiment.toml"


class ExperimentFolder:
    """Where an experiment keeps its plan and the table of every repeat."""

    def __init__(self, path: Path) -> None:
        self.path = Path(path)
        self.tables = self.path / "units"

    def open(self, plan: Plan) -> None:
        """Make the folder, or continue in one of this version with the same plan or fewer repeats."""
        wanted = plan.to_dict() | {"version": tetiwd.__version__}
        if self._is_new():
            self.tables.mkdir(parents=True, exist_ok=True)
            self._keep(wanted | {"begun": date.today().isoformat()})
            return
        there = self.settings()
        differing = sorted(key for key, value in wanted.items() if there.get(key) != value and key != "n_repeats")
        if differing:
            raise RunFolderError(
                f"{self.path} holds an experiment with another {differing[0]} ({there.get(differing[0])!r})",
                "choose another folder, or give the same settings to continue",
            )
        if there["n_repeats"] > plan.n_repeats:
            raise RunFolderError(
                f"{self.path} holds an experiment with {there['n_repeats']} repeats, more than {plan.n_repeats}",
                "choose another folder, or give at least as many to continue",
            )
        self.tables.mkdir(exist_ok=True)
        self._keep(there | wanted)

    def settings(self) -> dict[str, Any]:
        """The plan, and when and with which version the folder was made."""
        try:
            return tomllib.loads((self.path / PLAN).read_text("utf-8"))
        except (OSError, tomllib.TOMLDecodeError):
            raise RunFolderError(
                f"{self.path} is there already and is no experiment", "choose another folder"
            ) from None

    def _keep(self, settings: dict[str, Any]) -> None:
        import tomli_w

        write_text(self.path / PLAN, tomli_w.dumps(settings))

    def _is_new(self) -> bool:
        """Is the folder missing or without files?"""
        return not self.path.exists() or (self.path.is_dir() and not any(p.is_file() for p in self.path.rglob("*")))

    def table_of(self, repeat: Repeat) -> Path:
        """Where the table of a repeat belongs."""
        return self.tables / f"{repeat.name}.csv"

    def write(self, repeat: Repeat, table: "pd.DataFrame") -> None:
        """Keep the table of a repeat."""
        write_table(self.table_of(repeat), table)

    def is_done(self, repeat: Repeat) -> bool:
        """Is its table there?"""
        return self.table_of(repeat).is_file()

    def results(self, plan: Plan) -> "pd.DataFrame":
        """All tables as one, also written as results.csv."""
        import pandas as pd

        tables = [pd.read_csv(self.table_of(repeat)) for repeat in plan.repeats() if self.is_done(repeat)]
        if not tables:
            raise RunFolderError(f"nothing in {self.path} is done yet")
        for table in tables:
            if tuple(table.columns) != COLUMNS:
                raise RunFolderError(f"{self.tables} holds tables of another version", "choose another folder")
        results = pd.concat(tables, ignore_index=True)
        order = {name: i for i, name in enumerate((*plan.of_design.variants, *(plan.protocols or ())))}
        rank = np.lexsort((results["repeat"], results["protocol"].map(order), results["variant"].map(order)))
        results = results.iloc[rank].reset_index(drop=True)
        write_table(self.path / "results.csv", results)
        return results
