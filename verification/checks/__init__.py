"""All checks, in the order of the page."""

from verification.check import Check
from verification.checks import answers, builds, controls, determinism, enumeration, joint_distribution, ranks

CHECKS: dict[str, Check] = {
    "ranks": ranks.CHECK,
    "joint_distribution": joint_distribution.CHECK,
    "enumeration": enumeration.CHECK,
    "controls": controls.CHECK,
    "builds": builds.CHECK,
    "determinism": determinism.CHECK,
    "answers": answers.CHECK,
}
