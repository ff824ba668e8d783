"""Checkpoint files: whole or refused, and the generation before is there when the last one is damaged."""

import contextlib
import hashlib
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from reference import rng_for
from runs import MODEL, SETTINGS, digest, small_series
from tetiwd import run_chains, sampler
from tetiwd.checkpoint import previous_of, read_checkpoint, write_checkpoint
from tetiwd.draws import Draws
from tetiwd.draws_file import Mark
from tetiwd.errors import CheckpointError, MemoryLimitError

TESTS = Path(__file__).parents[1]
ABOUT = {"data": {"hash": "a"}, "settings": {"thin": "1", "seed": "2"}, "chain": {"number": "1"}}
NO_DRAWS = Draws([2])


def write(path, value):
    write_checkpoint(path, ABOUT, {"x": np.arange(value)}, {"n": value}, NO_DRAWS, Mark())


def read(path, about=ABOUT):
    stored = read_checkpoint(path, about, NO_DRAWS)
    return stored.arrays, stored.values, stored.trouble


def test_round_trip_keeps_every_bit(tmp_path):
    path = tmp_path / "one"
    arrays = {"x": rng_for(1).standard_normal((3, 2)), "k": np.array([1, 2], dtype=np.uint16)}
    values = {"pi": 0.1 + 0.2, "state": np.random.default_rng(3).bit_generator.state}
    write_checkpoint(path, ABOUT, arrays, values, NO_DRAWS, Mark())
    found, found_values, trouble = read(path)
    assert trouble is None
    assert found_values == values
    assert all(np.array_equal(found[name], arrays[name]) and found[name].dtype == arrays[name].dtype for name in arrays)


def spoil_byte(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def cut_short(path):
    path.write_bytes(path.read_bytes()[:-100])


def empty(path):
    path.write_bytes(b"")


@pytest.mark.parametrize("damage", [spoil_byte, cut_short, empty])
def test_a_damaged_file_falls_back_to_the_previous_one(tmp_path, damage):
    path = tmp_path / "one"
    write(path, 3)
    write(path, 4)
    damage(path)
    arrays, values, trouble = read(path)
    assert values == {"n": 3}
    assert len(arrays["x"]) == 3
    assert trouble == "the checkpoint one is damaged and was put aside as one.damaged; continuing from one.previous"
    write(path, 5)  # the damaged file must not have replaced the good one
    assert read(path)[1] == {"n": 5}
    assert read(previous_of(path))[1] == {"n": 3}
    damage(path)
    damage(previous_of(path))
    with pytest.raises(CheckpointError, match="is damaged"):
        read(path)


def test_any_flipped_bit_is_noticed(tmp_path):
    path = tmp_path / "one"
    write(path, 3)
    content = path.read_bytes()
    for position in [*range(100), *range(100, len(content), 37)]:
        spoiled = bytearray(content)
        spoiled[position] ^= 1 << (position % 8)
        path.write_bytes(spoiled)
        with pytest.raises(CheckpointError, match="is damaged"):
            read(path)


def test_what_differs_is_named(tmp_path):
    path = tmp_path / "one"
    write(path, 3)
    other = ABOUT | {"settings": {"thin": "1", "seed": "7"}}
    with pytest.raises(CheckpointError, match=r"belongs to other settings \(seed was 2, now 7\); continue with"):
        read(path, other)


def test_a_checkpoint_of_another_version_is_refused(tmp_path):
    path = tmp_path / "one"
    write(path, 3)
    payload = path.read_bytes().partition(b"\n")[2]
    head = f"tetiwd-checkpoint-1 {hashlib.sha256(payload).hexdigest()}\n".encode()
    path.write_bytes(head + payload)
    with pytest.raises(CheckpointError, match="one has format 1, and this version of tetiwd reads format 5; continue"):
        read(path)


@pytest.mark.parametrize("generation", [str, lambda name: f"{name}.previous"], ids=["last", "previous"])
def test_a_checkpoint_of_another_chain_is_refused(tmp_path, generation):
    run_chains(small_series(), MODEL, SETTINGS, checkpoint=tmp_path, checkpoint_seconds=0)
    shutil.copy(tmp_path / "chain-2.checkpoint", tmp_path / generation("chain-1.checkpoint"))
    if generation is not str:
        (tmp_path / "chain-1.checkpoint").unlink()
    with pytest.raises(CheckpointError, match=r"belongs to another chain \(number was 2, now 1\)"):
        run_chains(small_series(), MODEL, SETTINGS, checkpoint=tmp_path, resume=True)


def test_a_checkpoint_of_other_moves_is_refused(tmp_path, monkeypatch):
    run_chains(small_series(), MODEL, SETTINGS, checkpoint=tmp_path)
    monkeypatch.setattr(sampler, "MOVES", sampler.MOVES[:-2] + sampler.MOVES[-1:])
    with pytest.raises(CheckpointError, match=r"belongs to other statistics \(exchange_acceptance was time, now None"):
        run_chains(small_series(), MODEL, SETTINGS, checkpoint=tmp_path, resume=True)


def test_a_crash_while_writing_leaves_the_last_one(tmp_path, monkeypatch):
    path = tmp_path / "one"
    write(path, 3)

    def power_cut(descriptor):
        raise OSError("power cut")

    monkeypatch.setattr(os, "fsync", power_cut)
    with pytest.raises(OSError, match="power cut"):
        write(path, 4)
    monkeypatch.undo()
    assert read(path)[1] == {"n": 3}


def test_a_crash_between_the_two_renames_leaves_the_previous_one(tmp_path):
    path = tmp_path / "one"
    write(path, 3)
    os.replace(path, previous_of(path))
    assert read(path)[1] == {"n": 3}


def test_no_pickle_is_ever_loaded(tmp_path):
    with pytest.raises(ValueError, match="Object arrays cannot be saved"):
        write_checkpoint(tmp_path / "one", ABOUT, {"x": np.array([{}], dtype=object)}, {}, NO_DRAWS, Mark())


def test_a_damaged_run_continues_from_the_generation_before_and_says_so(tmp_path):
    series = small_series()
    reference = run_chains(series, MODEL, SETTINGS, checkpoint=tmp_path, checkpoint_seconds=0)
    spoil_byte(tmp_path / "chain-1.checkpoint")
    again = run_chains(series, MODEL, SETTINGS, checkpoint=tmp_path, resume=True)
    assert digest(again) == digest(reference)
    assert len(again.remarks) == 1
    assert "chain-1.checkpoint is damaged" in again.remarks[0]


def test_a_full_disk_costs_the_checkpoint_not_the_run(tmp_path, monkeypatch):
    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tetiwd.checkpoint.write_checkpoint", full)
    sample = run_chains(small_series(), MODEL, SETTINGS, checkpoint=tmp_path)
    assert sample.complete
    assert sample.remarks[0].startswith("chain-")
    assert "could not be written after 80 sweeps: No space left on device" in sample.remarks[0]


@pytest.mark.parametrize("name", ["chain-1.checkpoint.new", "chain-1.draws"])
@pytest.mark.parametrize("content", ["mine", None], ids=["a file", "nothing"])
def test_checkpoints_are_not_written_through_links(name, content, tmp_path):
    victim, folder = tmp_path / "victim", tmp_path / "run"
    folder.mkdir()
    if content is not None:
        victim.write_text(content)
    (folder / name).symlink_to(victim)
    sample = run_chains(small_series(), MODEL, SETTINGS, checkpoint=folder)
    assert victim.exists() == (content is not None)
    assert content is None or victim.read_text() == content
    assert len(sample.remarks) == name.endswith("draws")


def test_a_folder_that_cannot_be_written_is_refused_at_once(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(CheckpointError, match="cannot write checkpoints into"):
        run_chains(small_series(), MODEL, SETTINGS, checkpoint=tmp_path / "file")


RUN = """
import sys
from runs import MODEL, SETTINGS, digest, small_series
from dataclasses import replace
from pathlib import Path
from tetiwd import run_chains
folder = Path(sys.argv[1])
length = int(sys.argv[2])
settings = replace(SETTINGS, n_warmup=length, n_draws=2 * length, anneal=None)
resume = any(folder.glob("*.checkpoint*"))
sample = run_chains(small_series(), MODEL, settings, checkpoint=folder, checkpoint_seconds=0.02, resume=resume)
print(digest(sample))
"""


@pytest.mark.parametrize("times", [4, pytest.param(20, marks=pytest.mark.slow)])
def test_killed_at_any_moment_the_run_continues_identically(times, tmp_path):
    """kill −9 at random moments of one run; the draws are those of a run that was never interrupted."""
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    whole.mkdir()
    broken.mkdir()
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])}

    def start(folder):
        command = [sys.executable, "-c", RUN, str(folder), str(15 * times)]
        return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)

    def progress(folder):
        """When the newest checkpoint was written."""
        written = [0]
        for path in folder.glob("*.checkpoint"):
            with contextlib.suppress(FileNotFoundError):  # it is being renamed just now
                written.append(path.stat().st_mtime_ns)
        return max(written)

    expected = start(whole).communicate()[0].split()[-1]
    rng, moments = rng_for(30), []
    while len(moments) < times:
        before = progress(broken)
        process = start(broken)
        while progress(broken) <= before and process.poll() is None:
            time.sleep(0.002)
        time.sleep(float(rng.uniform(0, 0.05)))
        assert process.poll() is None, "the run must be longer than all interruptions"
        process.send_signal(signal.SIGKILL)
        process.communicate()
        moments.append(progress(broken))
    assert len(set(moments)) == times  # every run got further than the one before
    assert start(broken).communicate()[0].split()[-1] == expected


def with_steps(arrays, step):
    stored = json.loads(arrays["values_json"].tobytes())
    stored["values"]["steps"] = dict.fromkeys(stored["values"]["steps"], step)
    arrays["values_json"] = np.frombuffer(json.dumps(stored).encode(), dtype=np.uint8)


WRONG = {
    r"z_0 is out of range": lambda arrays: arrays["z_0"].put(0, 10**6),
    r"clusters have other sizes": lambda arrays: arrays["counts"].put(0, 0),
    r"counts of epoch 0": lambda arrays: arrays["counts"][0].sort(),  # empty slots first
    r"slots of epoch 0 are not 0 … 6": lambda arrays: arrays["size"].put(0, 7),
    r"(an empty slot of epoch|back link at|forward link at) \d( is linked)?": lambda arrays: arrays["back"][1].fill(0),
    r"alpha is -1.0": lambda arrays: arrays["scales"].put(0, -1.0),
    r"alpha is 0.0": lambda arrays: arrays["scales"].put(0, 0.0),
    r"scales is too large|xi is 1e\+200": lambda arrays: arrays["scales"].put(1, 1e200),
    r"tau is 0.5, not 0.0": lambda arrays: arrays["scales"].put(5, 0.5),
    r"A is too large": lambda arrays: arrays["A"].fill(1e308),
    r"scales is too large": lambda arrays: arrays["scales"].fill(1e308),
    r"the step of \w+ is 1e\+308": lambda arrays: with_steps(arrays, 1e308),
    r"tau is 2.4e-230": lambda arrays: arrays["scales"].put(5, 2.4e-230),
}


def changed(path, change):
    """Change the arrays of a checkpoint, and sign it again."""
    line, _, payload = path.read_bytes().partition(b"\n")
    with np.load(io.BytesIO(payload)) as archive:
        arrays = dict(archive)
    change(arrays)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    kind = line.partition(b" ")[0]
    digest = hashlib.sha256(kind + buffer.getvalue()).hexdigest().encode()
    path.write_bytes(kind + b" " + digest + b"\n" + buffer.getvalue())


@pytest.mark.parametrize("says", WRONG)
def test_a_state_that_cannot_be_is_refused_although_its_checksum_is_right(tmp_path, says):
    run_chains(small_series(), MODEL, SETTINGS, checkpoint=tmp_path)
    changed(tmp_path / "chain-1.checkpoint", WRONG[says])
    with pytest.raises(CheckpointError, match=rf"holds a state that cannot be \({says}\); start a new run"):
        run_chains(small_series(), MODEL, SETTINGS, checkpoint=tmp_path, resume=True)


MANY = np.zeros((3, 10**6), dtype=np.int64)
TOO_LARGE = {
    r"cannot be \(it has an array 'more' of 0\.02 GiB, which no state has\); start a new run": ("more", MANY),
    r"cannot be \(it has an array 'row_sums_3' of 0\.01 GiB, which no state has\)": (
        "row_sums_3",
        MANY[0].reshape(32, -1),
    ),
    r"cannot be \(z_0 has another size\)": ("z_0", MANY[0]),
    r"cannot be \(counts has room for 1,000,000 clusters of 37 objects\)": ("counts", MANY),
    r"holds 0\.07 GiB of settings, more than 0\.06 GiB, and there is no other": ("values_json", np.zeros(9 * 10**6)),
}


@pytest.mark.parametrize("says", TOO_LARGE)
def test_what_no_checkpoint_holds_is_refused_before_it_is_unpacked(tmp_path, says, monkeypatch):
    run_chains(small_series(), MODEL, SETTINGS, checkpoint=tmp_path)
    name, array = TOO_LARGE[says]
    changed(tmp_path / "chain-1.checkpoint", lambda arrays: arrays.update({name: array}))
    sizes = unpacked_sizes(monkeypatch)
    with pytest.raises(CheckpointError, match=says):
        run_chains(small_series(), MODEL, SETTINGS, checkpoint=tmp_path, resume=True)
    assert all(size < 10**5 for size in sizes)


def unpacked_sizes(monkeypatch):
    """Sizes of all arrays that are unpacked from now on."""
    unpack, sizes = np.lib.format.read_array, []

    def read_array(*args, **options):
        array = unpack(*args, **options)
        sizes.append(array.size)
        return array

    monkeypatch.setattr(np.lib.format, "read_array", read_array)
    return sizes


def test_more_than_memory_holds_is_not_unpacked(tmp_path, monkeypatch):
    write(tmp_path / "one", 10**6)
    monkeypatch.setattr("tetiwd.memory.available_memory", lambda: (10**6, "says the test"))
    with pytest.raises(MemoryLimitError, match=r"unpacking 1 array of one takes 0\.01 GiB of memory, but only"):
        read(tmp_path / "one")
