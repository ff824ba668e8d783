"""The picture of a path: one block per cluster, as high as it has objects, and ribbons that carry all objects."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from matplotlib.collections import PolyCollection

from tetiwd.merit import Merit
from tetiwd.plots import Marks, plot_resolution, svg_of
from tetiwd.plots.style import apart, figure_of
from tetiwd.resolution import Part, ResolutionPath, Step


@pytest.fixture
def path():
    by_step = [[[0] * 6, [0] * 4], [[0] * 3 + [1] * 3, [0] * 4], [[0, 0, 1, 2, 2, 2], [1, 1, 3, 3]]]
    merits = (0.0, 0.5, 0.3)
    steps = [
        Step((2.0**i, 2.0**i), tuple(map(np.asarray, labels)), Merit(merits[i], 1.0), 0.9)
        for i, labels in enumerate(by_step)
    ]
    return ResolutionPath(tuple(steps), 1)


def drawn(path, **options):
    marks = Marks()
    with apart():
        axes = plot_resolution(path, marks=marks, **options)
    ribbons, blocks = (part for part in axes[0].collections if isinstance(part, PolyCollection))
    return axes, ribbons, blocks, marks


def height(outline):
    return np.ptp(outline[:, 1])


def test_blocks_are_as_high_as_clusters_are_large_and_do_not_overlap(path):
    _, _, blocks, _ = drawn(path)
    outlines = [one.vertices for one in blocks.get_paths()]
    assert len(outlines) == 1 + 2 + 4
    for column, sizes in enumerate(([10], [7, 3], [2, 3, 3, 2])):
        own = [one for one in outlines if round(one[:, 0].mean()) == column]
        assert sorted(map(height, own)) == pytest.approx(sorted(n / 10 for n in sizes))
        edges = sorted((one[:, 1].min(), one[:, 1].max()) for one in own)
        assert all(low[1] < high[0] for low, high in pairwise(edges))


def test_ribbons_carry_all_objects(path):
    _, ribbons, _, _ = drawn(path)
    widths = np.zeros(2)
    for one in ribbons.get_paths():
        column = int(one.vertices[:, 0].min())
        left = one.vertices[np.isclose(one.vertices[:, 0], one.vertices[:, 0].min())]
        widths[column] += height(left)
    assert widths == pytest.approx([1, 1])


def test_the_step_taken_is_framed_and_all_is_said_in_words(path):
    axes, _, _, marks = drawn(path, labels=np.array([0, 0, 0, 1, 1, 1, 0, 0, -1, -1]))
    (frame,) = axes[0].patches
    assert frame.get_x() + frame.get_width() / 2 == pytest.approx(path.chosen)
    assert "dof 2: 1.5 clusters" in marks.description
    picture = svg_of(figure_of(axes), marks, title="a path")
    assert "3 of 10 objects, dof 2" in picture
    assert [text.get_text() for text in axes[1].get_xticklabels()] == ["1", "2", "4"]


def test_colours_of_a_part_are_those_of_its_own_objects(path):
    some = replace(path, part=Part((np.arange(6) * 2, np.arange(4) + 1), (12, 9)))
    mine = np.array([0, 0, 0, 1, 1, 1, 0, 0, 2, 2])
    lineages = np.full(21, 9)
    lineages[some.part.places] = mine
    fills = [drawn(one, labels=labels)[2].get_facecolor() for one, labels in ((path, mine), (some, lineages))]
    assert np.array_equal(*fills)
