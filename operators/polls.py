# SPDX-License-Identifier: GPL-3.0-or-later
"""Conditions that an operator needs: its greyed button's tooltip says what is missing, or a report why it ends."""

from collections.abc import Callable

import bpy


def needs(operator: type[bpy.types.Operator], is_met: object, otherwise: str) -> bool:
    """True if a need of the operator is met; if not, its button's tooltip says `otherwise`."""
    if not is_met:
        operator.poll_message_set(otherwise)
    return bool(is_met)


def in_object_mode(operator: type[bpy.types.Operator], context: bpy.types.Context) -> bool:
    """True in Object Mode, or where the operator `acts_in_pose_mode` there; in a scene that can be changed.

    Else the button's tooltip says so.
    """
    linked = "This scene is linked from another file: open that, or link its collections to a scene of this file"
    with_pose_mode = getattr(operator, "acts_in_pose_mode", False)
    return needs(operator, context.scene.is_editable, linked) and needs(
        operator,
        context.mode in ({"OBJECT", "POSE"} if with_pose_mode else {"OBJECT"}),
        "Only in Object Mode and Pose Mode" if with_pose_mode else "Only in Object Mode",
    )


def needs_selected(
    operator: type[bpy.types.Operator],
    context: bpy.types.Context,
    suits: Callable[[bpy.types.Object], object],
    otherwise: str,
) -> bool:
    """True in Object Mode, if a selected object suits; else the button's tooltip says so."""
    return in_object_mode(operator, context) and needs(
        operator, any(suits(ob) for ob in context.selected_objects), otherwise
    )


def cancelled(operator: bpy.types.Operator, text: str, level: str = "ERROR") -> set[str]:
    """The result of an operator that cannot do its work, and says so: ERROR stops a script, WARNING does not."""
    operator.report({level}, text)
    return {"CANCELLED"}
