"""``fit_anndata``: labels, probabilities and the run are in the AnnData, and survive a file."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.metrics import adjusted_rand_score

from tetiwd import Constraints, DataError, SamplerSettings
from tetiwd.external import fit_anndata

anndata = pytest.importorskip("anndata")
HOW = {"dof": 3, "n_jobs": 1, "random_state": 0, "settings": SamplerSettings(n_draws=30, n_warmup=30, n_chains=2)}


@pytest.fixture
def cells():
    rng = np.random.default_rng(0)
    truth, day = rng.integers(3, size=60), np.array(["day 2", "day 10", "day 4"] * 20)
    X = 6 * np.eye(3)[truth] + rng.standard_normal((60, 3))
    obs = pd.DataFrame({"day": pd.Categorical(day), "truth": truth}, index=[f"cell{i}" for i in range(60)])
    return anndata.AnnData(np.zeros((60, 2)), obs=obs, obsm={"X_pca": X})


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_everything_survives_a_file(cells, tmp_path):
    model = fit_anndata(cells, time_key="day", **HOW)
    assert model.times_ == ["day 2", "day 4", "day 10"]
    cells.write_h5ad(tmp_path / "cells.h5ad")
    read = anndata.read_h5ad(tmp_path / "cells.h5ad")
    for day in model.times_:
        there = (read.obs.day == day).to_numpy()
        assert adjusted_rand_score(read.obs.truth[there], read.obs.tetiwd[there]) > 0.8
    rows = np.concatenate(model.analysis_.sample.series.rows)
    assert (read.obs.day.to_numpy()[rows] == np.repeat(model.times_, 20)).all()
    table = model.analysis_.memberships.table()
    assert np.allclose(read.obs.tetiwd_probability.to_numpy()[rows], table.certainty)
    assert np.allclose(read.obs.tetiwd_next_probability.to_numpy()[rows], table.next_probability)
    assert np.allclose(read.obsm["tetiwd_membership"][rows], np.concatenate(model.membership_))
    about = read.uns["tetiwd"]
    assert about["times"].tolist() == model.times_
    assert about["settings"]["model"]["dof"] == 3
    assert about["diagnostics"]["verdict"] == model.diagnostics_.verdict
    assert len(about["diagnostics"]["r_hat"]) == len(about["diagnostics"]["quantity"]) > 0
    assert about["parameters"]["alpha"].shape == (3,)
    assert about["lineages"]["lineage"].tolist() == list(range(model.analysis_.clustering.n_lineages))


def test_other_representations(cells):
    D = ((cells.obsm["X_pca"][:, None] - cells.obsm["X_pca"]) ** 2).sum(-1)
    cells.obsp["far"], cells.layers["copy"] = D, np.asarray(cells.obsm["X_pca"][:, :2])
    fit_anndata(cells, time_key="day", key_added="a", **HOW)
    fit_anndata(cells, time_key="day", use_rep="far", squared=True, key_added="b", **HOW)
    assert (cells.obs.a == cells.obs.b).all()
    fit_anndata(cells, time_key="day", use_rep="copy", key_added="c", **HOW)
    assert "c" in cells.uns


def test_order_of_categories_constraints_and_a_quick_look(cells):
    cells.obs["day"] = cells.obs.day.cat.set_categories(["day 10", "day 4", "day 2"], ordered=True)
    apart = Constraints(cannot_link=[("cell0", "cell3")])
    model = fit_anndata(cells, time_key="day", constraints=apart, mode="fast", dof=3, n_jobs=1)
    assert model.times_ == ["day 10", "day 4", "day 2"]
    assert cells.obs.tetiwd["cell0"] != cells.obs.tetiwd["cell3"]
    assert "diagnostics" not in cells.uns["tetiwd"]


def test_faults(cells):
    with pytest.raises(DataError, match="obs has no column 'year'; its columns are day, truth"):
        fit_anndata(cells, time_key="year")
    with pytest.raises(DataError, match="no 'X_umap' in obsm, layers or obsp; use_rep may be X, X_pca"):
        fit_anndata(cells, time_key="day", use_rep="X_umap")
    with pytest.raises(DataError, match="obs has no column 'patient'"):
        fit_anndata(cells, time_key="day", id_key="patient")
    cells.obsp["far"] = np.zeros((60, 60))
    with pytest.raises(DataError, match="not known whether the distances are squared"):
        fit_anndata(cells, time_key="day", use_rep="far")


@pytest.mark.parametrize("made", [np.asarray, csr_array])
def test_markers_have_the_names_of_genes(cells, made):
    named = anndata.AnnData(made(cells.obsm["X_pca"]), obs=cells.obs, var=pd.DataFrame(index=["SOX2", "PAX6", "MYOD1"]))
    table = fit_anndata(named, time_key="day", **HOW).analysis_.markers.table()
    assert set(table.feature) == {"SOX2", "PAX6", "MYOD1"}
    named.obsm["X_pca"] = cells.obsm["X_pca"]
    table = fit_anndata(named, time_key="day", **HOW).analysis_.markers.table()
    assert set(table.feature) == {"feature 0", "feature 1", "feature 2"}  # components are no genes
