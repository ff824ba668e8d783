"""Pages people read: one HTML file per run, and a short summary for notebooks."""

from tetiwd.report.page import report_html, summary_html, write_report

__all__ = ["report_html", "summary_html", "write_report"]
