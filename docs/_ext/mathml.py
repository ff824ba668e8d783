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
FUNCTION = r"<mi>(?:log|exp|ln|max|min|sin|cos)</mi>"
FUNCTION_OR_BASE = rf"(?:(?<!<msub>){FUNCTION}|<msub>{FUNCTION}<mn>\d+</mn></msub>)"
SPACE = '<mspace width="0.17em" />'
BOLD = re.compile(r'<(m[in]) mathvariant="bold">([0-9A-Za-z])</\1>')
REPAIRS = [  # what browsers would draw otherwise
    (re.compile(rf"({FUNCTION_OR_BASE})(?=<m(?:[in]|sub|sup|over|frac|sqrt)\b)"), rf"\1{SPACE}"),  # logx
    (re.compile(rf"(</(?:mi|mn|msub|msup|mfrac)>)(?={FUNCTION_OR_BASE})"), rf"\1{SPACE}"),  # nlog x
    (re.compile(r"<mo>(&#x0002F;|&#x0007C;|&#x02016;)</mo>"), r'<mo lspace="0" rspace="0">\1</mo>'),  # a / b, | x |
    (re.compile(r"<mo>([a-z]+)</mo>(?=<mo[^>]*>&#x00028;)"), r'<mo lspace="0.17em" rspace="0">\1</mo>'),  # tr (x)
    (re.compile(r"<mover>(?=<mi>\w+</mi><mo>&#x0007E;)"), '<mover accent="true">'),  # a small tilde far above
    (
        re.compile(r"<mi>(&#x003(?:9\w|A\d);)</mi>"),
        r'<mi mathvariant="normal">\1</mi>',
    ),  # slanted capitals
]


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
    for fault_drawn, drawn_well in REPAIRS:
        mathml = fault_drawn.sub(drawn_well, mathml)
    return BOLD.sub(in_bold, mathml)


def in_bold(match: re.Match[str]) -> str:
    """Browsers do not make letters and digits bold; there are bold ones in Unicode."""
    tag, sign = match.groups()
    first, zero = (0x1D7CE, "0") if sign.isdigit() else (0x1D400, "A") if sign.isupper() else (0x1D41A, "a")
    return f"<{tag}>&#x{first + ord(sign) - ord(zero):X};</{tag}>"


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
