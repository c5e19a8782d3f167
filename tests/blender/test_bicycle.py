# SPDX-License-Identifier: GPL-3.0-or-later
"""The rider on a bicycle goes over kerbs: what Blender shows of it after the bake, and what becomes of the energy."""

import math

import bpy
import numpy as np
import pytest
from virtual_erector_set.scene.read.scene import read_mechanism
from virtual_erector_set.solver import simulate

from examples import bicycle, courier, cyclist
from examples.city_bike import CHAINRING, SEAT, SPROCKET, TYRE, WHEEL_RADIUS, WHEELBASE
from examples.measure import measure
from tests.blender.versions import once

pytestmark = once
ROUNDING = 1e-5  # m: single precision, in what Blender shows of places up to twenty metres away
DEEP = 1e-3  # m: the farthest that anything may sink into what it lies on
ENDS = ("Front", "Rear")
SIDES = ("Left", "Right")


def poses(scene: bpy.types.Scene) -> dict[str, np.ndarray]:
    """By name of each body, its matrix (F, 4, 4) at all frames."""
    bodies = [ob for ob in scene.objects if ob.ves.role == "BODY"]
    shown = {ob.name: [] for ob in bodies}
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        for ob in bodies:
            shown[ob.name].append(np.array(ob.matrix_world))
    return {name: np.array(matrices, dtype=float) for name, matrices in shown.items()}


def places(pose: np.ndarray, point=(0.0, 0.0, 0.0)) -> np.ndarray:
    """(F, 3): where a point of a body is."""
    return pose[:, :3, :3] @ np.array(point) + pose[:, :3, 3]


def seen_from(body: np.ndarray, points: np.ndarray) -> np.ndarray:
    """(F, 3): points of the world in the coordinates of a body."""
    return np.einsum("fji,fj->fi", body[:, :3, :3], points - body[:, :3, 3])


def turned(pose: np.ndarray, frame: np.ndarray) -> np.ndarray:
    """(F,): how far a body has turned in the frame about Y since the start, in rad."""
    inside = np.linalg.inv(frame) @ pose
    return np.unwrap(np.arctan2(inside[:, 0, 2], inside[:, 0, 0]))


def road() -> np.ndarray:
    """(n, 2): x and z of points along the road and over the crossing with its round edges, a millimetre apart."""
    start, end = bicycle.CROSSING
    radius, top = bicycle.EDGE, bicycle.KERB
    angles = np.linspace(0.0, 0.5 * math.pi, 100)
    edge = np.column_stack([radius * (1.0 - np.cos(angles)), top - radius * (1.0 - np.sin(angles))])
    wall = np.column_stack([np.zeros(100), np.linspace(0.0, top - radius, 100)])
    kerb = np.concatenate([wall, edge])
    level = np.arange(start + radius, end - radius, 1e-3)
    before, behind = np.arange(-1.0, start, 1e-3), np.arange(end, end + 20.0, 1e-3)
    return np.concatenate(
        [
            np.column_stack([before, 0.0 * before]),
            kerb + (start, 0.0),
            np.column_stack([level, 0.0 * level + top]),
            kerb[::-1] * (-1.0, 1.0) + (end, 0.0),
            np.column_stack([behind, 0.0 * behind]),
        ]
    )


def test_it_goes_over_the_kerbs_and_the_rider_sits_on_it() -> None:
    bicycle.build()
    scene = bpy.context.scene
    roles = [ob.ves.role for ob in scene.objects]
    assert (roles.count("BODY"), roles.count("JOINT"), roles.count("GEAR")) == (20, 22, 1)
    bpy.ops.ves.check()
    assert not [finding.text for finding in scene.ves.findings]
    assert bpy.ops.ves.bake() == {"FINISHED"}
    assert measure(scene, with_collisions=False).joint_gap < ROUNDING
    shown = poses(scene)
    frame = shown["Frame"]
    assert np.abs(frame[:, 1, 3]).max() < ROUNDING
    assert np.abs(frame[:, 1, [0, 2]]).max() < ROUNDING, "it stays upright and goes straight ahead"

    pedalled = turned(shown["Cranks"], frame)
    assert pedalled[-1] > 3.0 * math.tau
    slack = turned(shown["Rear Wheel"], frame) - CHAINRING / SPROCKET * pedalled
    assert np.abs(slack).max() < 1e-5, "the chain does not slip"

    check_tyres(shown)
    check_rider(shown)


def check_tyres(shown: dict[str, np.ndarray]) -> None:
    """They stand on the road and on the crossing; the front one comes up first; then they go on as before."""
    profile, raised = road(), {}
    for end in ENDS:
        hub, ring = places(shown[f"{end} Wheel"]), places(shown[f"{end} Tyre"])
        near = np.array([np.hypot(*(profile - place).T).min() for place in ring[:, [0, 2]]])
        assert near.min() > WHEEL_RADIUS - 2.0 * DEEP, "it does not sink in, not even as it hits the kerb"
        given_way = np.linalg.norm(hub - ring, axis=1)
        assert given_way[12:].max() > 0.01, "it gives way at the kerb"
        assert given_way.max() < 2.0 * TYRE, "the rim does not reach the road"
        on_top = (ring[:, 0] > bicycle.CROSSING[0] + 1.5) & (ring[:, 0] < bicycle.CROSSING[1] - 0.5)
        height = ring[:, 2] - WHEEL_RADIUS
        assert np.abs(np.median(height[on_top]) - bicycle.KERB) < DEEP
        assert height.max() > bicycle.KERB + 0.02, "it bounces over the kerb"
        assert np.abs(height[-24:]).max() < DEEP
        raised[end] = int(np.argmax(height > 0.5 * bicycle.KERB))
    frames = bpy.context.scene.render.fps * WHEELBASE / bicycle.SPEED
    assert 0.8 * frames < raised["Rear"] - raised["Front"] < 1.5 * frames
    speed = np.diff(places(shown["Frame"])[:, 0]) * bpy.context.scene.render.fps
    assert abs(np.mean(speed[-24:]) - bicycle.SPEED) < 0.2
    assert places(shown["Rear Tyre"])[-1, 0] > bicycle.CROSSING[1] + 4.0


def check_rider(shown: dict[str, np.ndarray]) -> None:
    """He bounces on the saddle, but not off it, looks ahead, and his knees bend forward only."""
    frame, trunk = shown["Frame"], shown["Trunk"]
    start = trunk[0, :3, 3]
    for y in (cyclist.SEAT_BONES[1], -cyclist.SEAT_BONES[1]):
        bone = places(trunk, np.array((cyclist.SEAT_BONES[0], y, cyclist.SEAT_BONES[2])) - start)
        above = seen_from(frame, bone) - (np.array(SEAT) - frame[0, :3, 3])
        gap = above[:, 2] - cyclist.BONE
        assert gap.min() > -DEEP, "he does not sink into the saddle"
        assert 0.01 < gap.max() < 0.1, "he is thrown up, and falls back on it"
        assert np.abs(gap[-24:]).max() < DEEP
        assert np.abs(above[:, 0]).max() < 0.1
        assert np.abs(above[:, 1] - y).max() < 0.02
    for side in SIDES:
        hip, knee, ankle = (places(shown[f"{side} {name}"]) for name in ("Thigh", "Shin", "Foot"))
        thigh, shin = knee - hip, ankle - knee
        bent = np.arctan2(thigh[:, 0] * shin[:, 2] - thigh[:, 2] * shin[:, 0], np.sum(thigh * shin, axis=1))
        assert np.degrees(-bent).min() > 7.0
        assert np.degrees(-bent).max() < 135.0
        assert np.ptp(-bent) > math.radians(40.0), "he pedals"
    assert shown["Head"][:, 0, 0].min() > math.cos(math.radians(30.0))


def test_without_pedalling_nothing_feeds_it() -> None:
    """Nobody drives the cranks: all that kerbs, tyres and joints do is to take energy."""
    bicycle.build()
    scene = bpy.context.scene
    scene.objects["Bottom Bracket"].ves.motor_mode = "NONE"
    mechanism = read_mechanism(scene, bpy.context.view_layer.depsgraph).mechanism
    recording = simulate(mechanism, (bicycle.FRAMES - 1) / scene.render.fps, scene.render.fps)
    energy = recording.kinetic_energy + recording.potential_energy
    assert (energy - np.minimum.accumulate(energy)).max() < 1e-3 * energy[0]
    assert energy[-1] < 0.9 * energy[0]
    names = list(recording.body_names)
    assert recording.position[-1, names.index("Rear Tyre"), 0] > bicycle.CROSSING[1] + 2.0
    assert recording.constraint_error.max() < 1e-9


def test_a_courier_with_a_rig_is_one_linkage_with_the_bicycle() -> None:
    """Bones and parts stay joined, cranks turn legs as far as the wheel rolls, and the head looks where it is keyed."""
    courier.build(56)
    scene, rig = bpy.context.scene, bpy.data.objects["Courier"]
    keyed = [turned_head(rig, frame) for frame in (20, 44)]
    assert bpy.ops.ves.bake() == {"FINISHED"}
    assert measure(scene, with_collisions=False).joint_gap < 5.0 * ROUNDING
    shown = poses(scene)
    frame = shown["Frame"]
    pedalled = turned(shown["Cranks"], frame)
    assert pedalled[-1] > 1.5 * math.tau
    assert np.abs(turned(shown["Rear Wheel"], frame) - CHAINRING / SPROCKET * pedalled).max() < 1e-5
    height = places(shown["Courier Hips"])[:, 2] - frame[:, 2, 3]
    assert np.abs(height[:20] - height[0]).max() < 0.02, "it sits"
    assert height.max() - height[0] > 0.02, "a kerb throws it off the saddle"
    assert abs(keyed[1] - keyed[0]) > 0.5
    assert [turned_head(rig, frame) for frame in (20, 44)] == pytest.approx(keyed, abs=0.15)


def turned_head(rig: bpy.types.Object, frame: int) -> float:
    """rad: of the head beside the neck, about its own axis, at a frame."""
    bpy.context.scene.frame_set(frame)
    head = rig.pose.bones["Head"]
    return (head.parent.matrix.inverted() @ head.matrix).to_euler("YXZ").y
