"""The picture of lineages: everything is where it should be, and nothing that users type gets out of hand."""

import os
import re
import subprocess
import sys
from itertools import pairwise
from math import isnan, nan
from pathlib import Path
from xml.etree import ElementTree
from xml.sax.saxutils import escape

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.colors import to_hex
from matplotlib.patches import Ellipse, Polygon, Rectangle

from reference import rng_for
from tetiwd import Partitions, SettingsError, align, lineages
from tetiwd.plots import alluvial_layout, alluvial_svg, lineage_colour, plot_lineages, text_colour
from tetiwd.plots.alluvial import MAX_RIBBONS, lay_out
from tetiwd.plots.alluvial_heights import WEAK_LINK
from tetiwd.plots.colours import contrast, lineage_stripes
from tetiwd.plots.lineage_facts import NOWHERE, OTHERS, LineageFacts, lineage_facts
from tetiwd.plots.style import apart
from tetiwd.plots.text import clean
from tetiwd.summarize.clustering import as_clustering

seeds = st.integers(0, 2**32 - 1)
ROUNDING = 1e-12
HOSTILE = (
    "</svg><script>alert(1)</script>",
    "\" onload='alert(1)' & <b>",
    "left\u202eright\u2066x\u200f",
    "x" * 100_000,
    "bell\x07 null\x00 tab\t line\nnew \ud800 \ufffe \x1b[31m",
    "]]><!-- &amp; &#0;",
    "\u202e\x00",
    "2021 – Ωδ 木",
)
CONES = (  # answers of the three kinds of cones to linear red, green and blue, and Oklab from their cube roots
    (0.41222147, 0.53633254, 0.05144599),
    (0.2119035, 0.68069955, 0.10739696),
    (0.08830246, 0.28171884, 0.6299787),
)
OKLAB = (
    (0.21045426, 0.79361779, -0.00407205),
    (1.9779985, -2.42859221, 0.45059371),
    (0.02590404, 0.78277177, -0.80867577),
)


def random_facts(seed=0, n_epochs=6, n_lineages=5, *, flows=True, largest=40) -> LineageFacts:
    """Lineages that come, go and skip epochs; objects that stay and move."""
    rng = rng_for(seed, 170)
    sizes = []
    for _ in range(n_epochs):
        there = [g for g in range(n_lineages) if rng.random() < 0.8] or [0]
        sizes.append({g: int(rng.integers(1, largest + 1)) for g in there})
    links, moved = {}, {}
    for t, later in pairwise(range(n_epochs)):
        for g in sizes[t]:
            back = next((s for s in range(later, n_epochs) if g in sizes[s]), None)
            if back is not None:
                links[t, g, back, g] = float(rng.random())
        links |= {(t, g, later, h): float(rng.random() / 2) for g in sizes[t] for h in sizes[later] if g != h}
        left, free = dict(sizes[t]), dict(sizes[later])
        for g in sizes[t]:
            for h in sizes[later]:
                n = int(rng.integers(min(left[g], free[h]) + 1))
                left[g], free[h] = left[g] - n, free[h] - n
                if flows and n:
                    moved[t, g, h] = n
    return LineageFacts(tuple(str(2000 + t) for t in range(n_epochs)), tuple(sizes), links, moved)


def real_lineages(times=None, *, ids=True):
    """Three epochs; lineage 1 is away at the second one, lineage 2 is born there."""
    clustering = [np.array([0, 0, 0, 1, 1]), np.array([0, 0, 2, 2]), np.array([0, 0, 1, 2, 2])]
    names = [["a", "b", "c", "d", "e"], ["a", "b", "c", "f"], ["a", "b", "d", "c", "g"]] if ids else None
    draws = [np.stack([own] * 4) for own in clustering]
    draws[2][3] = [0, 0, 3, 2, 2]
    partitions = Partitions.from_labels(draws, ids=names, times=times)
    return lineages(align(partitions, as_clustering(partitions, clustering)))


def parsed(svg):
    return ElementTree.fromstring(svg)


def named(root, name):
    return [own for own in root.iter() if own.tag == f"{{http://www.w3.org/2000/svg}}{name}"]


def of_kind(root, kind):
    """Elements of a kind, without their hover text."""
    return [own for own in root.iter() if own.get("data-kind") == kind]


def corners(element):
    """Points of the paths in an element; shapes that are drawn elsewhere have ids."""
    paths = [path.get("d") for path in named(element, "path") if "id" not in path.attrib]
    numbers = [float(own) for path in paths for own in re.findall(r"-?[\d.]+", path)]
    return np.array(numbers).reshape(-1, 2)


def labels_of_times(layout, **options):
    """The texts of the time axis, as matplotlib draws them, with their boxes in pixels."""
    with apart(**options):
        ax = plot_lineages(layout)
    ax.figure.draw_without_rendering()
    return ax, [(own, own.get_window_extent()) for own in ax.get_xticklabels()]


class TestLayout:
    @given(seed=seeds, n_epochs=st.integers(1, 9), n_lineages=st.integers(1, 9), max_lineages=st.integers(1, 9))
    def test_blocks_are_as_high_as_they_have_objects_and_do_not_overlap(self, seed, n_epochs, n_lineages, max_lineages):
        facts = random_facts(seed, n_epochs, n_lineages)
        layout = lay_out(facts, max_lineages=max_lineages)
        assert layout.totals == tuple(sum(own.values()) for own in facts.sizes)
        for block in layout.blocks:
            assert block.y1 - block.y0 == pytest.approx(block.size * layout.per_object, abs=ROUNDING)
            assert -ROUNDING <= block.y0 < block.y1 <= 1 + ROUNDING
        for t in range(n_epochs):
            column = sorted((b for b in layout.blocks if b.epoch == t), key=lambda b: b.y0)
            assert all(below.y0 - above.y1 >= layout.gap - ROUNDING for above, below in pairwise(column))

    @given(seed=seeds, n_epochs=st.integers(1, 9), n_lineages=st.integers(1, 9), max_lineages=st.integers(1, 9))
    def test_lineages_keep_their_order(self, seed, n_epochs, n_lineages, max_lineages):
        layout = lay_out(random_facts(seed, n_epochs, n_lineages), max_lineages=max_lineages)
        above = set()
        for t in range(n_epochs):
            column = [b.lineage for b in sorted(layout.blocks, key=lambda b: b.y0) if b.epoch == t]
            above |= {(g, h) for i, g in enumerate(column) for h in column[i + 1 :]}
        assert not any((h, g) in above for g, h in above)
        assert not any(g == OTHERS for g, _ in above)

    @given(seed=seeds, n_epochs=st.integers(2, 9), n_lineages=st.integers(1, 9), max_lineages=st.integers(1, 9))
    def test_ribbons_start_and_end_inside_their_blocks(self, seed, n_epochs, n_lineages, max_lineages):
        layout = lay_out(random_facts(seed, n_epochs, n_lineages), max_lineages=max_lineages)
        where = {(b.epoch, b.lineage): b for b in layout.blocks}
        sides = {}
        for own in layout.ribbons:
            here, there = where[own.from_epoch, own.from_lineage], where[own.to_epoch, own.to_lineage]
            for block, (top, bottom) in ((here, own.start), (there, own.end)):
                assert block.y0 - ROUNDING <= top <= bottom <= block.y1 + ROUNDING
            if own.kind == "flow":
                for side, block, edges in (("out", here, own.start), ("in", there, own.end)):
                    assert edges[1] - edges[0] == pytest.approx(own.n_objects * layout.per_object, abs=ROUNDING)
                    sides.setdefault((side, block), []).append(edges)
        for edges in sides.values():
            edges.sort()
            assert all(one[1] <= other[0] + ROUNDING for one, other in pairwise(edges))

    @given(seed=seeds, max_lineages=st.integers(1, 9))
    def test_no_object_gets_lost_when_small_lineages_share_a_block(self, seed, max_lineages):
        facts = random_facts(seed, 6, 9)
        layout = lay_out(facts, max_lineages=max_lineages)
        shown = {own.lineage for own in layout.blocks} - {OTHERS}
        all_lineages = {g for own in facts.sizes for g in own}
        total = {g: sum(own.get(g, 0) for own in facts.sizes) for g in all_lineages}
        assert len(shown) == min(max_lineages, len(all_lineages)) == layout.n_lineages - layout.n_gathered
        assert min(total[g] for g in shown) >= max((total[g] for g in all_lineages - shown), default=0)
        assert sum(own.n_objects for own in layout.ribbons if own.kind == "flow") == sum(facts.flows.values())
        clusters = [sum(g in all_lineages - shown for g in own) for own in facts.sizes]
        assert all(own.n_clusters == clusters[own.epoch] for own in layout.blocks if own.lineage == OTHERS)

    def test_links_of_a_lineage_join_whole_blocks(self):
        facts = LineageFacts(("a", "b"), ({0: 10}, {0: 30}), {(0, 0, 1, 0): 0.7})
        layout = lay_out(facts)
        (link,), (here, there) = layout.ribbons, layout.blocks
        assert (link.kind, link.probability) == ("link", 0.7)
        assert (link.start, link.end) == ((here.y0, here.y1), (there.y0, there.y1))
        assert (here.y1 - here.y0) * 3 == pytest.approx(there.y1 - there.y0)
        assert there.y1 - there.y0 == pytest.approx(1)

    def test_a_lineage_that_skips_epochs_passes_between_the_blocks(self):
        sizes = ({0: 5, 1: 5, 2: 5}, {0: 9, 2: 9}, {0: 9, 2: 9}, {0: 5, 1: 5, 2: 5})
        layout = lay_out(LineageFacts(tuple("abcd"), sizes, {(0, 1, 3, 1): nan}))
        (gap,) = layout.ribbons
        assert gap.kind == "gap"
        assert isnan(gap.probability)
        assert len(gap.via) == 2
        for t, height in zip((1, 2), gap.via, strict=True):
            above, below = sorted((b for b in layout.blocks if b.epoch == t), key=lambda b: b.y0)
            assert above.y1 < height < below.y0
        assert [(own.kind, own.epoch, own.lineage) for own in layout.markers] == [("returned", 3, 1)]

    def test_weak_links_are_shown_from_a_probability_on(self):
        links = {(0, 0, 1, 1): WEAK_LINK, (0, 1, 1, 0): WEAK_LINK - 0.01}
        layout = lay_out(LineageFacts(("a", "b"), ({0: 5, 1: 5}, {0: 5, 1: 5}), links))
        assert [(own.kind, own.from_lineage, own.to_lineage) for own in layout.ribbons] == [("weak", 0, 1)]

    def test_births_and_deaths_are_marked_but_not_at_the_ends(self):
        sizes = ({0: 5, 1: 5}, {0: 5, 2: 5}, {0: 5, 2: 5, 3: 1}, {0: 5, 3: 1})
        layout = lay_out(LineageFacts(tuple("abcd"), sizes, births={(1, 2): 0.6}, deaths={(2, 2): 0.4}))
        found = {(own.kind, own.epoch, own.lineage) for own in layout.markers}
        assert found == {("died", 0, 1), ("born", 1, 2), ("died", 2, 2), ("born", 2, 3)}
        known = {(own.kind, own.lineage): own.probability for own in layout.markers if not isnan(own.probability)}
        assert known == {("born", 2): 0.6, ("died", 2): 0.4}

    def test_a_lineage_stays_level_where_there_is_room(self):
        sizes = ({1: 3}, {0: 10, 1: 10, 2: 5}, {1: 9}, {1: 7, 2: 1}, {1: 10})
        layout = lay_out(LineageFacts(tuple("abcde"), sizes))
        middles = {round(own.y0 + own.y1, 9) for own in layout.blocks if own.lineage == 1}
        assert len(middles) == 1

    def test_lineages_that_exchange_objects_are_neighbours(self):
        """By birth the order would be 0, 1, 2, 3; lineage 3 comes out of lineage 0."""
        sizes = ({0: 20, 1: 20, 2: 20}, {0: 10, 1: 20, 2: 20, 3: 10})
        flows = {(0, 0, 0): 10, (0, 0, 3): 10, (0, 1, 1): 20, (0, 2, 2): 20}
        layout = lay_out(LineageFacts(("a", "b"), sizes, {}, flows))
        order = [b.lineage for b in sorted(layout.blocks, key=lambda b: b.y0) if b.epoch == 1]
        assert abs(order.index(0) - order.index(3)) == 1

    def test_too_many_ribbons_lose_the_narrowest(self):
        n = 65
        sizes = tuple(dict.fromkeys(range(n), 10 * n) for _ in range(2))
        flows = {(0, g, h): 1 + (g == h) for g in range(n) for h in range(n)}
        layout = lay_out(LineageFacts(("a", "b"), sizes, {}, flows), max_lineages=n)
        assert len(layout.ribbons) == MAX_RIBBONS
        assert layout.n_left_out == n * n - MAX_RIBBONS
        assert sum(own.n_objects == 2 for own in layout.ribbons) == n
        assert f"{layout.n_left_out} narrowest" in alluvial_svg(layout)

    @pytest.mark.parametrize("wrong", [0, -1, 1.5, True, "40"])
    def test_max_lineages_is_checked(self, wrong):
        with pytest.raises(SettingsError, match="max_lineages"):
            lay_out(random_facts(), max_lineages=wrong)


class TestFacts:
    def test_they_are_those_of_the_clustering_and_its_draws(self):
        facts = lineage_facts(real_lineages(times=[10, 20, 30]))
        assert facts.times == ("10", "20", "30")
        assert facts.sizes == ({0: 3, 1: 2}, {0: 2, 2: 2}, {0: 2, 1: 1, 2: 2})
        assert facts.flows == {(0, 0, 0): 2, (0, 0, 2): 1, (1, 0, 0): 2, (1, 2, 2): 1}
        assert facts.links[0, 0, 1, 0] == facts.links[1, 2, 2, 2] == 1
        assert (0, 1, 2, 1) in facts.links
        assert facts.presence[1, 2] == 1
        assert facts.births[1, 2] == facts.deaths[0, 1] == 1

    def test_without_ids_lineages_are_joined_by_links(self):
        assert {own.kind for own in alluvial_layout(real_lineages(ids=False)).ribbons} == {"link", "gap"}
        assert {own.kind for own in alluvial_layout(real_lineages()).ribbons} == {"link", "gap", "flow"}

    @pytest.mark.parametrize(
        ("times", "shown"),
        [
            (list(np.array(["2020-01-01", "2020-02-01", "2020-03-01"], "M8[D]")), "2020-03-01"),
            (list(np.array(["2020-01-01", "2020-02-01", "2020-03-01"], "M8[ns]")), "2020-03-01"),
            (list(np.array(["2020-01-01", "2020-02-01", "2020-03-01"], "M8[us]").tolist()), "2020-03-01"),
            ([0.5, 1.0, 1.5], "1.5"),
            (["low", "middle", "high"], "high"),
        ],
    )
    def test_all_kinds_of_times(self, times, shown):
        layout = alluvial_layout(real_lineages(times=times))
        assert layout.times[-1] == shown
        assert layout.flows

    def test_ids_are_not_shown(self):
        names = [["secret1", "secret2"], ["secret1", "secret2"]]
        labels = [np.array([0, 1])] * 2
        partitions = Partitions.from_labels([np.stack([own] * 2) for own in labels], ids=names)
        secretive = lineages(align(partitions, as_clustering(partitions, labels)))
        assert alluvial_layout(secretive).flows
        assert "secret" not in alluvial_svg(secretive)


class TestSvg:
    @pytest.mark.parametrize(("n_epochs", "n_lineages"), [(1, 1), (1, 40), (2, 3), (3, 40), (8, 3), (21, 3), (48, 3)])
    @pytest.mark.parametrize("flows", [True, False])
    def test_everything_is_inside_the_picture(self, n_epochs, n_lineages, flows):
        root = parsed(alluvial_svg(lay_out(random_facts(1, n_epochs, n_lineages, flows=flows)), title="Title"))
        width, height = (float(own) for own in root.get("viewBox").split()[2:])
        assert float(root.get("width")) == pytest.approx(width * 4 / 3, abs=1)
        assert float(root.get("height")) == pytest.approx(height * 4 / 3, abs=1)
        assert (corners(root) >= -0.01).all()
        assert (corners(root) <= (width + 0.01, height + 0.01)).all()
        for own in named(root, "text"):
            moved = re.match(r"translate\((\S+) (\S+)\)", own.get("transform", ""))
            x, y = map(float, moved.groups() if moved else (own.get("x"), own.get("y")))
            assert 0 <= x <= width
            assert 0 <= y <= height

    @pytest.mark.parametrize("largest", [1, 10**7])
    def test_every_block_and_ribbon_says_what_it_is(self, largest):
        layout = lay_out(random_facts(2, 8, 12, largest=largest), max_lineages=10)
        root = parsed(alluvial_svg(layout))
        blocks = of_kind(root, "block")
        drawn = [(int(own.get("data-epoch")), int(own.get("data-lineage"))) for own in blocks]
        assert drawn == [(own.epoch, own.lineage) for own in layout.blocks]
        for own, block in zip(blocks, layout.blocks, strict=True):
            words = own[0].text
            assert f"{block.size:,} object" in words
            assert layout.times[block.epoch] in words
            assert f"lineage {block.lineage} " in words or block.lineage == OTHERS
        for kind in ("link", "flow", "weak", "gap", "born", "died", "returned"):
            parts = of_kind(root, kind)
            assert len(parts) == sum(own.kind == kind for own in (*layout.ribbons, *layout.markers))
            assert all(own.get("data-lineage") and own[0].text for own in parts)
        inside = {own[0].text for kind in ("label", "stripes") for own in of_kind(root, kind)}
        assert inside <= {own[0].text for own in blocks}  # a click on a number means its block

    def test_hover_text_tells_probabilities(self):
        links = {(0, 0, 1, 0): 0.768, (1, 0, 2, 0): 0.9999, (0, 1, 2, 1): nan}
        facts = LineageFacts(("97", "98", "99"), ({0: 1, 1: 2}, {0: 3}, {0: 4, 1: 5}), links, presence={(0, 0): 1.0})
        words = [own.text for own in named(parsed(alluvial_svg(lay_out(facts))), "title")]
        assert "lineage 0 continues from 97 to 98, probability 0.77" in words
        assert "lineage 0 continues from 98 to 99, probability above 0.99" in words
        assert "lineage 1 continues from 97 to 99, absent at 1 time in between" in words
        assert "lineage 0 at 97: 1 object; present with probability 1.00" in words
        assert "lineage 1 at 97: 2 objects" in words

    def test_the_less_certain_a_link_the_paler(self):
        opacity = []
        for p in (0.1, 0.5, 0.9):
            facts = LineageFacts(("a", "b"), ({0: 5}, {0: 5}), {(0, 0, 1, 0): p})
            (link,) = of_kind(parsed(alluvial_svg(lay_out(facts))), "link")
            opacity.append(float(named(link, "path")[0].get("opacity")))
        assert 0 < opacity[0] < opacity[1] < opacity[2] < 1

    def test_events_are_dots_crosses_and_rings_in_the_picture_and_in_its_key(self):
        sizes = ({0: 9, 1: 5}, {0: 9, 2: 5}, {0: 9, 2: 5, 3: 5}, {0: 9, 1: 5, 2: 5})
        layout = lay_out(LineageFacts(("a", "b", "c", "d"), sizes))
        kinds = [marker.kind for marker in layout.markers]
        assert sorted(kinds) == ["born", "born", "died", "returned"]
        with apart(7.25):
            ax = plot_lineages(layout)
        ellipses = [own for own in ax.patches if isinstance(own, Ellipse)]
        assert sorted(own.get_facecolor()[3] for own in ellipses) == [0, 1, 1]  # a ring, two dots
        assert not any(isinstance(own, Polygon) for own in ax.patches)  # triangles looked like buttons
        assert [own.get_text() for own in ax.get_legend().get_texts()][:3] == ["appears", "ends", "returns"]
        assert [own.get_marker() for own in ax.get_legend().get_lines()][:3] == ["o", "x", "o"]

    def test_links_and_unassigned_objects_differ_in_the_key(self):
        facts = LineageFacts(("a", "b"), ({0: 9, NOWHERE: 3}, {0: 9}), links={(0, 0, 1, 0): 0.9})
        with apart(7.25):
            patches = plot_lineages(lay_out(facts)).get_legend().findobj(Rectangle)
        strong, weak, nowhere = (to_hex(own.get_facecolor()).upper() for own in patches)
        assert strong == weak == lineage_colour(0)
        assert nowhere == lineage_colour(NOWHERE)

    @pytest.mark.parametrize("width", [4.0, 7.25, 12.0])
    def test_the_key_does_not_take_width_from_the_picture(self, width):
        with apart(width):
            ax = plot_lineages(lay_out(random_facts(1, 5, 9), max_lineages=8))
        ax.figure.draw_without_rendering()
        assert len(ax.get_legend().get_texts()) >= 7
        assert ax.get_legend().get_window_extent().x1 <= ax.figure.bbox.x1
        assert ax.get_window_extent().width > 0.85 * ax.figure.bbox.width

    def test_the_picture_is_described(self):
        root = parsed(alluvial_svg(real_lineages(times=[10, 20, 30])))
        assert root.get("role") == "img"
        assert root.get("aria-label") == root[0].text == "Lineages through time"
        assert root[1].tag.endswith("desc")
        assert "3 lineages at 3 times, 10 to 30, with 4 to 5 objects at a time." in root[1].text
        assert "1 begin later, 1 return after a gap" in root[1].text

    @pytest.mark.parametrize("flows", [True, False])
    def test_labels_that_users_type_stay_text(self, flows):
        facts = random_facts(3, len(HOSTILE), 4, flows=flows)
        layout = lay_out(LineageFacts(HOSTILE, facts.sizes, facts.links, facts.flows))
        svg = alluvial_svg(layout, title=HOSTILE[0] + HOSTILE[1] + HOSTILE[4])
        root = parsed(svg)
        allowed = {"svg", "title", "desc", "g", "defs", "path", "text", "use"}
        assert {own.tag.rpartition("}")[2] for own in root.iter()} <= allowed
        names = {name for own in root.iter() for name in own.keys()}  # noqa: SIM118
        assert not any(name.startswith("on") or name in ("style", "class") for name in names)
        text = "\n".join(root.itertext())
        for shown in (HOSTILE[0], HOSTILE[1], "leftrightx", "bell null tab line new [31m", HOSTILE[5], HOSTILE[7]):
            assert shown in text
        assert "epoch 6" in text  # nothing was left of that label
        assert "x…x" in text
        assert max(map(len, text.splitlines())) < 1000
        assert not set("\u202e\u2066\u200f\x07\x00\ud800\ufffe\x1b") & set(svg)
        svg.encode()

    def test_hostile_times_of_a_fit(self):
        root = parsed(alluvial_svg(real_lineages(times=list(HOSTILE[:3]))))
        assert not named(root, "script")
        assert any(HOSTILE[0] in own.text for own in named(root, "title"))

    @given(text=st.text(st.characters(exclude_categories=()), max_size=60), longest=st.integers(4, 30))
    def test_clean_text_is_short_and_fit_for_xml(self, text, longest):
        found = clean(text, longest)
        assert len(found) <= longest
        assert (parsed(f"<a>{escape(found)}</a>").text or "") == found
        assert clean(found, longest) == found

    def test_both_ends_of_a_long_label_are_kept(self):
        assert clean("measurement campaign of 2021", 18) == "measurement…2021"

    @pytest.mark.parametrize(("n_epochs", "longest"), [(3, 4), (8, 40), (48, 4), (48, 10), (48, 40)])
    def test_time_labels_do_not_overlap(self, n_epochs, longest):
        facts = random_facts(4, n_epochs, 3)
        times = tuple(f"{t:0{longest}d}" for t in range(n_epochs))
        _, labels = labels_of_times(lay_out(LineageFacts(times, facts.sizes)), width=9.4)
        turned = labels[0][0].get_rotation() != 0
        least = 14 if turned else 1.02 * max(box.width for _, box in labels)
        assert np.diff([box.x1 if turned else (box.x0 + box.x1) / 2 for _, box in labels]).min() >= least
        assert len(labels) >= min(n_epochs, 8)

    def test_a_shortened_label_tells_the_whole_time(self):
        times = ("measurement campaign of the year 2021", "2022")
        root = parsed(alluvial_svg(lay_out(LineageFacts(times, ({0: 3}, {0: 3})))))
        (label,) = [own for own in root.iter() if len(own) and own[0].text == times[0]]
        assert "".join(label.itertext()).endswith("measurement…2021")

    @pytest.mark.parametrize("n_epochs", [1, 2, 7, 48])
    @pytest.mark.parametrize("label", ["木" * 18, "W" * 40, "1"])
    def test_a_small_picture_has_room_for_its_columns(self, n_epochs, label):
        facts = random_facts(7, n_epochs, 3, largest=10**6)
        times = tuple(f"{label}{t}" for t in range(n_epochs))
        root = parsed(alluvial_svg(lay_out(LineageFacts(times, facts.sizes)), width=200))
        lefts = {int(own.get("data-epoch")): corners(own)[:, 0].min() for own in of_kind(root, "block")}
        assert min(lefts.values()) >= 0
        assert all(lefts[t] < lefts[t + 1] < 150 for t in range(n_epochs - 1))

    def test_same_input_same_bytes_in_any_process(self):
        code = "from test_alluvial import *; print(alluvial_svg(lay_out(random_facts(5, 9, 12))), end='')"
        folders = [str(Path(__file__).parent), str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]
        here = {"PYTHONPATH": os.pathsep.join(filter(None, folders))}
        found = {alluvial_svg(lay_out(random_facts(5, 9, 12)))}
        for hash_seed in ("1", "2"):
            run = subprocess.run(
                [sys.executable, "-c", code],
                env=os.environ | here | {"PYTHONHASHSEED": hash_seed, "PYTHONIOENCODING": "utf-8"},
                check=True,
                capture_output=True,
            )
            found.add(run.stdout.decode())
        assert len(found) == 1

    def test_numbers_have_at_most_two_decimals_and_nothing_is_loaded(self):
        svg = alluvial_svg(lay_out(random_facts(6, 12, 12)))
        drawn = re.sub("<(title|desc)>.*?</", "", svg)
        assert not re.search(r"\d\.\d{3}|nan|inf|\de-\d", drawn)
        assert svg.count("://") == 1  # the name space
        assert "url(" not in svg
        assert "class=" not in svg

    def test_text_takes_the_colour_of_the_page_or_the_one_asked_for(self):
        layout = lay_out(random_facts())
        assert 'fill="currentColor"' in alluvial_svg(layout)
        grey = alluvial_svg(layout, ink="#777777")
        assert "currentColor" not in grey
        assert parsed(grey).get("fill") == "#777777"
        assert not [own for own in named(parsed(grey), "text") if "opacity" in own.attrib]  # no contrast to spare

    def test_size_is_what_was_asked_for(self):
        root = parsed(alluvial_svg(lay_out(random_facts()), width=640, height=480))
        assert (root.get("width"), root.get("height")) == ("640", "480")

    @pytest.mark.parametrize(
        "wrong",
        [{"width": 10}, {"width": nan}, {"width": "900"}, {"height": 1}, {"height": 1e9}, {"ink": '"><script>'}],
    )
    def test_wrong_settings_are_refused(self, wrong):
        with pytest.raises(SettingsError, match=f"^{next(iter(wrong))} must be"):
            alluvial_svg(lay_out(random_facts()), **wrong)


class TestColours:
    def test_forty_lineages_differ_and_text_can_be_read_on_all(self):
        colours = [lineage_colour(g) for g in range(40)]
        assert len(set(colours)) == 40
        for colour in [*colours, lineage_colour(OTHERS)]:
            assert re.fullmatch("#[0-9A-F]{6}", colour)
            assert contrast(text_colour(colour), colour) >= 4.5
        assert lineage_colour(40) == lineage_colour(0)
        assert [lineage_stripes(g) for g in (0, 9, 10, 39, 40, OTHERS)] == [0, 0, 1, 3, 0, 0]

    def test_all_are_seen_on_white_and_on_a_dark_page(self):
        for g in range(40):
            assert contrast(lineage_colour(g), "#FFFFFF") > 1.8
            assert contrast(lineage_colour(g), "#111111") > 1.8

    def test_contrast_of_the_guidelines(self):
        assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
        assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.005)

    @pytest.mark.parametrize(
        "seen",
        [
            np.eye(3),
            [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
            [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
            [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
        ],
        ids=["all cones", "no red cones", "no green cones", "no blue cones"],
    )
    def test_ten_lineages_stay_apart_for_colour_blind_people(self, seen):
        """Distances in Oklab, where 0.02 is about the least difference that is noticed; three times that."""
        light = np.array([[int(lineage_colour(g)[i : i + 2], 16) / 255 for i in (1, 3, 5)] for g in range(10)])
        light = np.where(light <= 0.04045, light / 12.92, ((light + 0.055) / 1.055) ** 2.4)
        light = np.clip(light @ np.array(seen).T, 0, 1)
        points = np.cbrt(light @ np.array(CONES).T) @ np.array(OKLAB).T
        apart = np.linalg.norm(points[:, None] - points[None], axis=2) + np.eye(10)
        assert apart.min() > 0.06
