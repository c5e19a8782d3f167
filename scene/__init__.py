# SPDX-License-Identifier: GPL-3.0-or-later
"""The bridge between Blender and the solver: properties, reading a scene, writing keyframes, checking the set-up."""

import bpy

from .. import solver
from . import overlay
from .compiling import ahead as compiling_ahead
from .geometry import computed_weight
from .properties import groups
from .read import moved

PACKAGE = __package__.rpartition(".")[0]


def register() -> None:
    """Register `Object.ves` and `Scene.ves`, draw what no object shows, and compile ahead.

    Machine code is kept where Blender wants an extension's own files.
    """
    if PACKAGE.startswith("bl_ext."):
        solver.use_cache(bpy.utils.extension_path_user(PACKAGE, path="cache"))
    groups.register()
    computed_weight.register()
    overlay.register()
    moved.register()
    compiling_ahead.register()


def unregister() -> None:
    """Unregister them."""
    compiling_ahead.unregister()
    moved.unregister()
    overlay.unregister()
    computed_weight.unregister()
    groups.unregister()
