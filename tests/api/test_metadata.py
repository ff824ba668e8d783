"""Metadata and sequences on the command line: tables, report, and what is not in it."""

from shutil import copytree

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from reference import rng_for
from tetiwd import load_run
from tetiwd.cli import app
from tetiwd.report import MetadataReport, write_report
from tetiwd.summarize.naming import CALLED

QUICK = ["--chains", "2", "--warmup", "40", "--draws", "40", "--dof", "3", "--geometry", "full"]


def tetiwd(*words, code=0):
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == code, (result.exit_code, result.output, result.exception)
    return result


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """One matrix over three times, and a table of its samples with a name that is markup."""
    rng, folder = rng_for(23), tmp_path_factory.mktemp("data")
    group = np.tile(np.repeat([0, 1], 12), 3)
    X = 6.0 * np.eye(4)[group] + rng.standard_normal((72, 4))
    ids = [f"secret{i}" for i in range(72)]
    D = ((X[:, None] - X) ** 2).sum(axis=2)
    pd.DataFrame(D, index=ids, columns=ids).to_csv(folder / "d.csv")
    table = pd.DataFrame(
        {"sample-id": ids, "month": np.repeat([1, 2, 3], 24), "site": np.array(["<b>gut", "skin"])[group]}
    )
    table["age"] = 30 + 20 * group + rng.normal(0, 3, 72)
    table["noise"] = rng.normal(size=72)
    table["days"], table["died"] = rng.exponential(np.where(group, 2.0, 9.0)).round(2), 1
    table.sample(frac=1, random_state=1).to_csv(folder / "samples.tsv", sep="\t", index=False)
    return folder


@pytest.fixture(scope="module")
def run(data):
    out = data / "run"
    words = ["--metadata", data / "samples.tsv", "--time", "month", "--known", "site", "--survival", "days,died"]
    tetiwd("fit", data / "d.csv", "--squared", *words, *QUICK, "--out", out, "--quiet")
    return out


def test_metadata_give_the_times_the_labels_and_the_covariates(run):
    assert pd.read_csv(run / "labels.csv").time.unique().tolist() == [1, 2, 3]
    known = pd.read_csv(run / "known_labels.csv")
    assert known.ari.tolist() == pytest.approx([1] * 4, abs=0.05)
    table = pd.read_csv(run / "covariates.csv")
    assert set(table.covariate) == {"age", "noise", "days"}
    assert table[table.covariate != "noise"].q.max() < 0.01
    assert pd.read_csv(run / "confusion.csv").objects.sum() == 72
    for name in ("prototypes.csv", "growth.csv", "transitions.csv"):
        assert len(pd.read_csv(run / name))
    page = (run / "report.html").read_text("utf-8")
    for words in (
        "What is known about the objects",
        "Agreement with “site”",
        "&lt;b&gt;gut",
        "hazard ratio",
        "Who grows",
    ):
        assert words in page
    assert "<b>gut" not in page
    assert "secret" not in page
    assert "It holds no ids." in page
    assert (run / "metadata").stat().st_mode & 0o077 == 0


def test_names_of_lineages_are_in_every_table(run, data):
    named, tables = data / "named", data / "named_tables"
    copytree(run, named)
    (data / "names.csv").write_text("lineage,name\n0,Alpha\n")
    tetiwd("names", named, data / "names.csv")
    tetiwd("report", named, "--out", data / "named.html", "--tables", tables)
    for file in (
        *(named / f"{name}.csv" for name in ("labels", "lineages", "events", "forecast", "transitions", "growth")),
        *(folder / f"{name}.csv" for folder in (named, tables) for name in ("confusion", "covariates")),
    ):
        table = pd.read_csv(file, keep_default_na=False)
        before = pd.read_csv(run / file.name, keep_default_na=False)
        pairs = [pair for pair in CALLED.items() if pair[0] in before]
        assert pairs, file
        for column, called in pairs:
            place = table.columns.tolist().index(column)
            assert table.columns[place + 1] == called, file
            assert (table[called] == np.where(table[column].astype(str) == "0", "Alpha", "")).all(), file
        pd.testing.assert_frame_equal(table[before.columns], before)
    assert "Alpha" in set(pd.read_csv(named / "transitions.csv").from_name)


def test_resume_and_report_have_them_again(run, data):
    tetiwd("resume", run, "--draws", "50", "--quiet")
    assert "Agreement with “site”" in (run / "report.html").read_text("utf-8")
    out = data / "again.html"
    words = ["--metadata", data / "samples.tsv", "--time", "month", "--covariates", "age", "--tables", data / "tables"]
    tetiwd("report", run, "--out", out, *words, "--show-ids")
    page = out.read_text("utf-8")
    assert "Agreement with" not in page
    assert "secret1" in page  # prototypes and objects, as asked for
    assert [path.name for path in (data / "tables").iterdir()] == ["covariates.csv"]
    assert set(pd.read_csv(data / "tables" / "covariates.csv").covariate) == {"age"}


def test_outcomes_by_time_on_the_report(run, data):
    table = pd.read_csv(data / "samples.tsv", sep="\t").rename(columns={"sample-id": "id", "month": "time"})
    table[["id", "time", "died"]].to_csv(data / "outcomes.csv", index=False)
    tetiwd("report", run, "--out", data / "outcomes.html", "--outcomes", data / "outcomes.csv")
    assert "Rates by lineage" in (data / "outcomes.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("says", "words"),
    [
        ("--known is about metadata; name the table with --metadata", ["--known", "site"]),
        ("--survival must name two columns", ["--metadata", "DATA/samples.tsv", "--survival", "days"]),
        ("has no column 'sex' besides ids and times", ["--metadata", "DATA/samples.tsv", "--covariates", "sex"]),
        ("'copy' has 72 words for 72 objects", ["--metadata", "DATA/again.tsv", "--known", "copy"]),
    ],
)
def test_faults(run, data, says, words):
    table = pd.read_csv(data / "samples.tsv", sep="\t").assign(copy=lambda table: table["sample-id"])
    table.to_csv(data / "again.tsv", sep="\t", index=False)
    words = [word.replace("DATA", str(data)) for word in words]
    result = CliRunner().invoke(app, ["report", str(run), "--out", str(data / "no.html"), *words])
    assert result.exit_code in (3, 4)
    assert says in result.stderr


def test_sequences_have_characteristic_sites(tmp_path):
    rng = rng_for(24)
    lines = []
    for i in range(60):
        letters = np.array(list("ACGTACGTAC" * 3))
        letters[[3, 7, 11, 15]] = ["G", "C"][i % 2] if i % 2 else "A"
        letters[20 + rng.integers(10)] = "T"
        lines.append(f">secret{i}|{2001 + i // 20}\n{''.join(letters)}\n")
    (tmp_path / "s.fasta").write_text("".join(lines))
    run = tmp_path / "run"
    tetiwd("fit", tmp_path / "s.fasta", *QUICK, "--out", run, "--quiet")
    table = pd.read_csv(run / "sites.csv")
    assert set(table[table.q < 0.1].site) == {4, 8, 12, 16}
    page = (run / "report.html").read_text("utf-8")
    assert "Characteristic sites" in page
    assert "secret" not in page
    tetiwd("fit", tmp_path / "s.fasta", "--dof", "3", "--out", run, "--overwrite", "--fast", "--quiet")
    assert (run / "sequences" / "letters.npz").is_file()  # for the run that goes on from there
    assert not (run / "sites.csv").exists()


def test_metadata_in_python(run, tmp_path):
    analysis, table = load_run(run), pd.read_csv(run.parent / "samples.tsv", sep="\t", index_col=0)
    from tetiwd import metadata_for

    known = MetadataReport(metadata_for(analysis.sample.series, table[["site"]]), known="site")
    page = write_report(analysis, tmp_path / "page.html", sections=[known]).read_text("utf-8")
    assert "Agreement with “site”" in page
    assert "What distinguishes lineages" not in page
