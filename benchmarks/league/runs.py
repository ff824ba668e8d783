"""From names of sets, methods and settings to records."""

import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

from benchmarks import machine
from benchmarks.labelled import Labelled
from benchmarks.league import ours
from benchmarks.league.methods import METHODS
from benchmarks.league.objects import UnsuitableError
from benchmarks.league.records import Code, Kept, Record, as_lists
from benchmarks.league.sets import SETS
from tetiwd.data.fingerprint import fingerprint
from tetiwd.errands import Errand, Life, Workers


@dataclass(frozen=True)
class Question:
    """One method on one set, with a record that has no labels yet."""

    data: Labelled
    record: Record

    def answered(self) -> Record:
        """The record with what the method finds."""
        if self.record.ours:
            run = ours.find(self.data, self.record.method, self.record.seed)
            labels = {name: as_lists(found) for name, found in run.labels.items()}
            return replace(self.record, labels=labels, seconds=run.seconds, agree=run.agree, chosen=run.chosen)
        start = time.process_time()
        found = METHODS[self.record.method].find(self.data, self.record.seed)
        return replace(self.record, labels={"": as_lists(found)}, seconds={"": time.process_time() - start})


def questions(
    sets: Sequence[str], methods: Sequence[str], settings: Sequence[str], n_seeds: int, code: Code
) -> Iterator[Question]:
    """First the other methods, then tetiwd and what else is random, seed by seed."""
    data = {name: loaded for name in sets if (loaded := load(name)) is not None}
    prints = {name: fingerprint(own.series)[:12] for name, own in data.items()}
    equipment = machine.equipment()
    runs = [(method, 0, METHODS[method].pooled) for method in methods if not METHODS[method].random]
    for seed in range(n_seeds):
        runs += [(method, seed, METHODS[method].pooled) for method in methods if METHODS[method].random]
        runs += [(setting, seed, True) for setting in settings]
    for method, seed, linked in runs:
        for name, own in data.items():
            empty = Record(
                name, method, seed, ours=method in ours.SETTINGS, data=prints[name], truth=as_lists(own.labels),
                linked=linked, version=code.version, commit=code.commit, code=code.tree,
                date=date.today().isoformat(), machine=equipment,
            )  # fmt: skip
            yield Question(own, empty)


def load(name: str) -> Labelled | None:
    """A set, or a line on stderr if it is not there."""
    try:
        return SETS[name].load()
    except (OSError, ImportError) as error:
        print(f"{name}: LEFT OUT, {error}", file=sys.stderr)
        return None


def answer_elsewhere(asked: Sequence[Question], kept: Kept, workers: Workers) -> None:
    """Let workers run the methods; whatever is found is kept as soon as it is there."""
    told: set[int] = set()

    def watch(errands: list[Errand]) -> None:
        for errand in errands:
            if errand.outcome is None or errand.number in told:
                continue
            told.add(errand.number)
            record, found = errand.arguments[0], errand.outcome.value
            if isinstance(found, Record):
                kept.add(found)
                found = f"{max(found.seconds.values()):.1f} s"
            print(f"{record.set}, {record.method}, seed {record.seed}: {found}", file=sys.stderr, flush=True)

    with workers.errands(None) as errands:
        errands.run(found_by_worker, [(question.record,) for question in asked], watch)


def found_by_worker(life: Life, record: Record) -> Record | str | None:
    """Errand: the record with what the method finds, or why there is nothing; workers load sets by their names."""
    if life.halted:
        return None
    try:
        return Question(SETS[record.set].load(), record).answered()
    except (UnsuitableError, ImportError, OSError) as error:
        return f"LEFT OUT, {error}"
    except Exception:
        return f"FAILED\n{traceback.format_exc()}"


def answer(question: Question, kept: Kept) -> None:
    """Run a method and keep what it finds, with a line on stderr; one that fails does not end a long run."""
    record = question.record
    print(f"{record.set}, {record.method}, seed {record.seed}: ", end="", file=sys.stderr, flush=True)
    try:
        found = question.answered()
    except (UnsuitableError, ImportError) as error:
        print(f"LEFT OUT, {error}", file=sys.stderr)
    except Exception:
        print("FAILED", file=sys.stderr)
        traceback.print_exc()
    else:
        kept.add(found)
        print(f"{max(found.seconds.values()):.1f} s", file=sys.stderr, flush=True)
