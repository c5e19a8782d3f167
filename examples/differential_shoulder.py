# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot's differential shoulder: what must its motors give so that the hand goes along a bent wire?

After Tasora (2001), section 6. Two motors, geared down in two stages, turn the side gears of a bevel differential; the
pinion between them is the arm's root. So the carrier pitches by the mean of the side gears' angles, and the arm rolls
by half their difference. The scene is baked twice. In the first take the hand is led along the wire, and its path bears
the load; what it tells is how the three drives turn. In the second one nothing leads the hand: the drives turn as they
did, and bear it all. Inspect knows their torques: they are drawn on a blackboard.
"""

from __future__ import annotations

import math

import bpy
import numpy as np
from mathutils import Matrix, Vector

from .by_hand import add_bodies, drive, join, key, lead, select
from .camera import add_camera
from .course import Course, make_curve
from .gears import bevel_gear, spur_gear
from .paints import material
from .shapes import Shape, grid, joined, lathe, make_object, moved, rod, slab, superellipsoid, welded
from .workbench import PITCH, blackboard, make_table, set_frames, strip

FRAMES = 168
SHOULDER = 0.20  # height of the differential's middle, which is at x = y = 0
UPPER, FORE = 10 * PITCH, 0.27  # from the shoulder to the elbow, and on to the middle of the hand's ring
SIDES = {"Left": -1.0, "Right": 1.0}

BEVEL = (20, 0.005)  # teeth and module of side gears and pinion
MOTOR_STAGE, SIDE_STAGE = (12, 36, 0.0025), (12, 36, 0.003)  # teeth of the driving and the driven wheel, module
REDUCTION = MOTOR_STAGE[1] / MOTOR_STAGE[0] * SIDE_STAGE[1] / SIDE_STAGE[0]
LAY_AT, MOTOR_AT = math.radians(-30.0), math.radians(-115.0)  # directions, from side gear to lay shaft to motor
PLANE, MOTOR_PLANE, THICK = 0.086, 0.102, 0.010  # |x| where the wheels of the two stages begin, and how thick they are

WIRE = 0.25  # half its span in x
KEYS = {1: 0.5, 8: 0.5, 50: 0.90, 118: 0.10, 160: 0.5}  # share of the wire that the hand has come along, by frame
TORQUE, SPEED = "Drive Torque", "Angle Speed"
PAINTS = {"Left": "label yellow", "Right": "pale blue"}
CHART, CHART_SIZE = (-0.79, 0.05, 0.35), (0.46, 0.30)  # its lower left corner, and its size
CHART_TURN = math.radians(42.0)
RANGE = (-0.055, 0.011)  # N m at its lower and its upper edge


def build(frames: int = FRAMES) -> None:
    """Fill the empty file with the scene, its first take baked and its drives told, ready for the second take."""
    set_frames(frames)
    stand, carrier, upper, fore = make_stand(), make_carrier(), make_upper_arm(), make_forearm()
    trains = {side: make_train(side) for side in SIDES}
    add_bodies([stand], "OAK", "FIXED")
    add_bodies([wheel for train in trains.values() for wheel in train], "BRASS")
    add_bodies([carrier], "STEEL")
    add_bodies([upper, fore], "ALUMINIUM")
    rolls = connect_arm(stand, carrier, upper, fore)
    for side, train in trains.items():
        connect_train(side, train, stand, carrier, rolls)
    path = lead(fore, bend_wire(), hand_at_home())
    for frame, share in KEYS.items():
        path.ves.path_time = share
        path.keyframe_insert("ves.path_time", frame=frame)
    bpy.context.scene.frame_set(1)
    make_chart()
    make_table(seed=9)
    add_camera((0.66, -1.12, 0.62), (-0.16, 0.0, 0.325), 37.0)
    bpy.ops.ves.bake()
    tell_drives(path)
    select(upper)


def drives() -> list[bpy.types.Object]:
    """The hinges of both motors and of the elbow."""
    return [bpy.context.scene.objects[name] for name in ("Motor Left", "Motor Right", "Elbow")]


def tell_drives(path: bpy.types.Object) -> None:
    """After the first take: each drive keeps the speed that it had, and the path lets go of the hand."""
    for hinge in drives():
        select(hinge)
        bpy.ops.ves.plot(quantity=SPEED)
        hinge.ves.motor_mode = "SPEED"
        drive(hinge, "ves.motor_speed", "radians(x)", hinge, f'["Plot: {SPEED} (°/s)"]', 0)
    path.ves.enabled = False


def hand_at_home() -> Vector:
    """The place of the hand at the start: the upper arm stands upright, and the forearm points ahead, along -Y."""
    return Vector((0.0, -FORE, SHOULDER + UPPER))


def around_x(y: float, z: float) -> float:
    """A direction across X as an angle about the Z axis of a wheel that `TURNED` then turns to X."""
    return math.atan2(y, -z)


TURNED = Matrix.Rotation(0.5 * math.pi, 4, "Y")  # Z to X


def axes_of_train() -> tuple[tuple[float, float], tuple[float, float]]:
    """(y, z) of lay shaft and motor."""
    first = 0.5 * sum(SIDE_STAGE[:2]) * SIDE_STAGE[2]
    second = 0.5 * sum(MOTOR_STAGE[:2]) * MOTOR_STAGE[2]
    lay = first * math.cos(LAY_AT), SHOULDER + first * math.sin(LAY_AT)
    return lay, (lay[0] + second * math.cos(MOTOR_AT), lay[1] + second * math.sin(MOTOR_AT))


def make_train(side: str) -> tuple[bpy.types.Object, bpy.types.Object, bpy.types.Object]:
    """Motor, lay shaft and side gear of one side, in mesh; each has its origin on its axis."""
    sign = SIDES[side]
    to_lay = around_x(math.cos(LAY_AT), math.sin(LAY_AT))
    to_motor = around_x(math.cos(MOTOR_AT), math.sin(MOTOR_AT))
    teeth, module = BEVEL
    bevel = bevel_gear(teeth, module, 0.020, math.pi / teeth, "brass", 0.004)
    shaft = rod((0.045 * sign, 0.0, 0.0), ((PLANE + THICK) * sign, 0.0, 0.0), 0.013, "brass", 24)
    driven, driving = SIDE_STAGE[1], SIDE_STAGE[0]
    side_wheel = _wheel(driven, SIDE_STAGE[2], PLANE, to_lay, "brass", 0.018, sign)
    small = _wheel(driving, SIDE_STAGE[2], PLANE, to_lay + math.pi + math.pi / driving, "brass", 0.010, sign)
    large = _wheel(MOTOR_STAGE[1], MOTOR_STAGE[2], MOTOR_PLANE, to_motor, "brass", 0.012, sign)
    lay_shaft = rod((0.070 * sign, 0.0, 0.0), ((MOTOR_PLANE + THICK + 0.004) * sign, 0.0, 0.0), 0.005, "chrome", 16)
    turned = to_motor + math.pi + math.pi / MOTOR_STAGE[0]
    pinion = _wheel(MOTOR_STAGE[0], MOTOR_STAGE[2], MOTOR_PLANE, turned, "brass", 0.008, sign)
    motor_shaft = rod((MOTOR_PLANE * sign, 0.0, 0.0), (0.200 * sign, 0.0, 0.0), 0.004, "chrome", 16)
    rotor = moved(spur_gear(40, 0.0014, 0.0, 0.006, 0.0, PAINTS[side], 0.010), (0.0, 0.0, 0.192))
    bevel, rotor = (moved(shape, Matrix.Rotation(sign * 0.5 * math.pi, 4, "Y")) for shape in (bevel, rotor))
    parts = []
    for name, shape, (y, z) in zip(
        ("Rotor", "Lay Shaft", "Side Gear"),
        (joined(pinion, motor_shaft, rotor), joined(small, large, lay_shaft), joined(bevel, shaft, side_wheel)),
        (*axes_of_train()[::-1], (0.0, SHOULDER)),
        strict=True,
    ):
        parts.append(make_object(f"{name} {side}", shape))
        parts[-1].location = 0.0, y, z
    return tuple(parts)


def _wheel(teeth: int, module: float, plane: float, phase: float, paint: str, hub: float, sign: float) -> Shape:
    """A spur gear about X, outwards from |x| = plane."""
    low, high = sorted((sign * plane, sign * (plane + THICK)))
    return moved(spur_gear(teeth, module, low, high, phase, paint, hub), TURNED)


def make_stand() -> bpy.types.Object:
    """A board, a cheek on either side that bears shoulder and lay shaft, and the motors' housings on feet."""
    (lay_y, lay_z), (motor_y, motor_z) = axes_of_train()
    parts = [slab((-0.215, -0.075, 0.0005), (0.215, 0.115, 0.016), "pine")]
    for sign in SIDES.values():
        low, high = sorted((0.066 * sign, 0.074 * sign))
        parts.append(slab((low, -0.028, 0.016), (high, lay_y + 0.020, SHOULDER + 0.024), "girder"))
        parts.append(rod((0.122 * sign, motor_y, motor_z), (0.184 * sign, motor_y, motor_z), 0.024, "label blue", 32))
        low, high = sorted((0.130 * sign, 0.176 * sign))
        parts.append(slab((low, motor_y - 0.018, 0.016), (high, motor_y + 0.018, motor_z - 0.012), "girder"))
        for y, z in ((0.0, SHOULDER), (lay_y, lay_z)):
            parts.append(rod((0.064 * sign, y, z), (0.0765 * sign, y, z), 0.018 if y == 0.0 else 0.009, "iron", 24))
    return make_object("Stand", joined(*parts))


def make_carrier() -> bpy.types.Object:
    """The cross of the differential: a shaft through both side gears, and upwards the pin that the arm rolls on."""
    across = rod((-0.100, 0.0, 0.0), (0.100, 0.0, 0.0), 0.007, "chrome", 16)
    pin = rod((0.0, 0.0, 0.0), (0.0, 0.0, 0.078), 0.007, "chrome", 16)
    carrier = make_object("Carrier", joined(slab((-0.017, -0.017, -0.017), (0.017, 0.017, 0.017), "iron"), across, pin))
    carrier.location = 0.0, 0.0, SHOULDER
    return carrier


def make_upper_arm() -> bpy.types.Object:
    """The pinion, two strips on it, and the housing of the elbow's motor; its origin is the differential's middle."""
    teeth, module = BEVEL
    upwards = Matrix(((0, 1, 0), (0, 0, 1), (1, 0, 0))).to_4x4()  # X to Z, Y to X
    strips = [
        moved(strip(6, "car", x), Matrix.Translation((0.0, 0.0, UPPER - 6 * PITCH)) @ upwards) for x in (-0.017, 0.017)
    ]
    foot = slab((-0.0195, -0.0125, 0.062), (0.0195, 0.0125, UPPER - 6 * PITCH + 0.012), "car")
    flange = moved(lathe([(0.034, 0.0), (0.034, 0.006), (0.026, 0.010)], "iron", 32), (0.0, 0.0, 0.053))
    motor = rod((0.019, 0.0, UPPER), (0.062, 0.0, UPPER), 0.022, "label blue", 32)
    pin = rod((-0.024, 0.0, UPPER), (0.024, 0.0, UPPER), 0.005, "brass", 16)
    pinion = bevel_gear(teeth, module, 0.020, 0.0, "brass", 0.004)
    arm = make_object("Upper Arm", joined(pinion, flange, foot, *strips, motor, pin))
    arm.location = 0.0, 0.0, SHOULDER
    return arm


def make_forearm() -> bpy.types.Object:
    """Two strips and a ring for a hand; its origin is the elbow."""
    ahead = Matrix(((0, 1, 0), (-1, 0, 0), (0, 0, 1))).to_4x4()  # X to -Y, Y to X
    strips = [moved(strip(8, "cream", x), ahead) for x in (-0.009, 0.009)]
    radius, wire = 0.024, 0.0035
    knuckle = rod((-0.013, -8 * PITCH, 0.0), (0.013, -8 * PITCH, 0.0), 0.011, "brass", 24)
    neck = rod((0.0, -8 * PITCH, 0.0), (0.0, radius - FORE, 0.0), 0.005, "chrome")
    around = np.arange(32) * math.tau / 32
    tube = np.arange(12) * math.tau / 12
    rows = [
        np.column_stack(
            [
                wire * np.sin(tube),
                (radius + wire * np.cos(tube)) * math.cos(angle) - FORE,
                (radius + wire * np.cos(tube)) * math.sin(angle),
            ]
        )
        for angle in around
    ]
    ring = welded(grid(np.stack([*rows, rows[0]]), "chrome"))
    arm = make_object("Forearm", joined(*strips, knuckle, neck, ring))
    arm.location = 0.0, 0.0, SHOULDER + UPPER
    return arm


def connect_arm(
    stand: bpy.types.Object, carrier: bpy.types.Object, upper: bpy.types.Object, fore: bpy.types.Object
) -> bpy.types.Object:
    """Three hinges: the carrier pitches, the arm rolls on it, and there is an elbow. Returns that of the roll."""
    middle, elbow = (0.0, 0.0, SHOULDER), (0.0, 0.0, SHOULDER + UPPER)
    join("REVOLUTE", stand, carrier, middle, "X").name = "Pitch"
    rolls = join("REVOLUTE", carrier, upper, middle, "Z")
    rolls.name = "Roll"
    join("REVOLUTE", upper, fore, elbow, "X").name = "Elbow"
    return rolls


def connect_train(
    side: str,
    train: tuple[bpy.types.Object, ...],
    stand: bpy.types.Object,
    carrier: bpy.types.Object,
    rolls: bpy.types.Object,
) -> None:
    """Hinges on the stand, one more of the side gear on the carrier, and three gears between the hinges."""
    hinges = []
    for wheel, name in zip(train, ("Motor", "Lay", "Side"), strict=True):
        hinges.append(join("REVOLUTE", stand, wheel, wheel.matrix_world.translation, "X"))
        hinges[-1].name = f"{name} {side}"
    on_carrier = join("REVOLUTE", carrier, train[2], (0.0, 0.0, SHOULDER), "X")
    on_carrier.name = f"Side {side} on Carrier"
    couple(hinges[0], hinges[1], -MOTOR_STAGE[0] / MOTOR_STAGE[1])
    couple(hinges[1], hinges[2], -SIDE_STAGE[0] / SIDE_STAGE[1])
    couple(on_carrier, rolls, -SIDES[side])


def couple(first: bpy.types.Object, second: bpy.types.Object, ratio: float) -> None:
    """A gear between two hinges; the ratio is typed in, as it follows from the numbers of teeth."""
    select(first, second)
    bpy.ops.ves.add_gear()
    bpy.context.active_object.ves.gear_ratio = ratio


def wire_course() -> Course:
    """The wire in its plane, seen from its middle: x, and y upwards."""
    x = np.linspace(-WIRE, WIRE, 4001)
    z = -0.09 * (x / 0.2) ** 2 - 0.018 * (1.0 - np.cos(math.tau * x / 0.18))
    distance = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(x), np.diff(z)))])
    return Course(distance, np.column_stack([x, z]), np.arctan2(np.gradient(z, x), 1.0))


def bend_wire() -> bpy.types.Object:
    """A wavy wire in front of the arm, on a post at its left end. Its middle is where the hand is at first."""
    course = wire_course()
    wire = make_curve("Wire", course, 49)
    wire.data.bevel_depth = 0.003
    wire.data.materials.append(material("brass"))
    wire.matrix_world = Matrix.Translation(hand_at_home()) @ Matrix.Rotation(0.5 * math.pi, 4, "X")
    top = hand_at_home().z + course.position[0, 1]
    post = rod((-WIRE, -FORE, 0.0), (-WIRE, -FORE, top + 0.006), 0.007, "girder", 16)
    foot = slab((-WIRE - 0.04, -FORE - 0.03, 0.0005), (-WIRE + 0.04, -FORE + 0.03, 0.012), "pine")
    knob = moved(superellipsoid((0.009, 0.009, 0.009), "car", 2.0, 24), (WIRE, -FORE, top))
    make_object("Post", joined(post, foot, knob))
    return wire


def board() -> Matrix:
    """The chart's frame: its origin is the lower left corner, X to the right, Z up, Y into the board."""
    return Matrix.Translation(CHART) @ Matrix.Rotation(CHART_TURN, 4, "Z")


def on_chart(i: int, torque: float) -> tuple[float, float, float]:
    """The place of the i-th frame's torque, in the chart's frame."""
    (width, height), (low, high) = CHART_SIZE, RANGE
    return width * i / (FRAMES - 1), -0.003, height * (torque - low) / (high - low)


def make_chart() -> None:
    """A blackboard with the axis of time, and the names of the curves."""
    width, height = CHART_SIZE
    slate = moved(blackboard(0.5 * width + 0.03, -0.03, height + 0.03), (0.5 * width, 0.0, 0.0))
    legs = [slab((at - 0.012, 0.018, -CHART[2]), (at + 0.012, 0.04, height), "pine") for at in (0.02, width - 0.02)]
    nought = on_chart(0, 0.0)[2]
    axes = [
        slab((0.0, -0.001, nought - 0.001), (width, 0.001, nought + 0.001), "chalk"),
        slab((-0.001, -0.001, 0.0), (0.001, 0.001, height), "chalk"),
    ]
    easel = make_object("Blackboard", joined(slate, *legs, *axes), smooth=False)
    easel.matrix_world = board()
    for text, paint, x in (("left", "Left", 0.02), ("right motor, N m", "Right", 0.085)):
        data = bpy.data.curves.new(text, "FONT")
        data.body, data.size, data.extrude = text, 0.03, 0.0005
        data.materials.append(material(PAINTS[paint]))
        ob = bpy.data.objects.new(text, data)
        ob.matrix_world = (
            board() @ Matrix.Translation((x, -0.002, nought + 0.01)) @ Matrix.Rotation(0.5 * math.pi, 4, "X")
        )
        bpy.context.scene.collection.objects.link(ob)


def finish() -> None:
    """After the second take: plot both motors' torques, and draw the plots on the blackboard as time goes on."""
    scene = bpy.context.scene
    for side in SIDES:
        torque = motor_torque(scene.objects[f"Motor {side}"])
        data = bpy.data.curves.new(f"Torque {side}", "CURVE")
        data.dimensions = "3D"
        spline = data.splines.new("POLY")
        spline.points.add(len(torque) - 1)
        for i, (point, value) in enumerate(zip(spline.points, torque, strict=True)):
            point.co = *on_chart(i, value), 1.0
        data.bevel_depth, data.bevel_factor_mapping_end = 0.0025, "RESOLUTION"
        data.materials.append(material(PAINTS[side]))
        key(data, "bevel_factor_end", {scene.frame_start: 0.0, scene.frame_end: 1.0}, "LINEAR")
        ob = bpy.data.objects.new(f"Torque {side}", data)
        ob.matrix_world = board()
        scene.collection.objects.link(ob)


def motor_torque(motor: bpy.types.Object) -> np.ndarray:
    """A motor's torque at each frame (F,), in N m: the button in Inspect writes it as an animated property."""
    select(motor)
    bpy.ops.ves.plot(quantity=TORQUE)
    animation = motor.animation_data
    bag = animation.action.layers[0].strips[0].channelbag(animation.action_slot)
    curve = next(curve for curve in bag.fcurves if TORQUE in curve.data_path)
    values = np.empty(2 * len(curve.keyframe_points))
    curve.keyframe_points.foreach_get("co", values)
    return values[1::2]
