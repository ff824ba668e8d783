"""Copies of the sources with a bug in them, compiled: what the tests of bugs in compiled kernels have in common."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parent
ROOT = TESTS.parent


def copy_sources(tree):
    """A copy of the sources with a build of their own."""
    for name in ("src", "setup.py", "pyproject.toml", "README.md", "LICENSE"):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, tree / name)
    for built in (tree / "src" / "tetiwd" / "kernels").glob("*.so"):
        built.unlink()
    build(tree)
    return tree


def build(tree):
    command = [sys.executable, "setup.py", "build_ext", "--inplace"]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def plant(tree, folder, file, there, instead):
    """A copy of a tree in which one file of the package, ``kernels/terms`` for one, says something else."""
    spoilt = shutil.copytree(tree, folder)
    source = spoilt / "src" / "tetiwd" / f"{file}.py"
    text = source.read_text()
    assert text.count(there) == 1
    source.write_text(text.replace(there, instead))
    build(spoilt)
    return spoilt


def run(tree, script, *words):
    """Run a script with the package of a tree."""
    path = os.pathsep.join(map(str, [tree / "src", TESTS, TESTS / "exact"]))
    command = [sys.executable, "-c", script, *words]
    return subprocess.run(command, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, check=False)


def is_caught(done):
    """True if a check has failed, and nothing else has."""
    return done.returncode == 1 and "AssertionError" in done.stderr
