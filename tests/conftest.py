"""Settings of all tests: hypothesis makes the same cases every time, a slow machine is no failure, Ctrl-C works.

At the end, one line says how many blocks of the documentation were executed.
"""

import signal

from hypothesis import settings

settings.register_profile("tetiwd", deadline=None, derandomize=True, max_examples=150)
settings.load_profile("tetiwd")

signal.signal(signal.SIGINT, signal.default_int_handler)  # shells have it ignored in the background


def pytest_terminal_summary(terminalreporter):
    reports = terminalreporter.stats.get("passed", [])
    pages = [value for report in reports for name, value in report.user_properties if name == "documentation"]
    if not pages:
        return
    executed = [page for page in pages if page[1]]
    blocks, seconds = sum(page[1] for page in executed), sum(page[2] for page in executed)
    terminalreporter.write_line(
        f"documentation: {blocks} blocks on {len(executed)} pages executed in {seconds:.0f} s of processor time"
    )
    for name, _, used in sorted(executed, key=lambda page: -page[2])[:5]:
        terminalreporter.write_line(f"  {used:5.1f} s  {name}")
