# SPDX-License-Identifier: GPL-3.0-or-later
"""The examples with contact: built through the operators, baked, and measured on what Blender shows."""

import math

import bpy
import numpy as np
import pytest

from examples import (
    bowling,
    car_on_hills,
    card_house,
    crane,
    crowd,
    dog,
    dominoes,
    drummer,
    free_bicycle,
    marble_run,
    passenger,
    ragdoll,
    shove,
    speed_bumps,
)
from examples.city_bike import WHEEL_RADIUS as WHEEL_OF_BICYCLE
from examples.measure import measure
from examples.patrol_car import FRONT, WHEEL_RADIUS
from tests.blender.baked_examples import DEEP, ROUNDING, bake, build, corners, heights_of_up, shown
from tests.blender.versions import once

pytestmark = once


def test_the_dominoes_fall_in_order_and_the_ball_takes_off() -> None:
    scene = bake("dominoes")
    names = [f"Stone {i + 1}" for i in range(dominoes.EQUAL + dominoes.LARGER)]
    upright = np.array([heights_of_up(scene, names, frame) for frame in range(1, dominoes.FRAMES + 1)])
    assert upright[0].min() > 1.0 - 1e-6
    falls = [int(np.argmax(upright[:, i] < math.cos(math.radians(20.0)))) for i in range(len(names))]
    assert min(falls) > 0, "each of them fell, none at once"
    assert falls == sorted(falls)
    assert upright[-1].max() < 0.6, "each lies on the next"
    ball = [shown(scene, frame, "Ball").z for frame in range(1, dominoes.FRAMES + 1)]
    assert max(ball) > ball[0] + 0.05
    for frame in range(1, dominoes.FRAMES + 1, 5):
        scene.frame_set(frame)
        for name in names:
            points = corners(scene, name)
            on_table = (np.abs(points[:, 0]) < 0.75) & (np.abs(points[:, 1]) < 0.4)
            assert points[on_table, 2].min(initial=0.0) > -DEEP
    assert measure_gap(scene) < ROUNDING


def test_the_marble_comes_down_the_chute_and_knocks_all_stones_over() -> None:
    run, scene = marble_run, bake("marble_run")
    (finding,) = scene.ves.findings
    assert "has come to the edge of its parent's surface" in finding.text
    track = np.array([shown(scene, frame, "Marble") for frame in range(1, run.FRAMES + 1)])
    middle = np.array([run.section(part, 0.0, 0.0) for part in np.linspace(0.0, 1.0, 4001)])
    off = int(np.argmax(track[:, 0] > run.END[0]))
    assert 36 < off < 60
    away = np.array([np.linalg.norm(middle - place, axis=1).min() for place in track[:off]])
    assert np.abs(away - (run.GUTTER - run.MARBLE)).max() < 0.15 * run.MARBLE, "the chute is nearly round"
    assert track[:, 2].min() > run.MARBLE - DEEP
    names = [f"Stone {i + 1}" for i in range(run.STONES)]
    upright = np.array([heights_of_up(scene, names, frame) for frame in range(1, run.FRAMES + 1)])
    assert upright[off].min() > 1.0 - 1e-6, "they stand until it comes"
    falls = [int(np.argmax(upright[:, i] < math.cos(math.radians(20.0)))) for i in range(run.STONES)]
    assert min(falls) > off
    assert falls == sorted(falls)
    assert upright[-1].max() < 0.6


def measure_gap(scene: bpy.types.Scene) -> float:
    """The widest opening of a joint at any frame."""
    return measure(scene, with_collisions=False).joint_gap


def test_the_card_house_stands_until_it_is_hit() -> None:
    scene = bake("card_house")
    names = [ob.name for ob in scene.objects if ob.name.startswith("Card ")]
    assert len(names) == 32

    def places(frame: int) -> np.ndarray:
        scene.frame_set(frame)
        return np.array([corners(scene, name) for name in names])

    start = places(1)
    for frame in (12, 24, 36, card_house.RELEASE):
        assert np.abs(places(frame) - start).max() < DEEP, "it stands still"
    end = places(card_house.FRAMES)
    assert end[:, :, 2].max() < 0.5 * start[:, :, 2].max(), "and is knocked down"
    assert measure_gap(scene) < ROUNDING


def test_the_ball_hooks_and_knocks_the_pins_down() -> None:
    """It leaves the oil as straight as it came, turns on the dry part, and most pins fall."""
    scene = bake("bowling")
    track = np.array([shown(scene, frame, "Ball") for frame in range(1, bowling.FRAMES + 1)])
    assert (track[track[:, 0] < bowling.END - 0.2, 2] > bowling.BALL - DEEP).all()

    def direction(low: float, high: float) -> float:
        part = track[(track[:, 0] > low) & (track[:, 0] < high)]
        return math.degrees(math.atan2(*(part[-1] - part[0])[1::-1]))

    assert direction(bowling.OIL, bowling.DRY) == pytest.approx(math.degrees(bowling.AIM), abs=0.6)
    assert direction(bowling.DRY + 1.5, -0.3) > math.degrees(bowling.AIM) + 1.5
    names = [f"Pin {i + 1}" for i in range(10)]
    assert heights_of_up(scene, names, 20).min() > 1.0 - 1e-4
    standing = heights_of_up(scene, names, bowling.FRAMES) > 0.9
    below = np.array([scene.objects[name].location.z < -0.05 for name in names])
    assert (standing & ~below).sum() <= 2


def test_the_doll_falls_down_the_stairs_in_one_piece() -> None:
    scene = bake("ragdoll")
    assert measure_gap(scene) < ROUNDING
    parts = [ob.name for ob in scene.objects if ob.ves.role == "BODY" and ob.ves.motion == "DYNAMIC"]
    assert len(parts) == 13
    start, end = shown(scene, 1, "Chest"), shown(scene, ragdoll.FRAMES, "Chest")
    assert end.x > start.x + 1.0
    assert end.z < start.z - 1.0
    for frame in range(1, ragdoll.FRAMES + 1, 3):
        scene.frame_set(frame)
        for name in parts:
            points = corners(scene, name)
            step = np.clip(np.floor(points[:, 0] / ragdoll.TREAD), -1, ragdoll.STEPS - 1)
            floor = np.where(np.abs(points[:, 1]) < ragdoll.HALF_WIDTH, ragdoll.top() - (step + 1) * ragdoll.RISE, 0.0)
            riser = (points[:, 0] / ragdoll.TREAD) % 1.0
            inner = (riser > 0.01) & (points[:, 0] > 0.0 - ragdoll.LANDING)
            assert (points[inner, 2] - floor[inner]).min() > -2.0 * DEEP
    before = shown(scene, ragdoll.FRAMES - 6, "Chest")
    assert (shown(scene, ragdoll.FRAMES, "Chest") - before).length < 0.02


def test_the_wheels_go_over_the_bumps_and_the_car_sways() -> None:
    """Both at once: it nods; one after the other: it rolls. In between its wheels roll on the road."""
    scene = bake("speed_bumps")
    assert measure_gap(scene) < ROUNDING
    wheels = [ob.name for ob in scene.objects if ob.name.startswith("Wheel")]
    nods, rolls, heights = [], [], []
    for frame in range(1, speed_bumps.FRAMES + 1):
        scene.frame_set(frame)
        points = {name: corners(scene, name) for name in wheels}
        heights.append([part[:, 2].min() for part in points.values()])
        car = scene.objects["Police Car"].matrix_world
        nods.append(car[2][0])
        rolls.append(car[2][1])
    heights = np.array(heights)
    assert heights.min() > -DEEP
    assert (heights.max(axis=0) > 0.8 * speed_bumps.BUMP_HEIGHT).all()
    assert max(map(abs, nods)) > 0.01
    assert max(map(abs, rolls)) > 0.01
    first = shown(scene, 1, "Police Car").x + FRONT + 1.0
    both = [
        f
        for f in range(speed_bumps.FRAMES)
        if shown(scene, f + 1, "Police Car").x + FRONT < speed_bumps.BUMPS[1][0] - 1.0
    ]
    assert first < speed_bumps.BUMPS[0][0], "it starts before the bumps"
    assert max(abs(rolls[f]) for f in both) < 2e-3, "the first bump is under both wheels alike"
    assert shown(scene, speed_bumps.FRAMES, "Police Car").x > speed_bumps.BUMPS[-1][0] + 2.0


@pytest.mark.slow
def test_a_passenger_keeps_standing_while_the_bus_brakes() -> None:
    scene = bake("passenger")
    bus, trunk, tilt, lowest, feet = [], [], [], [], []
    for frame in range(1, passenger.FRAMES + 1):
        bus.append(shown(scene, frame, "Bus"))
        trunk.append(shown(scene, frame, "Trunk"))
        tilt.append(scene.objects["Trunk"].matrix_world.to_quaternion().angle)
        soles = [corners(scene, name) for name in ("Left Foot", "Right Foot")]
        lowest.append(min(points[:, 2].min() for points in soles))
        feet.append([points.mean(axis=0) - bus[-1] for points in soles])
    ride = [float((place - floor).x) for place, floor in zip(trunk, bus, strict=True)]
    assert bus[-1].x - bus[-20].x < ROUNDING, "the bus stands at the end"
    assert max(ride) > 0.02, "it is thrown forward"
    assert max(map(abs, ride)) < 0.2
    assert abs(ride[-1]) < 0.05
    assert max(tilt) < 0.3
    assert min(lowest) > -DEEP
    assert np.abs(np.array(feet) - feet[0]).max() < 5e-4, "feet stay where they are"


def leans(scene: bpy.types.Scene) -> np.ndarray:
    """(F,): of the bicycle at each frame, to the right, rad."""
    found = []
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        found.append(math.asin(scene.objects["Rider"].matrix_world.to_3x3().normalized().col[1].z))
    return np.array(found)


def test_the_free_bicycle_stays_on_its_lane_and_recovers_from_the_gust() -> None:
    """It leans into both bends, goes over hump and hills, and ends upright; wheels stay on the ground."""
    scene = bake("free_bicycle")
    lean, course = leans(scene), free_bicycle.way()
    line = course.at(np.arange(-2.0, 60.0, 0.05))[0]
    off, gaps = [], []
    for frame in range(1, free_bicycle.FRAMES + 1):
        for wheel in ("Rear Wheel", "Front Wheel"):
            x, y, z = shown(scene, frame, wheel)
            off.append(np.min(np.hypot(*(line - (x, y)).T)))
            upright = z - float(free_bicycle.height(x, y)) - WHEEL_OF_BICYCLE * math.cos(lean[frame - 1])
            gaps.append(upright)
    assert max(off) < free_bicycle.LANE
    assert np.abs(gaps).max() < free_bicycle.HUMP, "the rim meets slopes beside the middle"
    gust = free_bicycle.GUST_FRAMES[1]
    assert lean[:70].min() < -math.radians(7.0)
    assert math.radians(15.0) < lean[gust : gust + 48].max() < math.radians(30.0)
    assert np.abs(lean[-12:]).max() < math.radians(5.0)


def test_the_car_on_hills_keeps_its_wheels_on_the_ground() -> None:
    """Left wheels alone go over the first kerb, all over the second; on hills each is a radius up, but for its tyre."""
    scene = bake("car_on_hills")
    wheels = [f"Wheel {end} {side}" for end in ("Front", "Rear") for side in ("Left", "Right")]
    over, off = {name: [] for name in wheels}, []
    for frame in range(1, car_on_hills.FRAMES + 1):
        for name in wheels:
            x, y, z = shown(scene, frame, name)
            over[name].append(z - WHEEL_RADIUS)
            if x > car_on_hills.HILLS + 1.0:
                steep = float(car_on_hills.height(x + 0.01, y) - car_on_hills.height(x - 0.01, y)) / 0.02
                off.append((z - float(car_on_hills.height(x, y))) / math.hypot(1.0, steep) - WHEEL_RADIUS)
    left, right = over["Wheel Front Left"], over["Wheel Front Right"]
    assert max(left[:34]) - left[0] > 0.9 * car_on_hills.KERB
    assert max(right[:34]) - right[0] < 0.2 * car_on_hills.KERB
    assert shown(scene, car_on_hills.FRAMES, "Police Car").x > 30.0
    assert min(off) > -0.1
    assert np.median(np.abs(off)) < 0.05


@pytest.mark.slow
def test_a_figure_that_a_bag_hits_catches_itself_by_steps() -> None:
    scene = bake("shove")
    trunk, tilt, soles = [], [], {"Left Foot": [], "Right Foot": []}
    for frame in range(1, shove.FRAMES + 1):
        trunk.append(shown(scene, frame, "Trunk"))
        tilt.append(scene.objects["Trunk"].matrix_world.to_quaternion().angle)
        for name, places in soles.items():
            places.append(corners(scene, name))
    lowest = {name: np.array([points[:, 2].min() for points in places]) for name, places in soles.items()}
    way = {name: float(np.abs(places[-1] - places[0])[:, :2].max()) for name, places in soles.items()}
    assert min(low.min() for low in lowest.values()) > -DEEP
    assert max(way.values()) > 0.2, "it has put a foot forward"
    assert max(low.max() for low in lowest.values()) > 0.025, "and lifted it"
    assert trunk[-1].z > trunk[0].z - 0.1
    assert max(tilt[-12:]) < 0.2
    assert (trunk[-1] - trunk[-12]).length < 0.05


def test_the_crane_lifts_the_crate_into_the_cart_by_a_rope_that_never_pushes() -> None:
    scene = bake("crane")
    rope = next(ob for ob in scene.objects if ob.ves.role == "DISTANCE")
    slack, heights = [], []
    for frame in range(1, crane.FRAMES + 1):
        heights.append(shown(scene, frame, "Crate").z)
        ends = rope.matrix_world.translation, rope.ves.anchor_b.matrix_world.translation
        slack.append(rope.ves.distance - (ends[0] - ends[1]).length)
    assert min(slack) > -ROUNDING, "it is never longer than it is"
    assert min(slack[crane.HOOKED + 4 : crane.HOOKED + 12]) > 0.01, "it hangs loose while the hook lies on the crate"
    assert max(slack[130:190]) < ROUNDING, "it is taut while the load hangs"
    lifted = max(heights)
    assert max(heights[: crane.HOOKED]) < DEEP
    assert lifted > 0.2
    place = shown(scene, crane.FRAMES, "Crate") - scene.objects["Cart"].matrix_world.translation
    assert abs(place.z - crane.BED) < DEEP
    assert place.xy.length < 0.06, "it stands in the cart"
    assert heights_of_up(scene, ["Crate"], crane.FRAMES)[0] > 0.999
    hook = shown(scene, crane.FRAMES, "Hook")
    assert hook.z > crane.BED + crane.CRATE + 0.1, "the hook has let go"


def test_the_dogs_tail_and_ears_swing_after_its_trot_and_come_to_rest() -> None:
    scene = bake("dog")
    assert not [finding.text for finding in scene.ves.findings]
    assert measure_gap(scene) < 3.0 * ROUNDING
    rig = scene.objects["Dog"]
    ways = {name: [] for name in ("Tail 5", "Ear 2.L", "Ear 2.R")}
    for frame in range(1, dog.FRAMES + 1):
        scene.frame_set(frame)
        for name, way in ways.items():
            above = rig.pose.bones["Hips" if name == "Tail 5" else "Head"]
            way.append(above.matrix.inverted() @ rig.pose.bones[name].tail)
    for name, way in ways.items():
        way = np.array(way)
        away = np.linalg.norm(way - way[0], axis=1)
        assert away.max() > 0.02, name
        assert away[-6:].max() < 0.4 * away.max(), name
    ends = [scene.objects[name] for name in ("Lead 0", f"Lead {dog.LINKS - 1}")]
    assert all(ob.matrix_world.translation.z > 0.3 for ob in ends)


def test_a_crowd_of_twenty_stands_free_and_falls_in_one_piece_each() -> None:
    scene = build("crowd", 3)
    bpy.ops.ves.check()
    assert not [finding.text for finding in scene.ves.findings], "nobody begins in another one"
    rigs = [ob for ob in scene.objects if ob.type == "ARMATURE"]
    bodies = {rig: [ob for ob in rig.children if ob.ves.role == "BODY"] for rig in rigs}
    assert [len(each) for each in bodies.values()] == crowd.ROWS * crowd.IN_ROW * [19]
    assert bpy.ops.ves.bake() == {"FINISHED"}
    assert measure_gap(scene) < 2.0 * ROUNDING
    heads = [[rig.matrix_world @ rig.pose.bones["Head"].tail for rig in rigs] for _ in map(scene.frame_set, (1, 3))]
    way = np.array(heads[1]) - np.array(heads[0])
    assert (way[:, 0] > 0.05).all(), "they fall forwards"
    assert (way[:, 2] < 0.0).all()


def test_sticks_strike_the_cymbal_and_the_drum_and_arms_keep_to_their_keys() -> None:
    scene = build("drummer")
    rig, tips = scene.objects["Drummer"], [f"Hand.{side}" for side in "LR"]

    def hands() -> np.ndarray:
        shown = []
        for frame in range(1, drummer.FRAMES + 1):
            scene.frame_set(frame)
            shown.append([rig.pose.bones[name].head.copy() for name in tips])
        return np.array(shown)

    keyed = hands()
    assert bpy.ops.ves.bake() == {"FINISHED"}
    assert not [finding.text for finding in scene.ves.findings]
    assert measure_gap(scene) < 2.0 * ROUNDING
    away = np.linalg.norm(hands() - keyed, axis=2)
    assert np.ptp(keyed[..., 2]) > 0.08
    assert np.median(away) < 0.01, "sticks that strike push arms off their way, but not far"
    tilt = np.degrees(np.arccos([heights_of_up(scene, ["Cymbal", "Drum"], f).clip(-1, 1) for f in range(1, 73)]))
    assert tilt[: drummer.FIRST["R"] - 1].max() < 0.1, "before the first stroke"
    assert 10.0 < tilt[:, 0].max() < 40.0
    assert 0.1 < tilt[:, 1].max() < 3.0
    end = (0.0, drummer.TIP - drummer.GRIPPED, 0.0)
    heights = [shown(scene, frame, "Stick.L", end).z - drummer.STICK for frame in range(1, drummer.FRAMES + 1)]
    assert min(heights) > drummer.HEAD - 2.0 * DEEP, "sticks stop at the head of the drum"
    strokes = [np.min(heights[f - 4 : f + 4]) for f in range(drummer.FIRST["L"], drummer.FRAMES - 3, drummer.BEAT["L"])]
    assert np.max(strokes) < drummer.HEAD + 0.05, "each stroke arrives"
