"""The pages of the documentation, and how the blocks of code on them are run."""

import os
import resource
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sybil import Sybil
from sybil.example import Example
from sybil.parsers.myst import CodeBlockParser, PythonCodeBlockParser

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
GENERATED = (DOCS / "_build", DOCS / "reference" / "api")
README = ROOT / "README.md"
PAGES = sorted(
    [README] + [page for page in DOCS.rglob("*.md") if not any(page.is_relative_to(folder) for folder in GENERATED)]
)
MINUTE = 60.0


def name_of(page: Path) -> str:
    """Path of a page as it stands in the repository."""
    return page.relative_to(ROOT).as_posix()


def run_shell(example: Example) -> str | None:
    """Run a block in the current folder with ``bash -e``; returns what went wrong."""
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    done = subprocess.run(
        ["bash", "-e"],
        input=example.parsed,
        env=os.environ | {"PATH": programs},
        text=True,
        capture_output=True,
        timeout=5 * MINUTE,
    )
    return f"status {done.returncode}\n{done.stdout}{done.stderr}" if done.returncode else None


BLOCKS = Sybil([PythonCodeBlockParser(), CodeBlockParser("sh", run_shell)])


@dataclass(frozen=True)
class Executed:
    """Blocks that ran, the processor time that they and their children took, and the names they left."""

    blocks: int
    seconds: float
    names: dict[str, Any]


def run_page(page: Path) -> Executed:
    """Run all blocks of a page in the current folder, in order and in one namespace."""
    began = _processor_seconds()
    document = BLOCKS.parse(page)
    document.namespace["__name__"] = "__main__"
    examples = list(document.examples())
    for example in examples:
        example.evaluate()
    return Executed(len(examples), _processor_seconds() - began, document.namespace)


def _processor_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)
