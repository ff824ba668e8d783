"""Compiles the kernels. Everything else about the package is in pyproject.toml.

TETIWD_BUILD=checked builds with bounds checks, TETIWD_BUILD=sanitized with the address and undefined-behaviour
sanitizers of the compiler, TETIWD_BUILD=plain nothing. Without a working C compiler the package is installed without
compiled kernels and runs slowly; TETIWD_BUILD=required fails instead.
"""

import multiprocessing
import os
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

PACKAGE = "tetiwd.kernels"
FOLDER = Path("src/tetiwd/kernels")
WRITTEN = Path("build/cython")  # what Cython makes of it
SHARED = f"{PACKAGE}._shared"  # what all compiled modules need of Cython, once
WITH_RANDOM_NUMBERS = "stream"
HOW = os.environ.get("TETIWD_BUILD", "fast")
SMALL = ["-Wl,--strip-all"] if sys.platform == "linux" and HOW in ("fast", "required") else []  # no names of functions
NO_TABLES = ["-fno-unwind-tables", "-fno-asynchronous-unwind-tables"]  # for exceptions of C++, a twentieth of the size


class BuildForThisCompiler(build_ext):
    """Draws must not depend on the compiler: no fused multiply-add, no fast mathematics."""

    def finalize_options(self):
        """Compile on all processors."""
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()

    def build_extensions(self):
        """Set the flags that suit the compiler."""
        microsoft = self.compiler.compiler_type == "msvc"
        flags = ["/O2", "/fp:precise"] if microsoft else ["-O3", "-g0", "-ffp-contract=off", *NO_TABLES]
        if HOW == "sanitized":
            flags = [
                "-O1",
                "-g",
                "-ffp-contract=off",
                "-fsanitize=address,undefined",
                "-fno-sanitize-recover=undefined",
            ]
        for extension in self.extensions:
            extension.extra_compile_args = flags
            extension.extra_link_args = ["-fsanitize=address,undefined"] if HOW == "sanitized" else SMALL
        super().build_extensions()


def types_changed():
    """True if everything must be translated anew: Cython does not see all files that a change of types concerns."""
    made = [file.stat().st_mtime for file in (WRITTEN / FOLDER).glob("*.c")]
    return bool(made) and max(file.stat().st_mtime for file in FOLDER.glob("*.pxd")) > min(made)


def extensions():
    """One extension per file of the package that has types."""
    import numpy
    from Cython.Build import cythonize

    library = Path(numpy.get_include()).parents[1] / "random" / "lib"
    files = [types.with_suffix(".py") for types in sorted(FOLDER.glob("*.pxd")) if types.with_suffix(".py").exists()]
    if not files:
        raise FileNotFoundError(f"the types of the kernels, *.pxd, are missing in {FOLDER}")
    modules = [Extension(f"{PACKAGE}.{file.stem}", [file.as_posix()]) for file in files]
    modules.append(Extension(SHARED, [(FOLDER / "_shared.c").as_posix()]))  # Cython writes this file
    modules = cythonize(
        modules,
        build_dir=str(WRITTEN),
        force=types_changed(),
        nthreads=os.cpu_count() if multiprocessing.get_start_method() == "fork" else 0,  # others would run this file
        shared_utility_qualified_name=SHARED,
        compiler_directives={
            "language_level": 3,
            "auto_pickle": False,  # nobody pickles what kernels work on, and it would be a quarter of their size
            "infer_types": True,
            "cdivision": True,
            "wraparound": False,
            "initializedcheck": HOW == "checked",
            "boundscheck": HOW == "checked",
        },
    )
    for module in modules:
        module.include_dirs.append(numpy.get_include())
        module.optional = HOW == "fast"
        if module.name == f"{PACKAGE}.{WITH_RANDOM_NUMBERS}":
            module.library_dirs.append(str(library))
            module.libraries.append("npyrandom")
    return modules


setup(ext_modules=[] if HOW == "plain" else extensions(), cmdclass={"build_ext": BuildForThisCompiler})
