# SPDX-License-Identifier: GPL-3.0-or-later
"""A count by which undo sees that an object, or a scene, has got another action.

Undo leaves an object as it is if all that is stored of it is the same in both steps, addresses of its data-blocks
included. An action that lies where a freed one lay would pass for that one: undo frees it, the object goes on having
it, and Blender crashes. What differs in any number is read anew, and all its data-blocks with it.
"""

import bpy


def count_given(owner: bpy.types.ID) -> None:
    """Say that one of its actions is now another, before the next step of undo is kept."""
    owner.ves.given_actions = (owner.ves.given_actions + 1) % 1_000_000
