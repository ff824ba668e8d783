"""Members of the parliament of 2013 on a map, by lineage."""

import numpy as np
from page import data_of

from tetiwd import TeTiWD
from tetiwd.plots import plot_map

data = data_of("votes.md")
D, names = [], []
for _, sheet in data.votes.groupby("term"):
    table = sheet.pivot(index="name", columns="call", values="yes")
    cast, yes = table.notna().to_numpy(float), table.fillna(0).to_numpy()
    no = cast - yes
    D.append((yes @ no.T + no @ yes.T) / (cast @ cast.T) * (1 - np.eye(len(table))))
    names.append(list(table.index))
model = TeTiWD(squared=True, dof=5.35).fit(D, time=data.terms, ids=names)
plot_map(model.analysis_, 2)
