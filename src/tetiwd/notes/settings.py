"""How notes become distances."""

from dataclasses import dataclass
from typing import Any, Literal

from tetiwd.declare import Settings, documented, setting


def _checked_window(window: Any) -> Any:
    from tetiwd.notes.windows import as_length

    as_length(window)
    return window


@documented
@dataclass(frozen=True)
class NotesSettings(Settings):
    """How a table of notes becomes a series of distances.

    ``docs/how-to/dated-notes.md`` has the evidence for the defaults.
    """

    table = "notes"
    group = "Notes"
    window: str = setting(
        "1y",
        'Length of a time window: a number of years, months, weeks or days such as "1y", "6m", "2w" or "90d".',
        option="--window",
        check=_checked_window,
    )
    aligned: Literal["object", "calendar"] = setting(
        "object",
        "Whether windows are counted from the first note of every object, or by the calendar.",
        option="--aligned",
    )
    min_objects: int = setting(3, "Windows with fewer objects are left out.", least=3)
    word_objects: int = setting(2, "Words that fewer objects use are left out.", least=1)
    neighbours: int = setting(10, "Nearest neighbours of a sentence, itself included.", least=2)
    object_neighbours: int = setting(200, "Nearest neighbours of an object in a window, itself included.", least=2)
    comparison: Literal["ranks", "overlap"] = setting(
        "ranks",
        'How two lists of neighbours are compared: "ranks" counts shared neighbours, with weights that fall evenly '
        'with the rank in either list; "overlap" is truncated rank-biased overlap.',
    )
    persistence: float = setting(0.9, 'For "overlap": how slowly the weight falls with depth.', share=True)
    ties: int = setting(30, "Most similar sentences that every sentence is tied to in the graph for Louvain.", least=1)
    resolution: float = setting(
        10.0, "Resolution of the Louvain clustering of sentences: larger gives more clusters.", option="--resolution"
    )
    exact_up_to: int = setting(
        200_000,
        "Up to this many distinct bags of words neighbours are exact; beyond, common words propose no neighbours.",
    )
    seed: int = setting(0, "Seed of the Louvain clustering.")
