# SPDX-License-Identifier: GPL-3.0-or-later
"""A process that compiles what most scenes need into the cache, so that nobody has to wait for it.

usage: python -I compile_ahead.py CACHE touching|free FOLDER...     of machine code; of Python's modules

Each piece is named on standard output before its work begins. The process ends when its standard input does: never
later than the one that started it.
"""

import importlib
import importlib.util
import os
import sys
import threading
from pathlib import Path

PACKAGE = "solver"


def main(cache: str, kind: str, *folders: str) -> None:
    """Compile all, at a lower priority than Blender's."""
    threading.Thread(target=_end_with_starter, daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(5)
    sys.path[:] = folders
    _import_package()
    _module("kernel").use_cache(cache)
    pieces = (
        _module("simulation.warm_up").warm_up_usual(kind == "touching"),
        _module("simulation.inspection").warm_up(),
        _module("posing.warm_up").warm_up(),
        _module("kinematics.warm_up").warm_up(),
    )
    for piece in (piece for generator in pieces for piece in generator):
        sys.stdout.write(f"{piece}\n")
        sys.stdout.flush()


def _end_with_starter() -> None:
    sys.stdin.read()
    os._exit(0)


def _import_package() -> None:
    """The package around this file, without those around it: those of Blender are not to be had here."""
    folder = Path(__file__).resolve().parent
    spec = importlib.util.spec_from_file_location(
        PACKAGE, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    sys.modules[PACKAGE] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[PACKAGE])


def _module(name: str):
    return importlib.import_module(f"{PACKAGE}.{name}")


if __name__ == "__main__":
    main(*sys.argv[1:])
