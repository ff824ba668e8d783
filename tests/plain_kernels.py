"""The kernels as plain Python, whatever the sampler uses: single helpers can be called, and bugs planted."""

import importlib.util
import sys
from types import ModuleType

import tetiwd._kernels


def load() -> ModuleType:
    """A second copy of the module whose decorators do nothing."""
    undecorated = ModuleType("tetiwd._jit")
    undecorated.kernel = undecorated.helper = lambda function: function
    name = "plain_copy_of_kernels"
    spec = importlib.util.spec_from_file_location(name, tetiwd._kernels.__file__)
    module = importlib.util.module_from_spec(spec)
    decorators = sys.modules["tetiwd._jit"]
    sys.modules["tetiwd._jit"] = undecorated
    try:
        spec.loader.exec_module(module)
    finally:
        sys.modules["tetiwd._jit"] = decorators
    return module


plain = load()
