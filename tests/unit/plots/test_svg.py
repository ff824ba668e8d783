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

from runs import MODEL
from tetiwd import DistanceSeries, Hyperparameters, SamplerSettings, run_chains, simulate
from tetiwd.analysis import Analysis
from tetiwd.errors import SettingsError
from tetiwd.plots import Marks, plot_coclustering, plot_lineages, plot_map, plot_sizes, svg_of
from tetiwd.plots.marks import a_mark
from tetiwd.plots.saving import drawings
from tetiwd.plots.style import apart, boxes, figure_of

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
            figure = figure_of(own.draw(marks))
        found[own.name] = svg_of(figure, marks, title=own.title, desc=own.desc)
    return found


def points_of(path):
    """Corners of a path."""
    return np.array([float(own) for own in NUMBER.findall(path)]).reshape(-1, 2)


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

    def test_it_has_a_name_a_description_and_a_size_in_pixels(self, pictures, analysis):
        for own in drawings(analysis):
            root = ElementTree.fromstring(pictures[own.name])
            assert root.get("role") == "img"
            box = re.fullmatch(r"0 0 ([\d.]+) ([\d.]+)", root.get("viewBox"))
            for name, points in zip(("width", "height"), box.groups(), strict=True):
                assert float(root.get(name)) == pytest.approx(float(points) * 96 / 72, abs=0.51)
            assert [child.tag for child in root[:2]] == [f"{SVG}title", f"{SVG}desc"]
            assert root.get("aria-label") == root[0].text
            assert root[1].text.startswith(own.desc)
            assert (root[1].text != own.desc) == (own.name == "lineages")  # its contents in words

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
                covers = np.ptp(points_of(own.get("d")), axis=0) >= 0.9 * np.array([wide, high])
                assert not covers.all() or own.get("fill") == "none"

    def test_numbers_have_at_most_two_decimals(self, pictures):
        for svg in pictures.values():
            drawn = re.sub('<(title|desc)>.*?</|transform="matrix.*?"|href="data.*?"|id=".*?"|#[-\\w]+', "", svg)
            assert not re.search(r"\d\.\d{3}|nan|inf|\de-\d", drawn)

    def test_lineages_are_marked_wherever_their_colours_are(self, pictures, analysis):
        there = {str(g) for g in range(analysis.clustering.n_lineages)}
        for name in ("lineages", "sizes", "map-0", "coclustering-0", "geometry-0"):
            root = ElementTree.fromstring(pictures[name])
            marked = [own for own in root.iter() if "data-lineage" in own.attrib]
            assert {own.get("data-lineage") for own in marked} <= there | {"-1", "-2"}, name
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
            assert own[1].text == "words & more"

    @pytest.mark.parametrize("kind", ["markers", "boxes", "scatter"])
    def test_every_part_of_a_collection_has_its_own(self, kind):
        def draw(ax, marks):
            artist = {
                "markers": lambda: ax.plot([0, 1, 2], [0, 1, 0], "o")[0],
                "boxes": lambda: boxes(ax, [(i, i, 1, 1) for i in range(3)], [("#123456", 0.5)] * 3),
                "scatter": lambda: ax.scatter([0, 1, 2], [0, 1, 0], c=["#112233", "#445566", "#778899"]),
            }[kind]()
            about = [a_mark(f"part {i}", lineage=i) for i in range(3)]
            assert marks.mark_each(artist, about) is artist

        marked = [own for own in ElementTree.fromstring(self.svg(draw)).iter() if "data-lineage" in own.attrib]
        assert [(own.get("data-lineage"), own[0].text) for own in marked] == [(f"{i}", f"part {i}") for i in range(3)]
        assert all(len(own) == 2 and own[1].tag in (f"{SVG}path", f"{SVG}use") for own in marked)

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


class TestImages:
    def test_they_are_the_pixels_that_were_drawn(self, analysis):
        with apart():
            ax = plot_coclustering(analysis, 0)
        svg = svg_of(ax.get_figure(), title="t", desc="d")
        (own,) = ElementTree.fromstring(svg).iter(f"{SVG}image")
        assert own.get("image-rendering") == "pixelated"
        with Image.open(BytesIO(base64.b64decode(own.get("href").partition(",")[2]))) as image:
            pixels = np.asarray(image.convert("RGBA")) / 255
        wanted = np.asarray(ax.images[0].get_array())
        assert np.abs(pixels[..., 3] - wanted[..., 3]).max() <= 1 / 255
        seen = wanted[..., 3] > 0
        assert np.abs(pixels[..., :3] - wanted[..., :3])[seen].max() <= 8 / 255  # matplotlib multiplies by the opacity


def test_ink_is_checked():
    with pytest.raises(SettingsError, match="ink must be"):
        svg_of(Figure(), title="t", ink='"><script>')
