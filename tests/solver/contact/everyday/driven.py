# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds of scenes with something that drives: keyed bodies, motors, vehicles, machines. Each fills a `Scene`.

Keyed bodies never squeeze: what they push can always give way. Motors have a maximum.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from solver.mechanism import Action, Box, Cylinder, Gear, JointMotor, Rack, Sphere
from tests.solver.contact.everyday.building import UNTURNED, Scene, X, Y, Z, along
from tests.solver.contact.everyday.loose import UPRIGHT_Y


def _speed_motor(target: float, most: float) -> JointMotor:
    return JointMotor(mode="speed", target=target, max_force=most)


def press(s: Scene) -> None:
    """A slider that a motor presses on a stack."""
    top = s.stack("box", (0.0, 0.0, 0.0), s.count(1, 4), s.number(0.1, 0.25), 0.0, 0.2)
    half = (0.4, 0.4, 0.1)
    mass = s.mass(5.0)
    ram = s.body("ram", Box(half_size=half), (0.0, 0.0, top + 0.1 + s.gap() + s.number(0.0, 0.3)), mass)
    load = 9.81 * mass * 10.0 ** s.number(0.0, 2.0)
    if s.chance(0.5):
        motor = JointMotor(mode="force", value=-load)
    else:
        motor = _speed_motor(-s.number(0.1, 2.0), load)
    s.joint("prismatic", None, ram, ram.position, Z, motor=motor)


def _box_of_walls(wide: float, deep: float, thick: float, is_open: bool = True) -> list[Box]:
    """Walls around a room of 2 wide x 2 deep x 2 wide, its Y sides closed too."""
    far = wide + thick
    walls = [Box(half_size=(far + thick, deep, thick), position=(0.0, 0.0, side * far)) for side in (-1, 1)]
    walls += [Box(half_size=(thick, deep, wide), position=(side * far, 0.0, 0.0)) for side in (-1, 1)]
    for side in (-1, 1):
        at = (0.0, side * (deep + thick), 0.0)
        walls.append(Box(half_size=(far + thick, thick, far + thick), position=at))
    return walls


def drum(s: Scene) -> None:
    """A closed box that turns about a level axis, with things inside."""
    wide = s.number(0.5, 0.9)
    rate = s.number(0.5, 4.0) * (1 if s.chance(0.5) else -1)
    s.spinning("drum", _box_of_walls(wide, 0.4, 0.05), (0.0, 0.0, 1.5), Y, rate)
    size = s.number(0.07, 0.13)
    many = int((2.0 * wide - 0.1) / (2.1 * size))
    corner = (-0.5 * 2.05 * size * many, -2.05 * size, 1.5 - 0.7 * wide)
    s.heap("thing", corner, (many, 2, s.count(1, 2)), size, most=s.count(3, 10))


def conveyor(s: Scene) -> None:
    """A belt at constant speed that carries things against a stop, or off."""
    speed = s.number(0.3, 3.0)
    s.gliding("belt", Box(half_size=(14.0, 0.5, 0.05)), (0.0, 0.0, 0.5), (speed, 0.0, 0.0))
    if s.chance(0.7):
        s.fixed("stop", Box(half_size=(0.1, 0.6, 0.5)), (1.5, 0.0, 1.06))
    size = s.number(0.1, 0.2)
    s.heap("thing", (-0.5, -size * 2.05, 0.551), (s.count(1, 2), 2, s.count(1, 3)), size)


def rollers(s: Scene) -> None:
    """A conveyor of rollers, each turned by a motor."""
    radius, count = s.number(0.06, 0.1), s.count(4, 8)
    pitch = 2.0 * radius + s.number(0.005, 0.05)
    for k in range(count):
        place = (pitch * k, 0.0, 0.5)
        roller = s.body(f"roller {k}", Cylinder(radius=radius, half_length=0.5), place, s.mass(5.0), UPRIGHT_Y)
        s.joint("revolute", None, roller, place, Y, motor=_speed_motor(s.number(2.0, 15.0), s.number(5.0, 50.0)))
    half = (s.number(1.0, 1.5) * pitch, 0.3, 0.1)
    s.body("crate", Box(half_size=half), (1.5 * pitch, 0.0, 0.6 + radius + s.gap()), s.mass(5.0))
    s.heap("thing", (pitch, -0.15, 0.75 + radius + s.number(0.05, 0.1)), (1, 1, s.count(0, 2)), 0.12)


def platform_with_stack(s: Scene) -> None:
    """A platform that sways level or upright, with a stack on it."""
    way = s.number(0.05, 0.4) * (X if s.chance(0.6) else Z)
    rate = s.number(0.3, 1.5)
    s.swaying("platform", Box(half_size=(0.8, 0.8, 0.1)), (0.0, 0.0, 0.5), way, rate)
    s.stack("box", (0.0, 0.0, 0.6), s.count(1, 6), s.number(0.1, 0.3))


def turntable(s: Scene) -> None:
    rate = s.number(0.5, 8.0)
    disc = Cylinder(radius=1.0, half_length=0.05)
    if s.chance(0.5):
        s.spinning("disc", disc, (0.0, 0.0, 0.4), Z, rate)
    else:
        table = s.body("disc", disc, (0.0, 0.0, 0.4), s.mass(20.0))
        s.joint("revolute", None, table, table.position, Z, motor=_speed_motor(rate, s.number(10.0, 300.0)))
    size = s.number(0.08, 0.15)
    s.heap("thing", (-0.5, -0.5, 0.451), (2, 2, s.count(1, 2)), size)
    s.stack("box", (0.55, 0.0, 0.45), s.count(1, 3), size)


def bulldozer(s: Scene) -> None:
    """A blade at constant speed that sweeps boxes along."""
    half, speed = s.rng.uniform(0.08, 0.2, 3), s.number(0.2, 4.0)
    s.wall("box", (0.3, 0.0, 0.0), s.count(2, 4), s.count(1, 3), half, s.gap())
    if s.chance(0.5):
        s.heap("rock", (0.8, 0.0, 0.0), (1, 3, 1), 0.15)
    turn = Rotation.from_rotvec(s.number(-0.5, 0.5) * Z)
    start = (0.3 - half[0] - 0.9 - s.number(0.05, 0.5), 0.5, 0.31)
    s.gliding("blade", Box(half_size=(0.05, 1.2, 0.3)), start, (speed, 0.0, 0.0), turn)


def dragged_ball(s: Scene) -> None:
    """A keyed ball that goes in a straight line, or around, through boxes on the ground."""
    half = s.rng.uniform(0.08, 0.2, 3)
    s.wall("box", (0.0, -0.5, 0.0), s.count(2, 4), s.count(1, 4), half, s.gap())
    radius = s.number(0.15, 0.4)
    if s.chance(0.6):
        speed = s.speed(1.0, 8.0)
        s.gliding("ball", Sphere(radius=radius), (-half[0] - radius - 0.5, 0.0, radius + 0.01), (speed, 0.0, 0.0))
    else:
        arm = Sphere(radius=radius, position=(-1.0 - radius - half[0], 0.0, 0.0))
        s.spinning("ball", arm, (0.0, 1.0, radius + 0.01), Z, s.number(0.5, 4.0), Rotation.from_rotvec(-0.6 * Z))
        s.wall("far", (0.9, 0.6, 0.0), 2, 2, half, s.gap())


def towed_ball(s: Scene) -> None:
    """A ball on a spring to a table that glides, through boxes."""
    half, radius, speed = s.rng.uniform(0.08, 0.2, 3), s.number(0.1, 0.3), s.number(0.5, 5.0)
    s.wall("box", (0.5, -0.3, 0.0), s.count(1, 3), s.count(1, 3), half, s.gap())
    start = np.array((-half[0] - radius, 0.0, radius))
    ball = s.body("ball", Sphere(radius=radius), start, s.mass(3.0))
    hook = start + (0.0, 0.0, s.number(1.0, 2.0))
    table = s.gliding("table", Box(half_size=(0.2, 0.2, 0.02)), hook + 0.1 * Z, (speed, 0.0, 0.0))
    stiffness = ball.mass * (2.0 * np.pi * s.number(0.5, 5.0)) ** 2
    s.spring(ball, table, start, hook, stiffness, hook[2] - radius, s.number(0.0, 2.0))


def shaken_box(s: Scene) -> None:
    """An open box that sways with things in it."""
    sides = _box_of_walls(0.5, 0.4, 0.05)
    del sides[1]
    way = s.number(0.05, 0.5) * (X if s.chance(0.5) else s.direction() * (1.0, 1.0, 0.3))
    s.swaying("tray", sides, (0.0, 0.0, 1.0), way, s.number(0.3, 2.0))
    size = s.number(0.06, 0.12)
    s.heap("thing", (-3.1 * size, -2.05 * size, 0.51), (3, 2, s.count(1, 3)), size, most=s.count(3, 12))


def gripper(s: Scene) -> None:
    """Fingers on a hand that goes up close on a thing."""
    half, force = s.rng.uniform(0.1, 0.25, 3), s.number(20.0, 200.0)
    lift, start = s.number(0.2, 1.0), 2.0 * half[2] + 0.65
    surface = s.surface()
    hand = s.gliding("hand", Box(half_size=(0.5, 0.1, 0.05)), (0.0, 0.0, start), (0.0, 0.0, 0.0))
    wait = s.number(0.3, 0.6)
    hand.keys.times = (0.0, 0.5 * wait, wait, wait + 1.0, wait + 1.5, 4.0)
    hand.keys.positions = [(0.0, 0.0, start + share * lift) for share in (0.0, 0.0, 0.0, 0.9, 1.0, 1.0)]
    hand.keys.orientations = 6 * [(1.0, 0.0, 0.0, 0.0)]
    for side in (-1, 1):
        place = (side * 0.42, 0.0, start - 0.42)
        finger = s.body(f"finger {side}", Box(half_size=(0.03, 0.12, 0.35)), place, s.mass(), material=surface)
        finger.linear_velocity = (0.0, 0.0, 0.0)
        motor = JointMotor(mode="force", value=-side * force)
        limits = (((-0.38, 0.1) if side > 0 else (-0.1, 0.38)),)
        s.joint("prismatic", hand, finger, place, X, motor=motor, limits=limits)
    height = half[2] + s.gap() * 0.1
    shape = Box(half_size=half) if s.chance(0.6) else Cylinder(radius=half[0], half_length=half[2])
    s.body("thing", shape, (s.number(-0.02, 0.02), 0.0, height), s.mass(), material=surface)
    s.ignore.append(("finger -1", "finger 1"))


def _car(s: Scene, start: float, speed: float) -> float:
    """A chassis on four wheels that turn on hinges, some by motors; returns how far it reaches in front (m)."""
    radius, long, wide = s.number(0.15, 0.4), s.number(0.6, 1.1), 0.4
    height = radius + 0.2
    chassis = s.body("chassis", Box(half_size=(long, wide, 0.12)), (start, 0.0, height), s.mass(100.0))
    chassis.linear_velocity = (speed, 0.0, 0.0)
    drives_front, drives_rear = s.chance(0.4), s.chance(0.7)
    for end in (-1, 1):
        for side in (-1, 1):
            place = (start + 0.8 * end * long, side * (wide + 0.2), radius)
            wheel = s.body(
                f"wheel {end} {side}", Cylinder(radius=radius, half_length=0.12), place, s.mass(5.0), UPRIGHT_Y
            )
            s.throw(wheel, (speed, 0.0, 0.0), (0.0, speed / radius, 0.0))
            driven = drives_front if end > 0 else drives_rear
            motor = _speed_motor(s.number(3.0, 12.0) / radius, s.number(10.0, 200.0)) if driven else None
            s.joint("revolute", chassis, wheel, place, Y, motor=motor)
    return max(long, 0.8 * long + radius)


def car_into_boxes(s: Scene) -> None:
    front = _car(s, -3.0, s.number(0.0, 8.0))
    half = s.rng.uniform(0.12, 0.3, 3)
    place = (-3.0 + front + half[0] + s.number(0.2, 2.0), -2.0 * half[1], 0.0)
    s.wall("brick", place, s.count(2, 4), s.count(1, 4), half, s.gap())


def car_over_kerb(s: Scene) -> None:
    front = _car(s, -3.0, s.number(0.5, 8.0))
    height = s.number(0.02, 0.15)
    s.fixed("kerb", Box(half_size=(1.5, 2.0, 0.5 * height)), (-1.3 + front + 0.2, 0.0, 0.5 * height))
    if s.chance(0.5):
        s.body("load", Box(half_size=(0.1, 0.1, 0.1)), (-3.0, 0.0, s.bodies[0].position[2] + 0.221), s.mass(10.0))


def rack_pushes(s: Scene) -> None:
    """A pinion drives a rack, which pushes boxes."""
    radius = s.number(0.1, 0.3)
    pinion = s.body("pinion", Cylinder(radius=radius, half_length=0.05), (0.0, 0.6, 2.5), s.mass(), UPRIGHT_Y)
    shapes = [Box(half_size=(0.6, 0.05, 0.05)), Box(half_size=(0.05, 0.4, 0.2), position=(0.65, 0.0, 0.0))]
    rack = s.body("rack", shapes, (-1.0, 0.0, 0.3), s.mass(5.0))
    motor = _speed_motor(s.number(1.0, 8.0), s.number(20.0, 200.0) * radius)
    turning = s.joint("revolute", None, pinion, pinion.position, Y, motor=motor)
    sliding = s.joint("prismatic", None, rack, rack.position, X, limits=((-0.5, 1.5),))
    s.constraints.append(Rack(name="mesh", joint_a=turning.name, joint_b=sliding.name, radius=radius))
    half = s.rng.uniform(0.1, 0.2, 3)
    s.wall("brick", (-0.29 + half[0] + s.number(0.0, 0.5), -0.3, 0.0), s.count(1, 4), s.count(1, 4), half, s.gap())


def hammer_on_peg(s: Scene) -> None:
    """A hammer falls on a peg that dry friction holds; its own axis may rub, too."""
    arm, height = s.number(0.4, 0.7), s.number(0.5, 0.8)
    lift = Rotation.from_rotvec(-s.number(0.3, 1.2) * Y)
    head = Cylinder(radius=0.07, half_length=0.1, position=(arm, 0.0, 0.0))
    shaft = Box(half_size=(0.5 * (arm - 0.08), 0.03, 0.03), position=(0.5 * (arm - 0.08), 0.0, 0.0))
    hammer = s.body("hammer", [shaft, head], (0.0, 0.0, height), s.mass(5.0), lift)
    friction = (s.number(0.0, 2.0),) if s.chance(0.5) else None
    s.joint("revolute", None, hammer, hammer.position, Y, friction=friction)
    hammer.angular_velocity = (0.0, s.number(0.0, 8.0), 0.0)
    long = s.number(0.05, 0.15)
    place = (arm + s.number(-0.03, 0.03), 0.0, height - 0.1 - long)
    peg = s.body("peg", Cylinder(radius=0.03, half_length=long), place, s.mass())
    s.joint("prismatic", None, peg, place, Z, friction=(s.number(10.0, 500.0),), limits=((-0.1, 0.3),))
    s.body("bystander", Box(half_size=(0.1, 0.1, 0.149)), (arm + 0.35, 0.0, 0.15), s.mass())


def paddle_wheels(s: Scene) -> None:
    """Two geared wheels with paddles, one with a motor; things fall on them."""
    radius, paddle, gap = 0.2, 0.15, s.number(0.05, 0.2)
    blades = [
        Box(half_size=(0.5 * paddle, 0.2, 0.02), position=(radius + 0.5 * paddle, 0.0, 0.0)),
        Box(half_size=(0.5 * paddle, 0.2, 0.02), position=(-radius - 0.5 * paddle, 0.0, 0.0)),
        Box(half_size=(0.02, 0.2, 0.5 * paddle), position=(0.0, 0.0, radius + 0.5 * paddle)),
        Box(half_size=(0.02, 0.2, 0.5 * paddle), position=(0.0, 0.0, -radius - 0.5 * paddle)),
    ]
    hub = Cylinder(radius=radius, half_length=0.2, orientation=(0.5**0.5, -(0.5**0.5), 0.0, 0.0))
    wheels, hinges = [], []
    for k in range(2):
        place = ((2.0 * (radius + paddle) + gap) * k, 0.0, 0.8)
        wheels.append(s.body(f"wheel {k}", [hub, *blades], place, s.mass(3.0)))
        motor = _speed_motor(s.number(-6.0, 6.0), s.number(5.0, 100.0)) if k == 0 else None
        hinges.append(s.joint("revolute", None, wheels[k], place, Y, motor=motor))
    ratio = -s.number(0.5, 2.0)
    s.constraints.append(Gear(name="gear", joint_a=hinges[0].name, joint_b=hinges[1].name, ratio=ratio))
    s.heap("thing", (0.0, -0.2, 1.3), (2, 1, s.count(1, 4)), s.number(0.1, 0.15))


def four_bar(s: Scene) -> None:
    """A closed linkage whose crank a constant torque turns; its rocker hits a wall of boxes."""
    crank, rocker, base, coupler = s.number(0.2, 0.35), s.number(0.5, 0.8), s.number(0.6, 0.9), s.number(0.6, 0.9)
    if crank + max(base, coupler, rocker) > base + coupler + rocker - max(base, coupler, rocker) - 0.05:
        base = coupler = rocker = 0.7
    angle = s.number(0.0, 2.0 * np.pi)
    a = np.array((0.0, 0.0, 1.0))
    d = a + base * X
    b = a + crank * np.array((np.cos(angle), 0.0, np.sin(angle)))
    way, far = d - b, np.linalg.norm(d - b)
    share = (far**2 + coupler**2 - rocker**2) / (2.0 * far)
    side = np.cross(way / far, Y) * (-1.0)
    c = b + share * way / far + (coupler**2 - share**2) ** 0.5 * side
    thick, apart = 0.03, 0.15 * Y
    links = [
        s.rod("crank", a, b, thick, s.mass(2.0), "box"),
        s.rod("coupler", b + apart, c + apart, thick, s.mass(2.0), "box"),
        s.rod("rocker", c + 2.0 * apart, d + 2.0 * apart, thick, s.mass(2.0), "box"),
    ]
    motor = JointMotor(mode="force", value=s.number(-10.0, 10.0))
    s.joint("revolute", None, links[0], a, Y, motor=motor)
    s.joint("revolute", links[0], links[1], b, Y)
    s.joint("revolute", links[1], links[2], c + apart, Y)
    s.joint("revolute", None, links[2], d + 2.0 * apart, Y)
    half = np.array((0.1, 0.3, 0.1))
    high = s.count(3, 7)
    s.wall("box", (base + rocker + 0.25 + s.number(0.0, 0.1), 0.2, 0.0), 1, high, half, 0.0)
    s.heap("thing", (0.2, 0.0, 1.0 + 1.0), (2, 1, s.count(1, 2)), 0.12)


def trebuchet(s: Scene) -> None:
    """A beam with a hanging weight throws a ball, which a joint lets go, at a wall."""
    short, long, height = 0.4, 1.2, 1.4
    tilt = Rotation.from_rotvec(s.number(0.4, 0.7) * Y)  # the long arm, along -X, points down
    pivot = np.array((0.0, 0.0, height))
    tip, heel = pivot + tilt.apply((-long, 0.0, 0.0)) * (1, 1, 1), pivot + tilt.apply((short, 0.0, 0.0))
    tip, heel = pivot + (tip - pivot) * (1, 1, -1), pivot + (heel - pivot) * (1, 1, -1)
    beam = s.rod("beam", tip, heel, 0.04, s.mass(3.0), "box")
    s.joint("revolute", None, beam, pivot, Y)
    bottom = heel - (0.0, 0.0, 0.25)
    weight = s.body("weight", Box(half_size=(0.15, 0.15, 0.15)), bottom - 0.15 * Z, s.mass(60.0))
    s.joint("revolute", beam, weight, heel, Y)
    ball = s.body("ball", Sphere(radius=0.08), tip - 0.25 * X - 0.1 * Z, s.mass(0.7))
    sling = s.joint("spherical", beam, ball, tip, damping=(1e-3, 1e-3, 1e-3))
    s.actions.append(Action(s.number(0.2, 0.7), sling.name, {"enabled": False}))
    half = s.rng.uniform(0.15, 0.25, 3)
    s.wall("brick", (s.number(1.8, 3.0), -0.5, 0.0), 3, s.count(2, 4), half, s.gap())


def flipper(s: Scene) -> None:
    """A bat that a servo of bounded torque swings at balls, in a tray."""
    s.fixed("back", Box(half_size=(0.05, 0.6, 0.3)), (1.2, 0.0, 0.3))
    bat = s.body("bat", Box(half_size=(0.3, 0.03, 0.05)), (0.3, -0.3, 0.1), s.mass())
    target = s.number(0.5, 1.5)
    motor = JointMotor(
        mode="position", target=target, stiffness=s.number(10.0, 500.0), damping=s.number(0.1, 10.0), max_force=60.0
    )
    s.joint("revolute", None, bat, (0.0, -0.3, 0.1), Z, motor=motor)
    for k in range(s.count(1, 5)):
        s.body(f"ball {k}", Sphere(radius=0.05), (0.15 + 0.11 * k, -0.2 + s.number(0.0, 0.2), 0.05), s.mass(0.3))


def crane(s: Scene) -> None:
    """A gliding trolley drags a ball on a chain through a wall."""
    speed, count = s.number(0.3, 4.0), s.count(2, 5)
    links = np.linspace(2.6, 0.8, count + 1)
    trolley = s.gliding("trolley", Box(half_size=(0.2, 0.2, 0.05)), (0.0, 0.0, 2.7), (speed, 0.0, 0.0))
    chain = s.chain("chain", [(0.0, 0.0, z) for z in links], 0.02, s.mass(0.5), trolley)
    ball = s.body("ball", Sphere(radius=0.25), (0.0, 0.0, 0.55), s.mass(10.0))
    s.joint("spherical", chain[-1], ball, (0.0, 0.0, 0.8))
    half = s.rng.uniform(0.12, 0.2, 3)
    s.wall("brick", (0.25 + half[0] + s.number(0.05, 1.0), -0.3, 0.0), 2, s.count(2, 5), half, s.gap())


def mixer(s: Scene) -> None:
    """A blade that a motor turns in an open tub of balls and boxes."""
    sides = _box_of_walls(0.5, 0.5, 0.05)
    del sides[1]
    s.fixed("tub", sides, (0.0, 0.0, 0.65))
    blade = s.body("blade", Box(half_size=(0.4, 0.03, 0.06)), (0.0, 0.0, 0.25), s.mass(3.0))
    motor = _speed_motor(s.number(1.0, 12.0), s.number(2.0, 60.0))
    s.joint("revolute", None, blade, blade.position, Z, motor=motor)
    size = s.number(0.06, 0.11)
    s.heap("thing", (-3.1 * size, -3.1 * size, 0.4), (3, 3, 2), size, most=s.count(4, 12))


def lift_with_load(s: Scene) -> None:
    """A hinged ramp, or a lift, that a force raises with things on it."""
    deck = s.body("deck", Box(half_size=(0.6, 0.4, 0.03)), (0.6, 0.0, 0.1), s.mass(10.0))
    size = s.number(0.08, 0.15)
    top = s.stack("box", (0.6, 0.0, 0.13), s.count(1, 4), size)
    load = sum(body.mass for body in s.bodies) * 9.81
    if s.chance(0.5):
        motor = JointMotor(mode="force", value=load * s.number(0.9, 1.6))
        s.joint("prismatic", None, deck, deck.position, Z, motor=motor, limits=((-0.06, 0.8),))
    else:
        motor = JointMotor(mode="force", value=-load * 0.6 * s.number(0.9, 1.6))
        s.joint("revolute", None, deck, (0.0, 0.0, 0.1), Y, motor=motor, limits=((-1.2, 0.1),), damping=(1.0,))
    if s.chance(0.5):
        s.body("ball", Sphere(radius=size), (0.6, 0.0, top + size + 0.3), s.mass(2.0))


def screw_press(s: Scene) -> None:
    """A screw that a motor turns down on a stack of plates."""
    top = 0.0
    for k in range(s.count(1, 4)):
        thick = s.number(0.02, 0.1)
        s.body(f"plate {k}", Box(half_size=(0.3, 0.3, thick)), (0.0, 0.0, top + thick), s.mass(2.0), s.slight_turn(0.5))
        top += 2.0 * thick
    screw = s.body("screw", Cylinder(radius=0.1, half_length=0.3), (0.0, 0.0, top + 0.3 + s.gap()), s.mass(5.0))
    motor = _speed_motor(-s.number(2.0, 20.0), s.number(1.0, 50.0))
    s.joint("screw", None, screw, screw.position, Z, pitch=s.number(0.005, 0.03), motor=motor)


def plough(s: Scene) -> None:
    """A wedge on a slider that a force drives through a heap."""
    turn = along((1.0, 0.0, 0.2)) if s.chance(0.3) else UNTURNED
    blade = s.body("plough", Box(half_size=(0.1, 0.5, 0.2)), (-0.6, 0.0, 0.25), s.mass(10.0), turn)
    force = s.number(50.0, 500.0)
    motor = JointMotor(mode="force", value=force)
    s.joint("prismatic", None, blade, blade.position, X, motor=motor, damping=(force / s.number(1.0, 5.0),))
    s.heap("thing", (0.0, -0.5, 0.0), (2, 3, s.count(1, 2)), s.number(0.1, 0.17))


KINDS = (
    press,
    drum,
    conveyor,
    rollers,
    platform_with_stack,
    turntable,
    bulldozer,
    dragged_ball,
    towed_ball,
    shaken_box,
    gripper,
    car_into_boxes,
    car_over_kerb,
    rack_pushes,
    hammer_on_peg,
    paddle_wheels,
    four_bar,
    trebuchet,
    flipper,
    crane,
    mixer,
    lift_with_load,
    screw_press,
    plough,
)
WITHOUT_GROUND = {drum, conveyor}
