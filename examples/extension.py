# SPDX-License-Identifier: GPL-3.0-or-later
"""The clone, whatever its folder is called, as the extension `virtual_erector_set` in Blender as a Python module."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import bpy

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "virtual_erector_set"


@contextmanager
def extension() -> Iterator[None]:
    """Registered inside the `with` block, in an empty file. Blender 4.5 hangs at exit unless it is taken away again."""
    spec = importlib.util.spec_from_file_location(PACKAGE, ROOT / "__init__.py", submodule_search_locations=[str(ROOT)])
    package = sys.modules[PACKAGE] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(package)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    package.register()
    try:
        yield
    finally:
        package.unregister()
