"""docs/start/report.png: ``python tools/report_screenshot.py`` photographs the demo's report and numbers its parts.

Needs selenium, and Chromium with its driver (Debian: chromium, chromium-driver). The numbers are those of
docs/start/reading-the-report.md.
"""

import argparse
import base64
import io
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image

PICTURE = Path(__file__).parents[1] / "docs" / "start" / "report.png"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
WIDTH = 1280
COLOURS = 256  # keeps the file small; the report has few colours
ROWS = 3  # rows shown of every table, so that the picture does not become too long

# What the numbers 1, 2, 3, ... stand beside, in the order of the page.
PARTS = (
    "header nav",
    "#summary .lead",
    "#summary .sides",
    "#summary .note",
    ".chooser",
    "#lineages",
    "#n_clusters",
    "#motion",
    "#map",
    "#sizes",
    "#lineages-table",
    "#markers-table",
    "#prototypes-table",
    "#unassigned-table",
    "#events-table",
    "#transitions-table",
    "#growth-table",
    "#forecast-table",
    "#coclustering",
    "#resolution",
    "#details",
)
SHORTEN = """
for (const body of document.querySelectorAll("#tables tbody"))
  [...body.rows].slice(arguments[0]).forEach((row) => row.remove());
"""
HEIGHT = "return document.documentElement.scrollHeight"
MARK = """
const found = arguments[0].map((part) => document.querySelector(part));
found.forEach((part, i) => {
  if (!part) return;
  const box = part.getBoundingClientRect(), mark = document.createElement("div");
  mark.textContent = i + 1;
  mark.style.cssText = `position: absolute; left: ${box.left - 50}px; top: ${box.top + scrollY - 4}px;
    width: 36px; height: 36px; border-radius: 18px; background: #b00020; color: #fff; z-index: 9;
    font: bold 20px/36px sans-serif; text-align: center`;
  document.body.append(mark);
});
return arguments[0].filter((part, i) => !found[i]);
"""


def main() -> None:
    """Run the demo unless a report is given, and write the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--report", type=Path, help="a report that is there already, in place of that of the demo")
    given = parser.parse_args().report
    with tempfile.TemporaryDirectory() as folder:
        report = given or demo(Path(folder) / "demo")
        with browser(Path(folder) / "profile") as driver:
            picture = photograph(driver, report.resolve())
    small = picture.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, kmeans=1, dither=Image.Dither.NONE)
    small.save(PICTURE, optimize=True)
    print(f"{PICTURE}: {picture.width} x {picture.height} pixels, {PICTURE.stat().st_size / 1000:.0f} kB")


def demo(folder: Path) -> Path:
    """The report of ``tetiwd demo``."""
    subprocess.run([sys.executable, "-m", "tetiwd", "demo", "--out", str(folder), "--quiet"], check=True)
    return folder / "run" / "report.html"


@contextmanager
def browser(profile: Path) -> Iterator[Any]:
    """Chromium without a window, a network or an earlier profile."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    program, driver = next(filter(None, map(shutil.which, BROWSERS)), None), shutil.which("chromedriver")
    if program is None or driver is None:
        sys.exit("chromium and chromedriver are needed (Debian: chromium, chromium-driver)")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for argument in ("--headless=new", "--hide-scrollbars", f"--user-data-dir={profile}"):
        options.add_argument(argument)
    for part in ("background-networking", "component-update", "sync", "gpu", "dev-shm-usage"):
        options.add_argument(f"--disable-{part}")
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")  # Chromium refuses to start as root otherwise
    found = webdriver.Chrome(options=options, service=Service(driver))
    try:
        yield found
    finally:
        found.quit()


def photograph(driver: Any, report: Path) -> Image.Image:
    """The whole page with its numbers, with short tables."""
    driver.set_window_size(WIDTH, 1000)
    driver.get(report.as_uri())
    driver.execute_script(SHORTEN, ROWS)
    missing = driver.execute_script(MARK, PARTS)
    if missing:
        sys.exit(f"the report has no {', '.join(missing)}; adapt PARTS and the page that explains them")
    whole = {"x": 0, "y": 0, "width": WIDTH, "height": driver.execute_script(HEIGHT), "scale": 1}
    shot = {"format": "png", "captureBeyondViewport": True, "clip": whole}
    picture = base64.b64decode(driver.execute_cdp_cmd("Page.captureScreenshot", shot)["data"])
    return Image.open(io.BytesIO(picture)).convert("RGB")


if __name__ == "__main__":
    main()
