"""The kernels as plain Python, whatever the sampler uses: single helpers can be called, and bugs planted.

``plain.name`` is the function or class of that name in any file of ``tetiwd.kernels``, the way in from Python first.
Setting it replaces it for all its callers. Views of a state that were made for compiled kernels are taken as well.
"""

import os
import sys
from functools import wraps
from importlib import import_module
from inspect import isfunction

import numpy as np

import tetiwd.kernels


def load():
    """A second copy of the package that runs uncompiled, as modules by name."""
    known = {name: module for name, module in sys.modules.items() if name.startswith("tetiwd.kernels")}
    finders, chosen = list(sys.meta_path), os.environ.get("TETIWD_COMPILED")
    for name in known:
        del sys.modules[name]
    os.environ["TETIWD_COMPILED"] = "0"
    try:
        names = ["entry", *import_module("tetiwd.kernels").MODULES]
        found = {name: sys.modules.get(f"tetiwd.kernels.{name}") for name in names}
        return {name: module for name, module in found.items() if module}  # those that the sampler imports
    finally:
        sys.meta_path[:] = finders
        for name in [name for name in sys.modules if name.startswith("tetiwd.kernels")]:
            del sys.modules[name]
        sys.modules |= known
        tetiwd.kernels = known["tetiwd.kernels"]
        del os.environ["TETIWD_COMPILED"]
        if chosen is not None:
            os.environ["TETIWD_COMPILED"] = chosen


def is_of(module, value):
    """True if something was defined in this module."""
    return getattr(value, "__module__", None) == module.__name__


class Plain:
    """All names of the uncompiled kernels."""

    def __init__(self, modules):
        homes = {}
        for module in reversed(modules.values()):
            homes |= {name: module for name, value in vars(module).items() if is_of(module, value)}
        originals = {name: vars(module)[name] for name, module in homes.items()}
        self.__dict__.update(homes=homes, originals=originals, entry=modules["entry"], modules=modules)

    def __getattr__(self, name):
        if name not in self.homes:
            raise AttributeError(name)
        value = vars(self.homes[name])[name]
        if not isfunction(value):
            return value

        @wraps(value)
        def call(*args):
            return value(*(self.as_plain(arg, self.homes[name] is not self.entry) for arg in args))

        return call

    def __setattr__(self, name, value):
        setattr(self.homes[name], name, getattr(value, "__wrapped__", value))

    def __delattr__(self, name):
        setattr(self.homes[name], name, self.originals[name])

    def as_plain(self, arg, own_streams):
        """An argument for plain kernels that shares its memory with one for the compiled ones."""
        kind = type(arg).__name__
        if isinstance(arg, np.random.Generator) and own_streams:
            return self.Stream(arg)
        if isinstance(arg, list | tuple):
            return type(arg)(self.as_plain(part, own_streams) for part in arg)
        if not type(arg).__module__.startswith("tetiwd.kernels") or isinstance(arg, getattr(self, kind)):
            return arg
        if kind == "Workspace":
            return self.Workspace(arg.capacity, arg.n)
        if kind == "Model":
            names = "alpha dof df_A xi kappa new_scale max_clusters isotropic similarity power tau limit"
            return self.Model(*(getattr(arg, name) for name in names.split()))
        if kind == "Neighbour":
            return self.Neighbour(*(np.asarray(getattr(arg, name)) for name in ["size", "counts", "A", "link"]))
        if kind == "NodeWorkspace":
            return self.NodeWorkspace(arg.capacity, arg.n_epochs, arg.n)
        if kind == "Motion":
            names = "alpha dof rho new_scale xi tau delta kappa shift limit begins power"
            return self.Motion(*(getattr(arg, name) for name in names.split()))
        if kind == "Nodes":
            arrays = (np.asarray(getattr(arg, name)) for name in ["first", "z", "size", "counts", "S", "R", "spreads"])
            return self.Nodes(arg.data, arg.per_unit, *arrays, self.as_plain(arg.bonds, own_streams))
        if kind == "Bonds":
            names = "group start members first other weight"
            return self.Bonds(*(np.asarray(getattr(arg, name)) for name in names.split()))
        names = "z R size counts S A back forward spreads"
        return self.Epoch(
            arg.data,
            arg.per_unit,
            arg.trace,
            *(np.asarray(getattr(arg, name)) for name in names.split()),
            self.as_plain(arg.bonds, own_streams),
        )


plain = Plain(load())
