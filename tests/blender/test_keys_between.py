# SPDX-License-Identifier: GPL-3.0-or-later
"""Baked curves between frames, against the solver's own poses at quarters of a frame."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest
from virtual_erector_set.scene.animation.kept import is_baked
from virtual_erector_set.scene.bake.bake import run_to_end
from virtual_erector_set.scene.geometry import poses
from virtual_erector_set.scene.play.play import Play
from virtual_erector_set.scene.read.reading import Reading
from virtual_erector_set.scene.read.scene import read_over_time
from virtual_erector_set.scene.read.solved import Solved
from virtual_erector_set.scene.read.track import Track, merged, turned_by
from virtual_erector_set.solver import Recording, simulate

from tests.blender.linkages import body, part
from tests.blender.shapes import ball, shaped

ENOUGH = 1e-4  # of a body's size
QUARTERS = 4
SUBSTEPS = 20  # of a frame: five in each quarter, as many as there would be anyway


def read(frames: int) -> Reading:
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, frames
    return run_to_end(read_over_time(scene, bpy.context.view_layer))


def true_motion(reading: Reading, parts: int = QUARTERS, **options) -> Recording:
    """The same motion, at quarters of a frame, or other parts."""
    return simulate(reading.mechanism, reading.duration, parts * reading.frame_rate, relative=1e-6, **options)


def bake() -> None:
    assert bpy.ops.ves.bake() == {"FINISHED"}


def largest_error(reading: Reading, motion: Recording, parts: int = QUARTERS) -> np.ndarray:
    """(parts,): of a body's size, how far a corner of a body is from where it should be, at each part of a frame."""
    scene, worst = bpy.context.scene, np.zeros(parts)
    for row in range(len(motion.times)):
        scene.frame_set(1 + row // parts, subframe=row % parts / parts)
        for read in reading.bodies:
            if read.body.motion == "dynamic":
                place = list(motion.body_names).index(read.body.name)
                wanted = poses.join(motion.position[row, place], motion.orientation[row, place], read.residual)
                shown = np.array(read.object.matrix_world)
                corners = np.array([(*corner, 1.0) for corner in read.object.bound_box])
                off = np.linalg.norm((corners @ (wanted - shown).T)[:, :3], axis=1).max() / read.owner.size
                worst[row % parts] = max(worst[row % parts], off)
    return worst


def key_frames(ob: bpy.types.Object, path: str) -> np.ndarray:
    action = ob.animation_data.action
    curves = action.layers[0].strips[0].channelbag(action.slots[0]).fcurves
    return np.array([key.co.x for key in curves.find(path, index=2).keyframe_points])


def is_whole(frames: np.ndarray) -> np.ndarray:
    return frames == np.round(frames)


def top(turns: float) -> bpy.types.Object:
    """Something that spins freely, and nods a little: turns per second."""
    bpy.context.scene.use_gravity = False
    ob = body("top", (0, 0, 0), (0.3, 0.3, 0.1))
    ob.ves.angular_velocity = (0.3, 0.2, 2.0 * math.pi * turns)
    return ob


def bouncing(height: float = 0.53) -> bpy.types.Object:
    settings = bpy.context.scene.ves
    settings.use_contact, settings.ground_restitution = True, 0.8
    ob = shaped("ball", ball(radius=0.1), (0, 0, height))
    ob.ves.contact_restitution = 0.8
    return ob


@pytest.mark.parametrize("mode", ["QUATERNION", "AXIS_ANGLE", "XYZ"])
@pytest.mark.parametrize("turns", [5.0, 80.0])
def test_a_fast_spin(mode: str, turns: float) -> None:
    """At 24 frames a second, 80 turns a second are more than three in a frame."""
    ob = top(turns)
    ob.rotation_mode = mode
    reading = read(12)
    bake()
    assert largest_error(reading, true_motion(reading)).max() < ENOUGH
    assert (is_whole(key_frames(ob, "location"))).all()


def test_a_body_that_needs_none_has_no_keys_between() -> None:
    ob = body("stone", (0, 0, 0), (0.3, 0.2, 0.1))
    ob.ves.linear_velocity, ob.ves.angular_velocity = (3.0, 1.0, 5.0), (1.0, 2.0, 0.5)
    reading = read(24)
    bake()
    assert largest_error(reading, true_motion(reading)).max() < ENOUGH
    for path in ("location", "rotation_euler"):
        assert key_frames(ob, path).tolist() == list(range(1, 25))


def test_under_a_parent_that_moves() -> None:
    """Larger by half, with a delta and Euler angles, and a child that hangs on the body itself."""
    carrier = bpy.data.objects.new("carrier", None)
    bpy.context.scene.collection.objects.link(carrier)
    for frame, x, angle in ((1, 0.0, 0.0), (13, 1.0, 0.8), (25, 0.0, -0.5)):
        carrier.location, carrier.rotation_euler = (x, 0.2 * x, 0.0), (0.3 * angle, 0.0, angle)
        carrier.keyframe_insert("location", frame=frame)
        carrier.keyframe_insert("rotation_euler", frame=frame)
    carrier.scale = (1.5, 1.5, 1.5)
    hung, child = body("hung", (0.5, 0.2, 1), (0.3, 0.2, 0.1)), body("child", (0.9, 0.2, 1), (0.2, 0.1, 0.1))
    hung.parent, hung.rotation_mode, hung.delta_rotation_euler = carrier, "YZX", (0.2, 0.1, 0.3)
    hung.ves.angular_velocity = (5.0, 3.0, 2.0)
    child.parent, child.ves.angular_velocity = hung, (-2.0, 4.0, 9.0)
    reading = read(24)
    bake()
    assert largest_error(reading, true_motion(reading)).max() < ENOUGH


def test_a_bounce_has_its_corner_and_stays_above_the_floor() -> None:
    ob = bouncing()
    reading = read(24)
    bpy.context.scene.ves.substeps = SUBSTEPS
    bake()
    assert largest_error(reading, true_motion(reading, substeps=SUBSTEPS // QUARTERS)).max() < ENOUGH
    frames = key_frames(ob, "location")
    hit = 1.0 + 24.0 * math.sqrt(2.0 * 0.43 / 9.81)
    assert np.abs(frames[~is_whole(frames)] - hit).min() < 0.01, "a key at the very moment"
    action = ob.animation_data.action
    height = action.layers[0].strips[0].channelbag(action.slots[0]).fcurves.find("location", index=2)
    lowest = min(height.evaluate(frame) for frame in np.arange(1.0, 24.0, 0.01))
    assert lowest > 0.1 - 2.0 * ENOUGH * 0.2
    assert len(frames) < 24 + 6


def test_several_bounces_in_a_frame_have_a_corner_each() -> None:
    """From 0.3 mm: two or three in a frame, and each height is 0.64 of the one before."""
    bouncing(height=0.1003)
    reading = read(5)
    bpy.context.scene.ves.substeps = SUBSTEPS
    bake()
    assert largest_error(reading, true_motion(reading, 10, substeps=SUBSTEPS // 10), 10).max() < 2.0 * ENOUGH


@pytest.mark.parametrize(
    ("turn", "spin"),
    [
        ((-0.43, 0.22, -0.53), (-30.5, -6.1, 36.6)),
        ((-0.782, 1.129, -1.324), (38.28, 27.94, 7.59)),
        ((0.889, -0.808, -1.344), (-43.72, 13.41, 14.59)),
    ],
)
def test_a_spin_near_gimbal_lock(turn: tuple[float, ...], spin: tuple[float, ...]) -> None:
    """Two turns in five frames: Euler angles turn much faster near gimbal lock, between the quarters of a frame."""
    bpy.context.scene.use_gravity = False
    ob = body("stone", (0, 0, 0), (0.3, 0.3, 0.3))
    ob.rotation_euler, ob.ves.angular_velocity = turn, spin
    reading = read(12)
    bake()
    assert largest_error(reading, true_motion(reading, 24), 24).max() < 2.0 * ENOUGH


def test_a_slow_turn_near_gimbal_lock_is_seen_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its angles turn more than twice as fast as it does, but at the middles of frames they have not gone far."""
    bpy.context.scene.use_gravity = False
    ob = body("stone", (0, 0, 0), (0.3, 0.3, 0.3))
    ob.rotation_euler, ob.ves.angular_velocity = (0.0, 1.1, 0.0), (2.0, 0.0, 0.0)
    reading, asked = read(12), []
    track = Solved.track
    monkeypatch.setattr(Solved, "track", lambda self, name: asked.append(name) or track(self, name))
    bake()
    assert not asked
    assert largest_error(reading, true_motion(reading, 24), 24).max() < ENOUGH


def test_two_blows_at_once_lead_nowhere_else() -> None:
    """8 thousandths of a frame apart, too near for a key each: the curve is true beside them."""
    way = [np.array([0, 0, speed, 0, 0, 0.0]) for speed in (-1.0, -0.3, 2.0)]
    heights = np.array([0.0, -0.5, -0.5024, 0.4816])  # at 0, 0.5, 0.508 and 1 frames
    turn, place = np.array([1.0, 0.0, 0.0, 0.0]), np.zeros((4, 3))
    place[:, 2] = heights
    frames = [0, 3], [0.0, 1.0], [way[0], way[2]], [way[0], way[2]]
    jumps = [1, 2], [0.5, 0.508], way[:2], way[1:]
    tracks = [
        Track(np.array(times), place[k], np.tile(turn, (2, 1)), np.array(before), np.array(after))
        for k, times, before, after in (frames, jumps)
    ]
    none = Track(*(np.zeros((0, *shape)) for shape in ((), (3,), (4,), (6,), (6,))))
    whole = merged(tracks[0], none, tracks[1])
    before, after = np.linspace(0.0, 0.5, 50), np.linspace(0.513, 1.0, 50)
    assert whole.at(before).position[:, 2] == pytest.approx(-before, abs=1e-12)
    assert whole.at(after).position[:, 2] == pytest.approx(-0.5024 + 2.0 * (after - 0.508), abs=1e-12)


def test_they_can_be_switched_off() -> None:
    ob = bouncing()
    bpy.context.scene.ves.keys_between = False
    read(24)
    bake()
    assert key_frames(ob, "location").tolist() == list(range(1, 25))


def test_frames_show_the_same_with_and_without_them() -> None:
    ob, shown = bouncing(), []
    read(24)
    for may_be_between in (True, False):
        bpy.context.scene.ves.keys_between = may_be_between
        bake()
        places = []
        for frame in range(1, 25):
            bpy.context.scene.frame_set(frame)
            places.append(np.array(ob.matrix_world))
        shown.append(places)
    np.testing.assert_allclose(*shown, atol=1e-7)
    assert bpy.ops.ves.clear_bake() == {"FINISHED"}
    assert not is_baked(ob)
    assert tuple(ob.location) == pytest.approx((0.0, 0.0, 0.53))


def test_a_run_of_play_that_is_kept_has_them_too() -> None:
    ob = bouncing()
    read(24)
    run_to_end(Play(bpy.context.scene, bpy.context.view_layer, frames=20).steps())
    frames = key_frames(ob, "location")
    assert frames[is_whole(frames)].tolist() == list(range(1, 22))
    assert (~is_whole(frames)).any()


def test_what_is_nailed_on_the_way_stops_without_swinging_through() -> None:
    """From one frame to the next: the curve goes straight there, and stays."""
    bpy.context.scene.use_gravity = False
    ob = body("sledge", (0, 0, 0), (0.2, 0.2, 0.2))
    ob.ves.linear_velocity = (3.0, 0.0, 0.0)
    nail = part("nail", "NAIL", (0, 0, 0))
    nail.ves.body_a = ob
    for frame, enabled in ((1, False), (12, True)):
        nail.ves.enabled = enabled
        nail.keyframe_insert("ves.enabled", frame=frame)
    reading = read(20)
    bake()
    assert largest_error(reading, true_motion(reading)).max() < ENOUGH


@pytest.mark.parametrize(("slow", "turns", "allowed"), [(0.0, 3.3, 1e-9), (0.5, 0.2, 3e-5)])
def test_no_turn_is_lost_between_two_instants(slow: float, turns: float, allowed: float) -> None:
    """A steady spin about an axis that itself goes around: R = exp(a t z) exp(b t x), looked at each quarter."""
    around, spin = np.array([0.0, 0.0, slow]), np.array([2.0 * math.pi * turns, 0.0, 0.0])

    def motion(times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        turn = turned_by(times[:, None] * around)
        return poses.product(turn, turned_by(times[:, None] * spin)), around + poses.rotations(turn) @ spin

    known = np.arange(0.0, 2.01, 0.25)
    orientation, angular = motion(known)
    velocity = np.hstack([np.zeros_like(angular), angular])
    track = Track(known, np.zeros((len(known), 3)), orientation, velocity, velocity)
    between = np.linspace(0.0, 2.0, 101)
    found, wanted = track.at(between), motion(between)
    assert np.abs(poses.rotations(found.orientation) - poses.rotations(wanted[0])).max() < allowed
    assert np.abs(found.after[:, 3:] - wanted[1]).max() < 100.0 * allowed


def test_a_blow_just_beside_a_frame_does_not_cost_the_frame_its_key() -> None:
    """Blender drops one of two keys that are nearer to each other than a hundredth of a frame."""
    up, down = (np.array([0, 0, speed, 0, 0, 0]) for speed in (0.2, -0.3))
    turn = np.array([1.0, 0.0, 0.0, 0.0])

    def track(times, heights, before, after) -> Track:
        place = np.stack([0.0 * np.array(heights), 0.0 * np.array(heights), heights], axis=1)
        return Track(np.array(times), place, np.tile(turn, (len(times), 1)), np.array(before), np.array(after))

    for hit in (0.997, 1.0, 1.004):
        lands = [0.3 * hit, 0.3 * (hit - 1.0) if hit > 1.0 else 0.2 * (1.0 - hit), 0.2 * (2.0 - hit)]
        at_frame = down if hit > 1.0 else up
        frames = track([0.0, 1.0, 2.0], lands, [down, at_frame, up], [down, at_frame, up])
        whole = merged(frames, track([], [], np.zeros((0, 6)), np.zeros((0, 6))), track([hit], [0.0], [down], [up]))
        assert set(whole.times) >= {0.0, 1.0, 2.0}
        assert np.diff(whole.times).min() > 0.012
        for side, slope in ((0, down), (-1, up)):
            assert whole.after[side] == pytest.approx(slope)
        corner = whole.times.tolist().index(1.0)
        assert whole.position[corner, 2] == lands[1]
        if hit == 1.0:
            assert (whole.before[corner] == down).all()
            assert (whole.after[corner] == up).all()
        lowest = whole.at(np.linspace(0.0, 2.0, 2001)).position[:, 2].min()
        assert -1e-12 < lowest < 2e-3


def test_blows_just_before_the_last_frame_make_no_instants_behind_it() -> None:
    """Of two that are too near each other the second goes away from the first, and there is nothing after the end."""
    still, turn = np.zeros((3, 6)), np.tile((1.0, 0.0, 0.0, 0.0), (3, 1))
    frames = Track(np.arange(3.0), np.zeros((3, 3)), turn, still, still)
    blows = Track(np.array([1.5, 1.99, 1.999]), np.zeros((3, 3)), turn, still, still)
    whole = merged(frames, Track(*(array[:0] for array in frames)), blows)
    assert whole.times[-1] == 2.0
    assert 1.5 in whole.times
    assert np.isfinite(whole.at(np.linspace(0.0, 2.0, 101)).position).all()
