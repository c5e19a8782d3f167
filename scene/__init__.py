# SPDX-License-Identifier: GPL-3.0-or-later
"""The bridge between Blender and the solver: properties, reading a scene, writing keyframes, checking the set-up."""

from . import overlay, properties


def register() -> None:
    """Register `Object.ves` and `Scene.ves`, and draw what no object shows."""
    properties.register()
    overlay.register()


def unregister() -> None:
    """Unregister them."""
    overlay.unregister()
    properties.unregister()
