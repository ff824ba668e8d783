"""The contracts on imports in pyproject.toml hold, and an import that goes upwards breaks them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LINT = "from importlinter.cli import lint_imports_command; lint_imports_command()"
READING = """
import sys
import tetiwd.io.read, tetiwd.io.settings, tetiwd.io.run_folder
sys.exit("tetiwd.kernels" in sys.modules)
"""


def lint(source):
    """Exit code of the linter, and what it printed."""
    command = [sys.executable, "-c", LINT, "--config", str(ROOT / "pyproject.toml"), "--no-cache"]
    path = os.pathsep.join([str(source), str(ROOT / "experiments")])
    environment = os.environ | {"PYTHONPATH": path, "PYTHONSAFEPATH": "1"}
    result = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=ROOT, check=False)
    return result.returncode, result.stdout + result.stderr


@pytest.fixture
def source(tmp_path):
    """A copy of the package that may be spoiled."""
    shutil.copytree(ROOT / "src" / "tetiwd", tmp_path / "tetiwd", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


UPWARDS = {
    "state": "from tetiwd import sampler",
    "summarize.losses": "def late():\n    from tetiwd.analysis import Analysis",
    "sample": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from tetiwd.chains import run_chains",
    "io.netcdf": "import tetiwd.moves",
    "report.page": "import tetiwd.notes",
    "cli.program": "from tetiwd_experiments import command",
}


def plant(source, module, text):
    """Add lines to the end of a module."""
    with open(source / "tetiwd" / f"{module.replace('.', '/')}.py", "a", encoding="utf-8") as file:
        file.write(f"\n{text}\n")


@pytest.mark.parametrize("module", UPWARDS)
def test_a_planted_upward_import_is_told(source, module):
    plant(source, module, UPWARDS[module])
    code, told = lint(source)
    assert code == 1, told
    assert f"tetiwd.{module} ->" in told


def test_a_module_without_a_layer_is_told(source):
    plant(source, "new_module", "")
    code, told = lint(source)
    assert code == 1, told
    assert "new_module" in told


def test_the_package_keeps_its_contracts():
    code, told = lint(ROOT / "src")
    assert code == 0, told


def test_files_and_settings_are_read_without_the_kernels():
    assert subprocess.run([sys.executable, "-c", READING], check=False).returncode == 0
