"""All checks, in the order of the page."""

from verification.check import Check
from verification.checks import corruption, enumeration, fuzzing, hostile, joint_distribution, kills, ranks

CHECKS: dict[str, Check] = {
    "ranks": ranks.CHECK,
    "joint_distribution": joint_distribution.CHECK,
    "enumeration": enumeration.CHECK,
    "kills": kills.CHECK,
    "corruption": corruption.CHECK,
    "fuzzing": fuzzing.CHECK,
    "hostile": hostile.CHECK,
}
