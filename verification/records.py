"""What jobs found, a line each in a file that a later run goes on from."""

import json
import time
from pathlib import Path

from verification.check import Found

FOLDER = Path(".verification")


class Records:
    """Findings of one state of the code; another state has a file of its own."""

    def __init__(self, code: str, folder: Path = FOLDER) -> None:
        self.path = folder / f"{code}.jsonl"
        self.found: dict[tuple[str, str], Found] = {}
        self.seconds: dict[tuple[str, str], float] = {}
        if self.path.exists():
            for line in self.path.read_text("utf-8").splitlines():
                self._take(json.loads(line))

    def add(self, check: str, job: str, found: Found, seconds: float) -> None:
        """Keep what a job found."""
        record = {"check": check, "job": job, "found": found, "seconds": seconds, "time": time.time()}
        self._take(record)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab", buffering=0) as file:
            file.write((json.dumps(record) + "\n").encode())

    def of(self, check: str) -> dict[str, Found]:
        """What the jobs of a check found, by name."""
        return {job: found for (own, job), found in self.found.items() if own == check}

    def _take(self, record: Found) -> None:
        key = record["check"], record["job"]
        self.found[key], self.seconds[key] = record["found"], record["seconds"]
