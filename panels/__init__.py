# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels: the sidebar tab from top to bottom (what is next, what is selected, the scene), and the menus.

The buttons Bake, Play and Check stand in `top`; `bake` has what is set for a bake.
"""

from . import (
    add,
    bake,
    bodies,
    constraints,
    contact,
    findings,
    forces,
    holding,
    inspect,
    joint,
    live,
    menus,
    play,
    pose,
    snap,
    top,
    torques,
)

MODULES = (
    top,
    findings,
    add,
    bodies,
    joint,
    constraints,
    forces,
    holding,
    contact,
    snap,
    pose,
    live,
    play,
    bake,
    inspect,
    torques,
    menus,
)


def register() -> None:
    """Register all panels and menus."""
    for module in MODULES:
        module.register()


def unregister() -> None:
    """Unregister them in reverse order."""
    for module in reversed(MODULES):
        module.unregister()
