"""Plain distances among six objects at each of two times, written in every format, sound or with a fault.

Every function ``as_…`` writes files into the working folder and returns their names and the settings that they need.
"""

import warnings

import numpy as np
import pandas as pd

from reference import rng_for

X = rng_for(12).standard_normal((12, 3))
WHOLE = np.sqrt(((X[:, None] - X[None]) ** 2).sum(-1))
TIME = np.repeat([2001, 2002], 6)
IDS = [f"p{i % 6}" for i in range(12)]


def spoilt(first, second):
    """The distances with these two values for one pair of the second time."""
    W = WHOLE.copy()
    W[7, 10], W[10, 7] = first, second
    return W


def blocks(W):
    return {"2001": W[:6, :6], "2002": W[6:, 6:]}


def as_npy(W):
    for label, block in blocks(W).items():
        np.save(f"d_{label}.npy", block)
    return ["d_2001.npy", "d_2002.npy", "squared=false"]


def as_npz(W):
    arrays = {f"D_{label}": block for label, block in blocks(W).items()}
    np.savez("d.npz", **arrays, ids_2001=IDS[:6], ids_2002=IDS[6:])
    return ["d.npz", "squared=false"]


def as_condensed(W):
    for label, block in blocks(W).items():
        np.save(f"d_{label}.npy", block[np.triu_indices(6, 1)])
    return ["d_2001.npy", "d_2002.npy", "squared=false"]


def as_pooled(W):
    np.savez("d.npz", D=W, time=TIME, ids=IDS)
    return ["d.npz", "squared=false"]


def as_matrix_and_objects(W):
    np.save("d.npy", W)
    pd.DataFrame({"id": IDS, "time": TIME}).to_csv("objects.csv", index=False)
    return ["d.npy", "objects='objects.csv'", "squared=false"]


def as_square(W):
    for label, block in blocks(W).items():
        np.savetxt(f"d_{label}.csv", block, delimiter=",")
    return ["d_2001.csv", "d_2002.csv", "squared=false"]


def as_lsmat(W):
    for label, block in blocks(W).items():
        pd.DataFrame(block, IDS[:6], IDS[:6]).to_csv(f"d_{label}.tsv.gz", sep="\t")
    return ["d_2001.tsv.gz", "d_2002.tsv.gz", "squared=false"]


def pairs(W):
    rows = [
        (TIME[i], IDS[i], IDS[j], W[i, j])
        for i in range(12)
        for j in range(12)
        if TIME[i] == TIME[j] and (i != j or W[i, j])
    ]
    return pd.DataFrame(rows, columns=["time", "i", "j", "distance"])


def as_long(W):
    pairs(W).to_csv("d.csv", index=False)
    return ["d.csv", "squared=false"]


def as_parquet(W):
    pairs(W).to_parquet("d.parquet")
    return ["d.parquet", "squared=false"]


def as_h5ad(W, time=TIME, names=None):
    import anndata

    names = [f"{id}@{t}" for id, t in zip(IDS, TIME, strict=True)] if names is None else names
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        stored = anndata.AnnData(obs=pd.DataFrame({"time": time}, index=names))
        stored.obsp["distances"] = W
        stored.write_h5ad("d.h5ad")
    return ["d.h5ad", "squared=false"]


SECOND = {  # the file that holds the second time, and how its objects 1 and 4 are called
    as_npy: ("d_2002.npy", "(1, 4)"),
    as_npz: ("d.npz", "('p1', 'p4')"),
    as_condensed: ("d_2002.npy", "(1, 4)"),
    as_pooled: ("d.npz", "('p1', 'p4')"),
    as_matrix_and_objects: ("d.npy", "('p1', 'p4')"),
    as_square: ("d_2002.csv", "(1, 4)"),
    as_lsmat: ("d_2002.tsv.gz", "('p1', 'p4')"),
    as_long: ("d.csv", "('p1', 'p4')"),
    as_parquet: ("d.parquet", "('p1', 'p4')"),
    as_h5ad: ("d.h5ad", "('p1@2002', 'p4@2002')"),
}
