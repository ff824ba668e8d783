"""Settings of all tests: hypothesis makes the same cases every time, a slow machine is no failure, Ctrl-C works."""

import signal

from hypothesis import settings

settings.register_profile("tetiwd", deadline=None, derandomize=True, max_examples=150)
settings.load_profile("tetiwd")

signal.signal(signal.SIGINT, signal.default_int_handler)  # shells have it ignored in the background
