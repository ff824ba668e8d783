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
    names: dict = {}
    exec(code, names)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("DistanceSeries(3 epochs; 30, 40, 35 objects")
    assert lines[1] == "2021: squared Euclidean (30 objects)"
    assert lines[2].startswith(("Chains", "All 4 chains agree"))
    found = [float(k) for k in lines[3].strip("[]").split()]
    true = [len(set(labels.tolist())) for labels in names["truth"].labels]
    assert all(abs(a - b) < 1.5 for a, b in zip(found, true, strict=True))


def test_the_demo_runs(capsys):
    sys.path.insert(0, str(ROOT / "examples"))
    try:
        import fit_simulated
    finally:
        sys.path.pop(0)
    fit_simulated.main()
    lines = capsys.readouterr().out.splitlines()
    rows = [re.match(r" +(20\d\d) +(\d+) +\d+ \((\d+) to (\d+)\)", line) for line in lines]
    found = {m[1]: tuple(map(int, m.groups()[1:])) for m in rows if m}
    assert sorted(found) == ["2021", "2022", "2023"]
    assert all(low <= true <= high for true, low, high in found.values())
