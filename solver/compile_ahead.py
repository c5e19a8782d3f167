# SPDX-License-Identifier: GPL-3.0-or-later
"""A process that compiles what most scenes need into the cache, so that nobody has to wait for it.

usage: python -I compile_ahead.py PACKAGE CACHE touching|free FOLDER...     of the solver's package; of Python's modules

What is cached names the modules it came from, so they are imported under the names that they have with those who will
load it. Each piece is named on standard output before its work begins. The process ends when its standard input does:
never later than the one that started it.
"""

import importlib
import os
import sys
import threading
import types
from pathlib import Path


def main(package: str, cache: str, kind: str, *folders: str) -> None:
    """Compile all, at a lower priority than Blender's."""
    threading.Thread(target=_end_with_starter, daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(5)
    sys.path[:] = folders
    _stand_in_for_parents(package)
    kernel = importlib.import_module(f"{package}.kernel")
    kernel.use_cache(cache)
    pieces = (
        importlib.import_module(f"{package}.simulation.warm_up").warm_up_usual(kind == "touching"),
        importlib.import_module(f"{package}.simulation.inspection").warm_up(),
        importlib.import_module(f"{package}.posing.warm_up").warm_up(),
    )
    for piece in (piece for generator in pieces for piece in generator):
        sys.stdout.write(f"{piece}\n")
        sys.stdout.flush()


def _end_with_starter() -> None:
    sys.stdin.read()
    os._exit(0)


def _stand_in_for_parents(package: str) -> None:
    """Packages around the solver's that have nothing but names and folders: those of Blender are not to be had here."""
    folder = Path(__file__).resolve().parent.parent
    while "." in package:
        package = package.rpartition(".")[0]
        module = types.ModuleType(package)
        module.__path__ = [str(folder)]
        sys.modules[package] = module
        folder = folder.parent


if __name__ == "__main__":
    main(*sys.argv[1:])
