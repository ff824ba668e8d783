"""The picture of the report: its numbers are explained, and it is small."""

import re
import runpy
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_number_in_the_picture_is_explained():
    parts = runpy.run_path(str(ROOT / "tools" / "report_screenshot.py"))["PARTS"]
    page = (ROOT / "docs" / "start" / "reading-the-report.md").read_text("utf-8")
    explained = [int(number) for number in re.findall(r"^\*\*(\d+) · ", page, flags=re.M)]
    assert explained == list(range(1, len(parts) + 1))


def test_the_picture_is_small():
    assert (ROOT / "docs" / "start" / "report.png").stat().st_size < 350_000  # with fewer colours, pale ones turn grey
