"""The report as a reader meets it: in Chromium, on a large screen and on a phone, with and without scripts."""

import json
from dataclasses import replace
from itertools import chain

import numpy as np
import pandas as pd
import pytest

from reference import rng_for
from runs import MODEL, SETTINGS, small_series
from tetiwd import DistanceSeries, Hyperparameters, SamplerSettings, metadata_for, outcomes_by_lineage, run_chains
from tetiwd.analysis import Analysis
from tetiwd.io.data_settings import DataSettings
from tetiwd.io.kept_sequences import sequences_of
from tetiwd.io.read import read_series
from tetiwd.params import AnswerSettings
from tetiwd.report import MetadataReport, SitesReport, write_report
from tetiwd.summarize.naming import LineageName, Names

HOSTILE = (
    "</script><script>window.hit = 1; alert(1)</script>",
    "\"><img src=x onerror='window.hit = 1'>$\\frac{$",
    "\u202eright to left \u05d0\u05d1\u05d2 " + "x" * 100_000,
)
QUICK = SamplerSettings(n_chains=2, n_warmup=10, n_draws=10, n_anneal=2, seed=1)
QUICK_MODEL = Hyperparameters(dof=4, geometry="pooled")
WIDTHS = (1280, 390)

# Elements whose text is seen, and the boxes in which it is seen: scrolled boxes hide what is outside of them.
OVERLAPS = """
const shown = [];
const clipped = (box, element) => {
  let [left, top, right, bottom] = [box.left, box.top, box.right, box.bottom];
  for (let own = element; own && own !== document.body; own = own.parentElement) {
    if (getComputedStyle(own).overflowX === "visible") continue;
    const frame = own.getBoundingClientRect();
    [left, top] = [Math.max(left, frame.left), Math.max(top, frame.top)];
    [right, bottom] = [Math.min(right, frame.right), Math.min(bottom, frame.bottom)];
  }
  const spare = (bottom - top) * 0.2;  // a box is higher than its letters
  return [left, top + spare, right, bottom - spare];
};
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const node = walker.currentNode, element = node.parentElement;
  if (!node.data.trim() || element.closest(".skip, [hidden], [transform*=rotate]")) continue;
  if (element.closest("script, style, title, desc")) continue;
  if (!element.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true })) continue;
  const range = document.createRange();
  range.selectNodeContents(node);
  for (const box of range.getClientRects()) {
    const seen = clipped(box, element);
    if (seen[2] - seen[0] > 2 && seen[3] - seen[1] > 2) shown.push([node.data.trim().slice(0, 40), node, seen]);
  }
}
const found = [];
shown.sort((a, b) => a[2][1] - b[2][1]);
for (let i = 0; i < shown.length; i += 1) {
  for (let j = i + 1; j < shown.length && shown[j][2][1] < shown[i][2][3]; j += 1) {
    const [a, b] = [shown[i][2], shown[j][2]];
    const wide = Math.min(a[2], b[2]) - Math.max(a[0], b[0]), high = Math.min(a[3], b[3]) - Math.max(a[1], b[1]);
    if (wide > 1.5 && high > 1.5 && shown[i][1] !== shown[j][1]) found.push([shown[i][0], shown[j][0], wide, high]);
  }
}
return [shown.length, found];
"""
FIGURES = """
return Array.from(document.querySelectorAll("figure svg"))
  .filter((own) => own.checkVisibility())
  .map((own) => {
    const box = own.getBoundingClientRect();
    return [own.closest("figure").id, box.width, box.height, own.querySelectorAll("path, rect, text, use").length];
  });
"""
CUT = """
return Array.from(document.querySelectorAll("figure svg text"))
  .filter((own) => own.checkVisibility())
  .map((own) => [own.textContent, own.getBoundingClientRect(), own.ownerSVGElement.getBoundingClientRect()])
  .filter(([, text, page]) => text.left < page.left - 3 || text.right > page.right + 3)
  .map(([words, text, page]) => [words, text.left - page.left, text.right - page.right]);
"""
LIT = """
const lineage = arguments[0];
const wrong = [], seen = {};
for (const own of document.querySelectorAll("figure svg [data-lineage]")) {
  const meant = own.dataset.lineage === lineage || own.dataset.toLineage === lineage;
  const key = own.closest("figure").id;
  seen[key] = (seen[key] || 0) + meant;
  const faded = Number(getComputedStyle(own).opacity) < 0.2;
  if (own.classList.contains("lit") !== meant || faded === meant) wrong.push(key);
}
for (const own of document.querySelectorAll("tbody tr[data-lineage]")) {
  const meant = own.dataset.lineage === lineage;
  const key = own.closest(".table").dataset.table;
  seen[key] = (seen[key] || 0) + meant;
  if (own.classList.contains("lit") !== meant) wrong.push(key);
}
return [seen, wrong, document.querySelector(".message").textContent];
"""


def analysis_of(times=None, ids=None, settings=SETTINGS, n_by_epoch=(14, 11, 12)):
    series = DistanceSeries.from_distances(small_series(n_by_epoch).D, squared=True, times=times, ids=ids)
    return Analysis(run_chains(series, MODEL, settings))


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """A usual report with everything on it, the same without unassigned objects, one of hostile names, one of many
    times."""
    folder = tmp_path_factory.mktemp("reports")
    ids = [[f"patient-{t}-{i}" for i in range(n)] for t, n in enumerate((14, 11, 12))]
    usual = analysis_of((2001, 2002, 2003), ids)
    outcomes = outcomes_by_lineage(
        usual.alignment, {own: i % 3 == 0 for i, own in enumerate(chain(*ids))}, name="relapse"
    )
    all_assigned = Analysis(usual.sample, AnswerSettings(min_size=1))
    hostile = analysis_of(HOSTILE, [[HOSTILE[0] + str(i) for i in range(n)] for n in (14, 11, 12)])
    hostile = Analysis(replace(hostile.sample, remarks=(HOSTILE[0], HOSTILE[1])))
    many = analysis_of(settings=QUICK, n_by_epoch=(9,) * 14)
    (known, metadata), (dated, sites) = features_with_metadata(), sequences(folder)
    return {
        "usual": write_report(usual, folder / "usual.html", show_ids=True, outcomes=outcomes),
        "all assigned": write_report(all_assigned, folder / "all_assigned.html", show_ids=True),
        "hostile": write_report(hostile, folder / "hostile.html", show_ids=True),
        "many": write_report(many, folder / "many.html"),
        "metadata": write_report(known, folder / "metadata.html", show_ids=True, sections=[metadata]),
        "sites": write_report(dated, folder / "sites.html", sections=[sites]),
    }


def features_with_metadata():
    """Three groups at three times whose members return, with names; metadata, with known labels, beside them."""
    rng, n = rng_for(81), 24
    group, year = np.tile(np.arange(n) % 3, 3), np.repeat([2001, 2002, 2003], n)
    ids = np.tile([f"patient-{i}" for i in range(n)], 3)
    X = rng.normal(size=(3 * n, 4)) + 5 * np.eye(3, 4)[group]
    table = pd.DataFrame(X, columns=["weight", "height", "blood pressure", "age at diagnosis"])
    series = DistanceSeries.from_features(table, time=year, ids=ids)
    known = pd.DataFrame(
        {
            "id": ids[:n],
            "diagnosis": np.array(["A", "B", "a rare one with a long name"])[group[:n]],
            "marker in blood": 10 + 4 * group[:n] + rng.normal(size=n),
            "country": np.array(["Norway", "Spain"])[(group[:n] > 1).astype(int)],
        }
    )
    report = MetadataReport(metadata_for(series, known, id="id"), known="diagnosis")
    called = {0: LineageName("Delta"), 1: LineageName("those who came early and stayed", "#7A3E9D")}
    return Analysis(run_chains(series, QUICK_MODEL, QUICK), names=Names(by_user=called)), report


def sequences(folder):
    """Two clades of dated sequences that differ at some sites."""
    rng, records = rng_for(82), []
    clades = [rng.choice(list("ACGT"), 60)] * 2
    clades[1] = np.where(np.arange(60) % 6 == 1, rng.choice(list("ACGT"), 60), clades[0])
    for year in (2001, 2002):
        for i in range(16):
            letters = clades[i % 2].copy()
            letters[rng.choice(60, 2, replace=False)] = rng.choice(list("ACGT"), 2)
            records.append(f">v{year}_{i}|{year}-06-01\n{''.join(letters)}\n")
    file = folder / "clades.fasta"
    file.write_text("".join(records))
    series = read_series([file], DataSettings(by="year")).series
    return Analysis(run_chains(series, QUICK_MODEL, QUICK)), SitesReport(*sequences_of([file], series))


@pytest.fixture
def visit(browser, pages):
    """Open a report at a width, after forgetting what was logged before."""

    def go(name, width=1280):
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        browser.get("about:blank")
        browser.get_log("browser")
        browser.get_log("performance")
        browser.get(pages[name].as_uri())
        return browser

    return go


def find(browser, what):
    return browser.find_elements("css selector", what)


def press(browser, *keys):
    from selenium.webdriver import ActionChains

    ActionChains(browser).send_keys(*keys).perform()


@pytest.mark.parametrize("name", ["usual", "hostile", "many", "metadata", "sites"])
def test_loads_nothing_and_complains_about_nothing(visit, pages, name):
    browser = visit(name)
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    asked = [own["params"]["request"]["url"] for own in messages if own["method"] == "Network.requestWillBeSent"]
    assert asked[0] == pages[name].as_uri()
    assert all(url.startswith("data:image/png") for url in asked[1:])
    assert browser.get_log("browser") == []  # no error, and nothing that the policy blocks
    assert browser.execute_script("return window.hit === undefined")
    assert browser.execute_script("return document.documentElement.classList.contains('js')")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(
    ("name", "section", "tables"),
    [
        ("usual", None, {"outcomes"}),
        ("metadata", "metadata", {"agreement", "confusion", "covariates", "markers", "transitions", "objects"}),
        ("sites", "sequences", {"sites", "prototypes", "transitions"}),
    ],
)
def test_sections_are_in_the_order_of_the_navigation_and_none_is_empty(visit, name, section, tables, width):
    browser = visit(name, width)
    links = browser.execute_script("return Array.from(document.querySelectorAll('nav a'), (own) => own.hash.slice(1))")
    ids, tops, lengths, shown = browser.execute_script("""
      const all = Array.from(document.querySelectorAll("main > section"));
      return [
        all.map((own) => own.id), all.map((own) => own.getBoundingClientRect().top),
        all.map((own) => own.innerText.replace(own.querySelector("h2").innerText, "").trim().length),
        Array.from(document.querySelectorAll("[data-table] tbody tr"), (own) => own.closest(".table").dataset.table),
      ];""")
    assert links == ids
    assert section is None or section in ids
    assert tops == sorted(tops)
    assert min(lengths) > 40
    assert tables <= set(shown)


def test_names_of_lineages_are_everywhere(visit):
    browser = visit("metadata")
    assert [own.text for own in find(browser, ".chips button")] == ["Delta", "those who came early and stayed", "2"]
    for key in ("lineages", "confusion", "covariates", "markers", "transitions", "forecast", "objects"):
        assert "Delta" in find(browser, f"[data-table={key}]")[0].text
    texts = browser.execute_script("return Array.from(document.querySelectorAll('svg text'), (own) => own.textContent)")
    assert {"Delta", "2"} <= set(texts)
    assert any(own.startswith("those who") and own.endswith("…") for own in texts)


def test_the_policy_does_block(visit):
    browser = visit("usual")
    browser.execute_script(
        "const own = document.createElement('script'); own.textContent = 'window.hit = 1';"
        "document.body.append(own); document.body.setAttribute('style', 'color: red');"
    )
    assert browser.execute_script("return window.hit === undefined")
    assert sum("Content Security Policy" in entry["message"] for entry in browser.get_log("browser")) == 2


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", ["usual", "hostile", "many", "metadata", "sites"])
def test_text_is_where_it_can_be_read(visit, name, width):
    browser = visit(name, width)
    for folded in (True, False):
        if not folded:
            browser.execute_script("document.querySelectorAll('details').forEach((own) => { own.open = true; })")
        n, overlaps = browser.execute_script(OVERLAPS)
        assert n > 100
        assert overlaps == []
        assert browser.execute_script(CUT) == []
        assert browser.execute_script("return document.documentElement.scrollWidth") == width
    figures = browser.execute_script(FIGURES)
    assert len({own[0] for own in figures}) == (8 if name == "usual" else 7)
    assert all(wide > 100 and high > 60 and parts > 0 for _, wide, high, parts in figures)


def test_choosing_by_click_lights_the_lineage_everywhere(visit):
    from selenium.webdriver import ActionChains

    browser = visit("usual")
    where = {
        "figure-lineages",
        "figure-map",
        "figure-sizes",
        "figure-coclustering",
        "figure-geometry",
        "figure-outcomes",
    }
    where |= {"lineages", "forecast", "outcomes", "objects"}
    block = find(browser, ".for-wide [data-kind='block'][data-lineage='1'] path")[0]
    for click in (
        lambda: ActionChains(browser).move_to_element_with_offset(block, 26, 0).click().perform(),  # beside its number
        find(browser, ".for-wide [data-kind='label'][data-lineage='1'] text")[0].click,
        find(browser, ".chips [data-lineage='1']")[0].click,
        find(browser, "[data-table=lineages] tr[data-lineage='1']")[0].click,
    ):
        click()
        seen, wrong, message = browser.execute_script(LIT, "1")
        assert wrong == []
        assert {key for key, n in seen.items() if n} >= where
        assert message.startswith("Lineage 1: ")
        assert [own.text for own in find(browser, ".chips [aria-pressed=true]")] == ["1"]
        click()
        assert find(browser, ".lit, .choosing, .chips [aria-pressed=true]") == []


def test_unassigned_objects_can_be_chosen(visit):
    browser = visit("usual")
    find(browser, "[data-table=unassigned] tbody tr")[0].click()
    seen, wrong, message = browser.execute_script(LIT, "-2")
    assert set(wrong) <= {"figure-sizes"}  # where they share a lane with others
    assert {key for key, n in seen.items() if n} >= {"figure-lineages", "figure-map", "unassigned", "objects"}
    assert message.startswith("Objects that are not assigned to a cluster.")


def test_choosing_by_keyboard_and_escape(visit):
    from selenium.webdriver.common.keys import Keys

    browser = visit("usual")
    for _ in range(30):
        press(browser, Keys.TAB)
        if "chip" in browser.switch_to.active_element.get_attribute("class"):
            break
    press(browser, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_LEFT)
    own = browser.switch_to.active_element
    assert own.get_attribute("data-lineage") == "1"
    (tip,) = find(browser, "#tip")
    assert tip.text.startswith("Lineage 1: ")
    assert own.get_attribute("aria-describedby") == "tip"
    press(browser, Keys.ENTER)
    seen, wrong, _ = browser.execute_script(LIT, "1")
    assert wrong == []
    assert sum(seen.values()) > 10
    press(browser, Keys.ESCAPE)
    assert find(browser, ".lit, .choosing, .chips [aria-pressed=true]") == []
    assert not tip.is_displayed()
    assert find(browser, ".message")[0].text == "All lineages are shown."
    press(browser, Keys.TAB)
    assert "chip" not in browser.switch_to.active_element.get_attribute("class")  # one stop for all chips


def test_hover_text(visit):
    from selenium.webdriver import ActionChains

    browser = visit("usual")
    block = find(browser, ".for-wide [data-kind='block'][data-lineage='0'] path")[0]
    browser.execute_script("arguments[0].scrollIntoView({ block: 'center' })", block)
    browser.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
    ActionChains(browser).move_to_element(block).perform()
    (tip,) = find(browser, "#tip")
    assert tip.text.startswith("lineage 0 at 2001: ")
    ActionChains(browser).move_to_element(find(browser, "h1")[0]).perform()
    assert not tip.is_displayed()


def test_sorting_and_filtering(visit):
    from selenium.webdriver.common.keys import Keys

    browser = visit("all assigned")  # it has lineages of one time, without links
    column = (
        "return Array.from(document.querySelectorAll('[data-table=lineages] tbody tr:not([hidden])'),"
        "(own) => own.cells[5].textContent)"
    )
    before = browser.execute_script(column)
    button = find(browser, "[data-table=lineages] th:nth-child(6) button")[0]
    button.click()
    head = find(browser, "[data-table=lineages] th:nth-child(6)")[0]
    assert head.get_attribute("aria-sort") == "descending"
    assert browser.execute_script(column) == sorted(before, key=int, reverse=True)
    button.send_keys(Keys.ENTER)
    assert head.get_attribute("aria-sort") == "ascending"
    assert browser.execute_script(column) == sorted(before, key=int)
    find(browser, "[data-table=lineages] th:nth-child(8) button")[0].click()
    links = browser.execute_script(column.replace("cells[5]", "cells[7]"))
    assert links[-1] == "–"  # what is not there comes last, downwards as well
    assert find(browser, "[data-table=lineages] th[aria-sort]")[0].text.startswith("Weakest link")
    box = find(browser, "[data-table=objects] input")[0]
    box.send_keys("PATIENT-1-3 2002")
    rows = find(browser, "[data-table=objects] tbody tr")
    assert [own.text.split()[0] for own in rows] == ["patient-1-3"]
    assert find(browser, "[data-table=objects] .count")[0].text == "1 of 37 objects match"
    box.clear()
    box.send_keys("nobody")
    assert find(browser, "[data-table=objects] tbody tr") == []


def test_hostile_names_are_text(visit):
    browser = visit("hostile")
    assert browser.execute_script("return window.hit === undefined")
    assert browser.execute_script("return document.querySelectorAll('img').length") == 0
    find(browser, "[data-table=objects] th:nth-child(1) button")[0].click()
    find(browser, "[data-table=objects] input")[0].send_keys("script")
    assert find(browser, "[data-table=objects] tbody td bdi")[0].text.startswith("</script><script>")
    assert browser.execute_script("return window.hit === undefined")
    assert browser.get_log("browser") == []


def test_pictures_of_one_time_can_be_gone_to(visit):
    browser = visit("many")
    browser.execute_script("document.querySelector('#figure-map select').value = '10';")
    browser.execute_script("document.querySelector('#figure-map select').dispatchEvent(new Event('change'))")
    inside = (
        "const strip = document.querySelector(`#figure-${arguments[0]} .strip`).getBoundingClientRect();"
        "const own = document.querySelector(`#figure-${arguments[0]} [data-epoch='10'].panel`).getBoundingClientRect();"
        "return own.left >= strip.left - 1 && own.right <= strip.right + 1"
    )
    assert browser.execute_script(inside, "map")
    assert browser.execute_script(inside, "coclustering")
    find(browser, "#figure-map button[aria-label=Later]")[0].click()
    assert browser.execute_script("return document.querySelector('#figure-coclustering select').value") == "11"


@pytest.mark.parametrize("width", WIDTHS)
def test_without_scripts_everything_is_there(visit, browser, width):
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        visit("usual", width)
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    assert not browser.execute_script("return document.documentElement.classList.contains('js')")
    assert not find(browser, ".chooser")[0].is_displayed()  # it would do nothing
    assert len(find(browser, "[data-table=objects] tbody tr")) == 37
    for own in find(browser, "main > section h2, section > figure, summary, [data-table=lineages] td"):
        assert own.is_displayed()
    assert browser.execute_script(OVERLAPS)[1] == []
    assert len(browser.execute_script(FIGURES)) >= 12


def test_on_paper_what_is_folded_is_open(visit):
    browser = visit("usual")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        heights = browser.execute_script(
            "return Array.from(document.querySelectorAll('#details details'), (own) => own.offsetHeight)"
        )
        assert all(high > 50 for high in heights)
        assert not any(own.is_displayed() for own in find(browser, ".chooser, nav, .tools, .strip-tools"))
        assert browser.execute_script("return getComputedStyle(document.querySelector('.scroll')).maxHeight") == "none"
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_dark_and_light(visit, browser):
    ground = {}
    for mode in ("light", "dark"):
        browser.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": mode}]}
        )
        visit("usual")
        ground[mode] = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
        ink = browser.execute_script("return getComputedStyle(document.querySelector('figure svg')).fill")
        assert ink == browser.execute_script("return getComputedStyle(document.body).color")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert ground["light"] != ground["dark"]


@pytest.mark.parametrize("name", ["usual", "metadata", "sites"])
def test_what_is_wider_than_its_place_says_so(visit, name):
    wider = """
    return Array.from(document.querySelectorAll(".scroll")).filter((own) => own.checkVisibility()).map(
      (own) => [own.scrollWidth > own.clientWidth + 1, own.nextElementSibling.checkVisibility()]);
    """
    seen = set()
    for width in WIDTHS:
        browser = visit(name, width)
        found = browser.execute_async_script(
            f"const end = arguments[0]; setTimeout(() => end((() => {{ {wider} }})()), 300);"
        )
        assert all(hinted == is_wider for is_wider, hinted in found)
        seen |= {is_wider for is_wider, _ in found}
    assert seen == {True, False}


def test_rows_of_buttons_are_whole(visit):
    browser = visit("usual")
    cut = browser.execute_script("""
      const chips = document.querySelector(".chips");
      const one = chips.lastElementChild;
      for (let i = 0; i < 400; i += 1) chips.append(one.cloneNode(true));
      const frame = chips.getBoundingClientRect();
      const rows = Array.from(chips.children).map((own) => own.getBoundingClientRect());
      return [rows.length, rows.filter((own) => own.top < frame.bottom - 1 && own.bottom > frame.bottom + 1).length];
    """)
    assert cut[0] > 400
    assert cut[1] == 0
