# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels: the sidebar tab, from top to bottom in the order of the work, and the menus."""

from . import bake, bodies, check, connect, constraints, contact, forces, inspect, joint, menus, play, pose, snap

MODULES = (bodies, contact, connect, joint, constraints, forces, snap, pose, play, bake, inspect, check, menus)


def register() -> None:
    """Register all panels and menus."""
    for module in MODULES:
        module.register()


def unregister() -> None:
    """Unregister them in reverse order."""
    for module in reversed(MODULES):
        module.unregister()
