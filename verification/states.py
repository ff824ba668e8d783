"""Which files of the package a check depends on: what it found stands until one of them changes.

The sampler and the answers never import what reads files, draws, writes reports or talks to users (the layers in
pyproject.toml). So checks of the sampler and the answers need not be repeated after a change there.
"""

from hashlib import sha1
from pathlib import Path

from benchmarks import machine
from benchmarks.league.records import Code

import tetiwd
from verification.checks import CHECKS

OUTER = {  # modules and packages of the layers above analysis
    *("__main__", "cli", "external", "estimators", "notes", "quick_look", "chain_jobs", "workflow"),
    *("report", "io", "plots", "narrative", "comparing"),
}


def states(code: Code) -> dict[str, str]:
    """By check, a short name of the state of the files that it depends on."""
    changed = "-changed" if code.changed else ""
    inner = f"inner-{inner_tree()}"
    return {name: f"{inner if check.inner else code.tree}{changed}" for name, check in CHECKS.items()}


def inner_tree() -> str:
    """Hash of the committed files of the layers up to analysis."""
    listed = machine.git("ls-tree", "-r", "HEAD", ".", folder=Path(tetiwd.__file__).parent).splitlines()
    inner = [line for line in listed if line.partition("\t")[2].partition("/")[0].removesuffix(".py") not in OUTER]
    return sha1("\n".join(inner).encode()).hexdigest()[:7]
