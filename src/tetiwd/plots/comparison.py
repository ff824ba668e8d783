"""Where objects go from the lineages of one run to those of another."""

from typing import TYPE_CHECKING

import numpy as np

from tetiwd.plots.alluvial import Alluvial, lay_out
from tetiwd.plots.lineage_facts import NOWHERE, LineageFacts
from tetiwd.summarize.clustering import UNASSIGNED

if TYPE_CHECKING:
    from tetiwd.comparing import Comparison


def comparison_layout(comparison: "Comparison", labels: tuple[str, str] = ("run 1", "run 2")) -> Alluvial:
    """Lineages of both runs side by side and the objects in common as ribbons, for :func:`plot_lineages`.

    Lineages that are the same have the number, and so the colour, of the first run.
    """
    before, after = comparison.labels
    partner = {h: g for g, h in comparison.matches}
    fresh = 1 + max(int(before.max()), int(after.max()))
    number = {h: partner.get(h, h if h not in before else fresh + h) for h in np.unique(after).tolist()}
    here = [g if g != UNASSIGNED else NOWHERE for g in before.tolist()]
    there = [number[h] if h != UNASSIGNED else NOWHERE for h in after.tolist()]
    flows: dict[tuple[int, int, int], int] = {}
    sizes: tuple[dict[int, int], dict[int, int]] = ({}, {})
    for g, h in zip(here, there, strict=True):
        flows[0, g, h] = flows.get((0, g, h), 0) + 1
        sizes[0][g] = sizes[0].get(g, 0) + 1
        sizes[1][h] = sizes[1].get(h, 0) + 1
    return lay_out(LineageFacts(labels, sizes, flows=flows))
