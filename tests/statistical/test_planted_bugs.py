"""Bugs that only show in the distribution of draws, planted in the compiled sampler, fail Geweke's test.

(Bugs in weights and ratios are planted in test_conditional_ratios.py, endless tuning in unit/test_chains.py, bugs in
what constraints do in test_planted_bonds.py.)
"""

import pytest

from planted import copy_sources, is_caught, plant, run

BUGS = {  # name: file, what is there, what is there instead
    "a row with wrong degrees of freedom": (
        "births",
        "return variance * stream.draw_chi_square(rng, df_A - n_active)",
        "return variance * stream.draw_chi_square(rng, df_A)",
    ),
    "no density of the row": (
        "row_law",
        "    return gaussian - math.log(schur) - dense.log_det(law.L, m)",
        "    return 0.0",
    ),
    "a row that ignores the epoch before": (
        "births",
        "h[row, c] = births.beta[e, c] + spread * births.x[i]",
        "h[row, c] = spread * births.x[i]",
    ),
    "no choice of ends": (
        "split_merge",
        "    return math.log(0.5) if b < 0 else math.log(0.5 / n)",
        "    return 0.0",
    ),
    "no density of the spread": (
        "spread_law",
        "    return log_cut_normal(x, mode, precision, model.limit)",
        "    return 0.0",
    ),
    "no constant": ("wishart", "        total -= gamma.log_gamma(0.5 * (df - i))", "        total -= 0.0"),
}
ALONE = "births"  # other moves would make up for what goes wrong there
MODEL_OF = {"spread_law": "own spreads"}  # of the file, where it is not the full model
CHECK = """
import sys
from geweke import MODELS, check, z_scores
from tetiwd import kernels
assert kernels.COMPILED
alone = {"n_geometry_steps": 0, "n_split_merge": 0} if sys.argv[1] == "alone" else {}
check(z_scores(MODELS[sys.argv[2]], "distances", 2_000, **alone))
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    return copy_sources(tmp_path_factory.mktemp("tree"))


@pytest.mark.slow
@pytest.mark.parametrize("bug", BUGS)
def test_a_planted_bug_is_caught(tree, tmp_path, bug):
    file, there, instead = BUGS[bug]
    spoilt = plant(tree, tmp_path / "tree", f"kernels/{file}", there, instead)
    done = run(spoilt, CHECK, "alone" if file == ALONE else "all", MODEL_OF.get(file, "full"))
    assert is_caught(done), done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("which", "model"), [("alone", "full"), ("all", "full"), ("all", "own spreads")])
def test_nothing_is_caught_without_one(tree, which, model):
    done = run(tree, CHECK, which, model)
    assert done.returncode == 0, done.stderr
