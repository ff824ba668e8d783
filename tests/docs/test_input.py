"""What the page about input formats says of numbers, dates and headers is there, and the program does it."""

import re

import pytest

from documentation import DOCS
from tetiwd.data.metrics import SQUARED_AS_IS
from tetiwd.data.time_order import read_date
from tetiwd.declare import declarations
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.files import find_file
from tetiwd.io.readers.fasta import records_of

PAGE = (DOCS / "reference" / "input.md").read_text("utf-8")
IN_WORDS = {
    "sqeuclidean": "squared Euclidean",
    "cosine": "cosine",
    "hellinger": "Hellinger",
    "cityblock": "Manhattan",
    "hamming": "differing sites",
    "jaccard": "Jaccard",
    "braycurtis": "Bray–Curtis",
}


def section(title):
    """The text below a heading."""
    return PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]


@pytest.mark.parametrize("metric", [metric for metric, as_is in SQUARED_AS_IS.items() if as_is])
def test_numbers_that_count_as_squared_distances_are_listed_as_such(metric):
    rows = [line for line in section("Distances: plain or squared").splitlines() if line.endswith("| `--squared` |")]
    assert any(IN_WORDS[metric] in row for row in rows)


@pytest.mark.parametrize("name", ["Bray–Curtis", "Jaccard", "Manhattan", "cosine", "Hamming"])
def test_the_help_says_which_numbers_are_squared_distances(name):
    (squared,) = (one for one in declarations(DataSettings) if one.name == "squared")
    for text in (squared.help, squared.option_help):
        assert name in text.split("Never guessed")[1]


def test_headers_of_sequences_are_read_as_the_page_says(tmp_path):
    (headers,) = re.findall(r"```text\n(>.*?)```", section("Sequences"), re.DOTALL)
    (tmp_path / "x.fasta").write_text("".join(f"{header}\nACGT\n" for header in headers.splitlines()))
    records = records_of(find_file(tmp_path / "x.fasta"))
    assert records.ids == ["EPI123", "EPI124"]
    assert records.dates == ["2009-07-04", "2009-XX-XX"]
    for rule in ("split at `|`, or at blanks", "first field is the\nid", "last of the other fields that is a date"):
        assert rule in section("Sequences")


def test_dates_with_unknown_parts_are_read_as_the_page_says():
    dates = re.findall(r"\b\d{4}(?:-[\dX]{2}){0,2}\b", section("Times").split("Every different")[0])
    assert dates == ["2014", "2014-08", "2014-08-05", "2014-XX-XX"]
    assert [read_date(date)[1] for date in dates] == ["year", "month", "day", "year"]
