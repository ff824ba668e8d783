"""How Sphinx builds the documentation: ``make docs`` writes ``docs/_build/html``, without any network."""

import re
import sys
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import numpy as np
from numpydoc.docscrape_sphinx import SphinxDocString
from numpydoc.xref import DEFAULT_LINKS
from pygments.lexers import TextLexer

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

import tetiwd  # noqa: E402

project = "tetiwd"
author = "The tetiwd developers"
copyright = author
version = release = tetiwd.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_design",
    "matplotlib.sphinxext.plot_directive",
    "fields",  # this and the following: docs/_ext
    "mathml",
    "narrow",
    "plots_in_markdown",
    "repository_links",
]
exclude_patterns = ["_build", "_ext"]
suppress_warnings = ["myst.header"]
nitpicky = True
nitpick_ignore_regex = [("py:.*", r"(?!tetiwd\b).*")]  # other packages' names are not looked up: that needs a network

myst_enable_extensions = ["amsmath", "attrs_block", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
myst_dmath_double_inline = True
myst_dmath_allow_labels = False

autodoc_typehints = "none"  # types stand in the docstrings, with shapes
autodoc_member_order = "bysource"
autosummary_generate = ["reference/api.md"]
autosummary_context = {
    "made_by_functions": ["Clustering", "DistanceSeries", "Partitions", "Progress", "ResolutionPath", "Sample"],
    "members_of": {  # what a user calls or reads, beyond the parameters
        "TeTiWD": ["fit()", "extend()", "predict()", "predict_proba()", "forecast()", "save()", "report()"],
        "TiWD": ["fit()", "predict()", "predict_proba()", "save()", "report()"],
        "DistanceSeries": [
            "from_distances()",
            "from_similarities()",
            "from_features()",
            "from_pooled()",
            "n_epochs",
            "n_objects",
            "D",
            "unit",
            "dof()",
            "to_distances()",
            "until()",
            "bound_by()",
            "negative_type()",
            "repair()",
        ],
        "Analysis": [
            "clustering",
            "alignment",
            "lineages",
            "memberships",
            "forecast",
            "backtest",
            "markers",
            "prototypes",
            "transitions",
            "growth",
            "object_maps",
            "coclustering",
            "n_clusters()",
        ],
        "Clustering": ["flat", "n_clusters", "n_lineages", "lineages", "n_unassigned", "sizes", "lineages_at()"],
        "Partitions": ["from_labels()", "n_draws", "n_epochs", "at()", "epoch()", "thinned()"],
        "ResolutionPath": ["scores", "best", "rivals", "table()", "sentences()"],
        "Sample": ["complete", "diagnostics", "partitions", "best_frozen"],
        "Gamma": ["mean", "log_density()"],
        "Beta": ["mean", "log_density()"],
    },
}
numpydoc_show_class_members = False
numpydoc_xref_param_type = True  # only classes that have a description here
numpydoc_xref_ignore = "all"
PAGES = "".join(page.read_text("utf-8") for page in HERE.glob("reference/returned.md"))
RETURNED = re.findall(r"autoclass:: (tetiwd\.\S+)\(\)", PAGES)
PUBLIC = [f"tetiwd.{name}" for name in tetiwd.__all__ if name[0].isupper()] + ["tetiwd.hosts.DaskWorkers"]
numpydoc_xref_aliases = {name: name for name in DEFAULT_LINKS}
numpydoc_xref_aliases |= {path.rpartition(".")[2]: path for path in RETURNED + PUBLIC}
templates_path = ["_templates"]

plot_formats = ["svg"]
plot_html_show_formats = False
plot_html_show_source_link = False
plot_include_source = False
plot_rcparams = {"svg.fonttype": "path"}
plot_pre_code = ""

html_theme = "furo"
pygments_dark_style = "github-dark"
smartquotes_action = "qe"  # quotes and ellipses; --option keeps its dashes
html_title = f"tetiwd {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {"navigation_with_keys": True, "top_of_page_buttons": []}
copybutton_exclude = ".linenos, .gp, .go"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True


def readable_signature(app: Any, what: str, name: str, owner: Any, options: Any, text: str, result: str) -> Any:
    """Nobody makes errors; defaults that are made anew for every object look like ``dict()``."""
    if what == "exception":
        return "", result
    if "<factory>" in (text or ""):
        for made in (field.default_factory for field in fields(owner) if field.default_factory is not MISSING):
            text = text.replace("<factory>", f"{made.__name__}()", 1)
    return text, result


def readable_types(app: Any, what: str, name: str, owner: Any, options: Any, lines: list[str]) -> None:
    """Arrays, and what a name of the source stands for, in lists of attributes."""

    def readable(word: re.Match[str]) -> str:
        kind = getattr(sys.modules[owner.__module__], word[0], None)
        if get_origin(kind) is Literal:
            return "{" + ", ".join(f'"{value}"' for value in get_args(kind)) + "}"
        array = get_origin(kind) is np.ndarray or word[0] in ("Ints", "Floats", "Bools")
        return "ndarray" if array else word[0]

    for i, line in enumerate(lines):
        if what == "class" and re.fullmatch(r"\w+ : .+", line):
            lines[i] = re.sub(r"\b[A-Z]\w+\b", readable, re.sub(r"NDArray\[[\w.]+\]", "ndarray", line))


def setup(app: Any) -> None:
    """Blocks of CSV are shown as they are, since Pygments does not know them; descriptions are readable."""
    app.add_lexer("csv", TextLexer)
    app.connect("autodoc-process-signature", readable_signature)
    app.connect("autodoc-process-docstring", readable_types, priority=200)
    plain = SphinxDocString._process_param  # attributes that are properties keep what their class says of them
    SphinxDocString._process_param = lambda text, name, lines, _: plain(text, name, lines, False)
