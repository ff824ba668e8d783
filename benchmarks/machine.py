"""Where and when a measurement was made, without names of machines or folders."""

import os
import platform
import subprocess
from datetime import date
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).parents[1]


def describe() -> str:
    """Date, commit, machine, versions and load in one sentence."""
    return (
        f"Measured on {date.today().isoformat()} at commit {commit()}: {equipment()}; "
        f"the machine had a load of {os.getloadavg()[0]:.1f} when it began."
    )


def equipment() -> str:
    """Machine and versions."""
    versions = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy"))
    return (
        f"{processor()}, {os.cpu_count()} cores, {memory()}, {platform.system()}, "
        f"Python {platform.python_version()}, {versions}"
    )


def commit() -> str:
    """Short hash, and whether files other than the pages of results differ from it."""
    short, changed = (
        git("rev-parse", "--short", "HEAD"),
        git("status", "--porcelain", "--", ".", ":!docs/benchmarks.md", ":!docs/league.md"),
    )
    return (short or "unknown") + (" with uncommitted changes" if changed else "")


def git(*arguments: str, folder: Path = ROOT) -> str:
    """What git answers in a folder; nothing where it cannot."""
    try:
        command = ["git", "--no-optional-locks", *arguments]
        return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def processor() -> str:
    """Model of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()


def memory() -> str:
    """Memory of the machine."""
    return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB"
