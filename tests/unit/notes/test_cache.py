"""The cache: what is kept comes back, what is damaged does not, and nothing is executed on the way."""

import json
import os

import numpy as np
import pytest

from tetiwd import SettingsError
from tetiwd.notes.cache import Cache, key_of
from tetiwd.notes.stages import Stages

ARRAYS = {"numbers": np.arange(6).reshape(2, 3), "one": np.array(7)}
TEXTS = {"sentences": ["Gait is steady.", "", "café \u2028 “x”", 'a "b" \\ c', "\ud800 alone"], "words": []}
KEY = key_of("bags", ["before"], {"k": 3})


def same(stored):
    arrays, texts = stored
    assert arrays.keys() == ARRAYS.keys()
    for name, value in ARRAYS.items():
        np.testing.assert_array_equal(arrays[name], value)
    assert texts == TEXTS
    return True


def test_what_is_kept_comes_back(tmp_path):
    cache = Cache(tmp_path / "deep" / "cache")
    assert cache.load("bags", KEY) is None
    cache.store("bags", KEY, ARRAYS, TEXTS)
    assert same(cache.load("bags", KEY))
    assert same(Cache(tmp_path / "deep" / "cache").load("bags", KEY))
    assert cache.load("ties", KEY) is None
    assert [file.name[:5] for file in (tmp_path / "deep" / "cache").iterdir()] == ["bags-"]


def test_without_a_folder_nothing_is_kept():
    cache = Cache(None)
    cache.store("bags", KEY, ARRAYS, TEXTS)
    assert cache.load("bags", KEY) is None


def test_keys_depend_on_everything():
    others = [
        key_of("ties", ["before"], {"k": 3}),
        key_of("bags", ["after"], {"k": 3}),
        key_of("bags", ["before"], {"k": 4}),
        key_of("bags", ["before", "before"], {"k": 3}),
        key_of("bags", ["before"], {"k": 3, "l": None}),
    ]
    assert len({KEY, *others}) == 6
    assert key_of("bags", ["before"], {"a": 1, "b": 2}) == key_of("bags", ["before"], {"b": 2, "a": 1})


def place_of(tmp_path):
    return next(tmp_path.glob("bags-*"))


def cut(file):
    file.write_bytes(file.read_bytes()[:-3])


def flip(file):
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(bytes(content))


@pytest.mark.parametrize("name", ["arrays.npz", "sentences.jsonl", "stage.json"])
@pytest.mark.parametrize("harm", [cut, flip, os.unlink, lambda file: file.write_bytes(b"")])
def test_damage_is_found_and_mended(tmp_path, name, harm):
    cache = Cache(tmp_path)
    cache.store("bags", KEY, ARRAYS, TEXTS)
    harm(place_of(tmp_path) / name)
    stored = cache.load("bags", KEY)
    assert stored is None or same(stored)  # a bit in the name of the stage harms nobody
    cache.store("bags", KEY, ARRAYS, TEXTS)
    assert same(cache.load("bags", KEY))


@pytest.mark.parametrize("content", ["[]", "{}", "null", '{"key": 1}', '{"files": {"../x": ""}}'])
def test_other_contents_of_the_description(tmp_path, content):
    cache = Cache(tmp_path)
    cache.store("bags", KEY, ARRAYS, TEXTS)
    (place_of(tmp_path) / "stage.json").write_text(content)
    assert cache.load("bags", KEY) is None


def test_a_pickle_is_not_opened(tmp_path):
    cache = Cache(tmp_path)
    cache.store("bags", KEY, ARRAYS, TEXTS)
    file = place_of(tmp_path) / "arrays.npz"
    np.savez(file, numbers=np.array([{"a": 1}], dtype=object))
    about = json.loads((place_of(tmp_path) / "stage.json").read_text())
    import hashlib

    about["files"]["arrays.npz"] = hashlib.sha256(file.read_bytes()).hexdigest()
    (place_of(tmp_path) / "stage.json").write_text(json.dumps(about))
    assert cache.load("bags", KEY) is None


def test_another_stage_under_the_same_name_is_not_taken(tmp_path):
    cache = Cache(tmp_path)
    cache.store("bags", KEY, ARRAYS, TEXTS)
    assert cache.load("bags", KEY[:16] + "0" * 48) is None


def test_an_interrupted_write_leaves_nothing(tmp_path, monkeypatch):
    cache = Cache(tmp_path)

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "rename", stop)
    with pytest.raises(KeyboardInterrupt):
        cache.store("bags", KEY, ARRAYS, TEXTS)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_only_the_owner_may_look_inside(tmp_path):
    cache = Cache(tmp_path / "cache")
    cache.store("bags", KEY, ARRAYS, TEXTS)
    assert (tmp_path / "cache").stat().st_mode & 0o077 == 0
    assert place_of(tmp_path / "cache").stat().st_mode & 0o077 == 0


def test_a_folder_that_cannot_be_used(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(SettingsError, match=r"cannot use .* as cache .*name a folder"):
        Cache(tmp_path / "file")


def test_a_full_disk(tmp_path, monkeypatch):
    cache = Cache(tmp_path)

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez", full)
    with pytest.raises(SettingsError, match="No space left on device"):
        cache.store("bags", KEY, ARRAYS, TEXTS)
    assert list(tmp_path.iterdir()) == []


def test_a_stage_is_made_once(tmp_path):
    made, steps = [], []

    def make(progress):
        made.append(1)
        progress(0.5)
        return ARRAYS, TEXTS

    def run(source="before", k=3):
        return Stages(Cache(tmp_path), steps.append, source).run("bags", {"k": k}, make)

    assert same(run())
    assert same(run())
    assert same(Cache(tmp_path).load("bags", KEY))
    assert len(made) == 1
    assert [(step.share, step.cached) for step in steps] == [(0.0, False), (1.0, False), (1.0, True)]
    assert steps[-1].done
    assert (steps[0].stage, steps[0].number, steps[0].n_stages) == ("bags", 2, 7)
    run(k=4)
    run("after")
    assert len(made) == 3


def test_a_stage_depends_on_those_before(tmp_path):
    steps = []
    for k in (3, 4, 3):
        stages = Stages(Cache(tmp_path), steps.append, "source")
        for stage, settings in (("bags", {"k": k}), ("ties", {})):
            stages.run(stage, settings, lambda progress: (ARRAYS, TEXTS))
    assert [step.stage for step in steps if step.cached] == ["bags", "ties"]  # of the third time
