"""Compiles the inner loops of Te-Gauss; without a working C compiler they are installed as they are and run slowly."""

import os

from Cython.Build import cythonize
from setuptools import Extension, setup

MODULE = "tetiwd_experiments.baselines.gauss_kernels"
FLAGS = [] if os.name == "nt" else ["-O3", "-g0", "-ffp-contract=off"]  # draws must not depend on the compiler

modules = cythonize(
    [Extension(MODULE, [MODULE.replace(".", "/") + ".py"], extra_compile_args=FLAGS)],
    build_dir="build/cython",
    compiler_directives={
        "language_level": 3,
        "infer_types": True,
        "cdivision": True,
        "wraparound": False,
        "initializedcheck": False,
        "boundscheck": False,
    },
)
for module in modules:
    module.optional = True

setup(ext_modules=modules)
