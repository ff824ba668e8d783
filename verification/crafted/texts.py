"""JSON and TOML of runs and settings: trees with other values, other lengths and other keys, nested without end."""

import json
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tetiwd.io.netcdf import SEALED
from verification import readable
from verification.crafted import reading
from verification.crafted.chance import NUMBERS, WHOLE, WORDS, Crafted, Rng, a_few, one_of

RAW = "raw text "  # begins a value that is replaced by a text that no tree can hold
RAW_TEXTS = (
    *("1e400", "-1e400", "1e308", "9" * 5000, "-" + "9" * 400, "0.1e-5000", "1" + "0" * 310, "true", "-0"),
    *("[]", "{}", "[[]]", '[["a"]]', "[[1, 2], [3]]", "[1, [2]]", '{"a" = 1}', '{"a": 1}', "[" * 500 + "]" * 500),
    *("[" * 50_000 + "]" * 50_000, "[" * 100_000, '{"a":' * 50_000, "{a=" * 2000 + "1" + "}" * 2000),
    *("[" + "0," * 100_000 + "0]", '["' + "a" * 100_000 + '"]', '"\\ud800"', '"\\ud83d\\ude00"', '"\\u0000"'),
)
RAW_JSON = ("null", "NaN", "Infinity", "-Infinity", '"\\udfff\\ud800"', "[null]", '{"a": 1, "a": 2}')
RAW_TOML = (
    *("nan", "inf", "-inf", "1979-05-27", "1979-05-27T07:32:00Z", "07:32:00", "0xffffffffffffffffff", "1_0", "0b1"),
    *("'''a\n'''", '"""\\\n  a"""', "0001-01-01", "9999-12-31T23:59:59.999999999-23:59", "{a.b.c = 1}"),
)
KEYS = (*WORDS[:20], "a.b.c", '"', "xi", "dof", "n_draws", "columns", "format", ".".join("a" * 200), "\0", "[a]", "=")


def write(rng: Rng) -> Crafted:
    """A text of some kind, changed in one or a few ways."""
    valid, place, read, known = one_of(KINDS, rng)
    tree = {"": valid()}
    is_json = place.suffix != ".toml"
    for _ in range(a_few(rng)):
        one_of(CHANGES, rng)(tree, is_json, rng)
    text = _as_text(tree[""], is_json)
    if rng.random() < 0.1:
        text = spoil_text(text, rng)
    if place.parts[0] == "run":
        readable.copied(*readable.WHOLE_RUN)()
        place.parent.mkdir(exist_ok=True)
    if place.suffix == ".nc":
        _into_attribute(place, text)
    else:
        place.write_bytes(text.encode("utf-8", "surrogatepass"))
    return read, known


# Valid trees


def run_toml() -> Any:
    """What a run says about itself."""
    return tomllib.loads(Path("../run/run.toml").read_text("utf-8"))


def settings() -> Any:
    """What a user may write."""
    return tomllib.loads(readable.TOML)


def resolution() -> Any:
    """Clusters at several degrees of freedom, of a sample."""
    return json.loads(readable.RESOLUTION) | {
        "sample": {"n_objects": [2, 2], "of": [2, 2], "objects": [[0, 1], [0, 1]]}
    }


def names() -> Any:
    """Names of lineages, and numbers from an earlier run."""
    return {"n_given": 4, "by_user": [[0, "a", "#ff0000"], [1, "b", None]], "before": [[0, 1, 2] * 4] * 3}


def metadata() -> Any:
    """Columns of metadata, and what they are used for."""
    columns = {"age": [float(i) for i in range(36)], "kind": ["a", "b", None] * 12, "died": ["1", "0"] * 18}
    about = {
        "remarks": ["as given"],
        "varies": True,
        "known": "kind",
        "covariates": ["age"],
        "survival": ["age", "died"],
    }
    return {"columns": columns} | about


def approximation() -> Any:
    """How well distances are approximated."""
    from dataclasses import fields

    from tetiwd.data.landmarks import Approximation

    return {field.name: 1 for field in fields(Approximation)}


REPORT = ("report", "run", "-q")
KINDS: tuple[tuple[Callable[[], Any], Path, Callable[[Any], Any], Any], ...] = (
    (run_toml, Path("run/run.toml"), readable.read_about, []),
    (run_toml, Path("run/run.toml"), readable.read_draws, []),
    (run_toml, Path("run/run.toml"), reading.ask, reading.ASK),
    (settings, Path("mine.toml"), readable.read_settings, []),
    (settings, Path("mine.toml"), readable.read_settings, []),
    (resolution, Path("resolution.json"), readable.read_resolution, ["resolution.json"]),
    (resolution, Path("resolution.json"), readable.read_resolution, ["resolution.json"]),
    (names, Path("run/names.json"), reading.ask, reading.ASK),
    (metadata, Path("run/metadata/metadata.json"), reading.metadata_of_run, []),
    (metadata, Path("run/metadata/metadata.json"), reading.ask, REPORT),
    (approximation, Path("run/data.nc"), reading.data_of_run, []),
)


# Changes of a tree


def _places(tree: Any) -> Iterator[tuple[Any, Any]]:
    """Every list or table of a tree, with every key or position in it."""
    for key in list(tree) if isinstance(tree, dict) else range(len(tree)):
        yield tree, key
        if isinstance(tree[key], dict | list):
            yield from _places(tree[key])


def _place(tree: Any, rng: Rng) -> tuple[Any, Any]:
    """A place in it; those near the root are as likely as all others."""
    places = list(_places(tree))
    return one_of(places[:8] if rng.random() < 0.2 else places, rng)


def revalue(tree: Any, is_json: bool, rng: Rng) -> None:
    """Another value."""
    own, key = _place(tree, rng)
    own[key] = one_of((one_of(WHOLE, rng), one_of(NUMBERS, rng), one_of(WORDS, rng), [], {}, [[]], True), rng)


def write_raw(tree: Any, is_json: bool, rng: Rng) -> None:
    """A value that only a text can have."""
    own, key = _place(tree, rng)
    own[key] = RAW + one_of((*RAW_TEXTS, *(RAW_JSON if is_json else RAW_TOML)), rng)


def remove(tree: Any, is_json: bool, rng: Rng) -> None:
    """Something is missing."""
    own, key = _place(tree, rng)
    if own is not tree:
        del own[key]


def rename(tree: Any, is_json: bool, rng: Rng) -> None:
    """Another key, or one more."""
    own, key = _place(tree, rng)
    if own is not tree and isinstance(own, dict):
        own[one_of(KEYS, rng)] = own.pop(key) if rng.random() < 0.6 else 1
    elif isinstance(own, list):
        own.append(own[key])


def relength(tree: Any, is_json: bool, rng: Rng) -> None:
    """Another length."""
    own, key = _place(tree, rng)
    if isinstance(own[key], list):
        own[key] = (own[key] * one_of((0, 2, 3, 500), rng))[one_of((0, 1), rng) :]


def wrap(tree: Any, is_json: bool, rng: Rng) -> None:
    """A list or a table around a value."""
    own, key = _place(tree, rng)
    own[key] = [own[key]] if rng.random() < 0.5 else {one_of(("shape", "a", "0", ""), rng): own[key]}


def exchange(tree: Any, is_json: bool, rng: Rng) -> None:
    """A value of another place."""
    own, key = _place(tree, rng)
    other, place = _place(tree, rng)
    own[key] = json.loads(json.dumps(other[place], default=str))


CHANGES = (revalue, revalue, write_raw, write_raw, remove, rename, relength, wrap, exchange)


# Texts


def _as_text(tree: Any, is_json: bool) -> str:
    """The tree as a text, with raw texts where they belong."""
    import tomli_w

    raw: list[str] = []

    def marked(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: marked(own) for key, own in value.items()}
        if isinstance(value, list):
            return [marked(own) for own in value]
        if isinstance(value, str) and value.startswith(RAW):
            raw.append(value.removeprefix(RAW))
            return f"@{len(raw) - 1}@"
        return value

    tree = marked(tree)
    text = json.dumps(tree) if is_json or not isinstance(tree, dict) else tomli_w.dumps(tree)
    for i, own in enumerate(raw):
        text = text.replace(f'"@{i}@"', own)
    return text


def spoil_text(text: str, rng: Rng) -> str:
    """Ends of lines, marks, keys of many parts, something in front or behind, the same again."""
    spoilt = (
        *(
            "\ufeff" + text,
            text.replace("\n", "\r\n"),
            text.replace("\n", "\r"),
            text + text,
            text + "\0",
            "",
            "\ud800",
        ),
        *(text[: len(text) // 2], "[" * 50_000 + text, ".".join("a" * 5000) + " = 1\n" + text, text + "\n[a.b.c]\nx=1"),
        *(
            "\n".join(f"a{i}.b.c.d = 1" for i in range(3000)),
            f"[{'.'.join('a' * 9000)}]",
            '"' * 3 * 20_000,
            "null",
            "3",
        ),
    )
    return one_of(spoilt, rng)


def _into_attribute(path: Path, text: str) -> None:
    """The attribute of a run's data that holds JSON."""
    import h5py

    path.write_bytes(path.read_bytes()[:-SEALED])
    with h5py.File(path, "a") as file:
        file.attrs["approximation"] = np.array(text.encode("utf-8", "replace")[:60_000].replace(b"\0", b" "))
