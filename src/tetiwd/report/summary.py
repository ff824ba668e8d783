"""The top of the page: findings, what is certain, and whether the computation can be trusted."""

from math import isfinite, nan
from typing import TYPE_CHECKING, Any

from tetiwd.narrative import narrative
from tetiwd.report.certainty import certain_and_not, trust_in_words
from tetiwd.report.rendering import Wording
from tetiwd.summarize.naming import lineage_words

if TYPE_CHECKING:
    from tetiwd.analysis import Analysis
    from tetiwd.diagnostics import Diagnostics
    from tetiwd.mode_analysis import ModeAnalysis


def summary_of(analysis: "Analysis", diagnostics: "Diagnostics", wording: Wording) -> dict[str, Any]:
    """Sentences of an analysis with the time labels of the page; ``diagnostics`` have these labels already."""
    told = narrative(analysis, wording.inline)
    certain, uncertain = certain_and_not(analysis, wording.inline)
    level, title, text = trust_in_words(diagnostics, len(analysis.sample.draws))
    return {
        "span": tuple(dict.fromkeys((wording.labels[0], wording.labels[-1]))),  # first and last time
        "lead": told.findings[0],
        "findings": told.findings[1:],
        "certain": certain,
        "uncertain": uncertain,
        "trust": level,  # "good", "fair" or "bad"
        "trust_title": title,
        "trust_text": text,
        "verdict": diagnostics.verdict,
        "about_run": told.run,
        "reasons": wording.sentences(told.reasons),
        "remarks": wording.sentences(told.remarks),
        "chips": chips(analysis, wording),  # the lineages that can be chosen
    }


def chips(analysis: "Analysis | ModeAnalysis", wording: Wording) -> list[tuple[int, str]]:
    """Every lineage with a sentence about it."""
    described = []
    for row in analysis.lineages.table().itertuples(index=False):
        stability = getattr(row, "stability", nan)
        first, last = wording.label(row.first), wording.label(row.last)
        when = f"at {first} only" if first == last else f"from {first} to {last}"
        n = "1 object" if row.objects == 1 else f"{row.objects:,} objects"
        links = f", mean link probability {stability:.2f}" if isfinite(stability) else ""
        described.append((int(row.lineage), f"L{lineage_words(int(row.lineage))[1:]}: {n}, {when}{links}"))
    return described
