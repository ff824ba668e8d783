"""JSON and TOML that mean harm are refused before they do any; what looks alike is not."""

import tomllib
import tracemalloc

import pytest
import tomli_w

from tetiwd.io.plain_texts import from_json, from_toml

DEEP = "[" * 200_000
MANY = ".".join(["a"] * 50_000)


@pytest.mark.parametrize("text", [DEEP, '{"a":' * 200_000, '["\\ud800"]', "9" * 100_000, ""], ids=lambda t: t[:5])
def test_json_that_cannot_be(text):
    with pytest.raises(ValueError, match=r"."):
        from_json(text)


def test_characters_in_two_halves_come_back():
    assert from_json('["\\ud83d\\ude00", "C:\\\\ud"]') == ["\U0001f600", "C:\\ud"]


@pytest.mark.parametrize(
    "text",
    [
        f"x = {DEEP}",
        "x = " + "{a=" * 20_000,
        f"{MANY} = 1",
        f"[{MANY}]",
        f"x = {{{MANY.replace('.', ' . ')} = 1}}",
        f'"" = """a""""\n{MANY} = "" # """',
        f"y = '''a'''''\n{MANY} = 1",
        MANY.replace("a", '"."') + " = 1",
        "\n".join(f"a{i}.b.c = 1" for i in range(2000)),
        f'x = "\n{MANY} = 1\n"',
    ],
    ids=lambda text: text[:6],
)
def test_toml_that_cannot_be(text):
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=r"."):
            from_toml(text)
        assert tracemalloc.get_traced_memory()[1] < 50_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("quotes", ['"' * 3, "'" * 3, '"', "'", '"\\'], ids=ascii)
def test_quotes_without_end_are_found_at_once(quotes):
    with pytest.raises(ValueError, match=r"."):
        from_toml(f"x = {f'{quotes} ' * 100_000}")


def test_texts_and_numbers_with_dots_come_back():
    tables = {
        "inputs": {"remarks": ["a.b.c.d.e.f.g.h.i.j.k", 'quoted "x.x.x.x.x.x.x.x.x.x"', "# no\ncomment '''"]},
        "data": {"1.2.3.4.5.6.7.8.9.10.11.csv": "x", "times": [1.5] * 5000},
    }
    text = "# e.g. a.b.c.d.e.f.g.h.i.j.k.l\n" + tomli_w.dumps(tables, multiline_strings=True)
    assert from_toml(text) == tomllib.loads(text) == tables
