# SPDX-License-Identifier: GPL-3.0-or-later
"""The bridge between Blender and the solver: properties, reading a scene, writing keyframes, checking the set-up."""

from . import properties


def register() -> None:
    """Register `Object.ves` and `Scene.ves`."""
    properties.register()


def unregister() -> None:
    """Unregister them."""
    properties.unregister()
