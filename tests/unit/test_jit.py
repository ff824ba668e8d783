"""Where compiled code is kept, also on machines where numba finds no place."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tetiwd

PROBE = """
from tetiwd._jit import CACHE, kernel

@kernel
def twice(x):
    return 2 * x

print(CACHE, twice(21))
"""
POWERLESS = ["setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override"]  # root, whom modes bind


@pytest.fixture
def read_only(tmp_path):
    """A package and a home that cannot be written, and how to run as somebody who respects that."""
    package = tmp_path / "package"
    (package / "tetiwd").mkdir(parents=True)
    source = Path(tetiwd.__file__).parent
    for name in ("__init__.py", "_jit.py"):
        shutil.copy(source / name, package / "tetiwd" / name)
    (package / "probe.py").write_text(PROBE)
    (tmp_path / "home").mkdir()
    for folder in (package / "tetiwd", package, tmp_path / "home"):
        folder.chmod(0o555)
    run = [] if os.geteuid() else POWERLESS
    if run and (shutil.which("setpriv") is None or subprocess.run([*run, "true"], check=False).returncode):
        pytest.skip("root writes everywhere")
    yield tmp_path, run
    for folder in (package / "tetiwd", package, tmp_path / "home"):
        folder.chmod(0o755)


def probe(read_only, **environment):
    folder, run = read_only
    known = {name: value for name, value in os.environ.items() if name not in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")}
    known |= {"PYTHONPATH": str(folder / "package"), "HOME": str(folder / "home"), "PYTHONDONTWRITEBYTECODE": "1"}
    words = [*run, sys.executable, str(folder / "package" / "probe.py")]
    done = subprocess.run(words, env=known | environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_read_only_package_and_home_use_a_private_temporary_folder(read_only):
    temporary = read_only[0] / "tmp"
    temporary.mkdir()
    cache, answer = probe(read_only, TMPDIR=str(temporary))
    assert answer == "42"
    assert Path(cache).parent == temporary
    assert Path(cache).stat().st_mode & 0o777 == 0o700
    assert list(Path(cache).rglob("*.nbi"))


@pytest.mark.parametrize("spoil", [lambda folder: folder.chmod(0o777), lambda folder: folder.chmod(0o500)])
def test_code_is_not_kept_where_others_may_write_or_nobody(read_only, spoil):
    temporary = read_only[0] / "tmp"
    folder = temporary / f"tetiwd-compiled-{os.getuid()}"
    folder.mkdir(parents=True)
    spoil(folder)
    assert probe(read_only, TMPDIR=str(temporary)) == ["None", "42"]
    assert not list(folder.iterdir())


def test_the_users_own_choice_wins(read_only):
    chosen = read_only[0] / "chosen"
    cache, answer = probe(read_only, NUMBA_CACHE_DIR=str(chosen))
    assert answer == "42"
    assert Path(cache).is_relative_to(chosen)
