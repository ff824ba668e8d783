"""Findings about lineages from their notes: words, clusters of sentences, outcomes, changes; as tables and as text."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tetiwd.errors import SettingsError
from tetiwd.narrative import listed, plural
from tetiwd.notes.changes import Changes, changes_of
from tetiwd.notes.distinctions import distinctions
from tetiwd.notes.lineage_words import lineage_words
from tetiwd.notes.members import FEW, Members, members_of
from tetiwd.notes.pipeline import NotesSeries
from tetiwd.notes.rates import Rates, rates_by_lineage
from tetiwd.notes.sentence_clusters import SentenceCluster, sentence_clusters
from tetiwd.plots.text import clean

if TYPE_CHECKING:
    import pandas as pd

    from tetiwd.analysis import Analysis

NAMED = 6  # words of a lineage in a sentence
LONGEST_NAME, LONGEST_WORD = 60, 40


@dataclass(frozen=True, eq=False, repr=False)
class Findings:
    """What the notes say about the lineages of an analysis.

    Holds no ids, but sentences of the notes (``clusters``), counts, shares and words.
    """

    members: Members
    level: float  # of all intervals
    words: "pd.DataFrame"  # of every lineage, see tetiwd.notes.lineage_words.LineageWords.top
    distinctions: "pd.DataFrame"  # clusters of sentences by lineage, see tetiwd.notes.distinctions
    clusters: dict[int, SentenceCluster]  # those that distinguish a lineage
    rates: tuple[Rates, ...]  # one per outcome that is known of anybody
    unknown: tuple[str, ...]  # outcomes that are known of nobody
    changes: Changes
    silent: tuple[int, ...]  # lineages left out because they, or all others together, have fewer than five objects

    def words_of(self, lineage: int) -> tuple[list[str], list[str]]:
        """Words that a lineage uses more often than others, and words that it uses less often."""
        of_lineage = self.words[self.words.lineage == lineage]
        return of_lineage.word[of_lineage.certain > 0].tolist(), of_lineage.word[of_lineage.certain < 0].tolist()

    def narrate(self) -> list[str]:
        """The main findings in a few sentences."""
        sentences = [sentence for rates in self.rates for sentence in self._favourable(rates)]
        for name in self.unknown:
            sentences.append(f"“{clean(name, LONGEST_NAME)}” is unknown for all objects in these windows.")
        return [*sentences, *_changes_narrate(self.changes), *self._small()]

    def _favourable(self, rates: Rates) -> list[str]:
        """The most and the least favourable lineage, if the data can tell."""
        name = clean(rates.name, LONGEST_NAME) or "the outcome"
        if len(rates.compared) < 2:
            n = "Only one lineage has" if len(rates.compared) else "No lineage has"
            return [f"{n} five or more objects for which “{name}” is known, so lineages cannot be compared."]
        good, bad = (("highest", rates.highest()), ("lowest", rates.lowest()))[:: 1 if rates.good else -1]
        meant = f"“{name}” (a yes is {'good' if rates.good else 'bad'})"
        return [self._extreme(rates, meant, "most", *good), self._extreme(rates, f"“{name}”", "least", *bad)]

    def _extreme(self, rates: Rates, name: str, kind: str, end: str, by_lineage: dict[int, float]) -> str:
        lineage, probability = next(iter(by_lineage.items()))
        if probability < self.level:
            named = [(candidate, p) for candidate, p in list(by_lineage.items())[:3] if p >= 0.05]
            possible = listed([f"lineage {candidate} ({p:.2f})" for candidate, p in named])
            return (
                f"It is uncertain which lineage is the {kind} favourable by {name}; probability of the {end} rate: "
                f"{possible}."
            )
        row = rates.table().set_index("lineage").loc[lineage]
        return (
            f"Lineage {lineage} is the {kind} favourable by {name}: its rate is {row.rate:.0%} ({row.lower:.0%} to "
            f"{row.upper:.0%}), the {end} of those compared with probability {_probability(probability)}. "
            f"{self._described(lineage)}"
        )

    def _described(self, lineage: int) -> str:
        more, less = ([clean(word, LONGEST_WORD) for word in words[:NAMED]] for words in self.words_of(lineage))
        if not more and not less:
            return "No word distinguishes it from the others."
        parts = []
        if more:
            parts.append(f"more frequent: {', '.join(more)}")
        if less:
            parts.append(f"less frequent: {', '.join(less)}")
        return f"Words of its notes, compared with the others: {'; '.join(parts)}."

    def _small(self) -> list[str]:
        small = np.flatnonzero(self.members.small).tolist()
        if not small:
            return []
        said = f"{lineages_have(small)} fewer than five objects"
        return [f"{said}: no words and no rates are given." if set(small) <= set(self.silent) else f"{said}."]

    def __repr__(self) -> str:
        return (
            f"Findings({plural(self.members.n_lineages, 'lineage')}: {plural(len(self.words), 'word')}, "
            f"{plural(len(self.clusters), 'cluster')} of sentences, {plural(len(self.rates), 'outcome')})"
        )


def findings(
    notes: NotesSeries,
    analysis: "Analysis",
    *,
    small: bool = False,
    rare: bool = False,
    good: Collection[str] = (),
    seed: int = 0,
) -> Findings:
    """Findings about the lineages of an analysis of the series of these notes.

    Parameters
    ----------
    notes
        From :func:`tetiwd.notes.notes_to_series`.
    analysis
        Of ``notes.series``. Its level is that of all intervals.
    small
        True also gives words and rates of lineages with fewer than five objects.
    rare
        True also gives words and clusters of sentences that fewer than five objects use.
    good
        Names of outcomes that are good if they happen; all others are taken as bad.
    seed
        Of the draws that intervals are made from.
    """
    wrong = [name for name in good if name not in notes.notes.outcomes]
    if wrong:
        there = ", ".join(map(repr, notes.notes.outcomes)) or "none"
        raise SettingsError(f"there is no outcome {wrong[0]!r} that could be good", f"the outcomes are: {there}")
    members, level = members_of(notes, analysis), analysis.settings.level
    least = 1 if rare else FEW
    spoken_of = members.n_elsewhere > 0 if small else members.compared
    told = np.flatnonzero(spoken_of)
    different = distinctions(notes, analysis.alignment, members, level=level, least=least, seed=seed)
    different = different[different.lineage.isin(told)].reset_index(drop=True)
    described = sentence_clusters(notes, np.unique(different.cluster.to_numpy()), least=least)
    rates = {
        name: rates_by_lineage(
            notes, analysis.alignment, name, good=name in good, small=small, level=level, seed=seed + 1 + number
        )
        for number, name in enumerate(notes.notes.outcomes)
    }
    return Findings(
        members,
        level,
        _words(notes, members, told.tolist(), level, least),
        different,
        {cluster.cluster: cluster for cluster in described},
        tuple(known for known in rates.values() if known is not None),
        tuple(name for name, known in rates.items() if known is None),
        changes_of(notes, analysis, members),
        tuple(np.flatnonzero(~spoken_of).tolist()),
    )


def lineages_have(lineages: list[int]) -> str:
    """ "Lineage 3 has", "Lineages 3 and 4 have"."""
    return f"Lineages {listed(lineages)} have" if len(lineages) > 1 else f"Lineage {lineages[0]} has"


def _words(notes: NotesSeries, members: Members, told: list[int], level: float, least: int) -> "pd.DataFrame":
    import pandas as pd

    words = lineage_words(notes, members, level=level)
    tables = [table for table in (words.top(lineage, least=least) for lineage in told) if len(table)]
    return pd.concat(tables, ignore_index=True) if tables else words.table(0).head(0)


def _changes_narrate(changes: Changes) -> list[str]:
    sentences = []
    if changes.n_followed:
        sentences.append(
            f"{changes.n_changed:,} of {plural(changes.n_followed, 'object')} present in consecutive windows "
            f"{'changes' if changes.n_changed == 1 else 'change'} lineage."
        )
    if changes.n_returned:
        verbs = ("skips", "returns") if changes.n_returned == 1 else ("skip", "return")
        sentences.append(
            f"{plural(changes.n_returned, 'object')} {verbs[0]} a window or more and {verbs[1]}, "
            f"{changes.n_returned_elsewhere:,} of them to another lineage."
        )
    return sentences


def _probability(p: float) -> str:
    return "above 0.99" if 0.995 <= p < 1 else f"{p:.2f}"
