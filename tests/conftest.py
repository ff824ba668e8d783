"""Settings of all tests: hypothesis makes the same cases every time, and a slow machine is no failure."""

from hypothesis import settings

settings.register_profile("tetiwd", deadline=None, derandomize=True, max_examples=150)
settings.load_profile("tetiwd")
