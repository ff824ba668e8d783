"""``python -m benchmarks league``: run what is not known yet, print the tables; ``--write`` makes docs/league.md."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks import machine
from benchmarks.league import ours
from benchmarks.league.methods import METHODS
from benchmarks.league.pages import page_of
from benchmarks.league.records import UNKNOWN, Code, Kept
from benchmarks.league.runs import answer, answer_elsewhere, questions
from benchmarks.league.sets import SETS, USUAL
from tetiwd.cli.workers import elsewhere

PAGE = machine.ROOT / "docs" / "league.md"
NONE = "none"


def main(arguments: Sequence[str]) -> None:
    """Answer the questions that have no record yet, and show all of them."""
    options, code = parsed(arguments)
    kept = Kept(options.keep)
    asked = list(questions(options.sets, options.methods, options.settings, options.seeds, code))
    if not (options.tables or options.commit):
        open_ones = [question for question in asked if options.again or question.record.key not in kept.records]
        with elsewhere(options.scheduler, options.local_cluster, near=options.keep) as who:
            if workers := who.get("workers"):
                answer_elsewhere(open_ones, kept, workers)
            else:
                for question in open_ones:
                    answer(question, kept)
    found = [kept.records[question.record.key] for question in asked if question.record.key in kept.records]
    if not found:
        sys.exit("There is nothing to show.")
    text = page_of(found)
    print(text, end="")
    if options.write:
        PAGE.write_text(text, encoding="utf-8")


def parsed(arguments: Sequence[str]) -> tuple[Namespace, Code]:
    """The options, and the package that they are about."""
    parser = ArgumentParser(prog="python -m benchmarks league", description="Compare answers on labelled series.")
    add_names(parser, "--sets", SETS, usual=USUAL)
    add_names(parser, "--methods", METHODS, usual=METHODS)
    add_names(parser, "--settings", ours.SETTINGS, usual=ours.SETTINGS)
    parser.add_argument("--seeds", type=int, default=5, help="runs of tetiwd per set and setting (default: 5)")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="folder of records, which are not made twice")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="let the workers of this Dask scheduler run methods")
    parser.add_argument("--local-cluster", type=int, metavar="N", help="the same with N workers on this machine")
    parser.add_argument("--again", action="store_true", help="make records again")
    parser.add_argument("--tables", action="store_true", help="run nothing, show what has been kept")
    parser.add_argument("--commit", help="the same, with the answers of tetiwd at this commit")
    parser.add_argument("--write", action="store_true", help="also write docs/league.md")
    options = parser.parse_args(arguments)
    code = Code.of(options.commit or "HEAD")
    if options.commit and code.tree == UNKNOWN:
        parser.error(f"there is no commit {options.commit}")
    if options.keep and options.settings and code.changed and not options.tables:
        parser.error("the files of tetiwd have uncommitted changes; commit them, or leave out --keep")
    return options, code


def add_names(parser: ArgumentParser, option: str, names: Iterable[str], usual: Iterable[str]) -> None:
    """An option that takes some of these names."""

    def chosen(text: str) -> list[str]:
        given = [] if text == NONE else text.split(",")
        if unknown := [name for name in given if name not in names]:
            parser.error(f"{option}: there is no {', '.join(unknown)}; there are {', '.join(names)}")
        return given

    what = f"{', '.join(names)} (default: {', '.join(usual) if set(usual) < set(names) else 'all'}), or {NONE}"
    parser.add_argument(option, type=chosen, default=list(usual), metavar="NAME,...", help=what)
