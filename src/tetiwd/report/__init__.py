"""Pages people read: one HTML file per run, and a short summary for notebooks."""

from tetiwd.report.page import summary_html, write_report

__all__ = ["summary_html", "write_report"]
