"""What a user meets first: the import, the names, the README."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import tetiwd

ROOT = Path(__file__).parents[2]


def test_import_is_light():
    code = "import tetiwd, sys; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert not {"numba", "sklearn", "pandas", "matplotlib", "xarray", "scipy"} & set(loaded)


@pytest.mark.parametrize("name", [n for n in tetiwd.__all__ if not n.startswith("_")])
def test_every_public_name_exists_and_is_documented(name):
    assert getattr(tetiwd, name).__doc__


def test_unknown_names_are_unknown():
    assert "DistanceSeries" in dir(tetiwd)
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        tetiwd.nonsense  # noqa: B018


def test_readme_example_runs(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), flags=re.S)
    exec(code, {})
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("DistanceSeries(3 epochs; 30, 40, 35 objects")
    truth, one_cluster = float(lines[-2]), float(lines[-1])
    assert truth > one_cluster + 100


def test_the_demo_runs(capsys):
    sys.path.insert(0, str(ROOT / "examples"))
    try:
        import simulate_and_score
    finally:
        sys.path.pop(0)
    simulate_and_score.main()
    out = capsys.readouterr().out
    truth, merged, shuffled = (float(line.split()[-1]) for line in out.splitlines()[-3:])
    assert truth > max(merged, shuffled)
