"""Whatever a file holds: it is read, or refused by an error of our own."""

import contextlib
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from verification.readable import readables

from tetiwd.errors import TetiwdError

KINDS = (
    "npy", "square", "long", "features", "features, dated", "sequences", "outcomes", "metadata", "constraints",
    "fixed labels", "names of lineages", "resolution", "settings",
)  # fmt: skip
READABLE = {name: readables()[name] for name in KINDS}
PIECES = st.sampled_from(
    [b",", b"\t", b"\n", b'"', b";", b"0", b"-1", b"1e400", b"nan", b"inf", b"=", b"[", b"]", b"{", b">", b"'",
     b"\xff", b"\xef\xbb\xbf", b"\x00", b"99999999999999999999", b"2001-02-30",
     b"\x93NUMPY\x02\x00\xff\xff\xff\x7f", b"id", b"time"]
)  # fmt: skip
EDITS = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 6), st.lists(PIECES, max_size=4).map(b"".join)), max_size=5)


def edited(content, edits):
    """Pieces put in place of some bytes, at places from the beginning (0) to the end (1)."""
    for where, n, piece in edits:
        at = int(where * len(content))
        content = content[:at] + piece + content[at + n :]
    return content


@pytest.mark.filterwarnings("ignore")  # of libraries, about what the files hold
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=60)
@given(edits=EDITS, anything=st.none() | st.binary(max_size=60), cut=st.floats(0, 1))
def test_changed_files_are_read_or_refused(kind, edits, anything, cut):
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        known = READABLE[kind].write()
        file = min(path for path in Path().iterdir() if path.is_file())
        content = file.read_bytes() if anything is None else anything
        file.write_bytes(edited(content, edits)[: max(1, int((0.2 + cut) * len(content) + 20))])
        with contextlib.suppress(TetiwdError):
            READABLE[kind].read(known)


@pytest.mark.parametrize("kind", KINDS)
def test_valid_files_are_read(kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    READABLE[kind].read(READABLE[kind].write())


def test_edits_change_files():
    assert edited(b"abcdef", [(0.5, 2, b"XY,")]) == b"abcXY,f"
