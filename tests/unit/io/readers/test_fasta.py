"""Aligned sequences: distances against a slow twin, dates, alphabets, faults."""

import gzip
import re
from dataclasses import replace

import numpy as np
import pytest

from reference import rng_for
from tetiwd import memory
from tetiwd.errors import DataError, MemoryLimitError, SettingsError
from tetiwd.io import sequences
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.read import read_series

BY_YEAR = DataSettings(by="year")


def random_sequences(n, n_sites, letters, key):
    rng = rng_for(81, key)
    base, others = rng.choice(list(letters[:4]), size=n_sites), rng.choice(list(letters), size=(n, n_sites))
    return ["".join(row) for row in np.where(rng.random((n, n_sites)) < 0.3, others, base)]


def slow_twin(texts, known, metric):
    """Site by site, pair by pair."""
    same = {"U": "T"} if "E" not in known else {}
    D = np.zeros((len(texts), len(texts)))
    for i, first in enumerate(texts):
        for j, second in enumerate(texts):
            pairs = [(same.get(a, a), same.get(b, b)) for a, b in zip(first.upper(), second.upper(), strict=True)]
            both = [(a, b) for a, b in pairs if a in known and b in known]
            differ = sum(a != b for a, b in both)
            D[i, j] = differ if metric == "hamming" else differ / len(both)
    return D


def fasta(records, width=60):
    """Headers and sequences, wrapped."""
    parts = []
    for header, text in records:
        parts += [f">{header}", *(text[k : k + width] for k in range(0, len(text), width))]
    return "\n".join(parts) + "\n"


DNA = random_sequences(9, 130, "ACGTacgtuNn-RY?.", 1)
PROTEIN = random_sequences(9, 130, "ACDEFGHIKLMNPQRSTVWYX-*Bae", 2)
DATES = ["2014-08-05", "2013-01-31", "2014"] * 3
HEADERS = [f"s{i}|A/place {i}/x|{date}" for i, date in enumerate(DATES)]


@pytest.mark.parametrize("metric", ["hamming", "p-distance"])
@pytest.mark.parametrize(("texts", "known"), [(DNA, "ACGTU"), (PROTEIN, "ACDEFGHIKLMNPQRSTVWY")])
@pytest.mark.parametrize("block", [1 << 22, 40])
def test_distances_against_the_slow_twin(here, monkeypatch, metric, texts, known, block):
    monkeypatch.setattr(sequences, "BLOCK", block)
    monkeypatch.setattr("tetiwd.data.checks.BLOCK_ENTRIES", block)
    (here / "x.fasta").write_text(fasta(zip("abcdefghi", texts, strict=True)))
    series = read_series(["x.fasta"], DataSettings(metric=metric)).series
    assert np.array_equal(series.D[0], slow_twin(texts, known, metric))
    assert series.ids[0].tolist() == list("abcdefghi")
    assert series.times == ("x",)


@pytest.mark.parametrize("ending", ["fa", "fasta", "fna", "aln", "fa.gz", "FASTA"])
def test_dates_from_headers(here, ending):
    data = fasta(zip(HEADERS, DNA, strict=True)).encode()
    (here / f"x.{ending}").write_bytes(gzip.compress(data) if ending.endswith("gz") else data)
    found = read_series([f"x.{ending}"], BY_YEAR)
    assert found.format == "fasta"
    assert found.series.times == (2013, 2014)
    assert found.series.ids[0].tolist() == ["s1", "s4", "s7"]
    assert found.series.ids[1].tolist() == ["s0", "s2", "s3", "s5", "s6", "s8"]
    assert np.array_equal(found.series.D[0], slow_twin(DNA[1::3], "ACGTU", "hamming"))
    assert found.remarks == (
        "sequences read as nucleotides (A, C, G and T or U are known, anything else counts as unknown)",
    )


def test_dates_as_they_are(here):
    (here / "x.fa").write_text(fasta(zip(HEADERS, DNA, strict=True)))
    assert read_series(["x.fa"]).series.times == ("2013-01-31", "2014", "2014-08-05")


@pytest.mark.parametrize(
    ("header", "date"),
    [
        ("s 2014-08-05", "2014-08-05"),
        ("s place 2013 2014-08", "2014-08"),
        ("s|2014-08-05|2013|B3", "2013"),
        ("s|2014-13-05|2013-01", "2013-01"),
        ("2011|x|2014 ", "2014"),
    ],
)
def test_the_last_date_of_a_header_counts(here, header, date):
    headers = [header.replace("s", f"s{i}", 1).replace("2011", str(2011 + i)) for i in range(4)]
    (here / "x.fa").write_text(fasta(zip(headers, ["ACGT", "CGTA", "GTAC", "TACG"], strict=True)))
    (label,) = read_series(["x.fa"]).series.times
    assert str(label) == date


def test_cross(here):
    (here / "x.fa").write_text(fasta(zip(HEADERS, DNA, strict=True)))
    series = read_series(["x.fa"], replace(BY_YEAR, cross=True, dtype="float32")).series
    order = [1, 4, 7, 0, 2, 3, 5, 6, 8]
    assert np.array_equal(series.cross, slow_twin(DNA, "ACGTU", "hamming")[np.ix_(order, order)])
    assert series.cross.dtype == np.float32


def test_squared_can_be_overruled(here):
    (here / "x.fa").write_text(fasta(zip("abcdefghi", DNA, strict=True)))
    plain = read_series(["x.fa"], DataSettings(squared=False)).series
    assert np.array_equal(plain.D[0], slow_twin(DNA, "ACGTU", "hamming") ** 2)


def test_dates_from_a_table(here):
    (here / "x.fa").write_text(fasta(zip([f"s{i} whatever" for i in range(9)], DNA, strict=True)))
    lines = [f"s{i},{date}\n" for i, date in enumerate(DATES)]
    (here / "o.csv").write_text("strain,date\n" + "".join(reversed(lines)))
    options = DataSettings(objects="o.csv", id="strain", time="date", by="year")
    found = read_series(["x.fa"], options)
    assert found.series.times == (2013, 2014)
    assert found.series.ids[0].tolist() == ["s1", "s4", "s7"]
    assert set(found.hashes) == {"x.fa", "o.csv"}
    (here / "o.csv").write_text("strain,date\n" + "".join(lines[:5] + lines[6:]))
    with pytest.raises(DataError, match=r"^x\.fa: line 21: sequence 's5' has no date in o\.csv \(1 of 9 have none\)"):
        read_series(["x.fa"], options)
    found = read_series(["x.fa"], replace(options, missing="drop"))
    assert found.series.n_objects == (3, 5)
    assert "left out 1 of 9 sequences without a date" in found.remarks


def test_sequences_without_dates(here):
    some = [header.replace("|2013-01-31", "") for header in HEADERS]
    (here / "x.fa").write_text(fasta(zip(some, DNA, strict=True)))
    with pytest.raises(
        DataError, match=r"^x\.fa: line 5: sequence 's1' has no date in its header \(3 of 9 have none\)"
    ):
        read_series(["x.fa"], BY_YEAR)
    assert read_series(["x.fa"], replace(BY_YEAR, missing="drop")).series.times == (2014,)


def test_one_file_per_epoch(here):
    (here / "s_2.fa").write_text(fasta(zip("abcd", DNA, strict=False)))
    (here / "s_1.fa").write_text(fasta(zip("cdefg", DNA[4:], strict=True)))
    found = read_series(["s_2.fa", "s_1.fa"])
    assert found.series.times == (1, 2)
    assert [own.tolist() for own in found.series.ids] == [list("cdefg"), list("abcd")]
    assert np.array_equal(found.series.D[1], slow_twin(DNA[:4], "ACGTU", "hamming"))
    (here / "s_1.fa").write_text(fasta([("a", "ACGT")]))
    with pytest.raises(DataError, match=r"^s_1\.fa: has sequences of 4 sites, but s_2\.fa of 130; align them together"):
        read_series(["s_2.fa", "s_1.fa"])


def test_times_overrule_dates(here):
    for name, part in (("a", slice(0, 4)), ("b", slice(4, 9))):
        (here / f"{name}.fa").write_text(fasta(zip(HEADERS[part], DNA[part], strict=True)))
    series = read_series(["b.fa", "a.fa"], DataSettings(times=(1, 2))).series
    assert series.times == (1, 2)
    assert series.n_objects == (5, 4)


def test_small_epochs_can_be_left_out(here):
    (here / "x.fa").write_text(fasta(zip(HEADERS, DNA, strict=True)))
    found = read_series(["x.fa"], DataSettings(by="year", drop_small=True, min_objects=4))
    assert found.series.times == (2014,)
    assert found.series.ids[0].tolist() == ["s0", "s2", "s3", "s5", "s6", "s8"]


def test_one_strange_letter_makes_amino_acids(here):
    (here / "x.fa").write_text(">a\nACGTE\n>b\nANGTE\n>c\nACGTF\n")
    found = read_series(["x.fa"])
    assert found.series.D[0].tolist() == [[0, 1, 1], [1, 0, 2], [1, 2, 0]]
    assert found.remarks == (
        "sequences read as amino acids (the twenty usual ones are known, anything else counts as unknown)",
    )


DATED = ">a|2014\nACGT\n>b|2014\nACGA\n>c|2015\nACCC\n"
THREE = ">a\nACGT\n>b\nACGA\n>c\nACCC\n"
FAULTS = {
    "no header": ("ACGT\nACGT\n", {}, 'line 1: does not begin with ">"; this is not a FASTA file'),
    "blank lines only": ("\n \n", {}, "holds no sequences"),
    "no name": (THREE + ">\nACGT\n", {}, 'line 7: has no id after ">"'),
    "no name before |": (THREE + ">|2014\nACGT\n", {}, 'line 7: has no id after ">"'),
    "empty sequence": (THREE + ">d\n>e\nACGT\n", {}, "line 7: sequence 'd' is empty"),
    "empty at the end": (THREE + ">d\n", {}, "line 7: sequence 'd' is empty"),
    "other length": (
        THREE + ">d\nACG\n>e\nA\n",
        {},
        "line 7: sequence 'd' has 3 sites, but those before it have 4; align the sequences first",
    ),
    "digits": (
        THREE + ">d\nAC1T\n",
        {},
        "line 7: sequence 'd' has '1' at site 3; letters and gaps (- . ? * ~) are expected",
    ),
    "not English": (THREE + ">d\nACÄT\n", {}, "line 8: has 'Ä'; letters and gaps"),
    "ids twice": (THREE + ">a\nACGG\n", {}, "epoch 0 (x) has the id 'a' twice, at positions 0 and 3"),
    "identical": (">a\nACGT\n>b\nACGT\n>c\nACGN\n", {}, "D[0] (x) is zero everywhere: all 3 objects are identical"),
    "nothing known": (
        THREE + ">d\nNN-N\n",
        {"metric": "p-distance"},
        "the sequences 'a' and 'd' have no site at which both",
    ),
    "nothing in common": (
        ">a\nAC--\n>b\n--GT\n>c\nACGT\n",
        {"metric": "p-distance"},
        "the sequences 'a' and 'b' have no site at which both are known; leave one of them out",
    ),
    "only unknown": (
        "".join(f">{i}\nNNNN\n" for i in "abc"),
        {"metric": "p-distance"},
        "the sequence 'a' has no known site",
    ),
    "no dates": (THREE, {"by": "year"}, "line 1: sequence 'a' has no date in its header (3 of 3 have none)"),
    "year by month": (
        DATED,
        {"by": "month"},
        "line 1: sequence 'a': '2014' does not say which month it is",
    ),
    "small epoch": (
        DATED,
        {},
        "D[0] (2014) has 2 objects, too",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_fault(here, fault):
    text, options, message = FAULTS[fault]
    (here / "x.fa").write_text(text)
    with pytest.raises(DataError, match="^" + re.escape(f"x.fa: {message}")):
        read_series(["x.fa"], DataSettings(**options))


def test_unknown_sites_are_no_difference(here):
    (here / "x.fa").write_text(THREE + ">d\nNN-N\n")
    assert read_series(["x.fa"]).series.D[0][3].tolist() == [0, 0, 0, 0]


def test_metric_unknown(here):
    (here / "x.fa").write_text(THREE)
    with pytest.raises(
        SettingsError, match='metric must be "hamming" or "p-distance" for sequences, not \'euclidean\''
    ):
        read_series(["x.fa"], DataSettings(metric="euclidean"))


def test_too_large_is_refused(here, monkeypatch):
    (here / "x.fa").write_text(fasta(zip("abcdefghi", DNA, strict=True)))
    monkeypatch.setattr(memory, "available_memory", lambda: (500, "says the test"))
    with pytest.raises(MemoryLimitError, match=r"^x\.fa: keeping the distances between 9 sequences takes 0.00 GiB"):
        read_series(["x.fa"])
    monkeypatch.setattr("tetiwd.io.readers.fasta.CHECK_EVERY", 300)
    with pytest.raises(MemoryLimitError, match=r"^x\.fa: keeping the sequences takes 0.00 GiB"):
        read_series(["x.fa"])


def test_counts_stay_exact_beyond_float32(monkeypatch):
    monkeypatch.setattr(sequences, "EXACT_IN_FLOAT32", 4)
    codes = sequences.encode(np.frombuffer(bytearray(b"ACGTACGA"), dtype=np.uint8).reshape(2, 4), nucleotides=True)
    D = sequences.sequence_distances(codes, "hamming", "float32")
    assert D.dtype == np.float64
    assert D.tolist() == [[0, 1], [1, 0]]


def test_dates_that_should_be_grouped(here):
    headers = [f"s{i}|2014-{1 + i % 3:02}-{i + 1:02}" for i in range(9)]
    (here / "x.fasta").write_text(fasta(zip(headers, DNA, strict=True)))
    with pytest.raises(DataError, match=r'^x\.fasta: 2014-01-01 has 1 object, .*; group dates with by="month", or'):
        read_series(["x.fasta"])
    assert read_series(["x.fasta"], DataSettings(by="month")).series.n_objects == (3, 3, 3)


@pytest.mark.parametrize("missing", ["error", "drop"])
def test_without_any_date_none_is_left_out(here, missing):
    (here / "x.fasta").write_text(fasta(zip("abcdefghi", DNA, strict=True)))
    with pytest.raises(DataError) as error:
        read_series(["x.fasta"], replace(BY_YEAR, missing=missing))
    assert "write dates as in >name|2014-08-05, or give a table of them with objects" in str(error.value)
    assert 'missing="drop"' not in str(error.value)


def test_parts_of_dates_that_are_not_known(here):
    dates = ["2014-XX-XX", "2014-08-XX", "2014-08-05"] * 3
    (here / "x.fasta").write_text(fasta([(f"s{i}|{date}", DNA[i]) for i, date in enumerate(dates)]))
    assert read_series(["x.fasta"], BY_YEAR).series.n_objects == (9,)
    with pytest.raises(DataError, match="does not say which month it is"):
        read_series(["x.fasta"], DataSettings(by="month"))


def test_years_that_begin_in_another_month(here):
    dates = ["2014-06-30", "2014-07-01", "2015-06-30"] * 3
    (here / "x.fasta").write_text(fasta([(f"s{i}|{date}", DNA[i]) for i, date in enumerate(dates)]))
    series = read_series(["x.fasta"], DataSettings(by="year", year_begins=7)).series
    assert series.times == ("2013/14", "2014/15")
    assert series.n_objects == (3, 6)
    (here / "x.fasta").write_text(fasta([(f"s{i}|2014", DNA[i]) for i in range(9)]))
    with pytest.raises(DataError, match="'2014' has no month, which year_begins=7 needs"):
        read_series(["x.fasta"], DataSettings(by="year", year_begins=7))


def test_samples_of_subjects(here):
    (here / "x.fasta").write_text(fasta([(f"s{i}", text) for i, text in enumerate(DNA)]))
    (here / "o.csv").write_text("id,time,who\n" + "".join(f"s{i},{i % 3},p{i // 3}\n" for i in range(9)))
    series = read_series(["x.fasta"], DataSettings(objects="o.csv", subject="who")).series
    assert [ids.tolist() for ids in series.ids] == [["p0", "p1", "p2"]] * 3
    with pytest.raises(SettingsError, match='subject="who" names a column of the table of objects; name that table'):
        DataSettings(subject="who")
