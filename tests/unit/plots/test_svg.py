"""Figures as SVG for a page: valid, small, in the colour of the page, without anything that runs or changes it."""

import base64
import os
import re
import subprocess
import sys
from io import BytesIO
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from PIL import Image

from reference import rng_for
from runs import MODEL
from tetiwd import DistanceSeries, Hyperparameters, SamplerSettings, run_chains, simulate
from tetiwd.analysis import Analysis
from tetiwd.plots import Marks, plot_coclustering, plot_lineages, plot_map, plot_sizes, svg_of
from tetiwd.plots.clean_svg import _moved, _short_path
from tetiwd.plots.saving import drawings
from tetiwd.plots.style import apart

SVG = "{http://www.w3.org/2000/svg}"
TIMES = ("</svg><script>alert(1)</script>", "$a$ & \" onload='x' <b>", "2009\u202e\x07")
NUMBER = re.compile(r"-?\d*\.?\d+")


@pytest.fixture(scope="module")
def analysis():
    truth = simulate((14, 11, 12), Hyperparameters(dof=6, alpha=0.3, new_scale=1.0), seed=3)
    names = [[f"secret{i}" for i in range(n)] for n in (14, 11, 12)]
    series = DistanceSeries.from_distances(truth.D, squared=True, times=TIMES, ids=names)
    settings = SamplerSettings(n_chains=2, n_warmup=30, n_draws=25, geometry_every=5, seed=5)
    model = Hyperparameters(dof=MODEL.dof, df_A=MODEL.df_A, xi=MODEL.xi)
    return Analysis(run_chains(series, model, settings))


@pytest.fixture(scope="module")
def pictures(analysis):
    """Every figure of the analysis as text."""
    found = {}
    for own in drawings(analysis):
        marks = Marks()
        with apart():
            axes = np.atleast_1d(np.asarray(own.draw(marks), dtype=object)).ravel()
        found[own.name] = svg_of(axes[0].get_figure(), marks, title=own.title, desc=own.desc)
    return found


def points_of(path):
    """Corners of a path, in absolute coordinates, rounded to hundredths."""
    x = y = 0
    found = []
    for letter, rest in re.findall(r"([a-zA-Z])([^a-zA-Z]*)", path):
        numbers = [round(100 * float(own)) for own in NUMBER.findall(rest)]
        if letter == "h":
            numbers = [numbers[0], 0]
        elif letter == "v":
            numbers = [0, numbers[0]]
        if letter in "hvlcq":
            numbers = [own + (y if i % 2 else x) for i, own in enumerate(numbers)]
        found += zip(numbers[::2], numbers[1::2], strict=True)
        if numbers:
            x, y = numbers[-2:]
    return found


def without_repeats(points):
    return [own for i, own in enumerate(points) if i == 0 or own != points[i - 1]]


class TestEveryFigure:
    def test_it_is_xml_with_nothing_that_runs_or_changes_the_page(self, pictures):
        assert len(pictures) == 13
        for name, svg in pictures.items():
            root = ElementTree.fromstring(svg)
            tags = {own.tag.removeprefix(SVG) for own in root.iter()}
            assert tags <= {"svg", "title", "desc", "g", "defs", "path", "use", "text", "image", "clipPath", "rect"}, (
                name
            )
            names = {key for own in root.iter() for key in own.attrib}
            assert not any(key.startswith(("on", "{", "xlink")) or key in ("style", "class", "font") for key in names)
            assert svg.count("://") == 1  # the name space
            links = [own.get("href") for own in root.iter() if "href" in own.attrib]
            assert all(link.startswith(("#", "data:image/png;base64,")) for link in links)

    def test_all_references_lead_somewhere_and_no_two_pictures_share_an_id(self, pictures):
        everywhere = []
        for svg in pictures.values():
            root = ElementTree.fromstring(svg)
            ids = [own.get("id") for own in root.iter() if "id" in own.attrib]
            used = set(re.findall(r'(?:href="|url\()#([^)"]+)', svg))
            assert len(ids) == len(set(ids))
            assert used == set(ids)
            everywhere += ids
        assert len(everywhere) == len(set(everywhere))

    def test_it_has_a_name_a_description_and_the_width_of_the_page(self, pictures, analysis):
        for own in drawings(analysis):
            root = ElementTree.fromstring(pictures[own.name])
            assert (root.get("role"), root.get("width"), root.get("height")) == ("img", "100%", None)
            assert re.fullmatch(r"0 0 [\d.]+ [\d.]+", root.get("viewBox"))
            assert [child.tag for child in root[:2]] == [f"{SVG}title", f"{SVG}desc"]
            assert root.get("aria-label") == root[0].text
            assert root[1].text == own.desc

    def test_ink_takes_the_colour_of_the_page(self, pictures):
        for svg in pictures.values():
            assert 'fill="currentColor"' in svg[: svg.index(">")]
            assert "#000000" not in svg
            assert "black" not in svg
            assert "metadata" not in svg

    def test_the_background_is_that_of_the_page(self, pictures):
        for svg in pictures.values():
            root = ElementTree.fromstring(svg)
            wide, high = (float(own) for own in root.get("viewBox").split()[2:])
            for own in root.iter(f"{SVG}path"):
                corners = np.array(points_of(own.get("d"))) / 100
                covers = np.ptp(corners, axis=0) >= 0.9 * np.array([wide, high])
                assert not covers.all() or own.get("fill") == "none"

    def test_numbers_have_at_most_two_decimals(self, pictures):
        for svg in pictures.values():
            drawn = re.sub('<(title|desc)>.*?</|transform="matrix.*?"|href="data.*?"', "", svg)
            assert not re.search(r"\d\.\d{3}|nan|inf|\de-\d", drawn)

    def test_lineages_are_marked_wherever_their_colours_are(self, pictures, analysis):
        there = {str(g) for g in range(analysis.clustering.n_lineages)}
        for name in ("lineages", "sizes", "map-0", "coclustering-0", "geometry-0"):
            root = ElementTree.fromstring(pictures[name])
            marked = [own for own in root.iter() if "data-lineage" in own.attrib]
            assert {own.get("data-lineage") for own in marked} <= there | {"-1"}, name
            assert len({own.get("data-lineage") for own in marked}) > 1
            assert all(own[0].tag == f"{SVG}title" and own[0].text for own in marked)

    def test_labels_stay_text_and_dollars_stay_dollars(self, pictures):
        for svg in pictures.values():
            assert "\\$" not in svg
            assert not set("\u202e\x07") & set(svg)
            assert "secret" not in svg
        text = "\n".join(ElementTree.fromstring(pictures["n_clusters"]).itertext())
        assert "</svg>" in text
        assert "$a$ & " in text

    def test_they_are_small(self, pictures):
        sizes = {name: len(svg.encode()) for name, svg in pictures.items()}
        assert max(sizes.values()) < 60_000, sizes

    def test_same_text_in_any_process(self):
        code = (
            "import sys; from matplotlib.figure import Figure; from tetiwd.plots import Marks, svg_of\n"
            "figure, marks = Figure(), Marks(); ax = figure.subplots(); ax.imshow([[1, 2], [3, 4]])\n"
            "marks.mark(ax.plot([0, 1, 2], 'o-')[0], lineage=3, title='three')\n"
            "sys.stdout.write(svg_of(figure, marks, title='a', desc='b'))"
        )
        found = set()
        for seed in ("1", "2"):
            env = os.environ | {"PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"}
            found.add(subprocess.run([sys.executable, "-c", code], env=env, check=True, capture_output=True).stdout)
        assert len(found) == 1
        assert b'data-lineage="3"' in found.pop()


class TestMarks:
    def svg(self, draw, **options):
        figure, marks = Figure((4, 3)), Marks()
        draw(figure.subplots(), marks)
        return svg_of(figure, marks, title="t", desc="d", **options)

    @pytest.mark.parametrize("kind", ["line", "markers", "patch", "text", "band", "image", "scatter"])
    def test_all_kinds_of_artists(self, kind):
        def draw(ax, marks):
            artist = {
                "line": lambda: ax.plot([0, 1], [0, 1])[0],
                "markers": lambda: ax.plot([0, 1], [0, 1], "o")[0],
                "patch": lambda: ax.add_patch(Rectangle((0, 0), 1, 1)),
                "text": lambda: ax.text(0.5, 0.5, "words & more"),
                "band": lambda: ax.fill_between([0, 1], [0, 0], [1, 1]),
                "image": lambda: ax.imshow([[0, 1]], interpolation="none"),
                "scatter": lambda: ax.scatter([0, 1], [0, 1]),
            }[kind]()
            assert marks.mark(artist, lineage=3, epoch=1, to_lineage=2, title="<hover> & 'text'") is artist

        (own,) = (e for e in ElementTree.fromstring(self.svg(draw)).iter() if e.get("data-lineage") == "3")
        assert (own.get("data-epoch"), own.get("data-to-lineage")) == ("1", "2")
        assert own[0].tag == f"{SVG}title"
        assert own[0].text == "<hover> & 'text'"
        if kind == "text":
            assert own[0].tail == "words & more"

    def test_hover_text_is_made_harmless(self):
        svg = self.svg(lambda ax, marks: marks.mark(ax.plot([1, 2])[0], title="a\x00b\u202ec\n" + "x" * 9999))
        words = [own.text for own in ElementTree.fromstring(svg).iter(f"{SVG}title")][1]
        assert words.startswith("abc x")
        assert len(words) <= 300

    def test_a_figure_without_marks(self):
        figure = Figure()
        figure.subplots().plot([1, 2])
        assert "data-" not in svg_of(figure, title="t", desc="d")

    def test_without_marks_artists_get_no_names(self, analysis):
        with apart():
            for ax in (plot_sizes(analysis), plot_map(analysis, 0), plot_lineages(analysis.lineages)):
                assert not [own for own in ax.findobj() if own.get_gid() is not None]

    def test_white_on_a_lineage_stays_white_and_black_stays_black(self, analysis):
        with apart():
            svg = svg_of(plot_lineages(analysis.lineages).get_figure(), title="t", desc="d")
        inside = {own.get("fill") for own in ElementTree.fromstring(svg).iter(f"{SVG}text")}
        assert inside & {"#010101", "#ffffff"}

    def test_clip_paths_stay_on_what_does_not_move(self):
        """A clip path on an element that is moved would be moved with it."""

        def draw(ax, _):
            ax.imshow([[0, 1]])
            for where in ([0, 1, 2], [0.2], [0.3]):
                ax.plot(where, where, "o", color="#123456")

        svg = self.svg(draw)
        assert "<use" in svg
        assert "clip-path" in svg
        for own in ElementTree.fromstring(svg).iter():
            if "clip-path" in own.attrib:
                assert "transform" not in own.attrib
                assert own.tag != f"{SVG}use"


class TestSmall:
    def test_images_of_few_colours_are_the_same_with_a_palette(self, analysis):
        with apart():
            ax = plot_coclustering(analysis, 0)
        svg = svg_of(ax.get_figure(), title="t", desc="d")
        (own,) = ElementTree.fromstring(svg).iter(f"{SVG}image")
        assert own.get("image-rendering") == "pixelated"
        with Image.open(BytesIO(base64.b64decode(own.get("href").partition(",")[2]))) as image:
            assert image.mode == "P"
            found = np.asarray(image.convert("RGBA")) / 255
        wanted = np.asarray(ax.images[0].get_array())
        assert np.abs(found[..., 3] - wanted[..., 3]).max() <= 1 / 255
        seen = wanted[..., 3] > 0
        assert np.abs(found[..., :3] - wanted[..., :3])[seen].max() <= 8 / 255  # matplotlib multiplies by the opacity

    def test_images_of_many_colours_stay_as_they_are(self):
        figure = Figure()
        pixels = rng_for(40).integers(256, size=(30, 30, 3)) / 255
        figure.subplots().imshow(pixels, interpolation="none")
        (own,) = ElementTree.fromstring(svg_of(figure, title="t", desc="d")).iter(f"{SVG}image")
        with Image.open(BytesIO(base64.b64decode(own.get("href").partition(",")[2]))) as image:
            assert np.abs(np.asarray(image.convert("RGB")) / 255 - pixels).max() < 1e-9

    def test_short_paths_go_through_the_same_points(self):
        rng = rng_for(41)
        for _ in range(50):
            numbers = iter(np.round(rng.normal(scale=rng.choice([0.01, 1, 300]), size=40), 2).tolist())
            long = f"M {next(numbers)} {next(numbers)} "
            for letter, n in rng.permutation([("L", 2), ("L", 2), ("C", 6), ("Q", 4), ("L", 2)]).tolist():
                long += letter + " ".join(str(next(numbers)) for _ in range(int(n))) + "\n"
            short = _short_path(long + "z")
            assert without_repeats(points_of(short)) == without_repeats(points_of(long))
            assert len(short) < len(long)

    def test_level_and_upright_lines(self):
        assert _short_path("M 1 2 \nL 5.5 2 \nL 5.5 1.25 \nL 1 2 \nz") == "M1 2h4.5v-.75l-4.5 .75z"

    def test_moved_paths(self):
        assert points_of(_moved("M 1 2 L 3 4 C 1 1 2 2 3 3 z", 10, -1)) == [
            (1100, 100),
            (1300, 300),
            (1100, 0),
            (1200, 100),
            (1300, 200),
        ]
