"""Pages people read: one HTML file per run, and a short summary for notebooks."""

from tetiwd.report.mode_page import mode_html, mode_summary_html, write_mode_report
from tetiwd.report.page import check_target, report_html, summary_html, write_report
from tetiwd.report.sections import Section, SectionMaker

__all__ = [
    "Section",
    "SectionMaker",
    "check_target",
    "mode_html",
    "mode_summary_html",
    "report_html",
    "summary_html",
    "write_mode_report",
    "write_report",
]
