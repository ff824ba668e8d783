"""``tetiwd predict`` takes new objects in every format that ``fit`` takes; labels.csv knows rows and second choices."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
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


FEATURES = ["a", "b", "c"]


@pytest.fixture(scope="module")
def rows():
    """Features of 12 old and two new objects: many zeros, and columns that differ."""
    rng = np.random.default_rng(2)
    return np.column_stack([FREE, np.zeros(14), 3.0 * (FREE > 5)]) + rng.poisson(0.3, (14, 3))


@pytest.fixture(scope="module")
def of_features(tmp_path_factory, rows):
    """A run on features known by name, with names of its own for ids and times."""
    folder = tmp_path_factory.mktemp("named")
    pd.DataFrame(rows[:12], columns=FEATURES).assign(patient=OLD, year=2001).to_csv(folder / "old.csv", index=False)
    words = ["--id", "patient", "--time", "year", "--standardize"]
    tetiwd("fit", folder / "old.csv", *words, "--out", folder / "run", *QUICK)
    return folder / "run"


@pytest.fixture(scope="module")
def nameless(tmp_path_factory, rows):
    """A run on the same features without names."""
    folder = tmp_path_factory.mktemp("nameless")
    np.savez(folder / "old.npz", X=rows[:12], time=np.full(12, 2001))
    tetiwd("fit", folder / "old.npz", "--out", folder / "run", *QUICK)
    return folder / "run"


@pytest.fixture(scope="module")
def of_sparse(tmp_path_factory, rows):
    """A run on the same features as a sparse matrix."""
    folder = tmp_path_factory.mktemp("sparse")
    sparse.save_npz(folder / "old.npz", sparse.csr_matrix(rows[:12]))
    tetiwd("fit", folder / "old.npz", "--out", folder / "run", *QUICK)
    return folder / "run"


def features_as_csv(file, X):
    pd.DataFrame(X, columns=FEATURES).assign(id=NEW).to_csv(file, index=False)


def features_as_npz(file, X):
    np.savez(file, X=X, ids=np.array(NEW), time=np.array(["2001", "2001"]))


def features_as_sparse_npz(file, X):
    sparse.save_npz(file, sparse.csc_matrix(X))


def features_as_h5ad(file, X, order=(2, 0, 1), **obsm):
    """Columns in another order, which their names tell."""
    anndata = pytest.importorskip("anndata")
    order = list(order)
    var = pd.DataFrame(index=[FEATURES[column] for column in order])
    anndata.AnnData(X[:, order], obs=pd.DataFrame(index=NEW), var=var, obsm=obsm).write_h5ad(file)


def features_as_sparse_h5ad(file, X):
    features_as_h5ad(file, sparse.csr_matrix(X))


FEATURE_FORMATS = {
    "rows.npz": features_as_npz,
    "sparse.npz": features_as_sparse_npz,
    "rows.h5ad": features_as_h5ad,
    "sparse.h5ad": features_as_sparse_h5ad,
}


def probabilities(done):
    """What is printed, without the names of the objects."""
    return [{name: row[name] for name in row if name not in ("id", "row")} for row in json.loads(done.stdout)]


@pytest.mark.parametrize("name", FEATURE_FORMATS)
def test_formats_of_features(of_features, rows, tmp_path, name):
    features_as_csv(tmp_path / "new.csv", rows[12:])
    FEATURE_FORMATS[name](tmp_path / name, rows[12:])
    table, other = (tetiwd("predict", of_features, tmp_path / file, "--json") for file in ("new.csv", name))
    assert probabilities(other) == probabilities(table)
    assert table.stderr == ""
    assert [row.get("id") for row in json.loads(other.stdout)] == ([None] * 2 if name == "sparse.npz" else NEW)
    assert len({row["best"] for row in probabilities(table)}) == 2


@pytest.mark.parametrize("name", ["new.csv", "rows.npz", "sparse.npz"])
def test_formats_of_features_of_a_sparse_run(of_sparse, rows, tmp_path, name):
    np.save(tmp_path / "plain.npy", rows[12:])
    {"new.csv": features_as_csv, **FEATURE_FORMATS}[name](tmp_path / name, rows[12:])
    plain, other = (tetiwd("predict", of_sparse, tmp_path / file, "--json") for file in ("plain.npy", name))
    assert probabilities(other) == probabilities(plain)
    assert plain.stderr == ""


def test_features_in_obsm(of_features, rows, tmp_path):
    other = np.zeros((2, 3))
    features_as_csv(tmp_path / "new.csv", rows[12:])
    features_as_h5ad(tmp_path / "new.h5ad", other, X_pca=pd.DataFrame(rows[12:], index=NEW, columns=FEATURES))
    table = tetiwd("predict", of_features, tmp_path / "new.csv", "--json")
    found = tetiwd("predict", of_features, tmp_path / "new.h5ad", "--obsm", "X_pca", "--json")
    assert probabilities(found) == probabilities(table)
    refused = tetiwd("predict", of_features, tmp_path / "new.h5ad", "--obsm", "X_umap", code=3).stderr
    assert "obsm has no 'X_umap'; name one with --obsm (there are X_pca)" in refused
    refused = tetiwd("predict", of_features, tmp_path / "new.csv", "--obsm", "X_pca", code=4).stderr
    assert "--obsm X_pca is for features in an h5ad file; leave out --obsm" in refused


def test_faults_of_features(of_features, rows, tmp_path):
    new = tmp_path / "new.npz"
    np.savez(new, X=rows[12:, :1])
    assert "new.npz: has 1 column; give 3: a, b, c" in tetiwd("predict", of_features, new, code=3).stderr
    np.savez(new, X=rows[12:, :2])
    assert "new.npz: has 2 columns; give 3: a, b, c" in tetiwd("predict", of_features, new, code=3).stderr
    np.savez(new, X=rows[12:], ids=np.arange(3))
    assert (
        "the array 'ids' has 3 ids for 2 objects; give one id per object"
        in tetiwd("predict", of_features, new, code=3).stderr
    )
    np.savez(new, X=rows[12:], ids=np.arange(1))
    assert "has 1 id for 2 rows; give one id per new object" in tetiwd("predict", of_features, new, code=3).stderr
    words = ["predict", of_features, new, "--id", "name"]
    assert "has no array 'name', which --id names; leave out --id" in tetiwd(*words, code=3).stderr
    np.savez(new, X=rows[12:] * np.nan)
    assert "X has nan at row 0, column 0" in tetiwd("predict", of_features, new, code=3).stderr
    features_as_h5ad(tmp_path / "few.h5ad", rows[12:], order=(0, 2))
    refused = tetiwd("predict", of_features, tmp_path / "few.h5ad", code=3).stderr
    assert "few.h5ad: has no column 'b'; new objects need a, b, c" in refused


def warning(run, file):
    """The one warning that is printed, even with --json."""
    told = tetiwd("predict", run, file, "--json").stderr
    assert told.startswith("Warning: ")
    assert told.count("\n") == 1
    return told


def test_a_table_with_names_for_nameless_features(nameless, rows, tmp_path):
    pd.DataFrame(rows[12:], columns=["c", "b", "a"]).to_csv(tmp_path / "new.csv", index=False)
    told = warning(nameless, tmp_path / "new.csv")
    assert "the features of the run have no names, so column 'c' is taken for the first of them, and so on" in told
    assert "to match them by name, run fit again on a table of features with named columns" in told


def test_an_array_for_features_with_names(of_features, rows, tmp_path):
    np.save(tmp_path / "new.npy", rows[12:])
    told = warning(of_features, tmp_path / "new.npy")
    assert "no column is named after a feature, so column 1 is taken for 'a', and so on" in told
    assert "to match them by name, give a table with a column for every feature of the run" in told
    features_as_npz(tmp_path / "new.npz", rows[12:])
    assert warning(of_features, tmp_path / "new.npz") == told


def test_a_table_with_names_for_nameless_objects(points, tmp_path):
    D = squared(points)
    np.save(tmp_path / "old.npy", D[:12, :12])
    tetiwd("fit", tmp_path / "old.npy", "--squared", "--out", tmp_path / "run", *QUICK)
    pd.DataFrame(D[12:, :12], columns=OLD[::-1]).to_csv(tmp_path / "new.csv", index=False)
    told = warning(tmp_path / "run", tmp_path / "new.csv")
    assert "the objects of the run have no names, so column 'o11' is taken for the first of them, and so on" in told
    assert "to match them by name, run fit again on distances with ids" in told
    np.save(tmp_path / "new.npy", D[12:, :12])
    assert tetiwd("predict", tmp_path / "run", tmp_path / "new.npy").stderr == ""


def test_an_array_for_objects_with_names(run, points, tmp_path):
    D = squared(points)[12:, :12]
    np.save(tmp_path / "new.npy", D)
    told = warning(run, tmp_path / "new.npy")
    assert "no column is named after an object, so column 1 is taken for 'o0', and so on" in told
    assert "to match them by name, give a table with a column for every object of the run" in told
    np.savez(tmp_path / "new.npz", D=D, ids=np.array(NEW))
    assert warning(run, tmp_path / "new.npz") == told


def test_nothing_is_said_where_names_agree_or_there_are_none(nameless, of_features, rows, tmp_path):
    np.save(tmp_path / "new.npy", rows[12:])
    assert tetiwd("predict", nameless, tmp_path / "new.npy").stderr == ""
    pd.DataFrame(rows[12:]).to_csv(tmp_path / "counted.csv", index=False)  # columns 0, 1, 2
    assert tetiwd("predict", nameless, tmp_path / "counted.csv").stderr == ""
    pd.DataFrame(rows[12:, ::-1], columns=FEATURES[::-1]).to_csv(tmp_path / "turned.csv", index=False)
    features_as_csv(tmp_path / "new.csv", rows[12:])
    turned, table = (tetiwd("predict", of_features, tmp_path / f"{name}.csv", "--json") for name in ("turned", "new"))
    assert turned.stderr == ""
    assert probabilities(turned) == probabilities(table)


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
