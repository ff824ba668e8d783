"""Every block of Python and shell on every page runs, from top to bottom, in an empty folder."""

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot
from sklearn.metrics import adjusted_rand_score

from documentation import PAGES, README, name_of, run_page


@pytest.fixture
def empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    matplotlib.use("agg")
    yield tmp_path
    pyplot.close("all")


@pytest.fixture
def run(empty_folder, record_property):
    """Run a page; the numbers are printed at the end of all tests."""

    def run_and_record(page):
        executed = run_page(page)
        record_property("documentation", [name_of(page), executed.blocks, executed.seconds])
        return executed.names

    return run_and_record


@pytest.mark.parametrize("page", [p for p in PAGES if p != README], ids=name_of)
def test_all_blocks_run(page, run):
    run(page)


def test_the_readme_runs_and_finds_species_and_sexes(run, capsys):
    names = run(README)
    assert "chains agree" in capsys.readouterr().out
    model, birds = names["model"], names["birds"]
    truth, year = (birds.species + birds.sex).to_numpy(), birds.year.to_numpy()
    assert np.mean([adjusted_rand_score(truth[year == y], model.labels_[year == y]) for y in model.times_]) > 0.65


@pytest.mark.parametrize(
    ("block", "fault"),
    [
        ("```python\nprint(undefined)\n```", "undefined"),
        ("```python\nimport warnings\nwarnings.warn('old', FutureWarning)\n```", "old"),
        ("```sh\nfalse\ntrue\n```", "status 1"),
        ("```sh\ntetiwd no-such-command\n```", "status 2"),
    ],
)
def test_a_wrong_block_is_noticed(block, fault, empty_folder):
    page = empty_folder / "page.md"
    page.write_text(f"# A page\n\n```python\nx = 1\n```\n\n{block}\n", "utf-8")
    with pytest.raises((NameError, FutureWarning, AssertionError), match=fault):
        run_page(page)


def test_blocks_share_names_and_a_folder_and_text_is_not_run(empty_folder):
    page = empty_folder / "page.md"
    page.write_text(
        "```python\nfrom pathlib import Path\nPath('a').write_text('7')\n```\n```text\nnonsense\n```\n"
        "```sh\ncp a b\n```\n```python\nassert Path('b').read_text() == '7'\n```\n",
        "utf-8",
    )
    assert run_page(page).blocks == 3
