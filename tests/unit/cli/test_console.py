"""What is printed, and where it goes when nobody reads it."""

import subprocess
import sys

import pandas as pd

from tetiwd.cli.console import aligned, one_line, visible


def test_tables_are_aligned_and_labels_shown_whole():
    table = pd.DataFrame({"time": [2014.6253, 2015.0], "n_objects": [3, 120], "share": [0.12345, float("nan")]})
    head, first, second = aligned(table)
    assert head.split() == ["time", "n", "objects", "share"]
    assert first.split() == ["2014.6253", "3", "0.12"]
    assert second.split() == ["2015.0", "120"]
    assert head.index("share") + len("share") == first.index("0.12") + len("0.12")


def test_text_in_tables_is_to_the_left_and_never_folded():
    table = pd.DataFrame({"name": ["x" * 300, "[red]y[/red]"], "method_used": ["Ward", "b"]})
    lines = aligned(table)
    assert lines[1] == "x" * 300 + "  Ward"
    assert lines[2].startswith("[red]y[/red] ")


def test_text_plays_no_tricks_on_a_terminal():
    assert visible("a\x1b[31m\u202eb") == "a\\x1b[31m\\u202eb"
    assert one_line("a\nb " + "x" * 1000) == f"a b {'x' * 150}…{'x' * 150}"


CHATTY = """
import sys, time
from tetiwd.cli.console import Console, outlive_readers
outlive_readers()
console = Console()
for i in range(2000):
    console.say(f"{i} " + "x" * 100)
    console.remark(f"{i} " + "x" * 100)
open(sys.argv[1], "w").write("done")
sys.exit(8)
"""


def test_work_goes_on_when_readers_leave(tmp_path):
    done = tmp_path / "done"
    process = subprocess.Popen(
        [sys.executable, "-c", CHATTY, str(done)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    for stream in (process.stdout, process.stderr):
        stream.readline()
        stream.close()
    assert process.wait(60) == 8
    assert done.read_text() == "done"
