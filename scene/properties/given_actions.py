# SPDX-License-Identifier: GPL-3.0-or-later
"""The count that `animation.given_actions` keeps of an object's, or a scene's, actions."""

from bpy.props import IntProperty

from .setting import OVERRIDABLE


class GivenActions:
    """Mixed into `Object.ves` and `Scene.ves`."""

    given_actions: IntProperty(
        name="Given Actions",
        description="How often it has been given another action, so that undo can tell these apart",
        options={"HIDDEN"},
        override=OVERRIDABLE,
    )
