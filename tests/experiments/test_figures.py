"""Figures of experiments draw the numbers they are given, and their files are whole."""

from xml.etree import ElementTree

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from reference import rng_for
from tetiwd import Hyperparameters, simulate
from tetiwd.errors import DataError, SettingsError
from tetiwd.model.simulation import Simulation
from tetiwd.plots.colours import GREY, lineage_colour
from tetiwd.plots.style import FILL
from tetiwd_experiments.figures import plot_boxes, plot_differences, plot_projections, plot_traces_of_k, save_figure
from tetiwd_experiments.statistics import paired

METHODS = {"Te-TiWD": 0.8, "static TIWD": 0.78, "Ward": 0.3, "$HDBSCAN$": 0.0}
ROUNDING = 1e-9


def results_of(sizes=(40, 10), n_repeats=8, protocol="fresh", variant="400/60/40 model"):
    rng = rng_for(85)
    rows = []
    for repeat in range(n_repeats):
        for method, mean in METHODS.items():
            for epoch, n in enumerate(sizes):
                row = {"variant": variant, "protocol": protocol, "repeat": repeat, "data_seed": repeat}
                row |= {"method": method, "epoch": epoch, "n_objects": n, "ari": mean + rng.normal(0, 0.03)}
                row |= {"vi": 1.0, "n_clusters": 4, "true_clusters": 4, "seconds": 1.0}
                rows.append(row)
    return pd.DataFrame(rows)


@pytest.fixture(autouse=True)
def _no_trace():
    """No figure of pyplot stays open and no setting of matplotlib changes."""
    before = dict(matplotlib.rcParams)
    yield
    assert pyplot.get_fignums() == []
    assert dict(matplotlib.rcParams) == before


def points(ax):
    """What is drawn as single points, in the order of drawing."""
    return [line for line in ax.lines if line.get_linestyle() == "None"]


def texts(ax):
    return [text.get_text() for text in ax.texts]


def assert_nothing_is_cut_off_or_overlaps(figure):
    """All text lies within the figure, and no text covers another."""
    renderer, edge = FigureCanvasAgg(figure).get_renderer(), figure.bbox
    figure.draw(renderer)
    texts = [
        text for ax in figure.axes for text in (*ax.texts, ax.title, ax._left_title, ax.xaxis.label, ax.yaxis.label)
    ]
    for ax in figure.axes:
        texts += [tick.label1 for axis in (ax.xaxis, ax.yaxis) for tick in axis._update_ticks()]
    texts += [text for text in (figure._supxlabel, figure._supylabel, figure._suptitle) if text is not None]
    boxes = [(text, text.get_window_extent(renderer)) for text in texts if text.get_text() and text.get_visible()]
    boxes = [(text, box) for text, box in boxes if box.width]
    assert boxes
    for i, (text, box) in enumerate(boxes):
        assert box.x0 >= edge.x0 - 1, text
        assert box.x1 <= edge.x1 + 1, text
        assert box.y0 >= edge.y0 - 1, text
        assert box.y1 <= edge.y1 + 1, text
        for other, place in boxes[:i]:
            shared = box.intersection(box, place)
            assert shared is None or min(shared.width, shared.height) < 1, (text, other)


def test_boxes_show_every_repeat_and_the_mean():
    results = results_of()
    figure = plot_boxes(results, "400/60/40 model", "fresh")
    (ax,) = figure.axes
    means = results.groupby(["method", "repeat"]).ari.mean()
    for line, (i, method) in zip(points(ax), enumerate(METHODS), strict=True):
        assert sorted(line.get_xdata()) == pytest.approx(sorted(means[method]), abs=ROUNDING)
        assert (np.abs(line.get_ydata() - i) < 0.3).all()
        assert to_hex(line.get_color()).upper() == (FILL if method == "Te-TiWD" else GREY)
        assert f"{means[method].mean():.3f}".replace("-", "−") in texts(ax)
    assert means.min() < 0
    assert ax.get_xlim() == pytest.approx((means.min(), 1.0), abs=ROUNDING)
    assert [text.get_text() for text in ax.get_yticklabels()] == ["Te-TiWD", "static TIWD", "Ward", r"\$HDBSCAN\$"]
    assert "8 fresh data sets" in texts(ax)
    assert_nothing_is_cut_off_or_overlaps(figure)


def test_boxes_leave_out_what_is_unknown():
    results = results_of()
    results.loc[(results.method == "Ward") & (results["repeat"] == 2) & (results.epoch == 1), "ari"] = np.nan
    results.loc[results.method == "static TIWD", "ari"] = np.nan
    (ax,) = plot_boxes(results, "400/60/40 model", "fresh").axes
    assert [len(line.get_xdata()) for line in points(ax)] == [8, 7, 8]
    with pytest.raises(DataError, match="no adjusted Rand index for 'other' with protocol 'fresh'"):
        plot_boxes(results, "other", "fresh")


def test_projections_keep_what_is_in_the_plane():
    """Data that live in a plane keep all their distances, and colours are those of the true clusters."""
    rng = rng_for(86)
    plane, _ = np.linalg.qr(rng.standard_normal((7, 2)))
    flat = [rng.standard_normal((n, 2)) * (3, 1) + t for t, n in enumerate((30, 8, 5))]
    labels = [rng.integers(0, 3, len(points)) for points in flat]
    figure = plot_projections(Simulation(X=[points @ plane.T + 2 for points in flat], labels=labels, alpha=1.0))
    assert len(figure.axes) == 3
    everything = np.vstack([np.asarray(ax.collections[0].get_offsets()) for ax in figure.axes])
    truth = np.vstack(flat)

    def lengths(X):
        return np.sort(((X[:, None] - X[None]) ** 2).sum(-1).ravel())

    assert lengths(everything) == pytest.approx(lengths(truth), rel=ROUNDING, abs=ROUNDING)
    for ax, labels_now in zip(figure.axes, labels, strict=True):
        drawn = sorted(to_hex(colour).upper() for colour in ax.collections[0].get_facecolors())
        assert drawn == sorted(lineage_colour(int(lineage)) for lineage in labels_now)
        assert (ax.get_xlim(), ax.get_ylim()) == (figure.axes[0].get_xlim(), figure.axes[0].get_ylim())
        assert ax.get_title(loc="left").endswith(f"{len(labels_now)} objects")
    assert "time →" in figure._supxlabel.get_text()
    assert "100 %" in figure._supxlabel.get_text()
    assert_nothing_is_cut_off_or_overlaps(figure)


@pytest.mark.parametrize("sizes", [(12,), (5, 9), (20,) * 5, (9,) * 7])
def test_projections_of_any_number_of_epochs(sizes):
    figure = plot_projections(simulate(sizes, Hyperparameters(dof=8, alpha=0.5, new_scale=1.0), seed=2))
    assert len(figure.axes) == len(sizes)
    assert_nothing_is_cut_off_or_overlaps(figure)


def test_projections_show_small_epochs_as_well_as_large_ones():
    """The large epoch fills the first two axes, the small one the others, and twice as far: it has more variance."""
    rng = rng_for(88)
    nothing = np.zeros((200, 2))
    X = [np.hstack([rng.standard_normal((200, 2)), nothing]), np.hstack([nothing[:8], np.array([[1, 1], [-1, 1]] * 4)])]
    X[1][4:, 2:] *= -1
    X[1] *= 2
    X[0] -= X[0].mean(axis=0)
    figure = plot_projections(Simulation(X=X, labels=[np.zeros(200, int), np.arange(8) % 4], alpha=1.0))
    large, small = (np.asarray(ax.collections[0].get_offsets()) for ax in figure.axes)
    assert np.abs(large).max() < ROUNDING
    assert (small**2).sum(1) == pytest.approx(np.full(8, 8.0), abs=ROUNDING)


def test_projections_need_one_space():
    with pytest.raises(DataError, match=r"epochs have \[2, 3\] dimensions"):
        plot_projections(Simulation(X=[np.eye(3), np.eye(2)], labels=[np.arange(3), np.arange(2)], alpha=1.0))


def test_traces_of_k_show_the_trace_the_burn_in_and_the_truth():
    trace = rng_for(87).integers(2, 9, (60, 3))
    figure = plot_traces_of_k(trace, [4, 5, 11], n_warmup=20)
    for t, ax in enumerate(figure.axes):
        line, truth = ax.lines
        assert line.get_ydata().tolist() == trace[:, t].tolist()
        assert line.get_xdata().tolist() == list(range(1, 61))
        assert set(truth.get_ydata()) == {(4, 5, 11)[t]}
        (shade,) = (patch for patch in ax.patches if isinstance(patch, Rectangle))
        assert (shade.get_x(), shade.get_x() + shade.get_width()) == (0.5, 20.5)
        assert f"mean {trace[20:, t].mean():.1f}" in ax.get_title(loc="left")
        assert ax.get_ylim() == (trace.min() - 0.5, 11.5)
    assert_nothing_is_cut_off_or_overlaps(figure)
    assert not plot_traces_of_k(trace, 4).axes[0].patches


@pytest.mark.parametrize(
    ("trace", "true_k", "n_warmup", "error", "message"),
    [
        (np.ones(5), 1, 0, DataError, r"its shape is \(5,\)"),
        (np.ones((5, 2)), [1, 2, 3], 0, DataError, "3 numbers for 2 epochs"),
        (np.ones((5, 2)), 1, 6, SettingsError, "between 0 and the 5 sweeps of the trace, not 6"),
    ],
)
def test_traces_of_k_refuse_what_does_not_fit(trace, true_k, n_warmup, error, message):
    with pytest.raises(error, match=message):
        plot_traces_of_k(trace, true_k, n_warmup)


def test_differences_show_the_table():
    table = paired(results_of())
    figure = plot_differences(table)
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["all epochs", "epoch 0, n = 40", "epoch 1, n = 10"]
    low, high = figure.axes[0].get_xlim()
    for ax, epoch in zip(figure.axes, ("all", "0", "1"), strict=True):
        rows = table[table.epoch == epoch]
        for dot, row in zip(points(ax), rows.itertuples(), strict=True):
            beyond = row.difference > high
            assert dot.get_marker() == (">" if beyond else "o")
            assert dot.get_xdata()[0] == (high if beyond else row.difference)
            assert to_hex(dot.get_color()).upper() == (FILL if row.lower > 0 else GREY)
            assert f"{row.difference:+.3f}".replace("-", "−") in texts(ax)
        intervals = [line for line in ax.lines if line.get_linewidth() == 1.8]
        first = rows.iloc[0]
        assert intervals[0].get_xdata().tolist() == [first.lower, first.upper]
    assert low < table.lower.min()
    assert {points(figure.axes[0])[i].get_marker() for i in (1, 2)} == {">"}  # Ward and the like are far behind
    assert_nothing_is_cut_off_or_overlaps(figure)


@pytest.mark.parametrize("n_epochs", [1, 3, 5])
def test_differences_of_any_number_of_epochs(n_epochs):
    figure = plot_differences(paired(results_of(sizes=(200,) * n_epochs)))
    assert len(figure.axes) == 1 + n_epochs
    assert_nothing_is_cut_off_or_overlaps(figure)


def test_differences_of_one_data_set_have_no_interval():
    table = paired(results_of(n_repeats=1))
    figure = plot_differences(table[table.epoch == "all"])
    (ax,) = figure.axes
    assert len(points(ax)) == 3
    assert len(ax.lines) == 4  # and 0
    assert_nothing_is_cut_off_or_overlaps(figure)


def test_differences_need_one_variant():
    table = paired(pd.concat([results_of(), results_of(variant="other")]))
    with pytest.raises(SettingsError, match="variants 400/60/40 model, other; choose one"):
        plot_differences(table)
    assert len(plot_differences(table, "other").axes) == 3
    with pytest.raises(DataError, match="no differences for 'third'"):
        plot_differences(table, "third")


def test_files_are_whole_and_the_same_every_time(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        figure = plot_boxes(results_of(), "400/60/40 model", "fresh")
        paths = save_figure(figure, tmp_path / folder, "boxes", title="Boxes & more", desc="ARI by method.")
        assert [path.name for path in paths] == ["boxes.svg", "boxes.png"]
    assert sorted(path.name for path in (tmp_path / "a").iterdir()) == ["boxes.png", "boxes.svg"]
    for name in ("boxes.svg", "boxes.png"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    assert (tmp_path / "a" / "boxes.png").read_bytes().startswith(b"\x89PNG")
    root = ElementTree.parse(tmp_path / "a" / "boxes.svg").getroot()
    assert "Boxes & more" in [element.text for element in root.iter("{http://www.w3.org/2000/svg}title")]
    with pytest.raises(SettingsError, match="formats must be some of"):
        save_figure(figure, tmp_path, "boxes", title="", desc="", formats=("gif",))
