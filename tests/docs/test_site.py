"""The build of the site: a small one with the configuration of the real one."""

import re
import shutil
import subprocess
import sys

import pytest

from documentation import DOCS

PAGE = r"""# A page

Inline $\alpha_t^2$ and a block:

$$
\log f(D) = \frac{d}{2} \log\det{}^{+}(\tilde W) + \frac{d}{4} \operatorname{tr}(\tilde W D)
$$

\begin{align}
M &= (\alpha A^{-1} + \operatorname{diag} n)^{-1} \\
y &= \mathbf{1} - M n
\end{align}

$$
\begin{aligned}
a &= b \\
c &= \log x
\end{aligned}
$$

Signs that browsers draw badly: $n \log_2 n_g$, $\mathbf 1^\top \widetilde W$ and $\lvert\Sigma\rvert$.

| setting | meaning |
|---|---|
| `--dof` | a word |
| `--dof` | a sentence that a phone cannot show on one line |

The name `test_a_name_that_is_longer_than_a_line_of_a_phone` may be broken, and 90 % may not, nor may --fast or 34–37.

```{plot} /figures/line.py
:alt: A line
```
"""
NAMES = 'autosummary_generate = ["reference/api.md"]'
LINE = "from matplotlib import pyplot\n\npyplot.plot([0, 1])\n"


def build(folder, text):
    """Build a site of one page; returns what Sphinx did and the HTML."""
    for name in ("conf.py", "_ext", "_static", "_templates"):
        copy = shutil.copytree if (DOCS / name).is_dir() else shutil.copy
        copy(DOCS / name, folder / name)
    conf = (folder / "conf.py").read_text("utf-8")
    assert conf.count(NAMES) == 1
    (folder / "conf.py").write_text(conf.replace(NAMES, "autosummary_generate = False"), "utf-8")
    (folder / "index.md").write_text(text, "utf-8")
    (folder / "figures").mkdir()
    (folder / "figures" / "line.py").write_text(LINE, "utf-8")
    words = ["-b", "html", "-q", "-n", "-W", "--keep-going", str(folder)]
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *words, str(folder / "_build")], capture_output=True, text=True, check=False
    )
    page = folder / "_build" / "index.html"
    return done, page.read_text("utf-8") if page.exists() else ""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    done, html = build(tmp_path_factory.mktemp("site"), PAGE)
    assert done.returncode == 0, done.stderr
    return html


def test_formulas_are_mathml(built):
    assert built.count("<math") == 7
    assert "&#x003B1;" in built  # alpha
    assert "<mfrac>" in built
    assert built.count("<mtable") == 2
    assert built.count("<mtr>") == 4
    assert "<mtext>(1)</mtext>" not in built  # no numbers


def test_formulas_are_drawn_well(built):
    space = '<mspace width="0.17em" />'
    assert f"<mi>n</mi>{space}<msub><mi>log</mi><mn>2</mn></msub>{space}<msub><mi>n</mi><mi>g</mi></msub>" in built
    assert "<msup><mn>&#x1D7CF;</mn><mo>&#x022A4;</mo></msup>" in built  # a bold 1
    assert '<mover accent="true"><mi>W</mi>' in built
    assert '<mo lspace="0" rspace="0">&#x0007C;</mo><mi mathvariant="normal">&#x003A3;</mi>' in built


def test_figures_are_drawn(built):
    assert re.search(r'<img alt="A line"[^>]* src="_images/line\.svg"', built)


def test_what_narrow_screens_need_room_for_is_marked(built):
    assert re.findall(r'<td class="[^"]*\blong\b[^"]*"><p>(.*?)</p>', built) == [
        "a sentence that a phone cannot show on one line"
    ]
    marked = re.findall(r'<code class="[^"]*\blong\b[^"]*"><span class="pre">(.*?)</span>', built)
    assert marked == ["test_a_name_that_is_longer_than_a_line_of_a_phone"]
    assert "and 90\N{NO-BREAK SPACE}% may not" in built
    assert '<span class="whole">--fast</span> or <span class="whole">34–37</span>' in built


def test_nothing_comes_from_a_network(built):
    loaded = re.findall(r'<(?:script|link|img|iframe|source)[^>]*?(?:src|href)="([^"]*)"', built)
    assert loaded
    assert [address for address in loaded if re.match(r"(https?:)?//", address)] == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("# A page\n\n[a link](missing.md)\n", "missing.md"),
        ("# A page\n\n$\\left( x$\n", "cannot be made into MathML"),
        ("# A page\n\n$\\nonsense$\n", "unknown command"),
        ("# A page\n\n```{plot} /figures/none.py\n```\n", "none.py"),
        ("# A page\n\n{py:func}`tetiwd.nonsense`\n", "tetiwd.nonsense"),
    ],
)
def test_faults_stop_the_build(text, fault, tmp_path):
    done, _ = build(tmp_path, text)
    assert done.returncode == 1
    assert fault in done.stderr
