"""Whether kernels are compiled, and what happens where they are not."""

import os
import runpy
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import tetiwd
from tetiwd import kernels

PROBE = """
import sys, warnings
from tetiwd import Hyperparameters, SamplerSettings, kernels, run_chains, simulate
truth = simulate((5, 4), Hyperparameters(dof=6, alpha=0.3, new_scale=1.0), seed=3)
from tetiwd import DistanceSeries
series = DistanceSeries.from_distances(truth.D, squared=True)
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    run_chains(series, Hyperparameters(dof=6), SamplerSettings(n_chains=1, n_warmup=2, n_draws=2, anneal=None))
print(kernels.COMPILED, "cython" in sys.modules, [str(one.message) for one in said if "compiler" in str(one.message)])
"""


def probe(folder, **environment):
    known = os.environ | {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"} | environment
    done = subprocess.run([sys.executable, "-c", PROBE], env=known, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def package(tmp_path):
    """A copy of the package."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(tetiwd.__file__).parent, tmp_path / "tetiwd", ignore=ignored)
    return tmp_path


def test_kernels_are_compiled_here():
    assert kernels.COMPILED
    for name in kernels.MODULES:
        assert not import_module(f"tetiwd.kernels.{name}").__file__.endswith(".py")


def test_without_a_build_it_runs_and_says_so(package):
    for built in (package / "tetiwd" / "kernels").glob("*.so"):
        built.unlink()
    out = probe(package)
    assert out.startswith("False")
    assert "Install a C compiler" in out


def test_half_a_build_is_none(package):
    """Compiled and plain modules do not fit together, so that one missing file must not break the rest."""
    next((package / "tetiwd" / "kernels").glob("terms*.so")).unlink()
    assert probe(package).startswith("False")


def test_files_of_types_are_for_building_only(package):
    """Wheels leave them out; what is compiled must not depend on them."""
    for types in (package / "tetiwd" / "kernels").glob("*.pxd"):
        types.unlink()
    assert probe(package).startswith("True")
    next((package / "tetiwd" / "kernels").glob("terms*.so")).unlink()
    assert probe(package).startswith("False")


def test_every_kernel_has_types():
    typed = {types.stem for types in kernels.FOLDER.glob("*.pxd") if types.with_suffix(".py").exists()}
    assert set(kernels.MODULES) == typed
    assert len(typed) > 40


def test_compiled_kernels_say_nothing(package):
    assert probe(package).split()[::2] == ["True", "[]"]


def test_a_read_only_package_and_home_work(package, tmp_path):
    """Nothing is compiled or kept at run time."""
    (tmp_path / "home").mkdir()
    folders = [package / "tetiwd" / "kernels", package / "tetiwd", tmp_path / "home"]
    for folder in folders:
        folder.chmod(0o555)
    try:
        assert probe(package, HOME=str(tmp_path / "home")).startswith("True")
    finally:
        for folder in folders:
            folder.chmod(0o755)


def test_the_fault_that_checked_builds_have_to_report_is_one():
    check_build = runpy.run_path(str(Path(__file__).parents[3] / "tools" / "check_build.py"))
    words = [sys.executable, "-c", check_build["FAULT"]]
    environment = os.environ | {"TETIWD_COMPILED": "0"}
    said = subprocess.run(words, env=environment, check=False, capture_output=True, text=True).stderr
    assert said.splitlines()[-1].startswith("IndexError: ")
