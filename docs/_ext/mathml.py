"""Mathematics as MathML, made when pages are built: browsers draw it without a script."""

import re
from html import escape
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.util import logging

log = logging.getLogger(__name__)
UNKNOWN = re.compile(r"\\[A-Za-z]+|&(?!#)")  # what the converter does not know is left as it is
ALIGNED = re.compile(r"\\(begin|end)\{(?:align|aligned|split|gather|gathered)\}")  # all as align*, without numbers
NAMED = re.compile(r"(<mi>(?:log|exp|ln|max|min|sin|cos)</mi>)(?=<m[in])")  # log x, not logx


def as_mathml(latex: str, node: nodes.Element, display: str) -> str:
    """MathML of a formula; what cannot be translated is a warning, which stops the build."""
    try:
        mathml = convert(ALIGNED.sub(r"\\\1{align*}", latex), display=display)
        fault = f"unknown command {unknown[0]}" if (unknown := UNKNOWN.search(mathml)) else ""
    except Exception as error:
        fault = type(error).__name__
    if fault:
        log.warning("formula %r cannot be made into MathML: %s", latex, fault, location=node)
        return f"<code>{escape(latex)}</code>"
    return NAMED.sub(r"\1<mspace width='0.17em' />", mathml)


def visit_inline(writer: Any, node: nodes.math) -> None:
    """A formula within a line."""
    writer.body.append(as_mathml(node.astext(), node, "inline"))
    raise nodes.SkipNode


def visit_block(writer: Any, node: nodes.math_block) -> None:
    """A formula on lines of its own; wide ones can be scrolled."""
    writer.body.append(writer.starttag(node, "div", CLASS="math"))
    writer.body.append(as_mathml(node.astext(), node, "block"))
    writer.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
