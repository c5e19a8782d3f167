# SPDX-License-Identifier: GPL-3.0-or-later
"""The operators. Each module has its own; here they are only registered, in this order.

`modal` runs what takes long, `session` what stays until one leaves it (Play, Pose); `polls` and `selection` have no
operators and help the others.
"""

from . import (
    action_buttons,
    bake,
    check,
    command_line,
    cures,
    exchange,
    how_to,
    inspect,
    mended,
    modal,
    play,
    pose,
    recorded_actions,
    snap,
    start,
)
from .drives import torques
from .handles import handle, limit_handles, size_handles
from .kinematics import drive_gizmos, live, paths
from .parts import (
    along_curve,
    anchor,
    bake_part,
    body,
    contact,
    control_program,
    copy_settings,
    example,
    feet,
    force,
    generic,
    hand_over,
    joint,
    linkage_from_curve,
    links,
    links_from_parts,
    ragdoll,
    rope,
    select_bodies,
    tables,
    tie,
    transmission,
    visible,
)

MODULES = (
    body,
    ragdoll,
    hand_over,
    copy_settings,
    joint,
    handle,
    limit_handles,
    size_handles,
    anchor,
    along_curve,
    tie,
    generic,
    transmission,
    rope,
    links,
    links_from_parts,
    linkage_from_curve,
    force,
    feet,
    tables,
    visible,
    contact,
    select_bodies,
    modal,
    mended,
    check,
    cures,
    snap,
    pose,
    live,
    drive_gizmos,
    paths,
    play,
    control_program,
    action_buttons,
    recorded_actions,
    start,
    bake,
    bake_part,
    inspect,
    torques,
    exchange,
    command_line,
    how_to,
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
