"""Sections that other packages add to the page."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from tetiwd.report.tables import Table

if TYPE_CHECKING:
    from tetiwd.analysis import Analysis


@dataclass(frozen=True)
class Section:
    """One more section of the report, between the figures and the tables.

    Parameters
    ----------
    key
        ``id`` of the section, for links.
    title
        Its heading, also shown in the list at the top of the page.
    html
        Its content below the heading. It is not escaped: make it with :func:`tetiwd.report.rendering.render`.
    tables
        Tables in it, whose columns the page explains at its end.
    style
        Rules to add to the style sheet; the page allows no other styles.
    banner
        Sentence at the top of the page, for what every reader must know first.
    footer
        Sentence at the end of the page that says which private things the section holds.
    may_hold_ids
        True if ids may be in it; the page then does not claim to be free of them.
    """

    key: str
    title: str
    html: str
    tables: tuple[Table, ...] = ()
    style: str = ""
    banner: str = ""
    footer: str = ""
    may_hold_ids: bool = False


class SectionMaker(Protocol):
    """Something that makes a section once the analysis is there."""

    def section(self, analysis: "Analysis", *, show_ids: bool = False) -> Section:
        """The section; ids are in it only with ``show_ids``."""


def make_sections(
    given: Sequence[Section | SectionMaker], analysis: "Analysis", *, show_ids: bool
) -> tuple[Section, ...]:
    """Sections as they are, or made for this analysis."""
    return tuple(part if isinstance(part, Section) else part.section(analysis, show_ids=show_ids) for part in given)
