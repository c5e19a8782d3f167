# SPDX-License-Identifier: GPL-3.0-or-later
"""Small scenes of what one does with a mechanism by hand, after the scenarios of Schroeder (1990), 1.5.1 to 1.5.3.

An arm that is stopped by a corner, a tool that is caught in flight, a throw at a target, a grip that holds a brick, a
car that is connected behind a moving one, a plate that is laid on sticks. Each stands by itself; lengths in metres.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import bpy
from mathutils import Matrix, Vector

from .by_hand import add_bodies, join, key, pull, select, switch
from .camera import add_camera
from .landscape import add_sky, add_sun
from .shapes import Shape, make_object, rod, slab
from .workbench import set_frames

FRAMES = {"corner": 48, "tool": 48, "throw": 66, "grip": 60, "car": 72, "plate": 96}


def build(name: str, frames: int | None = None) -> None:
    """Fill the empty file with one of the scenes, ready to be baked."""
    set_frames(frames or FRAMES[name])
    SCENES[name]()
    bpy.context.scene.frame_set(1)
    make_object("Floor", slab((-6.0, -4.0, -0.1), (8.0, 4.0, -0.0005), "pavement"), smooth=False)
    add_sun()
    add_sky()


def part(
    name: str, shape: Shape, place: Sequence[float], mass: float | None = None, motion: str = "DYNAMIC"
) -> bpy.types.Object:
    """A body of this shape at a place; mass in kg."""
    ob = make_object(name, shape, smooth=False)
    ob.location = place
    bpy.context.view_layer.update()
    add_bodies([ob], "STEEL", motion)
    if mass is not None:
        ob.ves.mass_source, ob.ves.mass = "GIVEN", mass
    return ob


def tie_apart(
    first: bpy.types.Object, place: Sequence[float], second: bpy.types.Object, second_place: Sequence[float]
) -> bpy.types.Object:
    """A Point to Point between places of two bodies that are apart."""
    select(first, second)
    bpy.ops.ves.add_point_to_point(location="LOOSE")
    tie = bpy.context.active_object
    tie.matrix_world, tie.ves.anchor_b.matrix_world = (Matrix.Translation(each) for each in (place, second_place))
    return tie


def block(size: Sequence[float], paint: str) -> Shape:
    """A block around the origin."""
    half = [0.5 * side for side in size]
    return slab([-side for side in half], half, paint)


CORNER_ARM, CORNER_PLACE, CORNER_RADIUS = 0.5, (0.28, 0.42), 0.02  # m: length; (x, z) of the edge; the arm's thickness
CORNER_STIFFNESS, CORNER_DAMPING, CORNER_TARGET = 40.0, 4.0, math.radians(70.0)


def arm_at_a_corner() -> None:
    """A servo lifts an arm, which a new corner of the cell stops: its torque grows with what is left of the way."""
    post = part("Post", block((0.06, 0.06, 0.3), "iron"), (0.0, 0.0, 0.15), motion="FIXED")
    x, z = CORNER_PLACE
    part("Corner", slab((-0.2, -0.1, 0.0), (0.0, 0.1, 0.2), "girder"), (x, 0.0, z), motion="FIXED")
    reach = CORNER_ARM
    arm = part("Arm", slab((0.0, -0.02, -0.02), (reach, 0.02, 0.02), "label yellow"), (0.0, 0.0, 0.3), 1.0)
    hinge = join("REVOLUTE", post, arm, (0.0, 0.0, 0.3))
    hinge.name = "Shoulder"
    hinge.ves.motor_mode = "POSITION"
    hinge.ves.motor_stiffness[0], hinge.ves.motor_damping[0] = CORNER_STIFFNESS, CORNER_DAMPING
    key(hinge, "ves.motor_target", {1: 0.0, 30: -CORNER_TARGET}, "LINEAR", 0)
    bpy.context.scene.ves.use_contact = True
    add_camera((0.3, -1.9, 0.55), (0.25, 0.0, 0.33), 50.0)


TOOL_START, TOOL_HAND, TOOL_TIME, TOOL_SPIN = (-0.3, 0.0, 0.3), (0.6, 0.0, 0.9), 0.5, 3.0
TOOL_WITHIN, TOOL_CATCH = 0.12, 0.03  # m, s


def tool_in_flight() -> None:
    """A wrench is thrown to a hand, which takes it as soon as it is near, and carries it on."""
    hand = part("Hand", block((0.06, 0.14, 0.10), "label blue"), TOOL_HAND, motion="KEYED")
    key(hand, "location", {1: TOOL_HAND[0], 20: TOOL_HAND[0], 44: 0.1}, "BEZIER", 0)
    key(hand, "location", {1: TOOL_HAND[2], 20: TOOL_HAND[2], 44: 0.7}, "BEZIER", 2)
    bpy.context.scene.frame_set(1)
    tool = part("Tool", slab((-0.02, -0.015, -0.25), (0.02, 0.015, 0.05), "chrome"), TOOL_START, 0.5)
    way, t = Vector(TOOL_HAND) - Vector(TOOL_START), TOOL_TIME
    tool.ves.linear_velocity = (way.x / t, 0.0, way.z / t + 0.5 * 9.81 * t)
    tool.ves.angular_velocity = (0.0, TOOL_SPIN, 0.0)
    take = tie_apart(hand, TOOL_HAND, tool, TOOL_START)
    take.ves.catch_time, take.ves.catch_within = TOOL_CATCH, TOOL_WITHIN
    add_camera((0.15, -3.0, 0.8), (0.15, 0.0, 0.65), 50.0)


THROW_REACH, THROW_SPEED, THROW_RELEASE = 0.5, 12.0, math.radians(60.0)  # m, rad/s, angle above the level
THROW_FRAMES, THROW_EVEN = 8, 2  # frames of speeding up, and then at an even speed until the release
THROW_HEIGHT, THROW_BALL = 0.75, 0.04  # m: of the hinge; the ball's radius
THROW_TARGET = 0.3  # m: height of the can's middle


def throw_place() -> float:
    """m: how far the ball has come when it has fallen to the height of the target's middle."""
    high = THROW_HEIGHT + THROW_REACH * math.sin(THROW_RELEASE) - THROW_TARGET
    forward = THROW_SPEED * THROW_REACH * math.sin(THROW_RELEASE)
    up = THROW_SPEED * THROW_REACH * math.cos(THROW_RELEASE)
    time = (up + math.sqrt(up * up + 2.0 * 9.81 * high)) / 9.81
    return -THROW_REACH * math.cos(THROW_RELEASE) + forward * time


def throw_at_a_target() -> None:
    """An arm swings over, lets a ball go, and the ball knocks a can off a pedestal."""
    fps = bpy.context.scene.render.fps
    sweep, even = 0.5 * THROW_SPEED * THROW_FRAMES / fps, THROW_SPEED * THROW_EVEN / fps
    start = THROW_RELEASE - sweep - even
    post = part("Post", block((0.08, 0.3, THROW_HEIGHT), "oak"), (0.0, 0.25, 0.5 * THROW_HEIGHT), motion="FIXED")
    arm = part("Arm", slab((-THROW_REACH, -0.02, -0.02), (0.1, 0.02, 0.02), "label red"), (0.0, 0.0, THROW_HEIGHT), 1.0)
    arm.rotation_euler.y = start
    end = Vector((-THROW_REACH * math.cos(start), 0.0, THROW_HEIGHT + THROW_REACH * math.sin(start)))
    ball = part("Ball", rod((0.0, -THROW_BALL, 0.0), (0.0, THROW_BALL, 0.0), THROW_BALL, "label yellow", 32), end, 0.2)
    ball.ves.contact_shape = "SPHERE"
    arm.ves.collide = post.ves.collide = False
    hinge = join("REVOLUTE", post, arm, (0.0, 0.0, THROW_HEIGHT))
    hinge.ves.motor_mode = "KEYED"
    released = 1 + THROW_FRAMES + THROW_EVEN
    turns = {1: 0.0, 1 + THROW_FRAMES: sweep, released + 1: sweep + even + THROW_SPEED / fps}
    turns[released + 1 + THROW_FRAMES] = turns[released + 1] + sweep
    curve = key(hinge, "ves.motor_target", turns, "QUAD", 0)
    first, second, third, _ = curve.keyframe_points
    first.easing, second.interpolation, third.easing = "EASE_IN", "LINEAR", "EASE_OUT"
    weld = join("FIXED", arm, ball, end)
    switch(weld, {1: True, released: False})
    x = throw_place()
    part("Pedestal", slab((-0.1, -0.1, 0.0), (0.1, 0.1, THROW_TARGET - 0.1), "stone"), (x, 0.0, 0.0), motion="FIXED")
    can = part("Can", rod((0.0, 0.0, -0.1), (0.0, 0.0, 0.1), 0.05, "label green", 32), (x, 0.0, THROW_TARGET), 0.15)
    can.ves.contact_shape = "CYLINDER"
    bpy.context.scene.ves.use_contact = True
    add_camera((1.7, -6.5, 1.2), (1.7, 0.0, 0.75), 45.0)


GRIP_FORCE, GRIP_MASS, GRIP_FRICTION = 60.0, 1.0, 0.6  # N of one finger, kg, of the brick on fingers and floor
GRIP_CLOSED, GRIP_LIFTED = 14, 30  # frames
GRIP_GAP = 0.02  # m between brick and fingers at first


def grip_a_brick() -> None:
    """Two fingers on sliders close on a brick: one goes where it is told, the other one pushes; then it is carried."""
    palm = part("Palm", block((0.34, 0.06, 0.04), "iron"), (0.0, 0.0, 0.22), motion="KEYED")
    key(palm, "location", {1: 0.22, GRIP_CLOSED: 0.22, GRIP_LIFTED: 0.52, 60: 0.52}, "BEZIER", 2)
    key(palm, "location", {1: 0.0, GRIP_LIFTED: 0.0, 44: 0.35, 58: -0.1}, "BEZIER", 0)
    bpy.context.scene.frame_set(1)
    brick = part("Brick", block((0.12, 0.08, 0.10), "brick"), (0.0, 0.0, 0.05), GRIP_MASS)
    brick.ves.contact_friction = GRIP_FRICTION
    for name, sign in (("Left", -1.0), ("Right", 1.0)):
        place = sign * (0.06 + GRIP_GAP + 0.01)
        finger = part(f"Finger {name}", block((0.02, 0.06, 0.16), "label blue"), (place, 0.0, 0.12), 0.2)
        finger.ves.contact_friction = GRIP_FRICTION
        slider = join("PRISMATIC", palm, finger, (place, 0.0, 0.2), "X")
        slider.name = f"Slider {name}"
        if name == "Left":
            slider.ves.motor_mode = "KEYED"
            key(slider, "ves.motor_target_travel", {1: 0.0, 10: GRIP_GAP}, "BEZIER", 0)
        else:
            slider.ves.motor_mode = "FORCE"
            slider.ves.motor_value[0] = -GRIP_FORCE
            slider.ves.damping[0] = 20.0
    bpy.context.scene.ves.use_contact = True
    bpy.context.scene.frame_set(1)
    add_camera((0.1, -1.9, 0.45), (0.1, 0.0, 0.30), 45.0)


CAR_SPEED, CAR_FASTER, CAR_GAP = 1.0, 1.6, 0.6  # m/s of the car in front and of the other one; m between their hitches
CAR_WITHIN, CAR_CATCH = 0.15, 0.08  # m, s


def car_behind_a_car() -> None:
    """A cart rolls up to a car that drives on, is taken by its hitch when it is near, and follows it into a bend."""
    car = part("Car", block((0.8, 0.4, 0.2), "car"), (0.0, 0.0, 0.25), motion="KEYED")
    fps = bpy.context.scene.render.fps
    key(car, "location", {1: 0.0, 73: 72.0 * CAR_SPEED / fps}, "LINEAR", 0)
    key(car, "location", {1: 0.0, 36: 0.0, 72: 0.5}, "SINE", 1)
    key(car, "rotation_euler", {1: 0.0, 36: 0.0, 72: math.radians(30.0)}, "SINE", 2)
    bpy.context.scene.frame_set(1)
    hitch = Vector((-0.5, 0.0, 0.25))
    cart = part("Cart", block((0.6, 0.4, 0.15), "cream"), hitch - Vector((CAR_GAP + 0.4, 0.0, 0.0)), 40.0)
    cart.ves.linear_velocity = (CAR_FASTER, 0.0, 0.0)
    select(cart)
    bpy.ops.ves.add_force(type="SUPPORT", location="CORNERS")
    for support in bpy.context.selected_objects:
        support.ves.support_friction = 0.0
        depth = 40.0 * 9.81 / 4.0 / support.ves.support_stiffness
        support.ves.support_height = 0.175 + depth
    coupling = tie_apart(car, hitch, cart, hitch - Vector((CAR_GAP, 0.0, 0.0)))
    coupling.ves.catch_time, coupling.ves.catch_within = CAR_CATCH, CAR_WITHIN
    add_camera((1.0, -5.5, 2.2), (1.0, 0.0, 0.2), 42.0)


PLATE_MASS, STICK_MASS, STICK_STIFFNESS, STICK_REST = 2.0, 0.3, 40.0, 0.18  # kg, kg, N/m, m
STICKS = (-0.2, 0.0, 0.2)  # m: where they are along X


def plate_on_sticks() -> None:
    """Three sticks hang on four rubbers each; a plate is laid on them by contact, and they give way."""
    frame = part("Frame", block((0.8, 0.7, 0.02), "oak"), (0.0, 0.0, 0.01), motion="FIXED")
    for number, x in enumerate(STICKS):
        shape = rod((0.0, -0.25, 0.0), (0.0, 0.25, 0.0), 0.015, "pine", 24)
        stick = part(f"Stick {number + 1}", shape, (x, 0.0, 0.25), STICK_MASS)
        stick.ves.contact_shape = "CAPSULE"
        for y in (-0.22, 0.22):
            for aside in (-0.1, 0.1):
                rubber = pull("RUBBER", stick, (x + 0.15 * aside, y, 0.25), frame, (x + aside, 1.4 * y, 0.42))
                rubber.ves.use_rest_length, rubber.ves.rest_length = True, STICK_REST
                rubber.ves.spring_stiffness, rubber.ves.spring_damping = STICK_STIFFNESS, 4.0
                select(rubber)
                bpy.ops.ves.make_visible(width=0.012, thickness=0.004)
    part("Plate", block((0.6, 0.3, 0.02), "brass"), (0.0, 0.0, 0.25 + 0.015 + 0.01 + 0.03), PLATE_MASS)
    bpy.context.scene.ves.use_contact = True
    add_camera((0.9, -1.5, 0.75), (0.0, 0.0, 0.2), 50.0)


SCENES: dict[str, Callable[[], None]] = {
    "corner": arm_at_a_corner,
    "tool": tool_in_flight,
    "throw": throw_at_a_target,
    "grip": grip_a_brick,
    "car": car_behind_a_car,
    "plate": plate_on_sticks,
}
