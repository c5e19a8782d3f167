# SPDX-License-Identifier: GPL-3.0-or-later
"""Entries bound to their arguments, for those that are called thousands of times for little work each.

A call of an entry begins by asking numba for the types of its arguments, some hundred arrays, which takes a hundred
microseconds. Arguments that stay the same are asked once. A library's entries read theirs in a few microseconds.
"""

import functools
from collections.abc import Callable

from ..kernel import compiles


def bound(entry: Callable, *arguments) -> Callable[[], None]:
    """The entry with these arguments; arrays among them may be filled anew before each call."""
    if not compiles():
        return functools.partial(entry, *arguments)
    import numba

    if entry._compiled is None:
        entry._compiled = entry._with_cache()
    machine_code = entry._compiled.compile(tuple(numba.typeof(argument) for argument in arguments))
    return functools.partial(machine_code, *arguments)
