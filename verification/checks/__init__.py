"""All checks, in the order of the page."""

from verification.check import Check
from verification.checks import (
    answers,
    builds,
    controls,
    corruption,
    determinism,
    enumeration,
    fuzzing,
    hostile,
    joint_distribution,
    kills,
    ranks,
)

CHECKS: dict[str, Check] = {
    "ranks": ranks.CHECK,
    "joint_distribution": joint_distribution.CHECK,
    "enumeration": enumeration.CHECK,
    "controls": controls.CHECK,
    "builds": builds.CHECK,
    "determinism": determinism.CHECK,
    "answers": answers.CHECK,
    "kills": kills.CHECK,
    "corruption": corruption.CHECK,
    "fuzzing": fuzzing.CHECK,
    "hostile": hostile.CHECK,
}
