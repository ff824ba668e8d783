"""A run that lives on, as a user types it: new times, names, and what changed."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from reference import rng_for
from tetiwd import DataError, SamplerSettings, TeTiWD, compare, load_run
from tetiwd.cli import app

QUICK = SamplerSettings(n_chains=2, n_warmup=40, n_draws=40, geometry_every=5, anneal=None)


def table(times):
    rng = rng_for(23, 9)
    rows = [
        (f"p{i}", time, *(rng.normal(size=3) + 8 * (i % 3)))
        for time in (2001, 2002, 2003, 2004)
        for i in range(15 if time < 2004 else 18)
    ]
    whole = pd.DataFrame(rows, columns=["id", "year", "a", "b", "c"])
    return whole[whole.year.isin(times)]


def tetiwd(*words):
    result = CliRunner().invoke(app, [str(word) for word in words])
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    where = tmp_path_factory.mktemp("living")
    table([2001, 2002, 2003]).to_csv(where / "old.csv", index=False)
    table([2004]).to_csv(where / "new.csv", index=False)
    words = ["--time", "year", "--dof", 3, "--geometry", "full", "--chains", 2, "--warmup", 40, "--draws", 40]
    code, _, err = tetiwd("fit", where / "old.csv", *words, "--out", where / "run", "--quiet")
    assert code == 0, err
    return where


def test_new_times_names_and_comparison_from_the_command_line(folder):
    (folder / "names.csv").write_text("lineage,name,colour\n1,Beta <b>,#123456\n")
    code, out, err = tetiwd("names", folder / "run", folder / "names.csv", "--json")
    assert code == 0, err
    assert json.loads(out)[1] == {"lineage": 1, "name": "Beta <b>", "colour": "#123456"}
    report = (folder / "run" / "report.html").read_text()
    assert "Beta &lt;b&gt;" in report
    assert "Beta <b>" not in report.split("<script")[0]
    assert "#123456" in report
    code, _, err = tetiwd("extend", folder / "run", folder / "new.csv", "--out", folder / "run2", "--quiet")
    assert code == 0, err
    first, second = load_run(folder / "run"), load_run(folder / "run2")
    assert second.sample.series.times == (2001, 2002, 2003, 2004)
    assert second.clustering.names == first.clustering.names
    for before, after in zip(first.clustering.labels, second.clustering.labels, strict=False):
        assert np.array_equal(before, after)  # clusters are far apart
    assert (pd.read_csv(folder / "run2" / "labels.csv").query("lineage == 1").name == "Beta <b>").all()
    code, out, err = tetiwd("compare", folder / "run", folder / "run2", "--out", folder / "compared", "--json")
    assert code == 0, err
    found = json.loads(out)
    assert {row["change"] for row in found["lineages"]} <= {"kept", "new"}
    assert found["moved"] == []
    assert [row.get("ari") for row in found["times"]][:3] == [1.0, 1.0, 1.0]
    assert (folder / "compared" / "compare.svg").read_text().startswith("<svg")
    code, out, err = tetiwd("compare", folder / "run", folder / "run2")
    assert "Objects that moved: none." in out


def test_faults_from_the_command_line(folder):
    code, _, err = tetiwd("extend", folder / "run", folder / "old.csv", "--out", folder / "none")
    assert code != 0
    assert "no new time" in err
    assert not (folder / "none").exists()
    code, _, err = tetiwd("extend", folder / "run", folder / "new.csv", "--out", folder / "run")
    assert code != 0
    code, _, err = tetiwd("extend", folder / "run", folder / "new.csv", "--out", folder / "no", "--hold-before", 1999)
    assert "--hold-before" in err
    (folder / "wrong.csv").write_text("lineage,name\n99,Nobody\n")
    code, _, err = tetiwd("names", folder / "run", folder / "wrong.csv")
    assert "has no lineage 99" in err


def test_estimators_extend_and_keep_names():
    old, new = table([2001, 2002, 2003]), table([2004])
    columns = ["a", "b", "c"]
    model = TeTiWD(dof=3, geometry="full", settings=QUICK).fit(old[columns], time=old.year, ids=old.id.to_numpy())
    shuffled = new.sample(frac=1, random_state=1)
    later = model.extend(shuffled[columns], time=shuffled.year, ids=shuffled.id.to_numpy())
    assert np.array_equal(later.labels_[: len(old)], model.labels_)
    expected = [model.labels_by_time_[2][int(name[1:]) % 3] for name in shuffled.id]
    assert later.labels_[len(old) :].tolist() == expected
    assert later.times_ == [2001, 2002, 2003, 2004]
    backwards = old[::-1]
    again = TeTiWD(dof=3, geometry="full", settings=QUICK, random_state=9)
    again.fit(backwards[columns], time=backwards.year, ids=backwards.id.to_numpy(), names_from=later)
    assert np.array_equal(again.labels_[::-1], model.labels_)
    assert compare(model.analysis_, later.analysis_).moved(ids=True).empty
    assert compare(model, later).lineages().equals(compare(model.analysis_, later.analysis_).lineages())


def test_only_runs_with_draws_can_be_compared():
    old = table([2001, 2002])
    look = TeTiWD(dof=3, geometry="full", mode="fast").fit(old[["a", "b", "c"]], time=old.year)
    with pytest.raises(DataError, match="no run with draws"):
        compare(look, look)
    with pytest.raises(DataError, match=r"load_run\(folder\)"):
        compare("run", "run")
