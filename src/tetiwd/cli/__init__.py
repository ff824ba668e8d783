"""The command line: ``tetiwd COMMAND …``."""

from tetiwd.cli.program import app, main

__all__ = ["app", "main"]
