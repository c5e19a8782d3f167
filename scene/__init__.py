# SPDX-License-Identifier: GPL-3.0-or-later
"""The bridge between Blender and the solver: properties, reading a scene, writing keyframes, checking the set-up.

To be read in this order, in which each folder imports only from those before it:
    findings, owner           sentences on objects, and the door that refuses; what holds a body: an object, or a bone
    geometry, animation       places, meshes and curves; what is animated
    visible                   springs and ropes that are seen
    properties, parts         the settings in the .blend, and the objects that carry them
    links, rig                linkages of bars from a sketch, ragdolls from a rig
    read                      the scene becomes a mechanism
    build                     a mechanism becomes a scene
    quantities, check         what is known of a motion besides its keyframes; what is wrong before it is computed
    bake                      a mechanism's motion becomes keyframes, in `write_keyframes`
    preview, play, snap, pose, live    what runs while a person watches
    start                     the next run goes on from a moment of this one
    overlay, mending, examples    what is drawn in the 3D View; damaged files; Add > Erector Set
"""

from collections.abc import Callable, Mapping

import bpy

from .. import solver
from ..solver import kernel
from . import overlay
from .bake import state
from .geometry import computed_weight
from .live import choices, live
from .parts import tables
from .properties import groups
from .quantities import plot_overlay
from .read import moved

PACKAGE = __package__.rpartition(".")[0]
WATCHING = (tables, computed_weight, overlay, moved, live, choices, state)
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
    """Register `Object.ves` and `Scene.ves`, and draw what no object shows.

    Without a library of kernels machine code is kept where Blender wants an extension's own files.
    """
    if PACKAGE.startswith("bl_ext.") and kernel.compiles():
        solver.use_cache(bpy.utils.extension_path_user(PACKAGE, path="cache"))
    groups.register()
    overlay.register()
    plot_overlay.register()
    choices.register()
    for module in WATCHING:
        add_handlers(module.HANDLERS)


def unregister() -> None:
    """Unregister them."""
    for module in reversed(WATCHING):
        remove_handlers(module.HANDLERS)
    for module in (state, choices, live, moved, overlay, computed_weight):
        module.forget_all()
    choices.unregister()
    plot_overlay.unregister()
    overlay.unregister()
    groups.unregister()
