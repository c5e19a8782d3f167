# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person can do. Each module has its own operators; here they are only registered, in this order."""

from . import (
    action_buttons,
    along_curve,
    anchor,
    bake,
    body,
    check,
    command_line,
    contact,
    copy_settings,
    example,
    exchange,
    feet,
    force,
    inspect,
    joint,
    modal,
    play,
    pose,
    recorded_actions,
    session,
    snap,
    tie,
    transmission,
)

MODULES = (
    body,
    copy_settings,
    joint,
    anchor,
    along_curve,
    tie,
    transmission,
    force,
    feet,
    contact,
    modal,
    session,
    check,
    snap,
    pose,
    play,
    action_buttons,
    recorded_actions,
    bake,
    inspect,
    exchange,
    command_line,
    example,
)


def register() -> None:
    """Register all operators."""
    for module in MODULES:
        module.register()


def unregister() -> None:
    """Unregister them in reverse order."""
    for module in reversed(MODULES):
        module.unregister()
