"""From draws to answers."""

from tetiwd.summarize.diagnostics import Diagnostics, diagnose

__all__ = ["Diagnostics", "diagnose"]
