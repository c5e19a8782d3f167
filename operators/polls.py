# SPDX-License-Identifier: GPL-3.0-or-later
"""Conditions that an operator needs, and how the tooltip of its greyed button says what is missing."""

import bpy


def needs(operator: type[bpy.types.Operator], is_met: object, otherwise: str) -> bool:
    """True if a need of the operator is met; if not, its button's tooltip says `otherwise`."""
    if not is_met:
        operator.poll_message_set(otherwise)
    return bool(is_met)


def in_object_mode(operator: type[bpy.types.Operator], context: bpy.types.Context) -> bool:
    """True in Object Mode; else the button's tooltip says so."""
    return needs(operator, context.mode == "OBJECT", "Only in Object Mode")
