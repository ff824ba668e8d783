"""Which files of the package a check depends on: what it found stands until one of them changes.

The sampler and the answers never import what reads files, draws, writes reports or talks to users (the layers in
pyproject.toml). So checks of the sampler and the answers need not be repeated after a change there.
"""

import ast
from hashlib import sha1
from pathlib import Path

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
    inner = f"inner-{inner_state()}"
    return {name: f"{inner if check.inner else code.tree}{changed}" for name, check in CHECKS.items()}


def inner_state() -> str:
    """Hash of what the files of the layers up to analysis do; comments and docstrings do nothing."""
    folder = Path(tetiwd.__file__).parent
    files = [file for ending in ("py", "pxd") for file in folder.rglob(f"*.{ending}")]
    inner = [file for file in files if file.relative_to(folder).parts[0].removesuffix(".py") not in OUTER]
    does = [(str(file.relative_to(folder)), what_it_does(file.read_text("utf-8"), file.suffix)) for file in inner]
    return sha1(repr(sorted(does)).encode()).hexdigest()[:7]


def what_it_does(source: str, ending: str) -> str:
    """A file of Python without comments and docstrings; any other as it is."""
    if ending != ".py":
        return source
    tree = ast.parse(source)
    for node in ast.walk(tree):
        documented = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        if documented and ast.get_docstring(node, clean=False) is not None:  # type: ignore[arg-type]
            del node.body[0]  # type: ignore[attr-defined]
    return ast.dump(tree)
