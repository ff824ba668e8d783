"""Draws are appended, not rewritten: every segment is checked, and what no checkpoint counts is ignored."""

import shutil
from dataclasses import replace

import numpy as np
import pytest

from reference import rng_for
from runs import MODEL, SETTINGS, digest, small_series
from tetiwd import checkpoint, run_chains
from tetiwd.draws import COLUMNS, Draws
from tetiwd.draws_file import DamagedDraws, Mark, append_draws, read_draws
from tetiwd.errors import CheckpointError, MemoryLimitError

N_OBJECTS = (4, 3)


def blank():
    return Draws(N_OBJECTS, {"moved": "time"}, geometry_every=3)


def add(draws, n, high=5):
    """So many more draws."""
    rng = rng_for(len(draws))
    for _ in range(n):
        row = {name: rng.random() for name in COLUMNS} | {"moved": rng.random(2)}
        row |= {name: rng.random(2) for name in ("entropy", "spread", "log_det_A")}
        labels = rng.integers(high, size=7).astype(np.uint16 if high < 2**16 else np.uint32)
        geometry = [rng.random((2, 2)), rng.random((1, 1))] if draws.keeps_next_geometry else None
        draws.append(row | {"labels": labels, "n_clusters": np.array([2, 1])}, geometry)
    return draws


def written(path, *sizes, chain=1):
    """Draws in segments of these sizes, and the mark after each."""
    draws, marks = blank(), [Mark()]
    for n in sizes:
        marks.append(append_draws(path, chain, add(draws, n), marks[-1]))
    return draws, marks


def same(one, other):
    mine, theirs = one.to_arrays(), other.to_arrays()
    return mine.keys() == theirs.keys() and all(np.array_equal(mine[name], theirs[name]) for name in mine)


def test_segments_come_back_bit_by_bit_up_to_the_mark(tmp_path):
    draws, marks = written(tmp_path / "one", 4, 1, 5)
    for mark in marks:
        assert same(read_draws(tmp_path / "one", 1, blank(), mark), draws.between(0, mark.n_draws))
    assert marks[-1].n_bytes == (tmp_path / "one").stat().st_size


def test_labels_beyond_sixteen_bits_come_back(tmp_path):
    draws, path = add(blank(), 2), tmp_path / "one"
    mark = append_draws(path, 1, draws, Mark())
    mark = append_draws(path, 1, add(draws, 2, high=2**20), mark)
    mark = append_draws(path, 1, add(draws, 2), mark)
    assert same(read_draws(path, 1, blank(), mark), draws)


def test_a_segment_takes_as_much_whatever_was_kept_before(tmp_path):
    _, marks = written(tmp_path / "one", *[2] * 40)
    lengths = np.diff([mark.n_bytes for mark in marks])
    assert lengths.max() < 1.1 * lengths.min()


def test_what_comes_after_the_mark_is_ignored_and_overwritten(tmp_path):
    path = tmp_path / "one"
    _, marks = written(path, 3, 4)
    kept = read_draws(path, 1, blank(), marks[1])
    path.write_bytes(path.read_bytes()[:-7] + b"rubbish that is longer than what was there")
    assert same(read_draws(path, 1, blank(), marks[1]), kept)
    mark = append_draws(path, 1, add(kept, 1), marks[1])
    assert path.stat().st_size == mark.n_bytes
    assert same(read_draws(path, 1, blank(), mark), kept)


def test_any_flipped_bit_before_the_mark_is_noticed(tmp_path):
    path = tmp_path / "one"
    _, marks = written(path, 2, 2)
    content = path.read_bytes()
    for position in [*range(200), *range(200, len(content), 41)]:
        spoiled = bytearray(content)
        spoiled[position] ^= 1 << (position % 8)
        path.write_bytes(spoiled)
        with pytest.raises(DamagedDraws):
            read_draws(path, 1, blank(), marks[-1])


@pytest.mark.parametrize("missing", [0, 1, 2])
def test_a_missing_segment_is_noticed(missing, tmp_path):
    path = tmp_path / "one"
    _, marks = written(path, 2, 3, 2)
    content = path.read_bytes()
    path.write_bytes(content[: marks[missing].n_bytes] + content[marks[missing + 1].n_bytes :])
    with pytest.raises(DamagedDraws):
        read_draws(path, 1, blank(), marks[-1])


def test_a_segment_of_another_chain_is_refused(tmp_path):
    _, marks = written(tmp_path / "one", 2, 2)
    written(tmp_path / "two", 2, 2, chain=2)
    own, other = ((tmp_path / name).read_bytes() for name in ("one", "two"))
    (tmp_path / "one").write_bytes(own[: marks[1].n_bytes] + other[marks[1].n_bytes :])
    with pytest.raises(CheckpointError, match=r"in one belong to another chain \(number was 2, now 1\); put back"):
        read_draws(tmp_path / "one", 1, blank(), marks[-1])


def test_a_segment_of_another_run_is_noticed(tmp_path):
    _, marks = written(tmp_path / "one", 2, 2)
    written(tmp_path / "two", 1, 1, 2)
    shutil.copy(tmp_path / "two", tmp_path / "one")
    with pytest.raises(DamagedDraws):
        read_draws(tmp_path / "one", 1, blank(), marks[-1])


def test_a_failed_write_leaves_what_was_there(tmp_path, monkeypatch):
    path = tmp_path / "one"
    draws, marks = written(path, 3)
    before = path.read_bytes()

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        append_draws(path, 1, add(draws, 2), marks[-1])
    monkeypatch.undo()
    assert path.read_bytes() == before
    mark = append_draws(path, 1, draws, marks[-1])
    assert same(read_draws(path, 1, blank(), mark), draws)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A run that wrote a checkpoint after every sweep."""
    folder = tmp_path_factory.mktemp("finished")
    return folder, digest(run_chains(small_series(), MODEL, SETTINGS, checkpoint=folder, checkpoint_seconds=0))


@pytest.fixture
def folder(finished, tmp_path):
    shutil.copytree(finished[0], tmp_path, dirs_exist_ok=True)
    return tmp_path


def resumed(folder, settings=SETTINGS):
    return run_chains(small_series(), MODEL, settings, checkpoint=folder, resume=True)


def cut_short(path):
    path.write_bytes(path.read_bytes()[:-9])


def spoil_the_end(path):
    content = bytearray(path.read_bytes())
    content[-30] ^= 4
    path.write_bytes(content)


@pytest.mark.parametrize("damage", [cut_short, spoil_the_end])
def test_a_damaged_last_segment_costs_the_last_checkpoint_only(damage, finished, folder):
    damage(folder / "chain-1.draws")
    again = resumed(folder)
    assert digest(again) == finished[1]
    [remark] = again.remarks
    assert remark.startswith("the checkpoint chain-1.checkpoint has lost draws (chain-1.draws: the segment that begins")
    assert remark.endswith("put aside as chain-1.checkpoint.damaged; continuing from chain-1.checkpoint.previous")
    assert not resumed(folder).remarks  # all is well from then on


@pytest.mark.parametrize("damage", [lambda path: path.unlink(), lambda path: path.write_bytes(b"")])
def test_without_draws_that_both_checkpoints_count_there_is_a_clear_error(damage, folder):
    before = (folder / "chain-1.checkpoint").read_bytes()
    damage(folder / "chain-1.draws")
    with pytest.raises(CheckpointError, match=r"has lost draws \(chain-1\.draws .*, and there is no other; start"):
        resumed(folder)
    assert (folder / "chain-1.checkpoint").read_bytes() == before


def test_draws_of_another_chain_are_refused(folder):
    shutil.copy(folder / "chain-2.draws", folder / "chain-1.draws")
    with pytest.raises(CheckpointError, match=r"belong to another chain \(number was 2, now 1\)"):
        resumed(folder)


def test_a_finished_run_is_extended_by_appending(finished, folder):
    before = (folder / "chain-1.draws").read_bytes()
    longer = replace(SETTINGS, n_draws=SETTINGS.n_draws + 5)
    again = resumed(folder, longer)
    assert digest(again) == digest(run_chains(small_series(), MODEL, longer))
    assert (folder / "chain-1.draws").read_bytes().startswith(before)


def test_a_checkpoint_takes_as_much_however_many_draws_there_are(tmp_path, monkeypatch):
    sizes, write = [], checkpoint.write_checkpoint

    def watched(path, about, arrays, values, draws, mark):
        after = write(path, about, arrays, values, draws, mark)
        if path.name.startswith("chain-1"):
            sizes.append(path.stat().st_size + after.n_bytes - mark.n_bytes)
        return after

    monkeypatch.setattr(checkpoint, "write_checkpoint", watched)
    settings = replace(SETTINGS, n_draws=60, thin=1)
    run_chains(small_series(), MODEL, settings, checkpoint=tmp_path, checkpoint_seconds=0)
    early, late = sizes[settings.n_warmup + 1 :][:10], sizes[-10:]
    assert len(sizes) == settings.n_warmup + 60
    assert max(late) < 1.2 * max(early)


def test_a_disk_that_was_full_for_a_while_costs_no_draws(finished, tmp_path, monkeypatch):
    tries, append = [0], checkpoint.append_draws

    def sometimes_full(*args):
        tries[0] += 1
        if tries[0] % 3:
            raise OSError(28, "No space left on device")
        return append(*args)

    monkeypatch.setattr(checkpoint, "append_draws", sometimes_full)
    run_chains(small_series(), MODEL, SETTINGS, checkpoint=tmp_path, checkpoint_seconds=0)
    monkeypatch.undo()
    assert digest(resumed(tmp_path)) == finished[1]


def test_arrays_that_no_draws_have_are_not_unpacked(tmp_path, monkeypatch):
    path, draws = tmp_path / "one", add(blank(), 3)
    arrays = draws.to_arrays()
    monkeypatch.setattr(Draws, "to_arrays", lambda self: arrays | {"more": np.zeros(10**6)})
    mark = append_draws(path, 1, draws, Mark())
    monkeypatch.undo()
    with pytest.raises(DamagedDraws, match=r"one has an array 'more' of 0\.01 GiB, which no draws have"):
        read_draws(path, 1, blank(), mark)
    mark = append_draws(path, 1, draws, Mark())
    monkeypatch.setattr("tetiwd.memory.available_memory", lambda: (100, "says the test"))
    with pytest.raises(MemoryLimitError, match=r"unpacking \d+ arrays of one takes 0\.00 GiB of memory, but only"):
        read_draws(path, 1, blank(), mark)
