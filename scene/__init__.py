# SPDX-License-Identifier: GPL-3.0-or-later
"""The bridge between Blender and the solver: properties, reading a scene, writing keyframes, checking the set-up."""

from collections.abc import Callable, Mapping

import bpy

from .. import solver
from . import overlay
from .bake import state
from .compiling import ahead as compiling_ahead
from .geometry import computed_weight
from .live import live
from .properties import groups
from .quantities import plot_overlay
from .read import moved

PACKAGE = __package__.rpartition(".")[0]
WATCHING = (computed_weight, overlay, moved, live, state, compiling_ahead)
"""Modules that are told of what happens in Blender, in this order."""


def add_handlers(handlers: Mapping[str, Callable]) -> None:
    """Have functions called by Blender; each is given under the name of its list in `bpy.app.handlers`."""
    for name, handler in handlers.items():
        getattr(bpy.app.handlers, name).append(handler)


def remove_handlers(handlers: Mapping[str, Callable]) -> None:
    """Have them called no more."""
    for name, handler in handlers.items():
        getattr(bpy.app.handlers, name).remove(handler)


def register() -> None:
    """Register `Object.ves` and `Scene.ves`, draw what no object shows, and compile ahead.

    Machine code is kept where Blender wants an extension's own files.
    """
    if PACKAGE.startswith("bl_ext."):
        solver.use_cache(bpy.utils.extension_path_user(PACKAGE, path="cache"))
    groups.register()
    overlay.register()
    plot_overlay.register()
    for module in WATCHING:
        add_handlers(module.HANDLERS)


def unregister() -> None:
    """Unregister them."""
    for module in reversed(WATCHING):
        remove_handlers(module.HANDLERS)
    for module in (state, live, moved, overlay, computed_weight):
        module.forget_all()
    compiling_ahead.stop()
    plot_overlay.unregister()
    overlay.unregister()
    groups.unregister()
