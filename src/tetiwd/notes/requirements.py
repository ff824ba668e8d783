"""Optional packages that notes need."""

import warnings
from importlib import import_module
from typing import Any

from tetiwd.errors import SettingsError

NEEDED = ("igraph", "pysbd", "wordcloud")


def require_text_extra() -> None:
    """Raise if one of them is not installed."""
    for name in NEEDED:
        text_module(name)


def text_module(name: str) -> Any:
    """A module of the extra ``text``."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # pysbd is written with escapes that newer Pythons warn about
            return import_module(name)
    except ImportError as error:
        raise SettingsError(
            f"notes need {name}, which is not installed", 'install it with pip install "tetiwd[text]"'
        ) from error
