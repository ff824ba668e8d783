"""Pages people read: one HTML file per run, and a short summary for notebooks."""

from tetiwd.report.metadata import MetadataReport
from tetiwd.report.mode_page import mode_html, mode_summary_html, write_mode_report
from tetiwd.report.page import check_target, report_html, summary_html, write_report
from tetiwd.report.sections import Section, SectionMaker
from tetiwd.report.sites import SitesReport

__all__ = [
    "MetadataReport",
    "Section",
    "SectionMaker",
    "SitesReport",
    "check_target",
    "mode_html",
    "mode_summary_html",
    "report_html",
    "summary_html",
    "write_mode_report",
    "write_report",
]
