"""Pages people read: one HTML file per run, and a short summary for notebooks.

Names are loaded when they are first used: the page of a run needs no quick look and no table of metadata.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tetiwd.report.metadata import MetadataReport as MetadataReport
    from tetiwd.report.mode_page import mode_html as mode_html
    from tetiwd.report.mode_page import mode_summary_html as mode_summary_html
    from tetiwd.report.mode_page import write_mode_report as write_mode_report
    from tetiwd.report.page import check_target as check_target
    from tetiwd.report.page import report_html as report_html
    from tetiwd.report.page import summary_html as summary_html
    from tetiwd.report.page import write_report as write_report
    from tetiwd.report.sections import Section as Section
    from tetiwd.report.sections import SectionMaker as SectionMaker
    from tetiwd.report.sites import SitesReport as SitesReport

_HOME_OF = {
    "MetadataReport": "tetiwd.report.metadata",
    "Section": "tetiwd.report.sections",
    "SectionMaker": "tetiwd.report.sections",
    "SitesReport": "tetiwd.report.sites",
    "check_target": "tetiwd.report.page",
    "mode_html": "tetiwd.report.mode_page",
    "mode_summary_html": "tetiwd.report.mode_page",
    "report_html": "tetiwd.report.page",
    "summary_html": "tetiwd.report.page",
    "write_mode_report": "tetiwd.report.mode_page",
    "write_report": "tetiwd.report.page",
}

__all__ = [*_HOME_OF]


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        return getattr(import_module(_HOME_OF[name]), name)
    raise AttributeError(f"module 'tetiwd.report' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
