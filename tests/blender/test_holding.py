# SPDX-License-Identifier: GPL-3.0-or-later
"""What holds this: holders, loops and neighbours of a part, its linkage selected, lines to its partners."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from virtual_erector_set import panels
from virtual_erector_set.scene.parts.holding import holders_of, in_loops, loops_of, partner_lines
from virtual_erector_set.scene.parts.linkages import find_linkages

from tests.blender.linkages import body, chain, joint
from tests.blender.making import select
from tests.blender.playing import force
from tests.blender.test_check import findings
from tests.blender.test_panels import draw


def ring(count: int = 4) -> list[bpy.types.Object]:
    """Bodies in a ring, and a pendulum that hangs on the first one; the ring hangs on the world once."""
    bodies = [body(f"link {i}", (np.cos(i), np.sin(i), 0), (0.2, 0.2, 0.2)) for i in range(count)]
    for i, each in enumerate(bodies):
        joint(f"pin {i}", (0, 0, 0), bodies[i - 1], each)
    joint("hook", (0, 0, 1), None, bodies[0])
    bob = body("bob", (1, 0, -1), (0.1, 0.1, 0.1))
    joint("string", (1, 0, 0), bodies[0], bob)
    return [*bodies, bob]


def test_holders_are_named_with_their_other_ends_and_loops():
    links = ring()
    spring = force("spring", "SPRING", links[0], to_world=True)
    found = {each.owner.name: (each.label, [other.name for other in each.others], each.in_loop)
             for each in holders_of(links[0], bpy.context.scene)}  # fmt: skip
    assert found == {
        "hook": ("Ball", [], False),
        "pin 0": ("Ball", ["link 3"], True),
        "pin 1": ("Ball", ["link 1"], True),
        "string": ("Ball", ["bob"], False),
        spring.name: ("Spring", [], False),
    }


@pytest.mark.parametrize("closed", [0, 1, 2])
def test_loops_are_counted_with_the_ground(closed):
    """A chain that hangs on the world; each further joint to the world closes a loop."""
    rods, scene = chain(3), bpy.context.scene
    for k in range(closed):
        joint(f"closing {k}", (3 - k, 0, 0), None, rods[2 - k])
    (linkage,) = find_linkages(scene)
    assert loops_of(linkage, scene) == closed
    expected = set() if closed == 0 else {"joint 0", "joint 1", "joint 2", "closing 0"} | (
        {"closing 1"} if closed == 2 else set()
    )  # fmt: skip
    assert {tie.name for tie in in_loops(scene)} == expected


def test_select_linkage_takes_all_that_hangs_together_and_nothing_else():
    links, alone = ring(), body("alone", (9, 0, 0))
    select(links[4])
    assert bpy.ops.ves.select_linkage() == {"FINISHED"}
    chosen = {ob.name for ob in bpy.context.selected_objects}
    assert chosen == {*(f"link {i}" for i in range(4)), *(f"pin {i}" for i in range(4)), "bob", "hook", "string"}
    assert bpy.context.active_object == links[4]
    select(links[0])
    bpy.ops.ves.select_linkage(bodies_only=True)
    assert {ob.name for ob in bpy.context.selected_objects} == {ob.name for ob in links}
    select(alone)
    assert bpy.ops.ves.select_linkage() == {"CANCELLED"}
    assert bpy.context.selected_objects == [alone]


def test_lines_go_from_a_tie_to_the_middles_of_its_bodies():
    rods, scene = chain(2), bpy.context.scene
    lines = np.array(partner_lines([rods[1]], scene)).reshape(-1, 2, 3)
    np.testing.assert_allclose(sorted(lines.tolist()), [[[1, 0, 0], [0.5, 0, 0]], [[1, 0, 0], [1.5, 0, 0]]], atol=1e-6)
    assert partner_lines([], scene) == []
    scene.objects["joint 1"].hide_set(True)
    assert partner_lines([rods[1]], scene) == []


def words() -> str:
    """The panel's labels, in a line."""
    return " ".join(text for kind, text in draw(panels.holding.VES_PT_holding) if kind == "label")


def test_the_panel_says_it():
    links, alone = ring(), body("alone", (9, 0, 0))
    bpy.context.view_layer.objects.active = links[0]
    said = words()
    assert "Ball pin 0 to link 3    in a loop" in said
    assert "Linkage of 5 moving bodies, 6 joints and constraints, 1 loop" in said
    bpy.context.view_layer.objects.active = alone
    assert "Nothing holds alone: it falls" in words()


@pytest.mark.parametrize(("collides", "ground", "said"), [(True, True, 0), (False, True, 1), (True, False, 2)])
def test_check_names_what_could_lie_on_nothing(collides, ground, said):
    """A stone, beside a log that collides."""
    stone, _ = body("stone", (0, 0, 1)), body("log", (9, 0, 1))
    scene = bpy.context.scene
    scene.ves.use_contact, scene.ves.use_ground, stone.ves.collide = True, ground, collides
    assert sum("falls for ever: nothing holds it, and it lies on nothing" in text for *_, text in findings()) == said
