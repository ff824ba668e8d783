"""Everything that reads a file: how to write valid ones, and the function that reads them."""

import hashlib
import json
import shutil
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

SEQUENCES = "".join(f">s{i}|{2001 + i // 6}\n{'ACGT' * 5}{'ACGT'[i % 4]}\n" for i in range(12))
FEATURES = "time,id,a,b\n" + "".join(f"{2001 + i // 6},p{i % 6},{i * 0.37 % 1:.3f},{i % 5}\n" for i in range(12))
DATED = FEATURES.replace("2001,", "2001-03-04,").replace("2002,", "2002-05-06,")
TOML = """[data]
columns = ["a", "b"]
standardize = true
times = [1, 2]
[model]
dof = [3.0, 2]
alpha = {shape = 1.0, scale = 2.0}
rho = {a = 1.0, b = 2.0}
xi = 0.5
[sampler]
n_draws = 40
seed = 3
init = [[0, 1], [1, 0]]
[answers]
level = 0.9
"""
METADATA = "id,time,age,kind\n" + "".join(f"p{i % 6},{1 + i // 6},{20 + i},{'ab'[i % 2]}\n" for i in range(12))
PAIRS = "object,other,kind,time,weight\np0,p1,must,1,\np2,p4,cannot,2,0.5\n"
LABELS = "object,label,time\np0,a,1\np1,b,1\np0,a,2\n"
NEW = "," + ",".join(f"p{i}" for i in range(6)) + ",u\n" + "".join(
    f"{name}," + ",".join(str(abs(x - y)) for y in (0, 1, 2, 3, 4, 5, 2.5)) + "\n"
    for name, x in [*((f"p{i}", i) for i in range(6)), ("u", 2.5)]
)  # fmt: skip
STEP = {"separation": 0.5, "agreement": 0.5, "certainty": 0.9, "stability": None, "lineages": [[0, 1], [0, 0]]}
RESOLUTION = json.dumps({"chosen": 1, "usual": 0, "sample": None, "steps": [{"dof": [d, d]} | STEP for d in (2, 4)]})
NOTES = "id,date,text,died\n" + "".join(f'p{i % 4},2001-0{1 + i % 5}-04,"no fever, {i}",{i % 2}\n' for i in range(9))


@dataclass(frozen=True)
class Readable:
    """One kind of file. ``write`` makes valid ones in the working folder, ``read`` reads them or raises."""

    write: Callable[[], Any]  # returns what ``read`` needs to know
    read: Callable[[Any], Any]
    spoil: str | None = None  # the only file to be changed; any if not given


def read_input(words: list[str]) -> Any:
    """The series from files and settings as words; it must make sense."""
    from tetiwd.io.data_settings import DataSettings
    from tetiwd.io.read import read_series

    files = [word for word in words if "=" not in word]
    settings = DataSettings(**tomllib.loads("\n".join(word for word in words if "=" in word)))
    series = read_series(files, settings).series
    for matrix in series.matrices if series.has_matrices else ():
        if not np.isfinite(matrix).all() or not np.array_equal(matrix, matrix.T):
            raise ArithmeticError("distances that cannot be were accepted")
    return series


def text(name: str, content: str, *words: str) -> Callable[[], list[str]]:
    """Writes one text file."""

    def write() -> list[str]:
        Path(name).write_text(content, "utf-8")
        return [name, *words]

    return write


def packed(name: str, content: str, *words: str) -> Callable[[], list[str]]:
    """Writes one text file, packed."""
    import gzip

    def write() -> list[str]:
        Path(name).write_bytes(gzip.compress(content.encode(), mtime=0))
        return [name, *words]

    return write


def table_as_parquet() -> list[str]:
    """Features."""
    import io

    import pandas as pd

    pd.read_csv(io.StringIO(FEATURES)).to_parquet("x.parquet")
    return ["x.parquet"]


def arrays_of_features() -> list[str]:
    """Features as arrays, with ids and times."""
    np.savez("x.npz", X=np.arange(36.0).reshape(12, 3) % 7, time=np.repeat([2001, 2002], 6), ids=np.arange(12))
    return ["x.npz", "format='features'"]


def features_as_h5ad() -> list[str]:
    """Features of an AnnData object."""
    import anndata
    import pandas as pd

    about = pd.DataFrame({"time": np.repeat([2001, 2002], 6)}, index=[f"p{i}" for i in range(12)])
    anndata.AnnData(obs=about, obsm={"X_few": np.arange(36.0).reshape(12, 3) % 7}).write_h5ad("x.h5ad")
    return ["x.h5ad", "obsm='X_few'"]


# What is known besides the data


def series() -> Any:
    """The data that all of this is about."""
    from tetiwd import DistanceSeries

    D = np.abs(np.subtract.outer(np.arange(6.0), np.arange(6.0)))
    return DistanceSeries.from_distances([D, D], squared=True, ids=[[f"p{i}" for i in range(6)]] * 2, times=[1, 2])


def read_outcomes(words: list[str]) -> None:
    """A table of outcomes."""
    from tetiwd.io import metadata_table

    metadata_table.read_outcomes(Path(words[0]), None, None, series())


def read_metadata(words: list[str]) -> None:
    """A table of anything."""
    from tetiwd.io import metadata_table

    metadata_table.read_metadata(words[0], series())


def read_constraints(words: list[str]) -> None:
    """Pairs and labels, for these data."""
    from tetiwd.io import constraint_files
    from tetiwd.io.data_settings import DataSettings

    known = constraint_files.read_constraints(DataSettings(**tomllib.loads("\n".join(words))))
    if known is not None:
        series().bound_by(known)


def read_names(words: list[str]) -> None:
    """Names of lineages."""
    from tetiwd.io import names_table

    names_table.read_names(Path(words[0]))


def read_new_distances(words: list[str]) -> None:
    """Distances of new objects to known ones."""
    from tetiwd.io import new_distances
    from tetiwd.io.data_settings import DataSettings
    from tetiwd.io.files import find_file

    new_distances.read_new_distances(find_file(words[0]), series(), [0], DataSettings(squared=True))


def read_resolution(words: list[str]) -> None:
    """Clusters at several degrees of freedom."""
    from tetiwd.io import resolution_file

    resolution_file.read_resolution(Path(words[0]), [2, 2])


def read_notes(words: list[str]) -> None:
    """Dated texts."""
    from tetiwd.notes import reading

    reading.read_notes(words[0], outcomes=["died"])


def read_new(words: list[str]) -> None:
    """New objects, with known features."""
    from tetiwd.io.data_settings import DataSettings
    from tetiwd.io.new_objects import read_new_objects

    read_new_objects(Path(words[0]), None, DataSettings(), ["a", "b"])


def read_settings(words: list[str]) -> None:
    """A settings file."""
    from tetiwd.io.settings import RunSettings
    from tetiwd.io.settings import read_settings as read

    RunSettings.from_tables(read("mine.toml"))


# Files of a run


def copied(*names: str) -> Callable[[], list[str]]:
    """Files of a run that was made before in the folder ``../run``."""

    def write() -> list[str]:
        for name in names:
            Path("run", name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(Path("../run", name), Path("run", name))
        return []

    return write


def read_draws(words: Any) -> None:
    """results.nc, with the other files of the run."""
    from tetiwd.io.run_folder import RunFolder

    RunFolder.open("run").sample()


def read_distances(words: Any) -> None:
    """data.nc."""
    from tetiwd.io.run_folder import RunFolder

    RunFolder.open("run").series()


def read_about(words: Any) -> None:
    """run.toml."""
    from tetiwd.io.run_folder import RunFolder

    folder = RunFolder.open("run")
    folder.settings()
    folder.hyperparameters()
    _ = folder.reasons, folder.origin, folder.status


def go_on(words: Any) -> None:
    """A checkpoint and its draws: chains are restored, and a few sweeps follow."""
    from dataclasses import replace

    from tetiwd import run_chains
    from tetiwd.io.run_folder import RunFolder

    folder = RunFolder.open("run")
    settings = folder.settings().sampler
    settings = replace(settings, n_draws=(settings.n_draws or 0) + 2)
    run_chains(
        folder.series(), folder.hyperparameters(), settings, checkpoint=folder.checkpoint, resume=True, n_threads=1
    )


def signed(content: bytes) -> bytes:
    """A checkpoint with a checksum that is right again, as somebody would write it who means harm."""
    line, _, payload = content.partition(b"\n")
    name = line.partition(b" ")[0]
    return name + b" " + hashlib.sha256(name + payload).hexdigest().encode() + b"\n" + payload


CHECKPOINTS = tuple(f"checkpoint/chain-{c}.{end}" for c in (1, 2) for end in ("checkpoint", "draws"))
WHOLE_RUN = ("run.toml", "data.nc", "results.nc", *CHECKPOINTS)


def readables() -> dict[str, Readable]:
    """All kinds of files, by name."""
    import written_distances as w

    found = {
        write.__name__[3:].replace("_", " "): Readable(lambda write=write: write(w.WHOLE), read_input)
        for write in w.SECOND
    }
    found["features"] = Readable(text("x.csv", FEATURES), read_input)
    found["features, dated"] = Readable(text("x.tsv", DATED.replace(",", "\t"), "by='year'"), read_input)
    found["features, packed"] = Readable(packed("x.csv.gz", FEATURES), read_input)
    found["features, parquet"] = Readable(table_as_parquet, read_input)
    found["sequences"] = Readable(text("s.fasta", SEQUENCES), read_input)
    found["sequences, packed"] = Readable(packed("s.fasta.gz", SEQUENCES), read_input)
    found["feature arrays"] = Readable(arrays_of_features, read_input)
    found["features, h5ad"] = Readable(features_as_h5ad, read_input)
    found["outcomes"] = Readable(text("outcomes.csv", "id,died\np1,1\np2,0\np3,\n"), read_outcomes)
    found["metadata"] = Readable(text("about.csv", METADATA), read_metadata)
    found["constraints"] = Readable(
        text("pairs.csv", PAIRS), lambda known: read_constraints(["constraints='pairs.csv'"])
    )
    found["fixed labels"] = Readable(text("l.csv", LABELS), lambda known: read_constraints(["fixed_labels='l.csv'"]))
    found["names of lineages"] = Readable(text("names.csv", "lineage,name,colour\n0,a,#ff0000\n1,b,\n"), read_names)
    found["new distances"] = Readable(text("new.csv", NEW), read_new_distances)
    found["resolution"] = Readable(text("resolution.json", RESOLUTION), read_resolution)
    found["notes"] = Readable(text("notes.csv", NOTES), read_notes)
    found["new objects"] = Readable(text("new.csv", "id,a,b\nu,1,2\nv,3,4\n"), read_new)
    found["settings"] = Readable(text("mine.toml", TOML), read_settings)
    found["run.toml"] = Readable(copied("run.toml"), read_about)
    found["data.nc"] = Readable(copied("run.toml", "data.nc"), read_distances, "run/data.nc")
    found["results.nc"] = Readable(copied(*WHOLE_RUN), read_draws, "run/results.nc")
    found["checkpoint"] = Readable(copied(*WHOLE_RUN), go_on, "run/checkpoint/chain-1.checkpoint")
    found["draws of a checkpoint"] = Readable(copied(*WHOLE_RUN), go_on, "run/checkpoint/chain-1.draws")
    return found
