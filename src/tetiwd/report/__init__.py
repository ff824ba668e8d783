"""Pages people read: one HTML file per run, and a short summary for notebooks."""

from tetiwd.report.notes import NotesReport
from tetiwd.report.page import check_target, report_html, summary_html, write_report

__all__ = ["NotesReport", "check_target", "report_html", "summary_html", "write_report"]
