"""The data of a tutorial, for its figures: what the first Python block of the page makes."""

import contextlib
import re
import tempfile
from pathlib import Path
from types import SimpleNamespace

TUTORIALS = Path(__file__).resolve().parents[1]


def data_of(page: str) -> SimpleNamespace:
    """Run that block in an empty folder, which it may write to, and return its variables."""
    block = re.search(r"^```python\n(.*?)^```", (TUTORIALS / page).read_text("utf-8"), flags=re.S | re.M)
    if block is None:
        raise ValueError(f"{page} has no Python block")
    names: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), contextlib.redirect_stdout(None):
        exec(compile(block.group(1), page, "exec"), names)
    return SimpleNamespace(**{name: value for name, value in names.items() if not name.startswith("__")})
