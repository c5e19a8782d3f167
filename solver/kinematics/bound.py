# SPDX-License-Identifier: GPL-3.0-or-later
"""Entries bound to their arguments, for those that are called thousands of times for little work each.

A call of an entry begins by asking numba for the types of its arguments, some hundred arrays, which takes a hundred
microseconds. Arguments that stay the same are asked once. A library's entries read theirs in a few microseconds where
arrays of one kind share a dtype: each `np.recarray` has a dtype of its own, about which a library asks in Python.
"""

import functools
from collections.abc import Callable

import numpy as np

from ..kernel import compiles

_dtypes: dict[str, np.dtype] = {}


def bound(entry: Callable, *arguments) -> Callable[[], None]:
    """The entry with these arguments; arrays among them may be filled anew before each call."""
    if not compiles():
        return functools.partial(entry, *map(_with_shared_dtypes, arguments))
    import numba

    if entry._compiled is None:
        entry._compiled = entry._with_cache()
    machine_code = entry._compiled.compile(tuple(numba.typeof(argument) for argument in arguments))
    return functools.partial(machine_code, *arguments)


def _with_shared_dtypes(argument):
    """The same memory, whose records have one dtype for all that are of one kind."""
    if isinstance(argument, np.ndarray) and argument.dtype.names:
        dtype = _dtypes.setdefault(f"{argument.dtype.descr} {argument.dtype.itemsize}", argument.dtype)
        return argument if argument.dtype is dtype else argument.view(np.ndarray).view(dtype).view(type(argument))
    if isinstance(argument, tuple) and hasattr(argument, "_fields"):
        return type(argument)(*map(_with_shared_dtypes, argument))
    return argument
