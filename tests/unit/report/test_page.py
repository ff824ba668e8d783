"""The page of a run: complete in itself, in plain words, and harmless whatever users type."""

import base64
import hashlib
import json
import re
from dataclasses import replace
from datetime import date
from html.parser import HTMLParser
from itertools import chain, pairwise
from pathlib import Path

import numpy as np
import pytest

from runs import MODEL, SETTINGS, small_series
from tetiwd import DistanceSeries, RunFolderError, SamplerSettings, outcomes_by_lineage, run_chains, simulate
from tetiwd.analysis import Analysis
from tetiwd.diagnostics import Diagnostics, Quantity
from tetiwd.merit import Merit
from tetiwd.narrative import narrate, narrative
from tetiwd.plots import Figure, save_figures
from tetiwd.plots.colours import contrast
from tetiwd.plots.lineage_facts import NOWHERE
from tetiwd.plots.style import new_axes
from tetiwd.report import report_html, summary_html, write_report
from tetiwd.report.certainty import TRUST, certain_and_not, trust, trust_in_words
from tetiwd.report.details import CITATION
from tetiwd.report.figures import figures
from tetiwd.report.objects import SHOWN_AT_ONCE, object_list
from tetiwd.report.rendering import Wording, json_for_script, script, style_sheet
from tetiwd.report.tables import lineages_table, probability
from tetiwd.resolution import ResolutionPath, Step
from tetiwd.summarize.links import LineageLinks

HOSTILE = (
    "</script><script>window.hit = 1</script>",
    "\"><img src=x onerror='window.hit = 1'>$\\frac{$",
    "\u202eright to left \u05d0\u05d1\u05d2 {{ 7 * 7 }} " + "x" * 100_000,
)
VOID = {"meta", "input", "br", "img", "link", "hr"}


class Page(HTMLParser):
    """Elements of a page, in order: name, attributes, text directly inside."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, dict[str, str], list[str]]] = []
        self.open: list[int] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"an attribute of {tag} is there twice"
        self.found.append((tag, {name: value or "" for name, value in attrs}, []))
        if tag not in VOID:
            self.open.append(len(self.found) - 1)

    def handle_startendtag(self, tag, attrs):
        self.found.append((tag, dict(attrs), []))

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.found[self.open.pop()][0] == tag, f"</{tag}> closes something else"

    def handle_data(self, data):
        if self.open:
            self.found[self.open[-1]][2].append(data)

    def all(self, tag):
        return [(attrs, "".join(text)) for name, attrs, text in self.found if name == tag]


def analysis_of(times=None, ids=None, settings=SETTINGS, n_by_epoch=(14, 11, 12)):
    series = small_series(n_by_epoch)
    series = DistanceSeries.from_distances(series.D, squared=True, times=times, ids=ids)
    return Analysis(run_chains(series, MODEL, settings))


@pytest.fixture(scope="module")
def ids():
    return [[f"patient-{t}-{i}" for i in range(n)] for t, n in enumerate((14, 11, 12))]


@pytest.fixture(scope="module")
def analysis(ids):
    return analysis_of(("2001", "2002", "2003"), ids)


@pytest.fixture(scope="module")
def html(analysis):
    return report_html(analysis)


@pytest.fixture(scope="module")
def hostile():
    found = analysis_of(
        HOSTILE, [[f"{label[:60]}-{i}" for i in range(n)] for label, n in zip(HOSTILE, (14, 11, 12), strict=True)]
    )
    return Analysis(replace(found.sample, remarks=("</p><script>window.hit = 1</script>" + "n" * 100_000,)))


def test_the_order_of_the_page(html):
    page = Page(html)
    assert html.startswith("<!doctype html>")
    ((root, _),) = page.all("html")
    assert root["lang"] == "en"
    sections = [attrs["id"] for attrs, _ in page.all("section")]
    assert sections[:5] == ["summary", "lineages", "n_clusters", "map", "sizes"]
    assert sections[5:] == ["tables", "coclustering", "geometry", "details"]
    assert len(page.all("h1")) == 1
    levels = [int(name[1]) for name, *_ in page.found if name in ("h1", "h2", "h3", "h4")]
    assert all(after <= before + 1 for before, after in pairwise(levels))
    named = {attrs["id"] for _, attrs, _ in page.found if "id" in attrs}
    links = [attrs["href"][1:] for attrs, _ in page.all("a")]
    assert set(links) <= named
    assert links == ["summary", *sections]  # the first skips to it; the others are in the order of the page


def test_ids_of_elements_are_unique(html):
    ids = [attrs["id"] for _, attrs, _ in Page(html).found if "id" in attrs]
    assert len(ids) == len(set(ids))


def test_policy_allows_this_style_and_this_script_and_nothing_else(html):
    page = Page(html)
    (policy,) = [attrs["content"] for attrs, _ in page.all("meta") if attrs.get("http-equiv")]
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    for kind, tag in (("style-src", "style"), ("script-src", "script")):
        (text,) = [text for attrs, text in page.all(tag) if attrs.get("type") != "application/json"]
        assert rules[kind] == f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    assert rules["img-src"] == "data:"
    assert "unsafe" not in policy


def test_nothing_in_it_needs_what_the_policy_forbids(analysis, hostile, ids):
    outcomes = outcomes_by_lineage(analysis.alignment, {own: i % 2 for i, own in enumerate(chain(*ids))})
    for html in (report_html(analysis, show_ids=True, outcomes=outcomes), report_html(hostile, show_ids=True)):
        for tag, attrs, _ in Page(html).found:
            assert "style" not in attrs
            assert not [name for name in attrs if name.startswith("on")]
            for name in ("src", "href", "srcset", "action", "data", "poster", "xlink:href"):
                assert attrs.get(name, "#")[:1] == "#" or attrs[name].startswith("data:image/png;base64,"), (tag, attrs)
            assert tag not in ("link", "iframe", "object", "embed", "base", "form", "foreignobject")


def test_text_of_users_stays_text(hostile):
    html = report_html(hostile, show_ids=True)
    page = Page(html)
    assert len(page.all("script")) == 2  # the data of the objects, and ours
    assert not page.all("img")
    assert "{{ 7 * 7 }}" in html  # shown as it is, not computed
    assert "\u202e" not in html
    assert len(html) < 1_000_000
    text = " ".join(text for _, text in page.all("bdi"))
    assert "</script><script>" in text
    summary = summary_html(hostile)
    assert "\u2068right to left" in summary  # isolated: it cannot turn the text around it
    assert summary.count("\u2068") == summary.count("\u2069")
    assert "<script" not in summary


def test_data_for_the_script_cannot_end_it():
    text = json_for_script({"a": ["</script>", "<!--", "&amp;", "\u2028\u2029", "ü木"]})
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == {"a": ["</script>", "<!--", "&amp;", "\u2028\u2029", "ü木"]}
    with pytest.raises(ValueError, match="JSON"):
        json_for_script(float("nan"))


def test_no_ids_unless_asked_for(analysis, html, ids):
    assert "patient" not in html
    assert "It holds no ids." in html
    shown_ids = report_html(analysis, show_ids=True)
    assert "It holds no ids." not in shown_ids
    (data,) = [text for attrs, text in Page(shown_ids).all("script") if attrs.get("type") == "application/json"]
    assert sorted(row[0] for row in json.loads(data)["rows"]) == sorted(chain(*ids))


def test_table_of_objects_is_cut_and_says_so(analysis):
    wording = Wording(analysis.sample.series.times)
    found = object_list(analysis, wording)
    certainty = [row[3] for row in found.data["rows"]]
    assert certainty == sorted(certainty)
    assert len(found.table.rows) == min(SHOWN_AT_ONCE, found.n_objects)
    many = analysis_of(n_by_epoch=(120, 120))
    html = report_html(many, show_ids=True)
    assert f"the first {SHOWN_AT_ONCE} of 240 are shown" in html
    (data,) = [text for attrs, text in Page(html).all("script") if attrs.get("type") == "application/json"]
    assert len(json.loads(data)["rows"]) == 240


def test_every_lineage_can_be_chosen_in_every_figure(analysis, html):
    lineages = {str(g) for g in range(analysis.clustering.n_lineages)}
    chips = [attrs["data-lineage"] for attrs, _ in Page(html).all("button") if "data-lineage" in attrs]
    assert set(chips) == lineages
    rows = [attrs["data-lineage"] for attrs, _ in Page(html).all("tr") if "data-lineage" in attrs]
    nowhere = {str(NOWHERE)} if sum(analysis.clustering.n_unassigned) else set()
    assert set(rows) == lineages | nowhere
    for own in figures(analysis):
        if own.key not in ("n_clusters", "traces"):
            marked = set(re.findall(r'data-lineage="(-?\d+)"', own.svg + "".join(panel.svg for panel in own.panels)))
            assert marked - {"-1"} <= lineages | nowhere, own.key
            assert marked, own.key


def test_every_figure_has_a_caption_of_one_sentence_and_a_name(html):
    page = Page(html)
    captions = [text for _, text in page.all("figcaption")]
    assert len(captions) == len(page.all("figure")) == 7
    assert all(re.fullmatch(r"[A-Z][^.]+\.", text.strip()) for text in captions)
    names = [attrs["aria-label"] for attrs, _ in page.all("svg")]
    assert all(names)


def test_many_times_have_fewer_pictures(analysis, monkeypatch):
    monkeypatch.setattr("tetiwd.report.figures.MOST_PANELS", 2)
    monkeypatch.setattr("tetiwd.report.figures.MOST_TIMES_ON_A_PHONE", 2)
    found = {own.key: own for own in figures(analysis)}
    assert [panel.epoch for panel in found["map"].panels] == [0, 2]
    assert found["map"].caption.endswith("2 of 3 time points are shown.")
    assert not found["lineages"].narrow
    assert found["lineages"].look == "wide"


@pytest.mark.parametrize(
    "change",
    [
        {"geometry_every": 0},
        {"n_chains": 1, "anneal": None},
        {"n_draws": 2, "thin": 1},
    ],
)
def test_unusual_runs_have_a_page(change):
    found = analysis_of(settings=replace(SETTINGS, **change))
    page = Page(report_html(found))
    assert ("geometry" in {attrs["id"] for attrs, _ in page.all("section")}) == ("geometry_every" not in change)


def test_one_time_only():
    found = analysis_of(n_by_epoch=(14,))
    html = report_html(found)
    assert "14 objects at one time form" in html
    assert "No event is more probable than not" in html


def test_times_that_are_not_linked():
    series = small_series()
    found = Analysis(run_chains(series, replace(MODEL, coupling=False), SETTINGS))
    html = report_html(found)
    assert "What to expect next" not in html
    assert "expect next." not in html


def test_dates_and_verdict_in_the_words_of_the_page():
    found = analysis_of(tuple(np.array(["2001-01-01", "2002-01-01", "2003-01-01"], dtype="datetime64[ns]")))
    html = report_html(found)
    assert "<bdi>2001-01-01</bdi> to <bdi>2003-01-01</bdi>" in html
    assert "00:00" not in html


def test_how_far_the_computation_can_be_trusted():
    def quantity(r_hat, ess):
        return Quantity("k at 1", 2.0, r_hat, ess, ess)

    assert trust(Diagnostics((quantity(1.0, 900.0),), "", True), 4) == "good"
    assert trust(Diagnostics((quantity(1.0, 900.0),), "", True), 1) == "fair"
    assert trust(Diagnostics((quantity(1.05, 20.0),), "", False), 4) == "fair"
    assert trust(Diagnostics((quantity(1.5, 20.0),), "", False), 4) == "bad"
    assert trust(Diagnostics((), "Too few draws", False), 4) == "bad"
    assert trust(Diagnostics((quantity(None, None),), "", True), 2) == "good"


def test_one_computation_is_not_said_to_differ_from_others():
    apart = Diagnostics((Quantity("k at 1", 2.0, 1.5, 20.0, 20.0),), "", False)
    assert "these did not give the same answer" in trust_in_words(apart, 4)[2]
    level, _, text = trust_in_words(apart, 1)
    assert level == "bad"
    assert "its beginning and its end do not give the same answer" in text
    assert "only once" in trust_in_words(replace(apart, quantities=(Quantity("k", 2.0, 1.0, 500.0, 500.0),)), 1)[2]
    assert "too few draws" in trust_in_words(replace(apart, quantities=()), 4)[2]


def test_the_details_of_one_chain_compare_its_beginning_with_its_end(html):
    alone = report_html(analysis_of(settings=replace(SETTINGS, n_chains=1)))
    assert "It was run only once (one MCMC chain)" in alone
    assert "repetitions" not in alone
    assert "repeated from different starting points" not in alone
    for page, chains in ((html, 2), (alone, 1)):
        texts = [text for tag in ("p", "figcaption", "dd", "desc") for _, text in Page(page).all(tag)]
        details = " ".join(texts)
        for words in (
            "Do the repetitions of the computation (MCMC chains) agree?",
            "R-hat compares the chains",
            "Disagreement between chains",
        ):
            assert (words in details) == (chains == 2), words
        for words in (
            "Do its beginning and its end agree?",
            "the end like the beginning; R-hat compares the two",
            "Disagreement between the beginning and the end of the chain",
        ):
            assert (words in details) == (chains == 1), words


def test_reasons_stand_with_the_resolution_and_trouble_with_the_verdict(analysis):
    labels = tuple(analysis.clustering.labels)
    steps = tuple(Step((dof,) * 3, labels, Merit(0.5, 0.5), 1.0) for dof in (3.0, 6.0, 12.0))
    told = {"reasons": ("for this reason",), "remarks": ("oh",)}
    chosen = replace(analysis.sample, resolution=ResolutionPath(steps, 1), **told)
    page = report_html(Analysis(chosen))
    section = page[page.index('<section id="resolution">') :]
    assert section[: section.index("</section>")].count("for this reason") == page.count("for this reason") == 1
    note = page[page.index('role="note"') : page.index("</section>", page.index('role="note"'))]
    assert "Remark: <bdi>oh</bdi>" in note
    without = report_html(Analysis(replace(chosen, resolution=None)))
    assert without.count("for this reason") == 1


def test_the_head_names_data_and_date(analysis, tmp_path, monkeypatch):
    monkeypatch.setattr("tetiwd.report.page.figures", lambda *_: [])
    named = write_report(analysis, tmp_path / "a.html", origin=["<b>x.csv", "2026-01-02"]).read_text("utf-8")
    assert '<p class="origin"><bdi>&lt;b&gt;x.csv</bdi> · <bdi>2026-01-02</bdi></p>' in named
    assert f"<bdi>{date.today().isoformat()}</bdi>" in write_report(analysis, tmp_path / "b.html").read_text("utf-8")


def test_a_clustering_outside_its_interval_is_explained(analysis, monkeypatch):
    table = analysis.n_clusters()
    assert not any("outside this range" in own for part in certain_and_not(analysis, "abc") for own in part)
    table.loc[1, ["clusters", "unassigned", "lower", "upper"]] = [2, 0, 4, 6]
    monkeypatch.setattr(Analysis, "n_clusters", lambda self: table)
    (told,) = (own for own in certain_and_not(analysis, "abc")[1] if own.startswith("How many clusters"))
    assert "The clustering shown has 2 clusters at b, outside this range" in told


def test_the_verdict_is_a_marked_note(analysis, html):
    level = trust(analysis.sample.diagnostics, 2)
    (note,) = [attrs for attrs, _ in Page(html).all("div") if attrs.get("role") == "note"]
    assert note["class"] == f"note {level}"
    assert TRUST[level][0] in html
    stopped = Analysis(replace(analysis.sample, ended="stopped", remarks=("The checkpoint of chain 1 was damaged.",)))
    page = report_html(stopped)
    assert page.count("The run was stopped early; it can be continued.") == 1
    assert page.count("The checkpoint of chain 1 was damaged.") == 1


def test_k_is_explained_where_the_verdict_mentions_it(analysis):
    for verdict in ("All 2 MCMC chains agree.", "MCMC chains disagree on k at 2001: 2 in chain 1 and 3 in chain 2."):
        judged = replace(analysis.sample)
        judged.__dict__["diagnostics"] = replace(analysis.sample.diagnostics, verdict=verdict)
        assert ("and k is the number of clusters.)" in report_html(Analysis(judged))) == ("k at" in verdict)


def test_certain_and_uncertain_add_up(analysis):
    certain, uncertain = certain_and_not(analysis, ("a", "b", "c"))
    objects = [re.search(r"The cluster of (\d+)", own) for own in certain + uncertain]
    assert sum(int(own.group(1)) for own in objects if own) == 37 - sum(analysis.clustering.n_unassigned)
    table = analysis.lineages.table().dropna(subset=["weakest_link"])
    sure = set(table.lineage[table.weakest_link >= 0.9])
    named = [own for own in certain if own.startswith("Lineage")]
    assert bool(sure) == bool(named)


@pytest.mark.parametrize(("links", "told"), [(None, True), (LineageLinks(), False)])
def test_links_of_the_model_alone_are_not_simply_certain(analysis, monkeypatch, links, told):
    own = replace(analysis.clustering, linked_by=links)
    monkeypatch.setitem(analysis.__dict__, "clustering", own)
    table = analysis.lineages.table().assign(weakest_link=0.95)
    monkeypatch.setattr(type(analysis.lineages), "table", lambda self: table)
    (said,) = [own for own in certain_and_not(analysis, ("a", "b", "c"))[0] if own.startswith("Lineage")]
    assert ("judged by sizes and by distances within times alone" in said) == told


def test_cells_do_not_pretend(analysis):
    assert [probability(p).shown for p in (0.0, 0.001, 0.5, 0.996, 1.0, np.nan)] == [
        "0.00", "<0.01", "0.50", ">0.99", "1.00", "–"
    ]  # fmt: skip
    table = lineages_table(analysis, Wording(analysis.sample.series.times))
    objects = [own.name for own in table.columns].index("Objects")
    assert sum(row.cells[objects].by for row in table.rows) == 37 - sum(analysis.clustering.n_unassigned)
    assert all(len(row.cells) == len(table.columns) for row in table.rows)


def test_times_in_sentences_cannot_turn_the_text_around():
    wording = Wording(("\u05d0\u05d1\u202e", "x" * 500, "b"))
    assert wording.inline == ("\u2068\u05d0\u05d1\u2069", f"\u2068{wording.labels[1]}\u2069", "b")
    assert len(wording.labels[1]) <= 40
    assert wording.sentence("a\u2069\u202e\u05d0\x00") == "\u2068a\u05d0\u2069"


def test_sentences_have_the_time_labels_of_the_page(analysis):
    told = narrative(analysis, ("one", "two", "three"))
    assert "(one to three)" in told.findings[0]
    assert not any(year in sentence for sentence in told.findings for year in ("2001", "2002", "2003"))
    assert told.sentences[: len(told.findings)] == list(told.findings)
    assert narrative(analysis).sentences == narrate(analysis)


def test_a_new_figure_is_one_entry_of_the_catalogue(analysis, tmp_path, monkeypatch):
    def draw(source, marks):
        ax = new_axes(4.0, 2.0)
        marks.mark(ax.plot(source.analysis.sample.series.n_objects)[0], lineage=0, title="a toy line")
        return ax

    toy = Figure("toy", "A toy", "It shows how many objects there are.", draw, place="above")
    absent = replace(toy, key="absent", when=lambda source: source.outcomes is not None)
    monkeypatch.setattr("tetiwd.plots.catalogue.FIGURES", (toy, absent))
    saved = save_figures(analysis, tmp_path, formats=("svg", "png"))
    assert [own.name for own in saved] == ["toy.svg", "toy.png"]
    assert "a toy line" in saved[0].read_text()
    html = report_html(analysis)
    assert "a toy line" in html
    page = Page(html)
    assert [attrs["id"] for attrs, _ in page.all("section")][:2] == ["summary", "toy"]
    assert [text.strip() for _, text in page.all("figcaption")] == [toy.caption]
    assert ("#toy", "A toy") in [(attrs["href"], text) for attrs, text in page.all("a")]


def test_outcomes(analysis, ids):
    outcomes = outcomes_by_lineage(
        analysis.alignment, {own: i % 3 == 0 for i, own in enumerate(chain(*ids))}, name="<relapse>"
    )
    html = report_html(analysis, outcomes=outcomes)
    assert "Outcomes by lineage: <bdi>&lt;relapse&gt;</bdi>" in html
    assert [attrs["id"] for attrs, _ in Page(html).all("section")].index("outcomes") == 8
    assert "Outcomes" not in report_html(analysis)


def test_how_to_cite_says_what_the_citation_file_says():
    file = (Path(__file__).parents[3] / "CITATION.cff").read_text("utf-8")
    words = " ".join(CITATION)
    for family, given in re.findall(r"family-names: ([^,]+), given-names: ([^}]+?) }", file):
        assert f"{given} {family}" in words
    for name in ("title", "journal", "year", "volume", "issue", "start", "end", "doi", "license"):
        for value in re.findall(rf'(?m)^\s*{name}: "?([^"\n]+)"?$', file):
            assert value in words, name


def test_colours_can_be_read_on_paper_and_in_the_dark():
    light, dark = re.findall(r"(?s):root \{(.*?)\}", style_sheet())[:2]
    for block in (light, dark):
        colours = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", block))
        for page in ("page", "card", "lit"):
            for ink in ("ink", "soft", "link", "bad"):
                assert contrast(colours[ink], colours[page]) >= 4.5, (ink, page)
        for kind in ("good", "fair", "bad"):
            assert contrast(colours[kind], colours[f"{kind}-page"]) >= 4.5
            assert contrast(colours["ink"], colours[f"{kind}-page"]) >= 4.5
        assert contrast(colours["tip"], colours["tip-ink"]) >= 4.5


def test_style_and_script_do_not_end_themselves():
    for text in (style_sheet(), script()):
        assert "</" not in text
        assert "\r" not in text
        assert "http" not in text
    assert "innerHTML" not in script()


def test_the_same_run_makes_the_same_page(analysis, html):
    assert report_html(Analysis(analysis.sample)) == html


def test_a_file_that_is_there_is_left_alone(analysis, tmp_path, monkeypatch):
    monkeypatch.setattr("tetiwd.report.page.figures", lambda *_: [])
    written = write_report(analysis, tmp_path)
    assert written == tmp_path / "report.html"
    with pytest.raises(RunFolderError, match="is there already"):
        write_report(analysis, written)
    written.write_text("old", "utf-8")
    assert write_report(analysis, written, overwrite=True).read_text("utf-8").startswith("<!doctype html>")
    with pytest.raises(RunFolderError, match="choose another place"):
        write_report(analysis, tmp_path / "no" / "page.html")


def test_size_of_the_file():
    n = 60
    truth = simulate([n] * 8, replace(MODEL, alpha=0.3, new_scale=1.0), seed=3)
    series = DistanceSeries.from_distances(truth.D, squared=True)
    few = SamplerSettings(n_chains=2, n_warmup=10, n_draws=10, n_anneal=2, seed=1)
    html = report_html(Analysis(run_chains(series, MODEL, few)), show_ids=True)
    assert len(html.encode()) < 5_000_000 * 8 * n / (15 * 150)  # 5 MB for 15 times of 150 objects
