"""Measurements against the speed goals, as ratios inside one run."""

import os

# Linear algebra on one thread, set before numpy is loaded: on a busy machine threads that wait for each other can make
# it fifty times slower. The sampler itself does not use any.
for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[name] = "1"
