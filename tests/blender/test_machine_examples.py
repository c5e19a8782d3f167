# SPDX-License-Identifier: GPL-3.0-or-later
"""Machines of Add > Examples: joints hold to 1e-9 of the size all the way of each drive, without dead centres.

Poses are compared with closed forms where there are some.
"""

from __future__ import annotations

import functools
import math

import bpy
import numpy as np
import pytest
from virtual_erector_set.scene.examples.machines import iris as iris_of
from virtual_erector_set.scene.examples.machines import locomotive as locomotive_of
from virtual_erector_set.scene.examples.machines import umbrella as umbrella_of
from virtual_erector_set.scene.examples.machines.car import WHEELBASE
from virtual_erector_set.scene.examples.machines.drawing_machine import ARMS, AXLES, PINS, REACH, START
from virtual_erector_set.scene.examples.machines.kinds import MACHINES
from virtual_erector_set.scene.examples.machines.machine import WORLD, Machine
from virtual_erector_set.scene.examples.machines.walker import PHASE, klann_points
from virtual_erector_set.scene.examples.planar import meeting
from virtual_erector_set.solver.kinematics import Kinematics
from virtual_erector_set.solver.kinematics.cycle import Cycle, cycle_of

from examples import strandbeest, strandbeest_on_ground
from tests.blender.linkages import world_matrices
from tests.blender.machine_mechanisms import mechanism_of
from tests.blender.making import select

EXACT = 1e-9
WAYS = {"PRISMATIC": 0.6, "REVOLUTE": 2.0 * math.pi}  # m, rad: asked of each drive
TURNS_ROUND = {"LOCOMOTIVE": 1, "CAR": 4, "DRAWING": 1, "KLANN": 1}  # how many drives of each go round and round


@functools.cache
def machine_of(kind: str) -> Machine:
    return MACHINES[kind]()


@functools.cache
def cycles(kind: str) -> dict[str, Cycle]:
    """The whole way of each drive, the others standing."""
    machine = machine_of(kind)
    mechanism, drives = mechanism_of(machine)
    kinds = {machine.name_of(i): tie.kind for i, tie in enumerate(machine.ties)}
    return {drive: cycle_of(Kinematics(mechanism, drives), drive, 72, WAYS[kinds[drive]]) for drive in drives}


def moved(cycle: Cycle, body: str, place) -> np.ndarray:
    """(T, 3): where a place of a body, as drawn, is."""
    return cycle.path(body, place)


def turned(cycle: Cycle, body: str) -> np.ndarray:
    """(T,) rad: about -Y, from where the body is drawn."""
    row = [each.name for each in cycle.mechanism.bodies].index(body)
    q = cycle.orientations[:, row]
    angle = np.unwrap(2.0 * np.arctan2(-q[:, 2], q[:, 0]))
    return angle - 2.0 * np.pi * np.round(angle[np.argmin(np.abs(cycle.values))] / (2.0 * np.pi))


@pytest.mark.parametrize("kind", MACHINES)
def test_each_machine_has_as_many_drives_as_freedoms(kind: str) -> None:
    mechanism, drives = mechanism_of(machine_of(kind))
    mobility = Kinematics(mechanism, drives).mobility()
    assert sum(each.freedoms for each in mobility) == len(drives)
    assert not [note for each in mobility for note in each.notes]


@pytest.mark.parametrize("kind", MACHINES)
def test_joints_hold_through_the_whole_way_of_each_drive(kind: str) -> None:
    machine, names = machine_of(kind), [part.name for part in machine_of(kind).parts]
    size = float(np.ptp([tie.place for tie in machine.ties], axis=0).max())
    goes_round = 0
    for cycle in cycles(kind).values():
        assert {stop.code for stop in cycle.stops if stop} <= {"drive-beyond-limit", "led-to-limit"}, cycle.stops
        goes_round += cycle.comes_round
        for tie in machine.ties:
            a, b = ("" if i == WORLD else names[i] for i in (tie.a, tie.b))
            there = moved(cycle, b, tie.place)
            here = moved(cycle, a, tie.place) if a else np.broadcast_to(tie.place, there.shape)
            way = moved(cycle, a, tie.place + tie.axis) - here if a else np.broadcast_to(tie.axis, there.shape)
            apart = there - here
            if tie.kind == "PRISMATIC":
                apart = apart - np.einsum("ti,ti->t", apart, way)[:, None] * way
            assert np.abs(apart).max() < EXACT * size
            if tie.kind in ("PRISMATIC", "REVOLUTE"):
                assert np.abs(moved(cycle, b, tie.place + tie.axis) - there - way).max() < 10.0 * EXACT
    assert goes_round == TURNS_ROUND.get(kind, 0)


def test_the_locomotives_crosshead_goes_as_the_formula_says() -> None:
    cycle = cycles("LOCOMOTIVE")["Hinge Frame Driving Wheels"]
    r, rod = locomotive_of.CRANK, locomotive_of.ROD
    angle = math.acos(r / (2.0 * rod)) + cycle.values
    expected = r * np.cos(angle) + np.sqrt(rod**2 - (r * np.sin(angle)) ** 2)
    head = moved(cycle, "Crosshead", (0.0, 0.0, 0.0))[:, 0]
    np.testing.assert_allclose(head - head[0], expected - expected[0], atol=EXACT)


def test_the_valve_has_its_lead_in_mid_gear_and_is_reversed_by_the_arm() -> None:
    """In mid gear the combination lever alone moves it, by its share of the stroke; full gears are in antiphase."""
    mechanism, drives = mechanism_of(machine_of("LOCOMOTIVE"))
    crank, arm = drives
    valves = {}
    for gear in (-0.3, 0.0, 0.3):
        kinematics = Kinematics(mechanism, drives)
        assert kinematics.lead({arm: gear}).reached == 1.0
        cycle = cycle_of(kinematics, crank, 72)
        assert cycle.comes_round
        valves[gear] = moved(cycle, "Valve Spindle", (0.0, 0.0, 0.0))[:, 0]
    share = locomotive_of.LAP / (locomotive_of.LAP + locomotive_of.LEVER)
    assert np.ptp(valves[0.0]) == pytest.approx(2.0 * locomotive_of.CRANK * share, rel=0.05)
    ahead, back = valves[0.3] - valves[0.0], valves[-0.3] - valves[0.0]
    assert np.corrcoef(ahead, back)[0, 1] < -0.95
    assert np.ptp(valves[0.3]) > 1.3 * np.ptp(valves[0.0])


def test_the_landing_gear_is_locked_beyond_its_dead_centre_and_folds() -> None:
    (cycle,) = cycles("LANDING_GEAR").values()
    machine = machine_of("LANDING_GEAR")
    knee = next(t for i, t in enumerate(machine.ties) if machine.name_of(i) == "Hinge Upper Brace Lower Brace")
    ends = [next(t.place for i, t in enumerate(machine.ties) if machine.name_of(i) == name)
            for name in ("Hinge Bay Upper Brace", "Hinge Strut Lower Brace")]  # fmt: skip
    at = moved(cycle, "Upper Brace", knee.place)
    top, foot = moved(cycle, "Bay", ends[0]), moved(cycle, "Strut", ends[1])
    across = np.cross(foot - top, at - top)[:, 1]
    assert np.count_nonzero(np.diff(np.sign(across))) == 1  # it passes the dead centre of the brace once
    assert cycle.stops[0].code == "led-to-limit"  # at the stop of the knee
    assert cycle.values[0] == pytest.approx(0.0, abs=1e-6)
    strut = turned(cycle, "Strut")
    assert math.degrees(strut[-1]) == pytest.approx(88.0, abs=1.0)
    kinematics = Kinematics(*mechanism_of(machine))
    early = []
    for travel in np.linspace(0.0, 0.02, 41):
        kinematics.lead([travel])
        early.append(2.0 * math.asin(-float(kinematics.poses()[1][1][2])))
    assert early[0] > min(early) + 1e-6  # folding has to push the wheel the other way first
    assert early[-1] > early[0]


def test_ribs_of_the_umbrella_are_as_steep_as_the_triangle_says() -> None:
    (cycle,) = cycles("UMBRELLA").values()
    u = umbrella_of
    joint = np.array([u.CROWN, u.HEIGHT]) + u.HELD * np.array([math.sin(u.ANGLE), -math.cos(u.ANGLE)])
    low = joint[1] - math.sqrt(u.STRETCHER**2 - (joint[0] - u.RUNNER) ** 2)
    expected = np.array(
        [meeting((u.CROWN, u.HEIGHT), u.HELD, np.array([u.RUNNER, low + z]), u.STRETCHER, 1) for z in cycle.values]
    )
    for k in range(u.RIBS):
        turn = 2.0 * math.pi * k / u.RIBS
        out = np.array([math.cos(turn), math.sin(turn), 0.0])
        found = moved(cycle, f"Rib {k + 1}", joint[0] * out + (0.0, 0.0, joint[1]))
        np.testing.assert_allclose(found, expected[:, :1] * out + expected[:, 1:] * [0.0, 0.0, 1.0], atol=EXACT)


def test_the_pen_is_where_two_circles_meet() -> None:
    (cycle,) = cycles("DRAWING").values()
    angles = START[0] + cycle.values, START[1] - 3.0 * cycle.values
    pen = []
    for first, second in zip(*angles, strict=True):
        a, b = (
            axle + r * np.array([math.cos(t), math.sin(t)])
            for axle, r, t in zip(AXLES, PINS, (first, second), strict=True)
        )
        elbow = meeting(a, ARMS[0], b, ARMS[1], 1)
        pen.append(elbow + REACH * (elbow - a) / ARMS[0])
    at = np.argmin(np.abs(cycle.values))
    found = moved(cycle, "Pen Arm", (*pen[at], 0.0))
    np.testing.assert_allclose(found[:, :2], pen, atol=EXACT)


def test_klanns_feet_go_as_circles_say_and_carry_half_of_the_time() -> None:
    (cycle,) = cycles("KLANN").values()
    foot = klann_points(PHASE)["G"]
    found = moved(cycle, "Left 1 Leg", (foot[0], 0.0, foot[1]))
    expected = np.array([klann_points(PHASE + turn)["G"] for turn in cycle.values])
    np.testing.assert_allclose(found[:, [0, 2]], expected, atol=EXACT)
    near = expected[:, 1] < expected[:, 1].min() + 0.2 * np.ptp(expected[:, 1])
    assert near.mean() > 0.4
    assert np.ptp(expected[near, 0]) > 0.9 * np.ptp(expected[:, 0])


@pytest.mark.parametrize("count", [6, 9, 12])
def test_the_iris_opens_as_far_as_the_formula_says(count: int) -> None:
    mechanism, drives = mechanism_of(iris_of.iris(count))
    kinematics = Kinematics(mechanism, drives)
    openings = []
    for ring in np.linspace(*iris_of.WAY, 21):
        assert kinematics.lead([ring]).reached == 1.0
        positions, orientations = kinematics.poses()
        blades = [i for i, body in enumerate(mechanism.bodies) if body.name.startswith("Blade")]
        turns = [2.0 * math.asin(-float(orientations[i][2])) + iris_of.DRAWN for i in blades]
        assert np.ptp(turns) < EXACT
        middle = np.array([0.0, 0.0, 1.6])
        spot = np.array([math.cos(iris_of.DRAWN), 0.0, math.sin(iris_of.DRAWN)])
        centre = middle + np.array([iris_of.MIDDLE, 0.0, 0.0]) - iris_of.MIDDLE * spot  # of the first blade's arc
        s = turns[0] - iris_of.DRAWN
        turned_ = np.array([[math.cos(s), 0, -math.sin(s)], [0, 1, 0], [math.sin(s), 0, math.cos(s)]])
        away = np.linalg.norm(positions[blades[0]] + turned_ @ centre - middle)
        opening = iris_of.MIDDLE - 0.5 * iris_of.BLADE - away
        assert opening == pytest.approx(iris_of.aperture(turns[0]), abs=EXACT) or turns[0] < 0.0
        openings.append(opening)
    assert openings[0] > 0.99 * (iris_of.MIDDLE - 0.5 * iris_of.BLADE)
    assert abs(openings[-1]) < 0.03


def test_a_finger_curls_by_one_hinge() -> None:
    cycle = cycles("HAND")["Hinge Palm Index Proximal"]
    tip = np.array(
        [turned_about(cycle, body, "Hinge Palm Index Proximal") for body in ("Index Middle", "Index Distal")]
    )
    proximal = cycle.values
    assert (np.diff(tip - proximal, axis=1) > 0.0).all()  # each curls on the one before as the drive does
    assert math.degrees(tip[1, -1] - tip[1, 0]) > 210.0


def turned_about(cycle: Cycle, body: str, joint: str) -> np.ndarray:
    """(T,) rad: about the axis of a joint."""
    machine = machine_of("HAND")
    axis = next(tie.axis for i, tie in enumerate(machine.ties) if machine.name_of(i) == joint)
    row = [each.name for each in cycle.mechanism.bodies].index(body)
    q = cycle.orientations[:, row]
    angle = np.unwrap(2.0 * np.arctan2(q[:, 1:] @ axis, q[:, 0]))
    return angle - 2.0 * np.pi * np.round(angle[np.argmin(np.abs(cycle.values))] / (2.0 * np.pi))


def test_the_cars_front_wheels_point_to_one_centre() -> None:
    """Ackermann: the cotangents of outer and inner angle differ by the track over the wheelbase."""
    cycle = cycles("CAR")["Slider Chassis Rack"]
    row = [each.name for each in cycle.mechanism.bodies].index
    left, right = (_heading(cycle.orientations[:, row(f"{side} Upright")]) for side in ("Left", "Right"))
    assert np.degrees([left.min(), left.max()]) == pytest.approx([-31.6, 25.3], abs=0.1)
    bent = np.abs(left) > math.radians(4.0)
    inner, outer = np.maximum(np.abs(left), np.abs(right))[bent], np.minimum(np.abs(left), np.abs(right))[bent]
    ideal = np.arctan(1.0 / (1.0 / np.tan(inner) + 2.0 * 0.645 / WHEELBASE))
    assert np.degrees(np.abs(outer - ideal)).max() < 0.3


def _heading(q: np.ndarray) -> np.ndarray:
    """(T,) rad: of the local X axis in the level plane."""
    x = 1.0 - 2.0 * (q[:, 2] ** 2 + q[:, 3] ** 2)
    return np.arctan2(2.0 * (q[:, 1] * q[:, 2] + q[:, 0] * q[:, 3]), x)


def added(kind: str, scale: float = 1.0) -> None:
    assert bpy.ops.ves.add_example(kind=kind, scale=scale) == {"FINISHED"}
    bpy.context.view_layer.update()


def child_places() -> dict[str, tuple[bpy.types.Object, np.ndarray]]:
    """Each hinge's and ball's place along the axes of its second body, as it is now."""
    found = {}
    for ob in bpy.context.scene.objects:
        if ob.ves.role == "JOINT" and ob.ves.joint_type != "PRISMATIC":
            child = ob.ves.body_b
            found[ob.name] = child, np.array(child.matrix_world.inverted() @ ob.matrix_world.translation)
    return found


@pytest.mark.parametrize("kind", MACHINES)
def test_the_example_goes_live_and_closes_in_blender(kind: str) -> None:
    bpy.context.scene.cursor.location = (3.0, -2.0, 1.0)
    added(kind, 2.0)
    scene, places = bpy.context.scene, child_places()
    drives = [ob for ob in scene.objects if ob.ves.is_drive]
    select()
    assert bpy.ops.ves.make_live() == {"FINISHED"}
    assert f"{len(drives)} freedom" in scene.ves.live_mobility
    for drive in drives:
        if drive.animation_data is None:
            if drive.ves.joint_type == "REVOLUTE":
                drive.ves.drive_angle = -0.1
            else:
                drive.ves.drive_travel = 0.1
    scene.frame_set(77 if kind == "CAR" else 1)
    bpy.context.view_layer.update()
    assert scene.ves.live_status == ""
    for name, (child, local) in places.items():
        there = np.array(child.matrix_world) @ (*local, 1.0)
        away = there[:3] - np.array(bpy.data.objects[name].matrix_world.translation)
        assert np.linalg.norm(away) < 2e-5 * (10.0 if kind == "CAR" else 1.0), name


def test_the_car_steers_and_rolls_as_its_path_bends() -> None:
    added("CAR")
    select()
    assert bpy.ops.ves.make_live() == {"FINISHED"}
    frames = [float(frame) for frame in range(2, 241, 17)]
    chassis, wheel = bpy.data.objects["Chassis"], bpy.data.objects["Left Rear Wheel"]
    for frame in frames:
        before, here, after = (world_matrices(chassis, [frame + step])[0] for step in (-0.5, 0.0, 0.5))
        travelled = np.linalg.norm(after[:3, 3] - before[:3, 3])
        bend = math.asin(float(np.cross(before[:3, 0], after[:3, 0])[2])) / travelled
        world_matrices(chassis, [frame])
        headings = []
        for side in ("Left", "Right"):
            own = np.linalg.inv(here) @ np.array(bpy.data.objects[f"{side} Upright"].matrix_world)
            headings.append(1.0 / math.tan(math.atan2(own[1, 0], own[0, 0]) + 1e-9))
        expected = math.atan(WHEELBASE * bend)
        assert math.atan(1.0 / (0.5 * sum(headings))) == pytest.approx(expected, abs=math.radians(1.2)), frame
        spins = [world_matrices(wheel, [frame + step])[0][:3, :3] for step in (-0.5, 0.0)]
        turn = math.acos(min(1.0, 0.5 * (float(np.trace(spins[0].T @ spins[1])) - 1.0)))
        assert turn == pytest.approx(0.5 * travelled / 0.33, rel=0.05)


def test_a_live_strandbeest_walks_on_feet_that_hardly_slide() -> None:
    strandbeest.build(24)
    scene = bpy.context.scene
    assert scene.ves.live_mobility == "1 linkage of 73 moving bodies: 1 freedom, driven by 1 joint"
    feet = [ob for ob in scene.objects if ob.ves.role == "BODY" and "Foot" in ob.name]
    tips = np.array([strandbeest.at(feet, frame) for frame in range(1, 25)])
    assert scene.ves.live_status == ""
    on_ground = tips[:, :, 2] < 0.01
    assert on_ground.sum(axis=1).min() >= 4  # of twelve
    assert abs(tips[:, :, 2].min(axis=1)).max() < 1e-5
    slides = np.abs(np.diff(tips[:, :, 0], axis=0))[on_ground[1:] & on_ground[:-1]]
    stride = np.diff(world_matrices(bpy.data.objects["Frame"], [1, 24])[:, 0, 3])[0] / 23.0
    assert stride > 0.02
    assert slides.mean() < 0.1 * stride
    assert slides.max() < 0.35 * stride


def test_a_strandbeest_walks_on_its_feet() -> None:
    """Two seconds: 0.6 m a second, by what the motor gives, upright and straight on, on four feet at least."""
    strandbeest_on_ground.build(48)
    scene, frame = bpy.context.scene, bpy.data.objects["Frame"]
    bpy.ops.ves.check()
    assert [finding.text for finding in scene.ves.findings] == []
    assert bpy.ops.ves.bake() == {"FINISHED"}
    assert [finding.text for finding in scene.ves.findings] == []
    poses = world_matrices(frame, range(1, 49))
    assert poses[-1, 0, 3] - poses[24, 0, 3] == pytest.approx(0.6 * 23 / 24, abs=0.06)
    assert np.abs(poses[:, 1, 3] - poses[0, 1, 3]).max() < 0.02
    assert np.ptp(poses[:, 2, 3]) < 0.03
    assert poses[:, 2, 2].min() > 0.9999
    feet = [ob for ob in scene.objects if ob.ves.role == "BODY" and "Foot" in ob.name]
    tips = np.array([strandbeest.at(feet, number) for number in range(1, 49)])
    assert tips[:, :, 2].min() > -1e-3
    assert (tips[:, :, 2] < 0.005).sum(axis=1).min() >= 3
