"""How Sphinx builds the documentation: ``make docs`` writes ``docs/_build/html``, without any network."""

import sys
from pathlib import Path
from typing import Any

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
numpydoc_xref_param_type = False
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


def setup(app: Any) -> None:
    """Blocks of CSV are shown as they are: Pygments does not know them."""
    app.add_lexer("csv", TextLexer)
