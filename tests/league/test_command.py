import json
import sys
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager

import numpy as np
import pytest
from benchmarks import __main__ as benchmarks
from benchmarks.league import command, ours
from benchmarks.league.records import FILE, Code

from tetiwd import Workers

CHEAP = ["--sets", "separated", "--methods", "ward_k", "--settings", "none"]


def lines(folder):
    return [json.loads(line) for line in (folder / FILE).read_text("utf-8").splitlines()]


def test_a_run_is_kept_and_shown_again(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["benchmarks", "league", *CHEAP, "--keep", str(tmp_path)])
    benchmarks.main()
    shown = capsys.readouterr().out
    (record,) = lines(tmp_path)
    assert record["set"] == "separated"
    assert [len(labels) for labels in record["labels"][""]] == [20] * 5
    assert "| Ward, told k | 1    | 1.000 " in shown

    monkeypatch.setattr(command, "answer", lambda *_: pytest.fail("run again"))
    monkeypatch.setattr(command, "PAGE", tmp_path / "league.md")
    command.main([*CHEAP, "--keep", str(tmp_path), "--tables", "--write"])
    assert capsys.readouterr().out == shown
    assert (tmp_path / "league.md").read_text("utf-8") == shown


def test_what_is_kept_is_not_run_again_unless_asked(tmp_path):
    for _ in range(2):
        command.main([*CHEAP, "--keep", str(tmp_path)])
    assert len(lines(tmp_path)) == 1
    command.main([*CHEAP, "--keep", str(tmp_path), "--again"])
    assert len(lines(tmp_path)) == 2


def test_workers_find_the_same(tmp_path, monkeypatch):
    command.main([*CHEAP, "--keep", str(tmp_path / "here")])

    @contextmanager
    def two_processes(scheduler, n_local, *, near):
        with ProcessPoolExecutor(n_local) as pool:
            yield {"workers": Workers(pool)}

    monkeypatch.setattr(command, "elsewhere", two_processes)
    command.main([*CHEAP, "--keep", str(tmp_path / "there"), "--local-cluster", "2"])
    (here,), (there,) = lines(tmp_path / "here"), lines(tmp_path / "there")
    assert there["labels"] == here["labels"]


def test_answers_of_ours_belong_to_the_files_of_the_package(tmp_path, monkeypatch, capsys):
    """Seeds and estimates are shown; other methods are not run again after a change of the package, ours are."""

    def find(data, setting, seed):
        truth = [np.array(own) for own in data.labels]
        labels = {"usual": truth, "VI": truth, "ARI": [own * 0 for own in truth] if seed else truth}
        return ours.Found(labels, {"usual": 1.0, "VI": 1.0, "ARI": 2.0}, seed == 0, {"dof": [100.0]})

    monkeypatch.setattr(ours, "find", find)
    asked = ["--sets", "separated", "--methods", "ward_k", "--settings", "default", "--seeds", "2"]
    for tree in ("one", "one", "two"):
        monkeypatch.setattr(Code, "of", lambda commit, tree=tree: Code("0", "c", tree, changed=False))
        command.main([*asked, "--keep", str(tmp_path)])
    assert [(record["method"], record["code"]) for record in lines(tmp_path) if record["ours"]] == [
        ("default", "one"), ("default", "one"), ("default", "two"), ("default", "two"),
    ]  # fmt: skip
    assert sum(not record["ours"] for record in lines(tmp_path)) == 1
    shown = capsys.readouterr().out
    assert "| tetiwd default, ARI   | 0.50 (0.00 to 1.00)" in shown
    assert "1 of 2" in shown


def test_uncommitted_changes_are_not_kept(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(Code, "of", lambda commit: Code("0", "c", "tree", changed=True))
    with pytest.raises(SystemExit):
        command.main(["--settings", "default", "--keep", str(tmp_path)])
    assert "uncommitted changes" in capsys.readouterr().err


def test_an_absent_set_and_a_failing_method_are_named(monkeypatch, capsys):
    monkeypatch.setattr("benchmarks.data_sets.SHARED_DATA", command.PAGE / "nowhere")
    monkeypatch.setattr("benchmarks.league.trees.linkage", lambda *_: 1 / 0)
    with pytest.raises(SystemExit, match="nothing to show"):
        command.main(["--sets", "evd68,separated", "--methods", "ward_k", "--settings", "none"])
    said = capsys.readouterr().err
    assert "evd68: LEFT OUT" in said
    assert "separated, ward_k, seed 0: FAILED" in said


def test_unknown_names_are_refused(capsys):
    with pytest.raises(SystemExit):
        command.main(["--sets", "irises"])
    assert "there is no irises; there are evd68" in capsys.readouterr().err


def test_an_unknown_commit_is_refused(capsys):
    with pytest.raises(SystemExit):
        command.main(["--commit", "no-such-commit"])
    assert "there is no commit no-such-commit" in capsys.readouterr().err
