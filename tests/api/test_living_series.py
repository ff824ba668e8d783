"""A run that lives on, as a user types it: new times, names, and what changed."""

import json
from dataclasses import replace
from shutil import copytree

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


def test_printed_tables_have_the_names_of_lineages(folder):
    copytree(folder / "run", folder / "spoken")
    (folder / "spoken.csv").write_text("lineage,name\n0,Alpha\n1,Beta\n2,Gamma\n")
    assert tetiwd("names", folder / "spoken", folder / "spoken.csv")[0] == 0
    for words in ([], ["--loss", "ari"]):
        code, out, err = tetiwd("summarize", folder / "spoken", *words)
        assert code == 0, err
        rows = [line.split()[:2] for line in out.split("Lineages and their sizes:")[1].splitlines()[2:5]]
        assert rows == [["0", "Alpha"], ["1", "Beta"], ["2", "Gamma"]]
    for words in ([], ["--n-next", 20], ["--backtest"]):
        code, out, err = tetiwd("forecast", folder / "spoken", "--json", *words)
        assert code == 0, err
        called = {row["cluster"]: row["name"] for row in json.loads(out)}
        assert [called[g] for g in (0, 1, 2)] == ["Alpha", "Beta", "Gamma"]
        assert {called[g] for g in set(called) - {0, 1, 2}} <= {""}
    code, out, err = tetiwd("predict", folder / "spoken", folder / "new.csv", "--id", "id", "--json")
    assert code == 0, err
    names = dict(enumerate(("Alpha", "Beta", "Gamma"))) | {-1: ""}
    for row in json.loads(out):
        assert (row["name"], row["next_name"]) == (names[row["best"]], names[row["next"]])


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


@pytest.fixture(scope="module")
def genomes(tmp_path_factory):
    """A run of two clades in three years with pooled centres, and a fourth year in a file of its own."""
    where, rng = tmp_path_factory.mktemp("genomes"), rng_for(23, 10)
    clades = [rng.choice(list("ACGT"), 120) for _ in "AB"]
    records, rows = {}, []
    for year in (2001, 2002, 2003, 2004):
        for i in range(12):
            genome = clades[i % 2].copy()
            genome[rng.choice(120, 2, replace=False)] = rng.choice(list("ACGT"), 2)
            records[f"v{year}_{i}"] = f">v{year}_{i}|{year}-06-01\n{''.join(genome)}\n"
            rows.append((f"v{year}_{i}", "AB"[i % 2]))
    pd.DataFrame(rows, columns=["id", "clade"]).to_csv(where / "clades.csv", index=False)
    late = {id: record for id, record in records.items() if id.startswith("v2004")}
    old = [record for id, record in records.items() if id not in late]
    (where / "old.fasta").write_text("".join(old))
    (where / "new.fasta").write_text("".join(late.values()))
    (where / "all.fasta").write_text("".join(records.values()))
    (where / "short.fasta").write_text("".join(record[:-6] + "\n" for record in late.values()))
    words = ["--by", "year", "--dof", 3, "--geometry", "pooled", "--chains", 2, "--warmup", 40, "--draws", 40]
    words += ["--metadata", where / "clades.csv", "--known", "clade"]
    code, _, err = tetiwd("fit", where / "old.fasta", *words, "--out", where / "run", "--quiet")
    assert code == 0, err
    return where


def test_a_season_of_genomes_is_compared_with_those_kept_with_the_run(genomes):
    for name in ("new", "all"):
        code, _, err = tetiwd("extend", genomes / "run", genomes / f"{name}.fasta", "--out", genomes / name)
        assert code == 0, err
        assert "metadata are those of the earlier run" in err
    draws = [load_run(genomes / name).sample.draws for name in ("new", "all")]
    for one, other in zip(*draws, strict=True):
        assert np.array_equal(one.labels, other.labels)
        assert np.array_equal(one.log_joint, other.log_joint)
    assert (genomes / "new" / "sites.csv").read_bytes() == (genomes / "all" / "sites.csv").read_bytes()
    assert pd.read_csv(genomes / "new" / "known_labels.csv").objects.tolist() == [12, 12, 12, 0, 36]
    words = ["--metadata", genomes / "clades.csv", "--known", "clade", "--quiet"]
    code, _, err = tetiwd("extend", genomes / "run", genomes / "new.fasta", *words, "--out", genomes / "told")
    assert code == 0, err
    told = pd.read_csv(genomes / "told" / "known_labels.csv")
    assert told.objects.tolist() == [12, 12, 12, 12, 48]
    assert told.ari.tolist() == [1.0] * 5
    (genomes / "rest.fasta").write_text((genomes / "all.fasta").read_text().replace("2004", "2005"))
    code, _, err = tetiwd("extend", genomes / "new", genomes / "rest.fasta", "--out", genomes / "twice", "--quiet")
    assert code == 0, err  # an extension keeps sequences as well
    assert load_run(genomes / "twice").sample.series.times[-1] == 2005


def test_genomes_of_other_lengths_and_unknown_distances_are_refused(genomes):
    code, _, err = tetiwd("extend", genomes / "run", genomes / "short.fasta", "--out", genomes / "no")
    assert code == 3
    assert "sequences of 115 sites, and those of the run have 120; align" in err
    changed = (genomes / "all.fasta").read_text().split(">v2003_0")[1]
    (genomes / "changed.fasta").write_text(">v2003_0" + changed.replace("A", "C", 9))
    code, _, err = tetiwd("extend", genomes / "run", genomes / "changed.fasta", "--out", genomes / "no")
    assert code == 3
    assert "2003 has other distances than before" in err
    (genomes / "run" / "sequences" / "letters.npz").rename(genomes / "letters.npz")
    code, _, err = tetiwd("extend", genomes / "run", genomes / "new.fasta", "--out", genomes / "no")
    (genomes / "letters.npz").rename(genomes / "run" / "sequences" / "letters.npz")
    assert code == 3
    assert "give data that have the earlier times as well" in err
    assert not (genomes / "no").exists()


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


def test_objects_that_moved_are_told_by_the_numbers_of_both_runs(monkeypatch):
    old = table([2001, 2002])
    given = {"time": old.year, "ids": old.id.to_numpy()}
    first, second = (
        TeTiWD(dof=3, geometry="full", settings=QUICK, random_state=seed).fit(old[["a", "b", "c"]], **given).analysis_
        for seed in (1, 2)
    )
    labels = [np.arange(15, dtype=np.int32) % 3 for _ in range(2)]
    other = [np.array([1, 0, 2], dtype=np.int32)[one] for one in labels]  # the second run has 0 and 1 exchanged
    other[0][0], other[1][2], other[1][5] = 0, -1, 1
    for analysis, found in ((first, labels), (second, other)):
        monkeypatch.setitem(analysis.__dict__, "clustering", replace(analysis.clustering, labels=found))
    names = ["time", "from_lineage_1", "expected_lineage_2", "to_lineage_2", "objects", "ids"]
    moved = compare(first, second).moved(ids=True)
    assert list(moved.columns) == names
    assert moved.to_numpy().tolist() == [[2001, 0, 1, 0, 1, "p0"], [2002, 2, 2, -1, 1, "p2"], [2002, 2, 2, 1, 1, "p5"]]
    for one in other:
        one[labels[0] == 2] = 1
    found = compare(first, second)
    moved = found.moved()
    (lost,) = found.lineages().query("change == 'lost'").lineage_1
    assert set(moved[moved.from_lineage_1 == lost].expected_lineage_2) == {""}


def test_only_runs_with_draws_can_be_compared():
    old = table([2001, 2002])
    look = TeTiWD(dof=3, geometry="full", mode="fast").fit(old[["a", "b", "c"]], time=old.year)
    with pytest.raises(DataError, match="no run with draws"):
        compare(look, look)
    with pytest.raises(DataError, match=r"load_run\(folder\)"):
        compare("run", "run")
