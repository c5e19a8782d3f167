# SPDX-License-Identifier: GPL-3.0-or-later
"""Types of all arguments that entries are called with, as `every_entry` calls them: those that are compiled.

usage: NUMBA_DISABLE_JIT=1 python tools/kernels/record.py FILE

Without its compiler numba still tells the type of a value, and entries run as plain Python. FILE gets a pickle of
{(module, name of the entry): [types of the arguments, ...]}.
"""

from __future__ import annotations

import pickle
import sys
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import numba  # noqa: E402

from solver import kernel  # noqa: E402
from tools.kernels.every_entry import call_every_entry  # noqa: E402

Types = dict[tuple[str, str], dict[tuple, None]]


def recorded() -> Types:
    """Every entry of the solver with the types of its arguments. Raises AssertionError if one was not called."""
    modules = [module for name, module in sorted(sys.modules.items()) if name.startswith("solver.")]
    entries = [each for module in modules for each in vars(module).values() if isinstance(each, kernel._CachedEntry)]
    seen: Types = {(each.__module__, each.__name__): {} for each in entries}

    def call(entry, *arguments):
        seen[entry.__module__, entry.__name__][tuple(map(numba.typeof, arguments))] = None
        return entry._function(*arguments)

    kernel._CachedEntry.__call__ = call
    for _ in call_every_entry():
        pass
    missing = [f"{module}.{name}" for (module, name), types in seen.items() if not types]
    assert not missing, f"never called: {', '.join(missing)}"
    return seen


if __name__ == "__main__":
    warnings.simplefilter("ignore", RuntimeWarning)  # of numbers that a compiled kernel divides by zero in silence
    Path(sys.argv[1]).write_bytes(pickle.dumps({name: list(types) for name, types in recorded().items()}))
