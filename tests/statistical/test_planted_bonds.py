"""Bugs in what the compiled sampler does with constraints fail the tests by enumeration."""

import pytest

from planted import copy_sources, is_caught, plant, run

WITHIN = "test_constraints test_posterior_with_constraints_within_times"
ACROSS = "test_constraints test_posterior_with_constraints_across_time"
FULL = "test_constraints test_full_geometry_with_constraints_across_time"
MOVING = "test_lineage_constraints test_posterior_with_constraints"
SOME_WITHIN = [*WITHIN.split(), "mixed", "assignments", "distances"]
BUGS = {  # name: file, what is there, what is there instead, the test that must fail
    "a member without its distances": (
        "kernels/bound",
        "scratch.r[c] += scratch.divided[c]",
        "scratch.r[c] += scratch.divided[c] if i > epoch.bonds.start[g] else 0.0",
        SOME_WITHIN,
    ),
    "a group that counts as one object": (
        "kernels/bound", "scratch.out.members = m", "scratch.out.members = 1", SOME_WITHIN,
    ),
    "a group that is one object for the urn": (
        "kernels/partition",
        "share_of_label(worth * model.xi, model.max_clusters), n)",
        "share_of_label(worth * model.xi, model.max_clusters), 1)",
        [*WITHIN.split(), "together", "assignments", "distances"],
    ),
    "pairs inside a group counted once": (
        "kernels/bonds", "total += 2.0 * sums.to_side(obj, 0)", "total += sums.to_side(obj, 0)", SOME_WITHIN,
    ),
    "weights counted twice": (
        "kernels/bonds", "] += bonds.weight[i]", "] += 2.0 * bonds.weight[i]", SOME_WITHIN,
    ),
    "foes merged": (
        "moves/split_merge",
        "            gain += pull_between(",
        "            pull_between(",
        [*WITHIN.split(), "mixed", "split and merge", "distances"],
    ),
    "groups that a split tears apart": (
        "kernels/sides",
        "elif g >= 0 and sides.of_group[g] >= 0:",
        "elif g >= 0 and sides.of_group[g] > 1:",
        [*WITHIN.split(), "together", "split and merge", "distances"],
    ),
    "lineages of a birth not looked at": (
        "kernels/bound",
        "scratch.found.log_weight[i] += bonds.gain_of_links(epoch.bonds, g, b, f)",
        "scratch.found.log_weight[i] += 0.0",
        [*ACROSS.split(), "weights", "assignments"],
    ),
    "lineages of a cluster not looked at": (
        "kernels/bound",
        "= weight + bonds.gain_of_links(epoch.bonds, g, epoch.back[c], epoch.forward[c])",
        "= weight",
        [*ACROSS.split(), "weights", "assignments"],
    ),
    "a lineage that may end": (
        "kernels/bonds",
        "return bonds.across and b >= 0 and bonds.joins[b, bonds.joins.shape[1] - 1] == -math.inf",
        "return False",
        [*ACROSS.split(), "over a gap", "assignments"],
    ),
    "what a birth joins not looked at": (
        "kernels/births",
        "births.weight[e, v] *= math.exp(bonds.gain_of_join(epoch.bonds, births.ended[e], births.beginning[v]))",
        "births.weight[e, v] *= 1.0",
        [*ACROSS.split(), "a weight over a gap", "assignments"],
    ),
    "links not looked at": (
        "kernels/links",
        "total += joins[bonds.place(back[f], joins.shape[0]), f]",
        "total += 0.0",
        [*ACROSS.split(), "weights", "sweep"],
    ),
    "exchanges not looked at": (
        "kernels/links",
        "    if joins.shape[0] == 0:\n        return 0.0\n",
        "    if joins.shape[0] >= 0:\n        return 0.0\n",
        [*FULL.split(), "weights"],
    ),
    "moving: a member without its distances": (
        "kernels/bound_lineages",
        "group.G[t, k] += given.row[k]",
        "group.G[t, k] += given.row[k] if i > bonds.start[g] else 0.0",
        [*MOVING.split(), "together", "objects"],
    ),
    "moving: pairs inside a group counted once": (
        "kernels/bound_lineages",
        "                group.inside[s, t] += x\n",
        "",
        [*MOVING.split(), "together", "objects"],
    ),
    "moving: weights counted twice": (
        "kernels/lineage_bonds",
        "] += bonds.weight[i]",
        "] += 2.0 * bonds.weight[i]",
        [*MOVING.split(), "weights", "objects"],
    ),
    "moving: weights of a split counted twice": (
        "kernels/lineage_bonds",
        "+= 0.5 * bonds.weight[i]",
        "+= bonds.weight[i]",
        [*MOVING.split(), "weights", "splits links"],
    ),
    "moving: foes merged": (
        "kernels/lineage_bonds",
        "                    return -math.inf\n",
        "                    continue\n",
        [*MOVING.split(), "apart", "objects splits links"],
    ),
    "moving: groups that a split tears apart": (
        "kernels/sides_of_lineage",
        "if g >= 0 and sides.side_of_group[g] >= 0:",
        "if g >= 0 and sides.side_of_group[g] > 1:",
        [*MOVING.split(), "together", "objects splits links"],
    ),
    "moving: groups that an exchange tears apart": (
        "kernels/lineage_bonds",
        "                return False\n",
        "                given.proposed[g] = c\n",
        [*MOVING.split(), "over a gap", "splits links"],
    ),
}  # fmt: skip
CHECK = """
import sys
from importlib import import_module
from tetiwd import kernels
assert kernels.COMPILED
getattr(import_module(sys.argv[1]), sys.argv[2])(*sys.argv[3:])
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    return copy_sources(tmp_path_factory.mktemp("tree"))


@pytest.mark.slow
@pytest.mark.parametrize("bug", BUGS)
def test_a_planted_bug_is_caught(tree, tmp_path, bug):
    file, there, instead, words = BUGS[bug]
    done = run(plant(tree, tmp_path / "tree", file, there, instead), CHECK, *words)
    assert is_caught(done), done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("words", sorted({tuple(words) for *_, words in BUGS.values()}), ids=" ".join)
def test_nothing_is_caught_without_one(tree, words):
    done = run(tree, CHECK, *words)
    assert done.returncode == 0, done.stderr
