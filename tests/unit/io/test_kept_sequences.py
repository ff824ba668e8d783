"""Sequences that are kept with a run: they come back, and what is damaged or too large is said to be."""

import zipfile

import numpy as np
import pytest

from tetiwd import memory
from tetiwd.errors import MemoryLimitError, RunFolderError
from tetiwd.io.kept_sequences import FILE, FOLDER, keep_sequences, kept_sequences

CODES = np.array([[0, 1, 2, 3, 255], [3, 2, 1, 0, 0]], np.uint8)
ALPHABET = tuple("ACGT")


@pytest.fixture
def file(tmp_path):
    (tmp_path / FOLDER).mkdir()
    keep_sequences(tmp_path / FOLDER, (CODES, ALPHABET))
    codes, letters = kept_sequences(tmp_path)
    assert np.array_equal(codes, CODES)
    assert letters == ALPHABET
    return tmp_path / FOLDER / FILE


def cut(file):
    file.write_bytes(file.read_bytes()[:-30])


def flip(file):
    content = bytearray(file.read_bytes())
    content[70:90] = bytes(byte ^ 0x55 for byte in content[70:90])
    file.write_bytes(content)


def no_archive(file):
    with file.open("wb") as stream:
        np.save(stream, CODES)


def other(**arrays):
    return lambda file: np.savez(file, **arrays)


HARM = {
    "cut off": cut,
    "flipped": flip,
    "one array": no_archive,
    "empty": lambda file: file.write_bytes(b""),
    "text": lambda file: file.write_bytes(b"PK\3\4" + bytes(40)),
    "no codes": other(letters=np.array(ALPHABET)),
    "no letters": other(codes=CODES),
    "other letters": other(codes=CODES, letters=np.array(["<script>", "C", "G", "T"])),
    "too few letters": other(codes=CODES + np.uint8(7), letters=np.array(ALPHABET)),
    "numbers": other(codes=CODES.astype(float), letters=np.array(ALPHABET)),
}


@pytest.mark.parametrize("harm", HARM.values(), ids=HARM)
def test_what_is_damaged_is_an_error_of_the_run_folder(file, harm):
    harm(file)
    with pytest.raises(RunFolderError, match=r"letters\.npz: .*; remove it, or run fit again$"):
        kept_sequences(file.parents[1])


def test_what_unpacks_to_more_than_memory_holds_is_refused_before_it_is_unpacked(file, monkeypatch):
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("codes.npy", "w") as stream:
        about = {"descr": "|u1", "fortran_order": False, "shape": (20, 10**7)}
        np.lib.format.write_array_header_1_0(stream, about)
        for _ in range(200):
            stream.write(bytes(10**6))
    assert file.stat().st_size < 10**6
    monkeypatch.setattr(memory, "available_memory", lambda: (10**8, "says the test"))
    with pytest.raises(MemoryLimitError, match=r"letters\.npz: loading 1 arrays takes 0\.19 GiB of memory"):
        kept_sequences(file.parents[1])


def test_what_memory_holds_but_not_its_comparison_is_refused(file, monkeypatch):
    codes = np.zeros((2, 1_000_000), np.uint8)
    keep_sequences(file.parent, (codes, ALPHABET))
    monkeypatch.setattr(memory, "available_memory", lambda: (10 * codes.nbytes, "a test"))
    with pytest.raises(MemoryLimitError, match=r"comparing 1,000,000 sites takes 0\.0\d+ GiB"):
        kept_sequences(file.parents[1])
