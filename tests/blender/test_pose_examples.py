# SPDX-License-Identifier: GPL-3.0-or-later
"""The large linkages of Add > Erector Set > Examples: what they are made of, that nothing is apart, and that Pose takes
them; and the scenes that are posed with them, with fewer links."""

from __future__ import annotations

import importlib

import bpy
import numpy as np
import pytest

from examples.measure import measure
from examples.render import POSED

# links asked for, and links, joints and meshes that are made
KINDS = {
    "BICYCLE_CHAIN": (30, 30, 29, 2),
    "MILLIPEDE": (520, 520, 519, 5),
    "MOLECULE": (300, 300, 299, 4),
}
ROUNDING = 2e-6  # m: single precision, a few metres from the origin


def bodies() -> list[bpy.types.Object]:
    return [ob for ob in bpy.context.scene.objects if ob.ves.role == "BODY"]


def pivots() -> list[tuple]:
    """Of each joint both bodies, and its place in each."""
    ties = [ob for ob in bpy.context.scene.objects if ob.ves.role == "JOINT"]
    return [
        (body, body.matrix_world.inverted() @ place, other, other.matrix_world.inverted() @ place)
        for body, place, other in ((tie.ves.body_a, tie.matrix_world.translation, tie.ves.body_b) for tie in ties)
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_what_it_is_made_of(kind):
    wanted, links, joints, meshes = KINDS[kind]
    bpy.context.scene.cursor.location = (1.0, 2.0, 3.0)
    assert bpy.ops.ves.add_example(kind=kind, links=wanted, scale=2.0) == {"FINISHED"}
    scene = bpy.context.scene
    assert len(bodies()) == links
    assert sum(ob.ves.role == "JOINT" for ob in scene.objects) == joints
    assert len({ob.data for ob in bodies()}) == meshes
    assert len(bpy.context.selected_objects) == 1
    bpy.ops.ves.check()
    (found,) = [finding.text for finding in scene.ves.findings if finding.severity != "INFO"]
    assert "falls for ever" in found, "nothing holds it, and it is there to be posed"


@pytest.mark.parametrize("kind", KINDS)
def test_pose_takes_it_and_nothing_comes_apart(kind):
    bpy.ops.ves.add_example(kind=kind, links=KINDS[kind][0])
    bpy.context.view_layer.update()
    owner = bpy.context.view_layer.objects.active
    start = owner.matrix_world.translation.copy()
    size = max(owner.dimensions)
    goal = (start.x - size, start.y, start.z + size)
    places = pivots()
    assert bpy.ops.ves.pose(body=owner.name, target=goal) == {"FINISHED"}
    assert (owner.matrix_world.translation - type(start)(goal)).length < 0.01 * size
    bpy.context.view_layer.update()
    assert max((a.matrix_world @ p - b.matrix_world @ q).length for a, p, b, q in places) < ROUNDING


@pytest.mark.parametrize("name", sorted(POSED - {"millipede"}))
def test_scenes_are_posed_and_keyed(name):
    scenes = importlib.import_module(f"examples.{name}")
    scenes.build(3) if name == "bicycle_chain" else scenes.build(3, 200)
    scene = bpy.context.scene
    assert scene.camera is not None
    assert not scene.ves.pose_has_unkeyed
    first = {}
    for frame in (1, 2, 3):
        scene.frame_set(frame)
        first[frame] = np.array([ob.matrix_world.translation for ob in bodies()])
    assert np.abs(first[3] - first[1]).max() > np.abs(first[2] - first[1]).max() > 0.005
    assert measure(scene, with_collisions=False).joint_gap < 5 * ROUNDING


def test_the_millipede_lifts_a_foot():
    millipede = importlib.import_module("examples.millipede")
    millipede.build(1, 200)
    foot = bpy.data.objects[millipede.FOOT]
    assert foot.matrix_world.translation.z > 0.18
    assert bpy.context.scene.ves.pose_has_unkeyed


def test_what_comes_nearer_slowly_is_not_given_up():
    """Ahead, along its spine, a head gets on by less than a thousandth of the way in a step."""
    bpy.ops.ves.add_example(kind="MILLIPEDE", links=520)
    bpy.context.view_layer.update()
    head, second = (bpy.data.objects[name] for name in ("Segment 1", "Segment 2"))
    start = head.matrix_world.translation.copy()
    goal = start + (start - second.matrix_world.translation).normalized()
    assert bpy.ops.ves.pose(body=head.name, target=goal) == {"FINISHED"}
    assert (head.matrix_world.translation - goal).length < 1e-4
