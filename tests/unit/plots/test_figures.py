"""Figures of matplotlib: they draw the numbers of the analysis, for all kinds of data, and leave no traces."""

import subprocess
import sys
import warnings
from dataclasses import replace

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_hex
from matplotlib.patches import PathPatch, Rectangle

from reference import rng_for
from runs import MODEL, SETTINGS, small_series
from tetiwd import DistanceSeries, Hyperparameters, SamplerSettings, align, plots, run_chains, simulate
from tetiwd.analysis import Analysis
from tetiwd.backtesting import backtest
from tetiwd.errors import RunFolderError, SettingsError
from tetiwd.plots import coclustering as coclustering_file
from tetiwd.plots import maps as maps_file
from tetiwd.plots import sizes as sizes_file
from tetiwd.plots import traces as traces_file
from tetiwd.plots.alluvial import alluvial_layout
from tetiwd.plots.colours import lineage_colour
from tetiwd.plots.geometry import cluster_distances, measured_distances, within_clusters
from tetiwd.plots.marks import quiet
from tetiwd.plots.saving import drawings
from tetiwd.plots.sizes import lanes_of
from tetiwd.plots.style import apart, figure_of, size_of
from tetiwd.plots.time_scale import places_of
from tetiwd.report.rendering import Wording
from tetiwd.report.tables import forecast_table
from tetiwd.summarize.coclustering import coclustering
from tetiwd.summarize.embedding import as_points, embed
from tetiwd.summarize.object_maps import _moved_near
from tetiwd.summarize.outcomes import Outcomes, outcomes_by_lineage

HOSTILE = (
    "$a$ & <b>",
    "x" * 5000,
    "left\u202eright\u2066",
    "木 $",
    "bell\x07\n\x00",
    "\u202e\x00",
    "_hidden",
    "\\frac{$",
)
ROUNDING = 1e-9


def analysis_of(n_by_epoch=(14, 11, 12), *, times=None, ids=False, n_draws=25, **model):
    truth = simulate(n_by_epoch, Hyperparameters(dof=6, alpha=0.3, new_scale=1.0), seed=3)
    names = [[f"secret{i}" for i in range(n)] for n in n_by_epoch] if ids else None
    series = DistanceSeries.from_distances(truth.D, squared=True, times=times, ids=names)
    settings = SamplerSettings(n_chains=2, n_warmup=30, n_draws=n_draws, geometry_every=5, seed=5)
    prior = {"dof": MODEL.dof, "df_A": MODEL.df_A, "xi": MODEL.xi} | model
    return Analysis(run_chains(series, Hyperparameters(**prior), settings))


@pytest.fixture(scope="module")
def small():
    return analysis_of(times=(2007, 2008, 2009), ids=True)


@pytest.fixture(autouse=True)
def _no_trace():
    """No figure of pyplot stays open and no setting of matplotlib changes, whatever a test draws."""
    before = dict(matplotlib.rcParams)
    with apart():
        yield
    assert pyplot.get_fignums() == []
    assert dict(matplotlib.rcParams) == before


def rectangles(ax):
    return [own for own in ax.patches if isinstance(own, Rectangle)]


def cells_of(ax):
    """Middle of every cell → its opacity."""
    (cells,) = (own for own in ax.collections if isinstance(own, PolyCollection))
    middles = [tuple(own.vertices[:4].mean(axis=0).round().astype(int).tolist()) for own in cells.get_paths()]
    return dict(zip(middles, cells.get_facecolor()[:, 3].tolist(), strict=True))


def drawn_by_all(analysis, **given):
    """Every figure with all its text laid out."""
    for own in drawings(analysis, **given):
        figure = figure_of(own.draw(plots.Marks()))
        with quiet():
            figure.draw_without_rendering()
        yield own.name, figure


class TestNumbers:
    def test_blocks_and_ribbons_are_those_of_the_layout(self, small):
        layout, ax = alluvial_layout(small.lineages), plots.plot_lineages(small.lineages)
        found = {(round(own.get_x() + own.get_width() / 2), own.get_y(), own.get_height()) for own in rectangles(ax)}
        assert found == {(own.epoch, own.y0, own.y1 - own.y0) for own in layout.blocks if own.y1 - own.y0 > 0.01}
        n_ended = sum(own.kind == "died" for own in layout.markers)
        assert sum(isinstance(own, PathPatch) for own in ax.patches) == len(layout.ribbons) + n_ended
        assert {to_hex(own.get_facecolor()).upper() for own in rectangles(ax)} == {
            lineage_colour(own.lineage) for own in layout.blocks
        }
        assert [own.get_text() for own in ax.get_xticklabels()] == ["2007", "2008", "2009"]

    def test_cells_are_as_dark_as_numbers_of_clusters_are_probable(self, small):
        ax, table = plots.plot_n_clusters(small), small.n_clusters()
        drawn = np.concatenate([own.n_clusters for own in small.sample.draws])
        opacity = cells_of(ax)
        share = {(t, k): (drawn[:, t] == k).mean() for t in range(3) for k in range(drawn.max() + 1)}
        assert opacity.keys() == {where for where, p in share.items() if p > 0}
        most = max(share.values())
        for where, alpha in opacity.items():
            assert alpha == pytest.approx(0.07 + 0.88 * share[where] / most)
        (diamonds,) = (own for own in ax.lines if own.get_marker() == "D")
        assert diamonds.get_ydata().tolist() == small.clustering.n_clusters
        (intervals,) = (own for own in ax.collections if isinstance(own, LineCollection))
        edges = np.array([own[:, 1] for own in intervals.get_segments()])
        assert edges == pytest.approx(np.column_stack([table.lower - 0.12, table.upper + 0.12]))

    def test_traces_are_the_draws(self, small):
        axes = plots.plot_traces(small)
        assert len(axes) == 4
        for line, draws in zip(axes[0].lines, small.sample.draws, strict=True):
            assert line.get_ydata().tolist() == draws.log_joint.tolist()
        assert f"R-hat {small.sample.diagnostics['log_joint'].r_hat:.2f}" in axes[0].get_title(loc="left")
        by_time = {time: small.sample.diagnostics[f"k at {time}"] for time in (2007, 2008, 2009)}
        order = sorted(by_time, key=lambda time: -(by_time[time].r_hat or 0))
        assert [int(ax.get_title(loc="left").split(":")[0][-4:]) for ax in axes[1:]] == order
        for ax, time in zip(axes[1:], order, strict=True):
            for line, draws in zip(ax.lines, small.sample.draws, strict=True):
                assert line.get_ydata().round().tolist() == draws.n_clusters[:, time - 2007].tolist()

    def test_long_traces_are_thinned(self, small, monkeypatch):
        monkeypatch.setattr(traces_file, "MOST_POINTS", 7)
        line = plots.plot_traces(small)[0].lines[0]
        rows = line.get_xdata().astype(int) - 1
        assert len(rows) == 7
        assert (rows[0], rows[-1]) == (0, 24)
        assert line.get_ydata().tolist() == small.sample.draws[0].log_joint[rows].tolist()

    @pytest.mark.parametrize("n_axes", [1, 2])
    def test_traces_fill_the_axes_they_are_given(self, small, n_axes):
        axes = matplotlib.figure.Figure().subplots(n_axes, 1)
        assert plots.plot_traces(small, axes).tolist() == np.atleast_1d(axes).tolist()

    @pytest.mark.parametrize("t", [0, 2, -1])
    def test_the_heat_map_is_the_coclustering_in_order(self, small, t):
        ax = plots.plot_coclustering(small, t)
        labels, certainty = small.clustering.labels[t], small.memberships.certainty[t]
        order = sorted(range(len(labels)), key=lambda i: (labels[i] < 0, labels[i], -certainty[i], i))
        p = coclustering(small.sample, t)[np.ix_(order, order)]
        image = ax.images[0].get_array()
        assert np.abs(image[..., 3] - p).max() <= 0.5 / coclustering_file.N_SHADES + ROUNDING
        squares = {(own.get_x() + 0.5, own.get_width()): own for own in rectangles(ax)}
        in_order = [g for g in labels[order] if g >= 0]  # there is no square for unassigned objects
        lineages, first, sizes = np.unique(in_order, return_index=True, return_counts=True)
        assert squares.keys() == set(zip(first.tolist(), sizes.tolist(), strict=True))
        for g, where in zip(lineages, zip(first.tolist(), sizes.tolist(), strict=True), strict=True):
            assert to_hex(squares[where].get_edgecolor()).upper() == lineage_colour(g)

    def test_many_objects_are_thinned_out_and_that_is_said(self, small, monkeypatch):
        monkeypatch.setattr(coclustering_file, "MOST_OBJECTS", 5)
        ax = plots.plot_coclustering(small, 0)
        assert ax.images[0].get_array().shape == (5, 5, 4)
        assert any("5 of 14 objects" in own.get_text() for own in ax.texts)

    def test_the_map_has_every_object_once_and_uncertain_ones_are_hollow(self, small):
        assert sum(small.clustering.n_unassigned)
        for t, places in enumerate(small.object_maps):
            ax = plots.plot_map(small, t)
            labels, sure = small.clustering.labels[t], small.memberships.certainty[t] >= 0.7
            found = []
            for line in ax.lines:
                colour, hollow = to_hex(line.get_markeredgecolor()).upper(), line.get_markerfacecolor() == "none"
                look = (colour, line.get_marker(), hollow)
                found += [(x, y, *look) for x, y in zip(*line.get_data(), strict=True)]
            wanted = [
                (x, y, lineage_colour(g), "x" if g < 0 else "o", g >= 0 and not certain)
                for (x, y), g, certain in zip(places, labels, sure, strict=True)
            ]
            assert sorted(found) == sorted(wanted)

    def test_too_many_points_are_sampled_and_that_is_said(self, small, monkeypatch):
        monkeypatch.setattr(maps_file, "MOST_POINTS", 6)
        ax = plots.plot_map(small, 1)
        assert sum(len(line.get_xdata()) for line in ax.lines) == 6
        assert any("6 of 11 objects" in own.get_text() for own in ax.texts)

    def test_bands_and_fans_are_intervals_of_draws_and_forecast(self, small):
        lanes = {own.lineage: own for own in lanes_of(small)}
        table, forecast, n = small.lineages.sizes(), small.forecast, small.sample.series.n_objects
        shown = table[table.lineage.isin(lanes)]
        assert len(shown) >= 3
        for row in shown.itertuples():
            t = row.time - 2007
            own = lanes[row.lineage]
            assert (own.share[t], own.lower[t], own.upper[t]) == (row.size / n[t], row.lower / n[t], row.upper / n[t])
        for i, g in enumerate(forecast.lineages):
            if g in lanes:
                assert lanes[g].next[[0, 4]] == pytest.approx(forecast.quantiles[[0, 2], i])
                assert lanes[g].next[2] == pytest.approx(forecast.expected[i])  # as in the table
        assert lanes[None].next[[0, 4]] == pytest.approx(forecast.quantiles[[0, 2], -1])
        assert sum(own.next[2] for own in lanes.values() if len(own.next)) == pytest.approx(1, abs=0.005)
        assert (-1 in lanes) or not forecast.others_matter
        everything = [np.nan_to_num(own.share) for own in lanes.values()]
        assert np.sum(everything, axis=0) == pytest.approx(np.ones(3))

    @pytest.mark.parametrize("matter", [True, False])
    def test_others_are_in_figure_and_table_or_in_neither(self, small, monkeypatch, matter):
        drawn = small.alignment.sizes().copy()
        drawn[:, :, -1] = 0  # draws have no others, so that only the forecast can
        monkeypatch.setattr(type(small.alignment), "sizes", lambda _: drawn)
        monkeypatch.setattr(sizes_file, "SMALL_LINEAGE", 1e-9)
        monkeypatch.setattr(type(small.forecast), "others_matter", matter)
        rows = forecast_table(small, Wording(small.sample.series.times)).rows
        assert any(str(row.cells[0].shown) == "others" for row in rows) == matter
        assert any(lane.lineage == -1 for lane in lanes_of(small)) == matter

    @pytest.mark.parametrize(
        ("times", "places", "to_scale"),
        [
            ((2001, 2002, 2003), (0, 1, 2), True),
            ((2001, 2002, 2005), (0, 0.5, 2), True),
            (("2014-01", "2014-02", "2014-03"), (0, 1, 2), True),  # months are not of one length
            (("2014-01-01", "2014-01-11", "2014-02-10"), (0, 0.5, 2), True),
            ((1, 2, 100), (0, 1, 2), False),  # the first two would hide each other
            (("a", "b", "d"), (0, 1, 2), True),  # there is no scale
        ],
    )
    def test_times_are_to_scale_or_said_not_to_be(self, times, places, to_scale):
        series = DistanceSeries.from_distances(small_series().D, squared=True, times=times)
        analysis = Analysis(run_chains(series, MODEL, replace(SETTINGS, n_warmup=5, n_draws=5)))
        assert places_of(times) == pytest.approx(places)
        for plot in (plots.plot_sizes, plots.plot_n_clusters):
            ax = plot(analysis)
            at = {own.get_text(): x for own, x in zip(ax.get_xticklabels(), ax.get_xticks(), strict=True)}
            for time, place in zip(times, places, strict=True):
                assert at.get(str(time), place) == pytest.approx(place)
            assert any("not to scale" in own.get_text() for own in ax.texts) != to_scale

    def test_the_number_of_a_tight_cluster_does_not_hide_it(self, small, monkeypatch):
        tight = [np.zeros_like(points) for points in small.object_maps]
        for t, points in enumerate(tight):
            for g in small.clustering.lineages_at(t):
                points[small.clustering.labels[t] == g] = (g % 3, g // 3)
        monkeypatch.setitem(small.__dict__, "object_maps", tight)
        ax = plots.plot_map(small, 0)
        dots = np.concatenate([np.column_stack(own.get_data()) for own in ax.lines])
        per_point = np.ptp(ax.get_xlim()) / size_of(ax)[0]
        numbers = [own for own in ax.texts if own.get_text().isdigit()]
        assert numbers
        for own in numbers:
            assert np.linalg.norm(dots - own.get_position(), axis=1).min() > 10 * per_point

    def test_the_number_of_a_loose_cluster_hides_no_single_dot(self, small, monkeypatch):
        loose = [np.zeros_like(points) for points in small.object_maps]
        for t, points in enumerate(loose):
            for g in small.clustering.lineages_at(t):
                rows = np.flatnonzero(small.clustering.labels[t] == g)
                points[rows] = np.column_stack([4.0 * (np.arange(len(rows)) - len(rows) // 2), 0 * rows + 9.0 * g])
        monkeypatch.setitem(small.__dict__, "object_maps", loose)
        ax = plots.plot_map(small, 0)
        dots = np.concatenate([np.column_stack(own.get_data()) for own in ax.lines])
        per_point = np.ptp(ax.get_xlim()) / size_of(ax)[0]
        numbers = [own for own in ax.texts if own.get_text().isdigit()]
        assert numbers
        for own in numbers:
            apart = np.abs(dots - own.get_position()) / per_point
            assert not (apart < (6.5, 6.0)).all(axis=1).any()

    def test_lanes_are_drawn_on_one_scale(self, small):
        ax, lanes = plots.plot_sizes(small), lanes_of(small)
        bases = sorted(
            {own.get_ydata()[0] for own in ax.lines if len(own.get_xdata()) == 2 and own.get_alpha() == 0.25}
        )
        assert len(bases) == len(lanes)
        for lane, base in zip(lanes, bases[::-1], strict=True):
            lines = [own for own in ax.lines if own.get_linestyle() == "-" and own.get_color() == lane.colour]
            if np.isfinite(lane.share).all():
                assert lines[0].get_ydata() - base == pytest.approx(lane.share)
                (bands,) = (own for own in ax.collections if isinstance(own, PolyCollection))
                tops = {round(own.vertices[:, 1].max(), 9) for own in bands.get_paths()}
                assert round(base + lane.upper.max(), 9) in tops

    def test_a_backtest_adds_its_intervals(self, small):
        past = backtest(small.sample, small.clustering)
        shown = {own.lineage for own in lanes_of(small)}
        plain, more = plots.plot_sizes(small), plots.plot_sizes(small, backtest=past)
        cases = [own for own in past.cases if own.cluster in shown]
        outside = sum(not own.inside for own in cases)
        assert len(more.lines) - len(plain.lines) == len(cases) + outside
        bars = [own for own in more.lines if own.get_zorder() == 4]
        bottom, top = more.get_ylim()
        assert all(bottom <= own.get_ydata().min() <= own.get_ydata().max() <= top for own in bars)
        heights = sorted(float(np.ptp(own.get_ydata())) for own in bars)
        assert heights == pytest.approx(sorted(own.upper - own.lower for own in cases))

    def test_distances_between_clusters_against_a_slow_twin(self, small):
        """Every draw is matched with the clustering over all epochs, then looked at cluster by cluster."""
        for t in range(3):
            lineages, found, share = cluster_distances(small, t)
            seen = {}
            n_kept = 0
            alignment = align(small.sample, small.clustering)
            drawn = [(own, i) for own in small.sample.draws for i in range(len(own))]
            for s, (draws, i) in enumerate(drawn):
                if i % 5:
                    continue
                n_kept += 1
                A, labels = draws.geometry[i // 5][t], draws.labels_at(t)[i]
                ids = sorted(set(labels.tolist()))
                words = {int(w): ids.index(c) for w, c in zip(alignment.words_at(t)[s], labels, strict=True) if w >= 0}
                for g in words:
                    for h in words:
                        a, b = words[g], words[h]
                        seen.setdefault((g, h), []).append(A[a, a] + A[b, b] - 2 * A[a, b])
            for i, g in enumerate(lineages.tolist()):
                for j, h in enumerate(lineages.tolist()):
                    values = seen.get((g, h), [])
                    assert share[i, j] == pytest.approx(len(values) / n_kept)
                    if values and g != h:
                        assert found[i, j] == pytest.approx(np.sqrt(np.mean(values)))

    def test_measured_distances_are_those_of_means(self, small):
        D, labels = small.sample.series.D[0], small.clustering.labels[0]
        points, variance = embed(D).points, within_clusters(small) ** 2 / 2
        lineages, sizes = np.unique(labels[labels >= 0], return_counts=True)
        means = np.array([points[labels == g].mean(axis=0) for g in lineages])
        found = measured_distances(small, 0)
        for i in range(len(lineages)):
            for j in range(i):
                squared = ((means[i] - means[j]) ** 2).sum() - variance * (1 / sizes[i] + 1 / sizes[j])
                assert found[i, j] == pytest.approx(np.sqrt(max(0, squared)), abs=1e-6)

    def test_cells_show_the_model_below_and_measurements_above(self, small):
        lineages, model, _ = cluster_distances(small, 0)
        measured, ax = measured_distances(small, 0), plots.plot_geometry(small, 0)
        distance = np.where(np.tri(len(lineages), k=-1, dtype=bool), model, measured)
        cells = {(i, j): opacity for (j, i), opacity in cells_of(ax).items()}
        wanted = {(i, j) for i, j in np.argwhere(np.isfinite(distance)) if i != j}
        assert cells.keys() == wanted
        largest = max(distance[i, j] for i, j in wanted)
        assert all(cells[w] == pytest.approx(0.04 + 0.58 * distance[w] / largest) for w in wanted)

    def test_rates_and_their_intervals(self, small):
        happens = [rng_for(9, t).integers(2, size=n) for t, n in enumerate(small.sample.series.n_objects)]
        outcomes = outcomes_by_lineage(small.alignment, happens, name="relapse $5 or $6")
        ax, table = plots.plot_outcomes(outcomes), outcomes.table()
        dots = [float(own.get_xdata()[0]) for own in ax.lines if own.get_marker() == "o"]
        bars = [tuple(own.get_xdata()) for own in ax.lines if own.get_linewidth() == 3.2]
        assert dots == table.rate.tolist()
        assert bars == list(zip(table.lower, table.upper, strict=True))
        assert r"relapse \$5 or \$6" in ax.get_title(loc="left")


class TestMaps:
    def test_every_time_keeps_the_distances_of_its_scaling(self, small):
        for places, D in zip(small.object_maps, small.sample.series.D, strict=True):
            plain = as_points(D, (len(D),), (0,), 2).points
            apart_now = np.linalg.norm(places[:, None] - places, axis=2)
            assert apart_now == pytest.approx(np.linalg.norm(plain[:, None] - plain, axis=2), abs=ROUNDING)

    def test_rigid_motions_are_undone(self):
        rng = rng_for(31)
        for mirrored in (1, -1):
            there, angle = rng.standard_normal((9, 2)), rng.uniform(0, 6)
            turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]]) * [1, mirrored]
            here = there @ turn + rng.standard_normal(2)
            weights = rng.uniform(1, 5, size=4)
            assert _moved_near(here, here[:4], there[:4], weights) == pytest.approx(there, abs=1e-6)

    def test_one_landmark_moves_without_turning(self):
        points = rng_for(32).standard_normal((5, 2))
        moved = _moved_near(points, points[:1], points[:1] + 3, np.ones(1))
        assert moved == pytest.approx(points + 3)

    def test_the_same_objects_twice_are_at_the_same_places(self):
        X = rng_for(33).standard_normal((16, 3)) + np.repeat([[0, 0, 0], [9, 1, 2]], 8, axis=0)
        shuffled = rng_for(34).permutation(16)
        D = ((X[:, None] - X) ** 2).sum(-1)
        ids = [list(range(16)), shuffled.tolist()]
        series = DistanceSeries.from_distances([D, D[np.ix_(shuffled, shuffled)]], squared=True, ids=ids)
        settings = SamplerSettings(n_chains=1, n_warmup=20, n_draws=10, seed=5)
        first, second = Analysis(run_chains(series, Hyperparameters(dof=3), settings)).object_maps
        assert second == pytest.approx(first[shuffled], abs=1e-6)

    def test_with_distances_between_times_all_are_placed_together(self):
        X = rng_for(35).standard_normal((24, 3))
        series = DistanceSeries.from_features(X, time=np.repeat([1, 2], 12))
        settings = SamplerSettings(n_chains=1, n_warmup=20, n_draws=10, seed=5)
        found = Analysis(run_chains(series, Hyperparameters(dof=3), settings)).object_maps
        assert np.concatenate(found) == pytest.approx(embed(series).points[:, :2])

    def test_objects_on_a_line_have_a_second_axis_of_zeros(self):
        x = rng_for(36).standard_normal((10, 1))
        series = DistanceSeries.from_distances([(x - x.T) ** 2], squared=True)
        settings = SamplerSettings(n_chains=1, n_warmup=20, n_draws=10, seed=5)
        (found,) = Analysis(run_chains(series, Hyperparameters(dof=1), settings)).object_maps
        assert np.abs(found[:, 1]).max() < 1e-6
        assert np.abs(found[:, 0] - found[0, 0]) == pytest.approx(np.abs(x - x[0])[:, 0])


class TestAllKindsOfData:
    def test_one_time(self):
        names = [name for name, _ in drawn_by_all(analysis_of((15,)))]
        assert names == ["lineages", "n_clusters", "map-0", "sizes", "coclustering-0", "geometry-0", "traces"]

    def test_one_cluster(self):
        analysis = analysis_of((8, 8), max_clusters=1)
        assert analysis.clustering.n_lineages == 1
        assert len(list(drawn_by_all(analysis))) == 10

    def test_48_times(self):
        analysis = analysis_of((5,) * 48, times=[f"2020-{i:03d}" for i in range(48)], n_draws=10)
        for draw in (lambda: plots.plot_lineages(analysis.lineages), lambda: plots.plot_n_clusters(analysis)):
            ax = draw()
            ax.figure.draw_without_rendering()
            boxes = [own.get_window_extent() for own in ax.get_xticklabels()]
            turned = ax.get_xticklabels()[0].get_rotation()
            assert 8 <= len(boxes) <= 48
            least = 10 if turned else max(own.width for own in boxes)
            assert np.diff([(own.x0 + own.x1) / 2 for own in boxes]).min() > least
        plots.plot_sizes(analysis).figure.draw_without_rendering()

    def test_times_treated_separately_have_no_forecast(self):
        analysis = analysis_of(coupling=False)
        assert analysis.forecast is None
        assert [own.name for own in lanes_of(analysis)][-1] != "new"
        assert len(list(drawn_by_all(analysis))) == 13

    def test_labels_that_users_type(self):
        analysis = analysis_of((6,) * len(HOSTILE), times=list(HOSTILE), n_draws=10)
        outcomes = Outcomes("$x$" + HOSTILE[1], 0.9, np.array([1]), np.array([2]), np.ones((9, 1)), np.ones((9, 1)))
        for _, figure in drawn_by_all(analysis, outcomes=outcomes):
            for text in figure.findobj(matplotlib.text.Text):
                shown = text.get_text()
                assert len(shown) < 250
                assert not set("\u202e\u2066\x07\x00") & set(shown)
                assert shown.count("$") == shown.count(r"\$")

    def test_epochs_are_checked(self, small):
        for plot in (plots.plot_map, plots.plot_coclustering, plots.plot_geometry):
            with pytest.raises(SettingsError, match="no epoch 3"):
                plot(small, 3)

    def test_geometry_needs_draws_of_it(self, small):
        bare = Analysis(small.sample)
        kept = [own.geometry for own in bare.sample.draws]
        try:
            for own in bare.sample.draws:
                own.geometry = []
            with pytest.raises(SettingsError, match="geometry_every"):
                plots.plot_geometry(bare, 0)
            assert not any(own.name.startswith("geometry") for own in drawings(bare))
        finally:
            for own, geometry in zip(bare.sample.draws, kept, strict=True):
                own.geometry = geometry


class TestManners:
    def test_axes_that_are_given_are_used(self, small):
        ax = matplotlib.figure.Figure().subplots()
        assert plots.plot_sizes(small, ax) is ax
        assert plots.plot_lineages(alluvial_layout(small.lineages), ax) is ax

    def test_axes_that_are_given_get_no_frame(self, small):
        for plot in (plots.plot_sizes, plots.plot_n_clusters, lambda of, ax: plots.plot_lineages(of.lineages, ax)):
            ax = matplotlib.figure.Figure().subplots()
            plot(small, ax)
            assert not ax.spines["top"].get_visible()
            assert not ax.spines["right"].get_visible()

    def test_notes_stay_above_their_own_axes(self, small):
        figure = matplotlib.figure.Figure((7, 3), layout="constrained")
        left, right = figure.subplots(1, 2)
        plots.plot_n_clusters(small, left)
        plots.plot_map(small, 0, right)
        figure.draw_without_rendering()
        note = next(text for text in left.texts if "interval" in text.get_text())
        assert note.get_window_extent().x1 < right.get_window_extent().x0

    def test_without_axes_a_figure_of_pyplot_is_made(self, small, monkeypatch):
        monkeypatch.setattr("tetiwd.plots.style._apart", type("No", (), {"get": staticmethod(lambda: False)}))
        with matplotlib.rc_context({"backend": "agg"}):
            ax = plots.plot_n_clusters(small)
        assert pyplot.get_fignums() == [ax.figure.number]
        pyplot.close(ax.figure)

    def test_a_style_of_the_user_does_not_show(self, small):
        with matplotlib.rc_context({"font.size": 30, "axes.spines.top": True, "lines.linestyle": ":"}):
            loud = plots.plot_n_clusters(small)
        assert loud.yaxis.label.get_size() == plots.plot_n_clusters(small).yaxis.label.get_size() == 9
        assert not loud.spines["top"].get_visible()

    def test_importing_does_not_load_matplotlib(self):
        code = "import sys, tetiwd.plots as p; p.plot_sizes, p.save_figures; assert 'matplotlib' not in sys.modules"
        subprocess.run([sys.executable, "-c", code], check=True)

    def test_everything_promised_is_there(self):
        assert all(getattr(plots, name) for name in plots.__all__)
        with pytest.raises(AttributeError, match="plot_nothing"):
            plots.plot_nothing  # noqa: B018


class TestSaving:
    def test_all_figures_in_all_formats(self, small, tmp_path):
        found = plots.save_figures(small, tmp_path / "new" / "figures")
        names = {own.name for own in drawings(small)}
        assert {own.name for own in found} == {f"{name}.{kind}" for name in names for kind in ("svg", "png", "pdf")}
        assert {own.name for own in found} == {own.name for own in (tmp_path / "new" / "figures").iterdir()}
        starts = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF"}
        assert all(own.read_bytes().startswith(starts[own.suffix[1:]]) for own in found)

    def test_nothing_is_overwritten_unasked(self, small, tmp_path):
        (tmp_path / "sizes.svg").write_text("mine")
        with pytest.raises(RunFolderError, match=r"sizes\.svg.*there already"):
            plots.save_figures(small, tmp_path, formats=("svg",))
        assert [own.name for own in tmp_path.iterdir()] == ["sizes.svg"]
        plots.save_figures(small, tmp_path, formats="svg", overwrite=True)
        assert (tmp_path / "sizes.svg").read_text() != "mine"

    def test_same_bytes_every_time(self, tmp_path):
        analysis = analysis_of((12,), n_draws=10)
        one, other = (plots.save_figures(analysis, tmp_path / name) for name in ("one", "other"))
        for a, b in zip(one, other, strict=True):
            assert a.read_bytes() == b.read_bytes(), a.name

    @pytest.mark.parametrize("wrong", [(), ("gif",), "jpg"])
    def test_formats_are_checked(self, small, tmp_path, wrong):
        with pytest.raises(SettingsError, match="formats must be"):
            plots.save_figures(small, tmp_path, formats=wrong)

    def test_a_folder_that_cannot_be_made(self, small, tmp_path):
        (tmp_path / "file").write_text("")
        with pytest.raises(RunFolderError, match="cannot write figures into"):
            plots.save_figures(small, tmp_path / "file" / "figures", formats="svg")

    def test_letters_that_the_font_lacks_are_no_warning(self, tmp_path):
        analysis = analysis_of((6, 6), times=["木", "水"], n_draws=10)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            plots.save_figures(analysis, tmp_path)
