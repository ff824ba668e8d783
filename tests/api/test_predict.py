"""``tetiwd predict`` takes new objects in every format that ``fit`` takes; labels.csv knows rows and second choices."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from tetiwd.cli.program import app

QUICK = ["--draws", "20", "--warmup", "20", "--chains", "2", "--dof", "2", "--threads", "1", "--quiet"]
OLD, NEW = [f"o{i}" for i in range(12)], ["n1", "n2"]
FREE = np.concatenate([np.repeat([0.0, 9.0], 6), [0.0, 9.0]])  # two clusters, and a new object in each


def tetiwd(*words, code=0):
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exit_code == code, done.output
    return done


@pytest.fixture(scope="module")
def points():
    rng = np.random.default_rng(0)
    return FREE[:, None] * [1, 0] + 0.5 * rng.standard_normal((14, 2))


@pytest.fixture(scope="module")
def run(tmp_path_factory, points):
    """A run on distances between objects known by name."""
    folder = tmp_path_factory.mktemp("predict")
    D = squared(points)[:12, :12]
    pd.DataFrame(D, index=OLD, columns=OLD).to_csv(folder / "old.csv")
    tetiwd("fit", folder / "old.csv", "--squared", "--out", folder / "run", *QUICK)
    return folder / "run"


def squared(X):
    return ((X[:, None] - X) ** 2).sum(-1)


def predicted(run, file, *words):
    return json.loads(tetiwd("predict", run, file, "--json", *words).stdout)


def as_square_table(file, D, names):
    pd.DataFrame(D, index=names, columns=names).to_csv(file)


def as_pairs(file, D, names):
    i, j = np.nonzero(np.triu(np.ones_like(D), 1))
    table = pd.DataFrame({"i": np.array(names)[j], "j": np.array(names)[i], "distance": D[i, j]})
    table.to_parquet(file) if file.suffix == ".parquet" else table.to_csv(file, index=False)


def as_npz(file, D, names):
    np.savez(file, D=D, ids=np.array(names))


def as_h5ad(file, D, names):
    anndata = pytest.importorskip("anndata")
    obs = pd.DataFrame({"time": 1}, index=names)
    anndata.AnnData(np.zeros((len(D), 1)), obs=obs, obsp={"distances": D}).write_h5ad(file)


def as_rows(file, D, names):
    table = pd.DataFrame(D[12:, :12], columns=names[:12])
    table.insert(0, "id", names[12:])
    table.to_parquet(file) if file.suffix == ".parquet" else table.to_csv(file, index=False)


FORMATS = {
    "square.csv": as_square_table,
    "pairs.csv": as_pairs,
    "pairs.parquet": as_pairs,
    "new.npz": as_npz,
    "new.h5ad": as_h5ad,
    "rows.csv": as_rows,
    "rows.parquet": as_rows,
}


@pytest.mark.parametrize("name", FORMATS)
def test_formats_of_distances(run, points, tmp_path, name):
    D, names = squared(points), [*OLD, *NEW]
    FORMATS[name](tmp_path / name, D, names)
    found = predicted(run, tmp_path / name)
    np.save(tmp_path / "plain.npy", D[12:, :12])
    plain = predicted(run, tmp_path / "plain.npy")
    assert [row.pop("id") for row in found] == NEW
    assert [row.pop("row") for row in plain] == [0, 1]
    assert found == plain
    assert found[0]["best"] != found[1]["best"]


def test_second_choices(run, points, tmp_path):
    as_pairs(tmp_path / "pairs.csv", squared(points), [*OLD, *NEW])
    for row in predicted(run, tmp_path / "pairs.csv"):
        others = {name: row[name] for name in row if name.startswith(("lineage", "none"))}
        first, second = sorted(others.values(), reverse=True)[:2]
        assert (row["probability"], row["next_probability"]) == (first, second)
        named = {**{f"lineage {i}": i for i in range(9)}, "none of these": -1}
        assert others[next(name for name in others if named[name] == row["next"])] == second
        assert row["next"] != row["best"]


def test_faults(run, points, tmp_path):
    D = squared(points)
    as_pairs(tmp_path / "pairs.csv", D[:, :], [*OLD, *NEW])
    table = pd.read_csv(tmp_path / "pairs.csv")
    table[(table.i != "n1") | (table.j != "o3")].to_csv(tmp_path / "lacking.csv", index=False)
    assert "has no distance between 'n1' and 'o3'" in tetiwd("predict", run, tmp_path / "lacking.csv", code=3).stderr
    as_square_table(tmp_path / "few.csv", D[1:, 1:], [*OLD[1:], *NEW])
    assert "has no object 'o0', which the run has" in tetiwd("predict", run, tmp_path / "few.csv", code=3).stderr
    as_square_table(tmp_path / "old.csv", D[:12, :12], OLD)
    assert "has no object that the run does not know" in tetiwd("predict", run, tmp_path / "old.csv", code=3).stderr
    np.savez(tmp_path / "two.npz", a=D, b=D)
    assert "holds 2 arrays besides ids" in tetiwd("predict", run, tmp_path / "two.npz", code=3).stderr


def test_similarities_with_themselves(points, tmp_path):
    """Their own similarity is in the same file; without it there is an error."""
    K, names = points @ points.T, [*OLD, *NEW]
    as_square_table(tmp_path / "old.csv", K[:12, :12], OLD)
    tetiwd("fit", tmp_path / "old.csv", "--similarities", "--out", tmp_path / "run", *QUICK)
    as_square_table(tmp_path / "both.csv", K, names)
    found = predicted(tmp_path / "run", tmp_path / "both.csv")
    assert [row["id"] for row in found] == NEW
    assert found[0]["best"] != found[1]["best"]
    np.save(tmp_path / "new.npy", K[12:, :12])
    assert "new objects with themselves" in tetiwd("predict", tmp_path / "run", tmp_path / "new.npy", code=3).stderr


def test_labels_have_rows_of_the_input_where_there_are_no_ids(tmp_path):
    rng = np.random.default_rng(1)
    table = pd.DataFrame({"a": rng.standard_normal(21), "b": rng.standard_normal(21), "time": [2, 1, 3] * 7})
    table.loc[4, "a"] = np.nan
    table.to_csv(tmp_path / "x.csv", index=False)
    tetiwd("fit", tmp_path / "x.csv", "--drop-missing", "--out", tmp_path / "run", *QUICK)
    labels = pd.read_csv(tmp_path / "run" / "labels.csv")
    assert list(labels.columns[:3]) == ["time", "object", "row"]
    assert "id" not in labels
    assert sorted(labels.row) == [row for row in range(21) if row != 4]
    assert (table.time[labels.row].to_numpy() == labels.time.to_numpy()).all()
    assert {"certainty", "next_lineage", "next_probability"} <= set(labels)
    from tetiwd import load_run

    assert (np.concatenate(load_run(tmp_path / "run").sample.series.rows) == labels.row).all()
