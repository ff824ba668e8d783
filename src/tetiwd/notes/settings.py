"""How notes become distances."""

from dataclasses import dataclass
from typing import Literal

from tetiwd.errors import SettingsError
from tetiwd.notes.windows import as_length
from tetiwd.params import check_positive, check_seed, check_share, is_whole


@dataclass(frozen=True)
class NotesSettings:
    """All settings between a table of notes and a series of distances. docs/notes.md has the evidence for the defaults.

    Parameters
    ----------
    window
        Length of a window: a number of years, months, weeks or days such as "1y", "6m", "2w" or "90d".
    aligned
        "object": windows are counted from the first note of every object. "calendar": they are the same for all.
    min_objects
        Windows with fewer objects are left out; 3 at least.
    word_objects
        Words that fewer objects use are left out.
    neighbours, object_neighbours
        Length of the list of nearest neighbours of a sentence, and of an object in a window; both count itself.
    comparison
        How two such lists are compared. "ranks": shared neighbours, weighted by a weight that falls evenly with the
        rank in either list. "overlap": truncated rank-biased overlap.
    persistence
        For "overlap": how slowly the weight falls with depth, between 0 and 1.
    ties
        Most similar sentences that every sentence is tied to in the graph for Louvain clustering.
    resolution
        Resolution of Louvain clustering; the larger, the more clusters of sentences.
    exact_up_to
        Distinct bags of words up to which neighbours are found by comparing all; beyond, common words do not propose.
    seed
        Seed of Louvain clustering.
    """

    window: str = "1y"
    aligned: Literal["object", "calendar"] = "object"
    min_objects: int = 3
    word_objects: int = 2
    neighbours: int = 10
    object_neighbours: int = 200
    comparison: Literal["ranks", "overlap"] = "ranks"
    persistence: float = 0.9
    ties: int = 30
    resolution: float = 10.0
    exact_up_to: int = 200_000
    seed: int = 0

    def __post_init__(self) -> None:
        as_length(self.window)
        if self.aligned not in ("object", "calendar"):
            raise SettingsError(f'aligned must be "object" or "calendar", not {self.aligned!r}')
        if self.comparison not in ("ranks", "overlap"):
            raise SettingsError(f'comparison must be "ranks" or "overlap", not {self.comparison!r}')
        lowest = {"min_objects": 3, "word_objects": 1, "neighbours": 2, "object_neighbours": 2, "ties": 1}
        for name, least in (lowest | {"exact_up_to": 0}).items():
            if not is_whole(getattr(self, name), least):
                raise SettingsError(f"{name} must be a whole number of at least {least}, not {getattr(self, name)!r}")
        check_share("persistence", self.persistence)
        check_positive("resolution", self.resolution)
        check_seed(self.seed)
