"""Stands in for the module ``cython`` where kernels run uncompiled and Cython is not installed."""

from contextlib import nullcontext

compiled = False
nogil = nullcontext()
