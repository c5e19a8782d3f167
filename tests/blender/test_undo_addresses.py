# SPDX-License-Identifier: GPL-3.0-or-later
"""Undo after a bake whose action has the address of one that was freed.

Blender leaves an object alone at an undo if all that it stores of it is the same, addresses included; the new action
is freed, and the object would go on having it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

import bpy
import pytest

from tests.blender.linkages import chain
from tests.blender.versions import oldest_and_newest

pytestmark = oldest_and_newest

MOST_ACTIONS, MOST_BAKES = 3000, 200


def address_of_action(ob: bpy.types.Object) -> int:
    """The first member of `AnimData`. Python must not look at an action that may have been freed."""
    return ctypes.c_void_p.from_address(ob.animation_data.as_pointer()).value or 0


def free_last(address: int) -> None:
    """Free an action at this address last, so that allocators give it out first."""
    made = []
    while len(made) < MOST_ACTIONS and (not made or made[-1].as_pointer() != address):
        made.append(bpy.data.actions.new("at an address"))
    last = made.pop()
    bpy.data.batch_remove(made)
    bpy.data.actions.remove(last)


@pytest.fixture
def no_handlers() -> Iterator[None]:
    """What acts after an undo would look at the freed action, and Blender crash."""
    kept = list(bpy.app.handlers.undo_post)
    bpy.app.handlers.undo_post.clear()
    yield
    bpy.app.handlers.undo_post.extend(kept)


def test_a_new_action_at_the_address_of_a_freed_one_is_not_kept_over_an_undo(no_handlers) -> None:
    (rod,) = chain(1, 8)
    bpy.ops.ves.bake()
    bpy.ops.ed.undo_push(message="First bake")
    address = address_of_action(rod)
    for _ in range(MOST_BAKES):
        bpy.ops.ves.bake()
        free_last(address)
        bpy.ops.ves.bake()
        if address_of_action(rod) == address:
            break
    else:
        pytest.skip("the allocator did not give that address out again")
    bpy.ops.ed.undo_push(message="More bakes")
    bpy.ops.ed.undo()
    assert address_of_action(bpy.data.objects["rod 0"]) in {action.as_pointer() for action in bpy.data.actions}
