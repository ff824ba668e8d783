"""Word lists and sentences, as TOML files."""

import tomllib
from importlib.resources import files
from typing import Any


def load(name: str) -> dict[str, Any]:
    """The contents of the file ``name.toml`` of this package."""
    return tomllib.loads(files("tetiwd.notes.data").joinpath(f"{name}.toml").read_text("utf-8"))
