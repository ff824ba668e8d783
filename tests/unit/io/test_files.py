"""Archives that unpack to very much are refused, as early as that can be seen."""

import gzip

import numpy as np
import pytest

from tetiwd.errors import DataError
from tetiwd.io import files
from tetiwd.io.files import find_file, text_lines, unpacked

ROW = b"1,0.5,2\n"


MUCH = files.MUCH


@pytest.fixture(autouse=True)
def little(monkeypatch):
    """So little is already very much."""
    monkeypatch.setattr("tetiwd.io.files.MUCH", 1 << 20)
    monkeypatch.setattr("tetiwd.io.files.BLOCK", 1 << 20)


def packed(tmp_path, content):
    path = tmp_path / "x.csv.gz"
    path.write_bytes(gzip.compress(content))
    return find_file(path)


def test_a_bomb_is_refused_before_its_first_line(tmp_path):
    lines = text_lines(packed(tmp_path, ROW * 300_000))
    with pytest.raises(DataError, match="unpacks to more than 1 MiB"):
        next(lines)


def test_so_is_one_whose_beginning_looks_harmless_but_not_before_its_end(tmp_path):
    harmless = np.random.default_rng(1).bytes(20 << 10)
    with (
        unpacked(packed(tmp_path, harmless + ROW * 1_000_000)) as stream,
        pytest.raises(DataError, match="unpacks to more than 3 MiB"),
    ):
        stream.read()


@pytest.mark.parametrize("n", [1, 100, 100_000])
def test_other_archives_are_read_from_the_beginning(tmp_path, n):
    with unpacked(packed(tmp_path, ROW * n)) as stream:
        assert stream.read() == ROW * n


def test_what_a_small_file_may_hold_is_soon_read_and_fits_anywhere(tmp_path, monkeypatch):
    monkeypatch.setattr("tetiwd.io.files.MUCH", MUCH)
    with pytest.raises(DataError, match="unpacks to more than 16 MiB"):
        next(text_lines(packed(tmp_path, b"ab," * 7_000_000)))
