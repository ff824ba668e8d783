"""Objects that change lineage from one window to the next, and objects that skip windows and return."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tetiwd.notes.members import FEW, Members
from tetiwd.notes.pipeline import NotesSeries

if TYPE_CHECKING:
    import pandas as pd

    from tetiwd.analysis import Analysis

COLUMNS = ("from_time", "to_time", "from_lineage", "to_lineage", "n_objects", "of", "expected", "small")


@dataclass(frozen=True, eq=False, repr=False)
class Changes:
    """Numbers of objects that change lineage; every object counts once."""

    table: "pd.DataFrame"  # COLUMNS, see changes_of
    n_changed: int  # objects that change lineage between consecutive windows at least once
    n_followed: int  # objects that are there in two consecutive windows
    n_returned: int  # objects that skip one window or more and return
    n_returned_elsewhere: int  # those of them that return to another lineage


def changes_of(notes: NotesSeries, analysis: "Analysis", members: Members) -> Changes:
    """All changes of lineage. Columns of its table:

    ``n_objects`` go from one lineage to another between consecutive windows, ``of`` those of the lineage that are in
    both; ``expected`` is the mean number over draws. ``small`` marks fewer than five objects.
    """
    flows = analysis.lineages.flows()
    flows = flows[flows.n_skipped == 0]
    of = flows.groupby(["from_time", "from_lineage"]).n_objects.transform("sum")
    table = flows.assign(of=of, small=flows.n_objects < FEW)
    table = table[(table.n_objects > 0) & (table.from_lineage != table.to_lineage)]
    steps = _steps(notes, members)
    moved, skipped = steps.from_lineage != steps.to_lineage, steps.n_skipped > 0
    return Changes(
        table.reset_index(drop=True)[list(COLUMNS)],
        steps.id[~skipped & moved].nunique(),
        steps.id[~skipped].nunique(),
        steps.id[skipped].nunique(),
        steps.id[skipped & moved].nunique(),
    )


def changes_by_id(notes: NotesSeries, members: Members) -> "pd.DataFrame":
    """One row per change of lineage between two appearances of an object: its id, and how many windows it skipped."""
    steps = _steps(notes, members)
    return steps[steps.from_lineage != steps.to_lineage].reset_index(drop=True)


def _steps(notes: NotesSeries, members: Members) -> "pd.DataFrame":
    """One row per appearance of an object and the next one."""
    import pandas as pd

    rows, times = notes.rows, np.array([*notes.rows.times, None], dtype=object)[:-1]
    order = np.lexsort((rows.window, rows.whose))
    same = rows.whose[order[1:]] == rows.whose[order[:-1]]
    before, after = order[:-1][same], order[1:][same]
    return pd.DataFrame(
        {
            "id": pd.Series([notes.notes.objects[position] for position in rows.whose[after]], dtype=object),
            "from_time": times[rows.window[before]],
            "to_time": times[rows.window[after]],
            "from_lineage": members.lineage[before],
            "to_lineage": members.lineage[after],
            "n_skipped": rows.window[after] - rows.window[before] - 1,
        }
    )
