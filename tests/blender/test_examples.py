# SPDX-License-Identifier: GPL-3.0-or-later
"""The examples: built through the operators, baked, and measured on what Blender shows."""

import importlib
import math

import bpy
import numpy as np
import pytest
from mathutils import Vector
from scipy.interpolate import BSpline, CubicSpline
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation
from virtual_erector_set.scene.read.scene import read_mechanism
from virtual_erector_set.solver.mechanism import Body

from examples import (
    differential_shoulder,
    drawer,
    four_bar,
    half_pipe,
    hanging_chain,
    manipulator_arm,
    pendulum_wave,
    police_car,
    robot_arm,
    scissor_lift,
    skate_bowl,
    tensegrity,
    trailing_cans,
)
from examples.crossing import HALF_WIDTH
from examples.measure import measure
from examples.patrol_car import WHEEL_RADIUS
from tests.blender.baked_examples import DEEP, ROUNDING, corners, shown
from tests.blender.versions import once
from tests.truths.differential_shoulder import Part, angles_of_hand, efforts, motor_torques
from tests.truths.pendulums import Pendulum
from tests.truths.stick_slip import StickSlip

pytestmark = once
# bodies, joints, constraints and forces; the lowest that a dynamic body may come; and whether the joints hold something
# twice
SCENES = {
    "trailing_cans": ((18, 16, 0, 8), -DEEP, False),
    "hanging_chain": ((24, 23, 2, 24), 0.4, False),
    "four_bar": ((4, 4, 0, 0), 0.05, True),
    "scissor_lift": ((11, 14, 1, 0), 0.05, True),
    "robot_arm": ((6, 4, 5, 0), 0.11, True),
    "police_car": ((1, 0, 0, 14), 0.05, False),
    "tensegrity": ((6, 0, 1, 41), -0.005, False),
    "manipulator_arm": ((4, 2, 1, 5), 0.01, False),
    "differential_shoulder": ((10, 11, 1, 0), 0.05, True),
    "pendulum_wave": ((26, 36, 0, 0), 0.04, False),
    "half_pipe": ((11, 15, 0, 0), -ROUNDING, False),
    "skate_bowl": ((4, 3, 0, 0), -0.72, False),
    "drawer": ((3, 1, 0, 1), 0.01, False),
}
# what is meant to be in another's hands, or may be run through: wires do not collide, and the car is wound in them; and
# a smooth surface, whose mesh cuts corners by a fifth of a millimetre
GRIPPED = {"manipulator_arm": {"Glove", "Tool"}, "trailing_cans": {"Car"}, "skate_bowl": {"Pool"}}

LOSS = (
    0.1  # J/kg: of a marble in the bowl, as its speed and spin are known from frames; it has 2.6 above the lowest place
)


def sound(name: str) -> bpy.types.Scene:
    """Build a scene and bake all of it: Check is content, and nothing opens, sinks or collides."""
    counts, lowest, is_redundant = SCENES[name]
    scenes = importlib.import_module(f"examples.{name}")
    scenes.build(scenes.FRAMES)
    scene = bpy.context.scene
    roles = [ob.ves.role for ob in scene.objects]
    ties = roles.count("NAIL") + roles.count("PATH")
    assert (roles.count("BODY"), roles.count("JOINT"), ties, roles.count("FORCE")) == counts
    bpy.ops.ves.check()
    assert not [finding.text for finding in scene.ves.findings]
    assert bpy.ops.ves.bake() == {"FINISHED"}
    told = [finding.text for finding in scene.ves.findings if "implicit steps" not in finding.text]  # either is right
    assert ["redundant" in text for text in told] == [True] * is_redundant
    measured = measure(scene)
    assert measured.joint_gap < ROUNDING
    assert measured.lowest > lowest
    assert not [pair for pair in measured.collisions if not GRIPPED.get(name, set()) & set(pair)]
    return scene


def test_marbles_in_the_bowl_stay_on_its_surface_and_keep_their_energy() -> None:
    scene, pool = sound("skate_bowl"), bpy.data.objects["Pool"]
    marbles = [ob for ob in scene.objects if ob.name.endswith("Marble") and ob.type == "MESH"]
    path, turns, gaps = [], [], []
    for frame in range(1, skate_bowl.FRAMES + 1):
        scene.frame_set(frame)
        places = [np.array(marble.matrix_world.translation) for marble in marbles]
        smooth = pool.evaluated_get(bpy.context.evaluated_depsgraph_get())
        nearest = [smooth.closest_point_on_mesh(place.tolist())[1] for place in places]
        gaps += [math.dist(place, point) - skate_bowl.MARBLE for place, point in zip(places, nearest, strict=True)]
        path.append(places)
        turns.append([np.array(marble.matrix_world.to_quaternion())[[1, 2, 3, 0]] for marble in marbles])
    assert np.abs(gaps).max() < 5e-4, "the mesh has flat faces"
    path, seconds = np.array(path), np.arange(skate_bowl.FRAMES) / scene.render.fps
    assert np.ptp(path[..., 2], axis=0).min() > 0.3, "down and up again"
    middles = 0.5 * (seconds[1:] + seconds[:-1])
    course = CubicSpline(seconds, path)
    for k, turn in enumerate(np.swapaxes(turns, 0, 1)):
        turn = Rotation.from_quat(turn)
        spin = np.linalg.norm((turn[1:] * turn[:-1].inv()).as_rotvec(), axis=1) * scene.render.fps
        speed = np.linalg.norm(course(middles, 1)[:, k], axis=1)
        energy = 0.5 * speed**2 + 0.2 * (skate_bowl.MARBLE * spin) ** 2 + 9.81 * course(middles)[:, k, 2]
        assert np.ptp(energy[3:-3]) < LOSS, "J/kg"


def test_cans_fall_on_the_road_and_are_dragged_along_it() -> None:
    scene = sound("trailing_cans")
    names = [f"Can {side} {i + 1}" for side in ("Left", "Right") for i in range(trailing_cans.CANS_PER_STRING)]
    lowest = np.empty((trailing_cans.FRAMES, len(names)))
    for frame in range(1, trailing_cans.FRAMES + 1):
        scene.frame_set(frame)
        lowest[frame - 1] = [corners(scene, name)[:, 2].min() for name in names]
    assert lowest.min() > -DEEP
    assert (lowest[0] > 0.01).all(), "they start in the air"
    dragged = lowest[trailing_cans.DRIVE.fast : trailing_cans.DRIVE.brake] < 0.01
    assert dragged.any(axis=0).sum() >= 4
    assert not dragged.all(axis=1).any(), "they bounce"
    kerb = trailing_cans.KERB
    over = [name for name in names if "Right" in name and _went_over_the_kerb(scene, name, kerb)]
    assert over


def test_what_cans_touch_of_the_car_holds_all_that_one_sees() -> None:
    trailing_cans.build(2)
    car = bpy.data.objects["Car"]
    seen = np.array([point.co for point in car.data.vertices])
    outside = np.full(len(seen), np.inf)
    for part in [child for child in car.children if child.type == "MESH"]:
        planes = ConvexHull([part.matrix_local @ point.co for point in part.data.vertices]).equations
        outside = np.minimum(outside, (seen @ planes[:, :3].T + planes[:, 3]).max(axis=1))
    assert outside.max() < 0.002


def _went_over_the_kerb(scene: bpy.types.Scene, name: str, kerb: float) -> bool:
    """True if the can is above the pavement at any frame; there it is on it or higher."""
    pavement = corners(scene, "Pavement")
    top = pavement[pavement[:, 2] > kerb - 0.001]
    was_over = False
    for frame in range(trailing_cans.DRIVE.fast, trailing_cans.DRIVE.brake):
        scene.frame_set(frame)
        points = corners(scene, name)
        near = np.linalg.norm(top[None, :, :2] - points[:, None, :2], axis=2).min(axis=1) < 0.02
        if near.any():
            was_over = was_over or bool(points[:, 2].min() > kerb - DEEP)
    return was_over


def test_the_chain_swings_and_comes_to_rest_as_a_catenary() -> None:
    """At rest each link shows along the tension in its middle, whose level part is the same for all."""
    scene = sound("hanging_chain")
    links = hanging_chain.LINKS
    middle = f"Link {links // 2 + 1}"
    swing = [shown(scene, frame, middle).y for frame in range(1, hanging_chain.FRAMES + 1)]
    assert min(swing[20:60]) < -0.3 < 0.3 < max(swing[20:60])
    assert max(map(abs, swing[-24:])) < 0.1

    order = np.arange(links) - 0.5 * (links - 1)  # weights borne at the lower end of each link, in links

    def steps(level_part: float) -> np.ndarray:
        directions = np.stack([np.full(links, level_part), order], axis=1)
        return hanging_chain.PITCH * directions / np.linalg.norm(directions, axis=1)[:, None]

    low, high = 0.1, 100.0
    for _ in range(60):
        level_part = math.sqrt(low * high)
        low, high = (level_part, high) if steps(level_part)[:, 0].sum() < hanging_chain.SPAN else (low, level_part)
    corners = np.cumsum(steps(low), axis=0)[:-1] + (-0.5 * hanging_chain.SPAN, hanging_chain.HEIGHT)
    places = np.array([shown(scene, hanging_chain.FRAMES, f"Link {i + 2}") for i in range(links - 1)])
    np.testing.assert_allclose(places[:, [0, 2]], corners, atol=0.05)


def test_the_pen_of_the_four_bar_stays_on_the_curve_of_the_closed_form() -> None:
    scene = sound("four_bar")
    turned, last = 0.0, four_bar.START
    for frame in range(1, four_bar.FRAMES + 1):
        arm = shown(scene, frame, "Crank", (four_bar.CRANK, 0.0, 0.0)) - shown(scene, frame, "Crank")
        angle = math.atan2(arm.z, arm.x)
        turned += math.remainder(angle - last, math.tau)
        last = angle
        pen = shown(scene, frame, "Coupler", (2.0 * four_bar.ARM, 0.0, 0.0))
        assert (pen.x, pen.z) == pytest.approx(tuple(four_bar.places(angle)[2]), abs=ROUNDING)
    assert turned == pytest.approx(-math.tau * four_bar.TURNS, abs=0.01)  # about Y, which points away from the camera


def test_the_lift_rises_level_as_its_foot_is_pulled() -> None:
    scene = sound("scissor_lift")
    heights = []
    for frame in range(1, scissor_lift.FRAMES + 1):
        width = shown(scene, frame, "Foot").x - scissor_lift.LEFT
        stage = math.sqrt(scissor_lift.LENGTH**2 - width**2)
        platform = shown(scene, frame, "Platform")
        expected = (scissor_lift.LEFT, 0.0, scissor_lift.FOOT + scissor_lift.STAGES * stage)
        assert tuple(platform) == pytest.approx(expected, abs=ROUNDING)
        across = shown(scene, frame, "Platform", (1.0, 0.0, 0.0)) - platform
        assert tuple(across) == pytest.approx((1.0, 0.0, 0.0), abs=ROUNDING)
        heights.append(platform.z)
    assert heights == sorted(heights)
    assert heights[-1] - heights[0] > 0.4


def test_the_drawer_jerks_as_far_as_another_method_says() -> None:
    """Each time it goes on by what the hand goes in a period of stick and slip, and stands in between."""
    scene = sound("drawer")
    mass = next(
        body.mass
        for body in read_mechanism(scene, bpy.context.evaluated_depsgraph_get()).mechanism.bodies
        if body.name == "Drawer"
    )
    slip = StickSlip(mass, drawer.STIFFNESS, drawer.STATIC, drawer.KINETIC, drawer.SPEED)
    y = np.array([shown(scene, frame, "Drawer").y for frame in range(1, drawer.FRAMES + 1)])
    stands = np.abs(np.diff(y)) < 1e-6
    places = [y[k] for k in np.flatnonzero(stands) if not stands[k - 1]]  # where it comes to stand
    assert len(places) >= 5
    expected = drawer.SPEED * slip.period(drawer.STRIBECK)
    assert -np.diff(places) == pytest.approx(expected, rel=1e-3)


def test_the_arm_draws_its_figure_and_its_base_stays_nailed() -> None:
    scene = sound("robot_arm")
    t = np.linspace(0.0, math.tau, 2001)
    figure = np.stack([robot_arm.FIGURE[0] * np.sin(t), robot_arm.FIGURE[1] * np.sin(2.0 * t)], axis=1)
    figure += (0.0, robot_arm.CENTRE)
    start, drawn = shown(scene, 1, "Base"), []
    tip = scene.objects["Hand"].matrix_world.inverted() @ Vector((robot_arm.BOARD - 0.002, 0.0, robot_arm.CENTRE))
    for frame in range(1, robot_arm.FRAMES + 1):
        assert (shown(scene, frame, "Base") - start).length < ROUNDING
        pen = shown(scene, frame, "Hand", tip)
        assert pen.x == pytest.approx(robot_arm.BOARD - 0.002, abs=ROUNDING)
        away = np.linalg.norm(figure - (pen.y, pen.z), axis=1)
        assert away.min() < 5e-4
        drawn.append(int(away.argmin()))
    assert {index * 8 // len(t) for index in drawn} == set(range(8))


def test_the_police_car_skids_to_rest_and_its_wheels_leave_marks() -> None:
    scene = sound("police_car")
    assert_skids_to_rest_across_its_course(scene)
    assert_wheels_roll_lock_and_leave_marks(scene)


def assert_skids_to_rest_across_its_course(scene: bpy.types.Scene) -> None:
    """Thesis 7.3: about 100 degrees across, in the crossing, without overturning."""
    frames = range(1, police_car.FRAMES + 1)
    matrices = []
    for frame in frames:
        scene.frame_set(frame)
        matrices.append(np.array(scene.objects["Police Car"].matrix_world))
    matrices = np.array(matrices)
    place, ahead, up = matrices[:, :3, 3], matrices[:, :2, 0], matrices[:, 2, 2]
    heading = np.degrees(np.unwrap(np.arctan2(ahead[:, 1], ahead[:, 0])))
    velocity = np.gradient(place[:, :2], axis=0) * scene.render.fps
    speed = np.linalg.norm(velocity, axis=1)
    assert np.abs(heading[: police_car.TURN - 1]).max() < 0.1
    assert speed.max() > 12.0
    sliding = police_car.BRAKE + 8
    course = math.degrees(math.atan2(velocity[sliding, 1], velocity[sliding, 0]))
    assert heading[sliding] - course > 45.0
    assert heading[-1] == pytest.approx(100.0, abs=15.0)
    assert up.min() > 0.9
    assert up.min() < 0.996, "it leans"
    assert speed[-12:].max() < 0.05, "it only sways on its springs"
    assert np.abs(place[-1, :2] - police_car.CROSSING).max() < HALF_WIDTH


def assert_wheels_roll_lock_and_leave_marks(scene: bpy.types.Scene) -> None:
    police_car.finish()
    driven = -shown(scene, 1, "Hub Rear Left") + shown(scene, police_car.TURN, "Hub Rear Left")
    wheel = scene.objects["Wheel Rear Left"]
    assert wheel.rotation_euler.y * WHEEL_RADIUS == pytest.approx(driven.length, rel=1e-3)
    scene.frame_set(police_car.HANDBRAKE)
    locked = wheel.rotation_euler.y
    for frame in (police_car.HANDBRAKE + 3, police_car.FRAMES):
        scene.frame_set(frame)
        assert wheel.rotation_euler.y == pytest.approx(locked)
    for kind in police_car.WHEELS:
        assert shown(scene, police_car.FRAMES, f"Wheel {kind.name}").z == pytest.approx(WHEEL_RADIUS, abs=1e-4)
        end = shown(scene, police_car.FRAMES, f"Hub {kind.name}")
        mark = scene.objects[f"Mark {kind.name}"].data
        assert tuple(mark.splines[0].points[-1].co[:2]) == pytest.approx((end.x, end.y), abs=1e-4)
        assert mark.bevel_factor_end == pytest.approx(1.0)


def test_the_tensegrity_springs_up_and_carries_the_plate() -> None:
    scene = sound("tensegrity")

    def upper_ends(frame: int) -> list[float]:
        end = (-0.5 * tensegrity.LENGTH, 0.0, 0.0)
        return [shown(scene, frame, f"Stick {i + 1}", end).z for i in range(tensegrity.STICKS)]

    assert max(upper_ends(1)) < 0.11
    assert min(upper_ends(tensegrity.HOVER)) > 0.2
    alone, loaded, stiff = (
        shown(scene, frame, "Plate").z for frame in (tensegrity.LAID, tensegrity.PRESSED + 24, tensegrity.FRAMES)
    )
    assert 0.15 < loaded < alone - 0.05, "the structure flattens out"
    assert stiff > loaded + 0.04, "stiffer rubbers lift the plate"
    assert stiff - np.mean(upper_ends(tensegrity.FRAMES)) == pytest.approx(tensegrity.PAD, abs=0.005)
    assert scene.objects["Plate"].matrix_world[2][2] > 0.999
    before = shown(scene, tensegrity.FRAMES - 6, "Plate")
    assert (shown(scene, tensegrity.FRAMES, "Plate") - before).length < 1e-3
    depsgraph = bpy.context.evaluated_depsgraph_get()
    for i in range(tensegrity.STICKS):
        band = scene.objects[f"Band Across {i + 1}"].evaluated_get(depsgraph).matrix_world
        eye = scene.objects[f"Eye Across {i + 1}"].matrix_world.translation
        assert (band @ Vector((0.0, tensegrity.REST, 0.0)) - eye).length < 1e-4


def test_the_manipulator_rests_is_dragged_and_lifts_a_tool() -> None:
    """At the end its elbow's motor holds what weighs on it: forearm and tool, by their levers."""
    arm = manipulator_arm
    scene = sound("manipulator_arm")
    bodies = {body.name: body for body in read_mechanism(scene, bpy.context.view_layer.depsgraph).mechanism.bodies}
    hook = (arm.FORE + arm.HAND, 0.0, 0.0)
    shoulder = Vector((arm.SHOULDER[0], 0.0, arm.SHOULDER[1]))
    for frame in range(1, arm.FRAMES + 1):
        assert (shown(scene, frame, "Upper Arm") - shoulder).length < ROUNDING
    resting = shown(scene, arm.GRAB - 1, "Forearm", hook) - shoulder
    assert resting.z == pytest.approx(-arm.UPPER - hook[0], abs=2e-3)
    for frame in (62, 78, 92):
        assert (shown(scene, frame, "Forearm", hook) - shown(scene, frame, "Glove")).length < 0.1
    lifted = shown(scene, arm.FRAMES, "Tool").z - shown(scene, arm.START, "Tool").z
    assert lifted > 0.15

    torque = arm.elbow_torque(scene.objects["Elbow"])
    assert len(torque) == arm.FRAMES
    scene.frame_set(arm.FRAMES)
    joint = np.array(scene.objects["Elbow"].matrix_world)
    weight = 0.0
    for name in ("Forearm", "Tool"):
        centre = shown(scene, arm.FRAMES, name, tuple(bodies[name].center_of_mass))
        lever = np.cross(np.array(centre) - joint[:3, 3], (0.0, 0.0, -9.81 * bodies[name].mass))
        weight += lever @ joint[:3, 2]
    assert torque[-1] == pytest.approx(-weight, rel=0.03)
    assert np.abs(torque).max() > arm.DANGER > np.abs(torque[: arm.START]).max()

    arm.finish()
    drawn = scene.objects["Torque"].data.splines[0].points[arm.FRAMES - 1].co
    height = arm.CHART_SIZE[1] * abs(torque[-1]) / arm.FULL
    assert drawn.z == pytest.approx(arm.CHART[1] + height, abs=1e-4)


def test_the_shoulders_motors_bear_what_the_hands_motion_needs() -> None:
    """Without its path the hand goes along the wire, and the torques are those of d'Alembert's principle."""
    arm, scene = differential_shoulder, sound("differential_shoulder")
    assert not next(ob for ob in scene.objects if ob.ves.role == "PATH").ves.enabled
    wire, middle = arm.wire_course(), np.array(arm.hand_at_home())
    shares = path_shares(scene, 4)
    place = wire.at(shares * wire.distance[-1])[0]
    hand = middle + np.column_stack([place[:, 0], np.zeros(len(place)), place[:, 1]])
    baked = [shown(scene, frame, "Forearm", (0.0, -arm.FORE, 0.0)) for frame in range(1, arm.FRAMES + 1)]
    assert np.linalg.norm(hand[::4] - baked, axis=1).max() < 1e-3, "what the drives are told are speeds"
    assert np.ptp(baked, axis=0)[0] > 0.4

    scene.frame_set(1)
    mechanism = read_mechanism(scene, bpy.context.view_layer.depsgraph).mechanism
    bodies = {body.name: body for body in mechanism.bodies}
    shoulder, step = np.array([0.0, 0.0, arm.SHOULDER]), 1.0 / (4 * scene.render.fps)
    angles = angles_of_hand(hand - shoulder, arm.UPPER, arm.FORE)
    parts = [
        Part(body.mass, np.add(body.position, body.center_of_mass) - shoulder, tensor(body), moved_by)
        for moved_by, body in ((1, bodies["Carrier"]), (2, bodies["Upper Arm"]), (3, bodies["Forearm"]))
    ]
    needed = efforts(angles, step, arm.UPPER, parts)
    accelerations = np.gradient(np.gradient(angles, step, axis=0), step, axis=0)
    inertias = [tensor(bodies[f"{name} Left"])[0, 0] for name in ("Rotor", "Lay Shaft", "Side Gear")]
    motors = motor_torques(needed, accelerations, (3.0, 3.0), inertias)
    found = np.column_stack([arm.motor_torque(hinge) for hinge in arm.drives()])
    expected = np.column_stack([motors, needed[:, 2]])[::4]
    # Between frames the drives' speeds are straight lines: they give what the frame's mean acceleration needs.
    assert (np.abs(found - expected).max(axis=0) < 0.03 * np.abs(expected).max(axis=0)).all()
    assert np.abs(found[:, 0] - found[:, 1]).max() > 0.15 * np.abs(found[:, :2]).max(), "what rolls the arm"

    arm.finish()
    drawn = scene.objects["Torque Left"].data.splines[0].points[60].co
    assert drawn[:3] == pytest.approx(arm.on_chart(60, found[60, 0]), abs=1e-4)


def path_shares(scene: bpy.types.Scene, per_frame: int) -> np.ndarray:
    """Path Time of the only path of the scene, so many times a frame."""
    path = next(ob for ob in scene.objects if ob.ves.role == "PATH")
    animation = path.animation_data
    bag = animation.action.layers[0].strips[0].channelbag(animation.action_slot)
    curve = bag.fcurves.find("ves.path_time")
    count = (scene.frame_end - scene.frame_start) * per_frame + 1
    return np.array([curve.evaluate(scene.frame_start + i / per_frame) for i in range(count)])


def tensor(body: Body) -> np.ndarray:
    """Its inertia (3, 3) along the world's axes, along which the body's own are."""
    assert tuple(body.orientation) == pytest.approx((1.0, 0.0, 0.0, 0.0), abs=1e-6)
    inertia = np.array(body.inertia)
    return np.diag(inertia) if inertia.ndim == 1 else inertia


def test_the_pendulums_make_two_rows_and_are_back_in_line_after_a_round() -> None:
    """At every frame where the closed form of each says, and nothing is lost: the last frame is the first one."""
    wave, scene = pendulum_wave, sound("pendulum_wave")
    seconds = np.arange(wave.FRAMES) / scene.render.fps
    for i, count in enumerate(wave.SWINGS):
        length = wave.tuned_length(count / seconds[-1])
        ball, amplitude = (0.0, 0.0, -length), math.asin(wave.DRAWN / length)
        places = [shown(scene, frame, f"Pendulum {i + 1}", ball) for frame in range(1, wave.FRAMES + 1)]
        period = seconds[-1] / count
        truth = Pendulum(amplitude, Pendulum(amplitude, 1.0).period / period)
        aside = length * np.sin(truth.angle(seconds))
        # the error of order 2 in the step adds up over the swings: some 3e-5 of a period each, at Draft
        assert np.abs([place.x for place in places] - aside).max() < 2e-3 * wave.DRAWN * count / 10.0
        assert max(abs(place.y - wave.along(i)) for place in places) < ROUNDING
        assert places[wave.ROUND // 2].x == pytest.approx((-1) ** count * wave.DRAWN, abs=1e-4)
        assert places[-1].x == pytest.approx(wave.DRAWN, abs=1e-4)


def test_the_boards_stay_in_the_pipe_and_only_the_doll_gains_height() -> None:
    """The wheels keep to the spline, the energy of the empty board is kept, and the doll's work adds to its own."""
    pipe, scene = half_pipe, sound("half_pipe")
    assert not [finding.text for finding in scene.ves.findings], "nothing comes off"
    axles = [f"{name} {end} Axle" for name in pipe.LANES for end in ("Front", "Rear")]
    names = [*axles, "Red Board", "Blue Board", "Trunk"]
    matrices = {name: [] for name in names}
    for frame in range(1, pipe.FRAMES + 1):
        scene.frame_set(frame)
        for name in names:
            matrices[name].append(np.array(scene.objects[name].matrix_world))
    matrices = {name: np.array(found, dtype=float) for name, found in matrices.items()}

    points = pipe.profile()  # a clamped uniform cubic spline, as Blender's with Endpoint
    knots = np.clip(np.arange(len(points) + 4) - 3, 0, len(points) - 3)
    curve = BSpline(knots, points, 3)(np.linspace(0, len(points) - 3, 20001))
    for name in axles:
        x, y, z = matrices[name][:, :3, 3].T
        near = np.array([np.hypot(*(curve - place).T).min() for place in np.column_stack([x, z])])
        assert np.abs(near - pipe.WHEEL).max() < ROUNDING
        assert np.abs(y - pipe.LANES[name.split()[0]]).max() < 1e-4, "it keeps to its lane"

    tops = {name: _tops(matrices[f"{name} Board"][:, 2, 3]) for name in pipe.LANES}
    assert len(tops["Blue"]) == 5
    assert tops["Blue"] == pytest.approx(np.full(5, matrices["Blue Board"][0, 2, 3]), abs=1e-3)
    assert tops["Blue"][1::2] == pytest.approx(np.full(2, tops["Blue"][1]), abs=1e-4)
    assert len(tops["Red"]) == len(pipe.STANDS)
    assert np.diff(tops["Red"]).min() > 0.02
    assert tops["Red"][-1] > tops["Blue"].max() + 0.15
    energy = _energy_of_rolling(scene, matrices)
    assert np.ptp(energy) < 2e-3 * 9.81 * 2.4 * np.ptp(matrices["Blue Board"][:, 2, 3])


def _tops(heights: np.ndarray) -> np.ndarray:
    """The highest places, by the parabola through the three frames there."""
    i = np.flatnonzero((heights[1:-1] >= heights[:-2]) & (heights[1:-1] > heights[2:])) + 1
    before, here, after = heights[i - 1], heights[i], heights[i + 1]
    return here + (after - before) ** 2 / (8.0 * (2.0 * here - before - after))


def _energy_of_rolling(scene: bpy.types.Scene, matrices: dict[str, np.ndarray]) -> np.ndarray:
    """J, of the empty board at each frame, from how it moves; its wheels turn as fast as rolling takes."""
    bodies = {body.name: body for body in read_mechanism(scene, bpy.context.view_layer.depsgraph).mechanism.bodies}
    seconds = np.arange(half_pipe.FRAMES) / scene.render.fps
    total = 0.0
    for name in ("Blue Board", "Blue Front Axle", "Blue Rear Axle"):
        body, pose = bodies[name], matrices[name]
        centre = pose[:, :3, 3] + pose[:, :3, :3] @ np.array(body.center_of_mass)
        speed = np.linalg.norm(CubicSpline(seconds, centre)(seconds, 1), axis=1)
        turning = speed / half_pipe.WHEEL
        if name == "Blue Board":
            turning = CubicSpline(seconds, np.arctan2(-pose[:, 2, 0], pose[:, 0, 0]))(seconds, 1)
        total = total + 0.5 * body.mass * speed**2 + 0.5 * body.inertia[1][1] * turning**2
        total = total + 9.81 * body.mass * centre[:, 2]
    return total
