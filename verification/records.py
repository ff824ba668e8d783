"""What jobs found, a line each in a file that a later run goes on from, here or in another clone."""

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from verification.check import Found, Job

FOLDER = Path(__file__).parent / "records"
Key = tuple[str, str, str]  # check, job, arguments


def key_of(check: str, name: str, arguments: Found) -> Key:
    """What a record is an answer to; jobs of one name may differ in their length."""
    return check, name, json.dumps(arguments, sort_keys=True)


class Records:
    """Findings of checks, each of one state of the code; every state has a file of its own."""

    def __init__(self, states: Mapping[str, str], folder: Path = FOLDER) -> None:
        self._paths = {check: folder / f"{state}.jsonl" for check, state in states.items()}
        self._records: dict[Key, Found] = {}
        for check, path in self._paths.items():
            lines = path.read_text("utf-8").splitlines() if path.exists() else []
            for record in map(json.loads, lines):
                if record["check"] == check:
                    self._take(record)

    def __contains__(self, check_and_job: tuple[str, Job]) -> bool:
        check, job = check_and_job
        return key_of(check, job.name, job.arguments) in self._records

    def add(self, check: str, job: Job, found: Found, seconds: float) -> None:
        """Keep what a job found, and the processor time it took."""
        record = {"check": check, "job": job.name, "arguments": job.arguments, "found": found, "seconds": seconds}
        self._take(record)
        path = self._paths[check]
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab", buffering=0) as file:
            file.write((json.dumps(record | {"time": time.time()}) + "\n").encode())

    def of(self, check: str, jobs: Sequence[Job]) -> dict[str, Found]:
        """What those of the jobs found that have been done, by name."""
        return {job.name: record["found"] for job, record in self._done(check, jobs)}

    def seconds(self, check: str, jobs: Sequence[Job]) -> float:
        """Processor time that the jobs took."""
        return float(sum(record["seconds"] for _, record in self._done(check, jobs)))

    def _done(self, check: str, jobs: Sequence[Job]) -> list[tuple[Job, Found]]:
        keys = [(job, key_of(check, job.name, job.arguments)) for job in jobs]
        return [(job, self._records[key]) for job, key in keys if key in self._records]

    def _take(self, record: Found) -> None:
        self._records[key_of(record["check"], record["job"], record["arguments"])] = record
