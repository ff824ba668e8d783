"""Word clouds as SVG: wordcloud places the words, and text stays text.

The SVG that wordcloud writes needs style sheets, which the page forbids, and its font, which a reader may not have. So
the picture is written here from the places alone. It is laid out with the font that comes with matplotlib, and every
word says how long it is (``textLength``), so that it fits in any other font.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import Element, SubElement, tostring

from tetiwd.notes.requirements import text_module
from tetiwd.plots.colours import WHITE, contrast, lineage_colour, text_colour
from tetiwd.plots.text import clean

if TYPE_CHECKING:
    import pandas as pd

WIDE, HIGH = 360, 230  # pixels
SMALLEST = 13  # pixels, of letters
LARGEST = (40, 36, 32, 28, 24)  # the first that leaves room for all words
MARGIN = 8
MOST_WORDS = 24
LONGEST_WORD = 24  # characters
FONTS = "DejaVu Sans, Verdana, Geneva, sans-serif"  # much alike in width
PAPER, NIGHT = WHITE, "#1b1f23"  # what a picture stands on
READABLE = 4.5  # contrast that text needs


def word_cloud(words: "pd.DataFrame", lineage: int, *, seed: int = 0) -> str:
    """The words that a lineage uses more often, in its colour; empty if there are none.

    ``words`` are rows of :attr:`tetiwd.notes.findings.Findings.words`. A word is the larger, the larger the logarithm
    of the odds ratio that is certain: frequency relative to the rest, not counts. The same words and seed give the same
    picture.
    """
    given: dict[str, Any] = {}
    for row in words[words.certain > 0].itertuples(index=False):
        shown = clean(row.word, LONGEST_WORD)
        if shown and len(given) < MOST_WORDS:
            given.setdefault(shown, row)
    if not given:
        return ""
    placed = _placed({shown: row.certain for shown, row in given.items()}, seed)
    listed = ", ".join(word for word, *_ in placed)
    about = {"role": "img", "aria-label": f"Word cloud of lineage {lineage}: {listed}", "class": f"w{lineage}"}
    look = {"fill": readable(lineage_colour(lineage), PAPER), "font-family": FONTS}
    size = {"viewBox": f"0 0 {WIDE} {HIGH}", "width": str(WIDE)}
    root = Element("svg", {"xmlns": "http://www.w3.org/2000/svg"} | about | look | size)
    group = SubElement(root, "g", {"data-lineage": str(lineage)})
    for word, height, x, y, length in placed:
        place = {"x": f"{x:g}", "y": f"{y:g}", "font-size": f"{height}", "textLength": f"{length:.1f}"}
        text = SubElement(group, "text", place | {"lengthAdjust": "spacingAndGlyphs"})
        row, title = given[word], SubElement(text, "title")
        title.text, title.tail = clean(f"{row.word}: {row.here:.0%} here, {row.elsewhere:.0%} elsewhere", 200), word
    return tostring(root, encoding="unicode")


def cloud_colours(lineages: Iterable[int]) -> str:
    """Style rules for the words of these lineages, readable in light and dark mode."""
    chosen, rules = sorted(set(lineages)), []
    for ground, opening, closing in (
        (PAPER, "", ""),
        (NIGHT, "@media screen and (prefers-color-scheme: dark) { ", " }"),
    ):
        fills = (f".w{lineage} {{ fill: {readable(lineage_colour(lineage), ground)}; }}" for lineage in chosen)
        rules.append(opening + " ".join(fills) + closing)
    return "\n".join(rules)


@cache
def readable(colour: str, ground: str) -> str:
    """The colour, darkened or lightened as far as text on this background needs."""
    ink = text_colour(ground)
    for step in range(21):
        mixed = _mixed(colour, ink, step / 20)
        if contrast(mixed, ground) >= READABLE:
            break
    return mixed


def _mixed(colour: str, other: str, share: float) -> str:
    pairs = ((int(colour[i : i + 2], 16), int(other[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def _placed(weights: Mapping[str, float], seed: int) -> list[tuple[str, int, float, float, float]]:
    """Words with their height, the place where their base line begins, and their length."""
    from matplotlib import get_data_path
    from PIL import ImageFont

    font_path = str(Path(get_data_path(), "fonts", "ttf", "DejaVuSans.ttf"))
    layout: list[Any] = []
    for largest in LARGEST:
        layout = _layout(weights, font_path, largest, seed)
        if _in_proportion(layout, weights, largest):
            break
    placed = []
    for (word, _), height, (top, left), _, _ in layout:
        font = ImageFont.truetype(font_path, height)
        before, above, *_ = font.getbbox(word, anchor="ls")
        placed.append((word, int(height), float(left - before), float(top - above), float(font.getlength(word))))
    return placed


def _layout(weights: Mapping[str, float], font_path: str, largest: int, seed: int) -> list[Any]:
    cloud = text_module("wordcloud").WordCloud(
        font_path=font_path,
        width=WIDE,
        height=HIGH,
        margin=MARGIN,
        prefer_horizontal=1.0,
        min_font_size=SMALLEST,
        max_font_size=largest,
        relative_scaling=1.0,
        random_state=seed,
        color_func=lambda *_, **__: "black",
    )
    return list(cloud.generate_from_frequencies(dict(weights)).layout_)


def _in_proportion(layout: list[Any], weights: Mapping[str, float], largest: int) -> bool:
    """Is every word there and as large as it should be? Words that do not fit are made smaller, or left out."""
    unit = largest / max(weights.values())
    wanted = {word: unit * weight for word, weight in weights.items() if unit * weight >= SMALLEST + 1}
    heights = {word: height for (word, _), height, *_ in layout}
    return all(heights.get(word, 0) >= 0.9 * height for word, height in wanted.items())
