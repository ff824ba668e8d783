"""Figures and tables of docs/experiments/*.md from the folders of full runs.

    python tools/experiment_docs.py RESULTS --commit abc1234

RESULTS holds one folder per experiment, as written by ``tetiwd experiment NAME --out RESULTS/NAME``. On the page
docs/experiments/NAME.md, the text between ``<!-- NAME -->`` and ``<!-- /NAME -->`` is replaced. The rest is written by
hand and stays.
"""

import argparse
import re
import shutil
from pathlib import Path

import pandas as pd

from tetiwd_experiments.designs import DESIGNS
from tetiwd_experiments.findings import about, name_for_files
from tetiwd_experiments.folder import ExperimentFolder
from tetiwd_experiments.plan import Plan
from tetiwd_experiments.steps import steps_markdown
from tetiwd_experiments.summary import summary_markdown

DOCS = Path(__file__).parents[1] / "docs"
PAGES, IMAGES = DOCS / "experiments", DOCS / "images" / "experiments"
FIGURES = {
    "data": "The first data set: objects on the first two principal components, coloured by true cluster.",
    "traces": "Number of clusters during one run of Te-TiWD on the first data set.",
    "paper-boxes": "Adjusted Rand index over repeated runs on the first data set, one dot each; Te-TiWD in blue.",
    "fresh-boxes": "Adjusted Rand index over fresh data sets, one dot each; Te-TiWD in blue.",
    "differences": "Te-TiWD minus every other method on the same data sets, with 95 % intervals: blue above 0, orange "
    "below 0, grey if they include 0. Arrows are differences beyond the edge.",
}
# Shown at once for the first variant; for the others only the last of them is. Everything else is folded.
SEEN_AT_ONCE = "data", "fresh-boxes", "differences"


def section(folder: Path, commit: str) -> str:
    """Tables and figures of one experiment."""
    settings = ExperimentFolder(folder).settings()
    plan = Plan.from_dict(settings)
    info = {key: value for key, value in about(plan, settings).items() if key not in ("title", "text")}
    info |= {"Commit": commit}
    results = pd.read_csv(folder / "results.csv")
    seen, more, steps = [], [], ""
    if plan.of_design.by_step:
        image = f"{plan.design}-steps.svg"
        shutil.copyfile(folder / "figures" / image, IMAGES / image)
        caption = "Mean adjusted Rand index by how far centres move, with 95 % intervals."
        seen, steps = [f"![{caption}](../images/experiments/{image})"], steps_markdown(results, plan.reference)
    for i, variant in enumerate(plan.of_design.variants):
        for what, caption in FIGURES.items():
            image = folder / "figures" / f"{name_for_files(variant)}-{what}.svg"
            if image.is_file():
                shutil.copyfile(image, IMAGES / image.name)
                where = seen if what in SEEN_AT_ONCE[-1 if i else 0 :] else more
                where.append(f"![{variant}: {caption}](../images/experiments/{image.name})\n\n*{variant}: {caption}*")
    return folded_section(seen, steps, summary_markdown(results, info, plan.reference), more)


def folded_section(seen: list[str], steps: str, summary: str, more: list[str]) -> str:
    """Figures that are seen at once, then everything else folded: by step, by variant, and more figures."""
    how, *variants = re.split(r"^### ", summary, flags=re.M)
    folds = {
        "Means, differences and links by step": steps,
        "The run" if variants else "The run, and all its tables": how,
    }
    folds |= dict(variant.split("\n", 1) for variant in variants)
    folds |= {"More figures": "\n\n".join(more)}
    return "\n\n".join([*seen, *(fold(title, text.strip()) for title, text in folds.items() if text.strip())]) + "\n"


def fold(title: str, text: str) -> str:
    """A part of a page that is shown when its title is clicked."""
    return f":::{{dropdown}} {title}\n\n{text}\n\n:::"


def with_section(page: str, name: str, text: str) -> str:
    """The page with a new generated section between its two marks."""
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    if begin not in page or end not in page:
        raise SystemExit(f"the page of {name} has no place for it; put {begin} and {end} where it belongs")
    before, rest = page.split(begin)
    return f"{before}{begin}\n\n{text}\n{end}{rest.split(end)[1]}"


def main() -> None:
    """Update the pages of all experiments that have results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=Path)
    parser.add_argument("--commit", required=True)
    options = parser.parse_args()
    IMAGES.mkdir(parents=True, exist_ok=True)
    for name in DESIGNS:
        folder, path = options.results / name, PAGES / f"{name}.md"
        if (folder / "results.csv").is_file():
            page = with_section(path.read_text("utf-8"), name, section(folder, options.commit))
            path.write_text(page, "utf-8")
            print(f"{name}: written")


if __name__ == "__main__":
    main()
