# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds of scenes of linkages without motors: chains, doors, ragdolls, loops. Each fills a `Scene`."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from solver.mechanism import Body, Box, Cylinder, Material, Nail, Sphere
from tests.solver.contact.everyday.building import UNTURNED, Scene, X, Y, Z, along
from tests.solver.contact.everyday.overlaps import APART, start_overlap
from tests.solver.contact.random_loops import random_loops


def swing(s: Scene) -> None:
    """A seat on two chains, with a rider on it, swings at a crate."""
    high, long, links = 2.3, s.number(1.2, 1.7), s.count(2, 4)
    lean = Rotation.from_rotvec(s.number(0.3, 1.1) * Y)
    ends, joints, bodies = [], [], []
    first = len(s.bodies)
    for side in (-0.38, 0.38):
        points = [(0.0, side, -long * k / links) for k in range(links + 1)]
        ends.append(s.chain(f"rope {side}", points, 0.015, s.mass(0.3), axis=Z)[-1])
    seat = s.body("seat", Box(half_size=(0.2, 0.43, 0.02)), (0.0, 0.0, -long - 0.02), s.mass(2.0))
    for end, side in zip(ends, (-0.38, 0.38), strict=True):
        s.joint("spherical", end, seat, (0.0, side, -long), damping=(1e-3, 1e-3, 1e-3))
    size = s.number(0.1, 0.17)
    s.body("rider", s.shape(size, ("box", "box", "hull")), (0.0, 0.0, -long + size + s.gap()), s.mass(10.0))
    bodies, joints = s.bodies[first:], list(s.joints)
    s.move(bodies, joints, lean, (0.0, 0.0, high))
    height = s.number(0.2, 0.4)
    s.body("crate", Box(half_size=(0.25, 0.25, height)), (s.number(0.6, 1.2), 0.0, height), s.mass(10.0))


def wrecking_ball(s: Scene) -> None:
    links, lean = s.count(2, 6), s.number(0.4, 1.5)
    way = np.array((-np.sin(lean), 0.0, -np.cos(lean)))
    top, long, radius = np.array((0.0, 0.0, 3.0)), s.number(1.5, 2.2), s.number(0.15, 0.3)
    points = [top + way * long * k / links for k in range(links + 1)]
    chain = s.chain("chain", points, 0.02, s.mass(0.5))
    ball = s.body("ball", Sphere(radius=radius), points[-1] + way * radius, s.mass(20.0))
    s.joint("spherical", chain[-1], ball, points[-1])
    half = s.rng.uniform(0.12, 0.25, 3)
    place = (half[0] + radius + s.number(0.0, 0.5), -2.0 * half[1], 0.0)
    s.wall("brick", place, s.count(2, 4), s.count(2, 5), half, s.gap())


def falling_chains(s: Scene) -> None:
    """Chains that fall on the ground, on a bar, or on each other."""
    s.fixed("bar", Cylinder(radius=0.08, half_length=1.0), (0.0, 0.0, 0.6), along(Y))
    for k in range(s.count(1, 3)):
        links, long = s.count(4, 10), s.number(0.1, 0.2)
        start = np.array((-0.5 * links * long + s.number(-0.3, 0.3), 0.3 * k - 0.3, 1.0 + 0.2 * k))
        points = [start + long * j * X for j in range(links + 1)]
        first = s.rod(f"chain {k}", points[0] - long * X, points[0], 0.02, s.mass(0.3), short=0.006)
        s.chain(f"chain {k}", points, 0.02, s.mass(0.3), first)
    if s.chance(0.5):
        s.heap("thing", (-0.3, -0.3, 1.7), (2, 1, 1), 0.2)


def rope_bridge(s: Scene) -> None:
    """Planks between two banks, hinged or balled together, with things that fall on them."""
    wide, sag, planks = s.number(1.0, 1.6), s.number(0.1, 0.4), s.count(4, 9)
    at = np.linspace(-1.0, 1.0, planks + 1)
    points = [np.array((wide * t, 0.0, 1.0 + sag * (t * t - 1.0))) for t in at]
    before: Body | None = None
    kind = "spherical" if s.chance(0.5) else "revolute"
    damping = (0.01,) * (3 if kind == "spherical" else 1)
    mass = s.mass(1.0)
    for k in range(planks):
        start, end = points[k], points[k + 1]
        half, way = 0.5 * np.linalg.norm(end - start) - 0.02, end - start
        lean = Rotation.from_rotvec(-np.arctan2(way[2], way[0]) * Y)
        plank = s.body(f"plank {k}", Box(half_size=(half, 0.3, 0.02)), 0.5 * (start + end), mass, lean)
        s.joint(kind, before, plank, start, Y, damping=damping)
        before = plank
    s.joint(kind, None, before, points[-1], Y, damping=damping)
    for k in range(s.count(1, 5)):
        size = s.number(0.08, 0.18)
        place = (s.number(-0.5, 0.5) * wide, s.number(-0.15, 0.15), 1.25 + 0.4 * k)
        s.body(f"thing {k}", s.shape(size), place, s.mass(), s.turn())


def curtain(s: Scene) -> None:
    """Chains side by side, into which something flies."""
    links, long = s.count(2, 5), s.number(0.15, 0.3)
    radius, height = s.number(0.015, 0.03), 1.9
    pitch = 2.0 * radius + s.number(0.01, 0.1)
    for k in range(s.count(3, 7)):
        points = [(0.0, pitch * k, height - long * j) for j in range(links + 1)]
        s.chain(f"chain {k}", points, radius, s.mass(0.3))
    size = s.number(0.1, 0.25)
    place = (-size - s.number(0.1, 1.0), 2.0 * pitch, height - 0.6 * links * long)
    ball = s.body("thrown", s.shape(size), place, s.mass(2.0), s.turn())
    s.throw(ball, (s.speed(2.0, 10.0), 0.0, s.number(0.0, 2.0)))


def door(s: Scene) -> None:
    """One leaf on a hinge, or two, with limits; things are thrown at it."""
    for k in range(s.count(1, 2)):
        half = np.array((s.number(0.3, 0.45), 0.03, 0.8))
        side = 1.0 if k == 0 else -1.0
        middle = np.array((side * (half[0] + 0.03) - side * 1.0, 0.0, 0.82))
        leaf = s.body(f"leaf {k}", Box(half_size=half), middle, s.mass(15.0))
        limits = ((-s.number(0.1, 1.5), s.number(0.3, 1.8)),) if s.chance(0.7) else None
        friction = (s.number(0.0, 3.0),) if s.chance(0.4) else None
        pin = middle - side * (half[0] + 0.02) * X
        s.joint("revolute", None, leaf, pin, Z, limits=limits, friction=friction, damping=(s.number(0.0, 0.5),))
    for k in range(s.count(1, 3)):
        size = s.number(0.1, 0.25)
        thing = s.body(
            f"thing {k}", s.shape(size), (-0.6 + s.number(0.0, 0.3), -0.8 - 0.6 * k, 0.9), s.mass(3.0), s.turn()
        )
        s.throw(thing, (0.0, s.speed(2.0, 10.0), s.number(0.0, 2.0)))
    if s.chance(0.5):
        s.wall("box", (-0.8, 0.6, 0.0), 2, 2, (0.12, 0.12, 0.15), s.gap(), along_y=False)


def seesaw(s: Scene) -> None:
    plank = s.body("plank", Box(half_size=(1.2, 0.25, 0.03)), (0.0, 0.0, 0.4), s.mass(8.0))
    s.joint("revolute", None, plank, plank.position, Y)
    size = s.number(0.1, 0.2)
    light = s.shape(size, ("box", "hull", "cylinder"))
    s.body("light", light, (-0.9, 0.0, 0.43 + size + s.gap()), s.mass(), UNTURNED)
    if s.chance(0.5):
        s.stack("box", (0.6, 0.0, 0.43), s.count(1, 3), 0.12)
    heavy = s.body("heavy", s.shape(0.2), (1.0, 0.0, 0.43 + 0.8 + s.number(0.2, 1.5)), s.mass(10.0), s.turn())
    s.throw(heavy, (0.0, 0.0, -s.speed(0.0, 5.0)))


def newtons_cradle(s: Scene) -> None:
    radius, high, gap = s.number(0.05, 0.12), s.number(0.5, 1.0), float(s.rng.choice([0.0, 1e-4, 5e-3]))
    count = s.count(2, 6)
    lifted, lean = s.count(1, max(1, count - 1)), s.number(0.2, 1.0)
    surface = Material(s.friction(), 1.0 if s.chance(0.6) else s.restitution())
    mass = s.mass()
    for k in range(count):
        pin = np.array(((2.0 * radius + gap) * k, 0.0, 1.5))
        turn = lean if k < lifted else 0.0
        place = pin - high * np.array((np.sin(turn), 0.0, np.cos(turn)))
        ball = s.body(f"ball {k}", Sphere(radius=radius), place, mass if s.chance(0.9) else s.mass(), material=surface)
        s.joint("revolute", None, ball, pin, Y)


def drawer(s: Scene) -> None:
    """An open box on a slider with stops, thrust shut or open, with things in it."""
    thick, half = 0.02, np.array((0.4, 0.3, 0.15))
    shapes = [Box(half_size=(half[0], half[1], thick), position=(0.0, 0.0, -half[2]))]
    for side in (-1, 1):
        shapes.append(Box(half_size=(thick, half[1], half[2] - thick), position=(side * (half[0] - thick), 0.0, 0.0)))
        long = half[0] - 2.0 * thick
        shapes.append(Box(half_size=(long, thick, half[2] - thick), position=(0.0, side * (half[1] - thick), 0.0)))
    box = s.body("drawer", shapes, (0.0, 0.0, 0.6), s.mass(3.0))
    friction = (s.number(0.0, 10.0),) if s.chance(0.5) else None
    s.joint("prismatic", None, box, box.position, X, limits=((-0.2, s.number(0.2, 0.6)),), friction=friction)
    box.linear_velocity = (s.speed(0.5, 6.0) * (1 if s.chance(0.5) else -1), 0.0, 0.0)
    size = s.number(0.05, 0.09)
    s.heap(
        "thing",
        (-3.1 * size, -2.05 * size, 0.6 - half[2] + thick + 1e-3),
        (3, 2, s.count(1, 2)),
        size,
        most=s.count(2, 9),
    )


def ragdoll(s: Scene, name: str, turn: Rotation, place, velocity, spin) -> None:
    """Trunk, head, arms and legs of two parts each, on balls and hinges with limits."""
    first, first_joint = len(s.bodies), len(s.joints)
    surface, mass = s.surface(), s.mass(10.0)
    trunk = s.body(f"{name} trunk", Box(half_size=(0.1, 0.18, 0.28)), (0.0, 0.0, 0.0), mass, material=surface)
    head = s.body(f"{name} head", Sphere(radius=0.11), (0.0, 0.0, 0.45), 0.15 * mass, material=surface)
    s.joint("spherical", trunk, head, (0.0, 0.0, 0.32), damping=(0.3, 0.3, 0.3))
    for side in (-1, 1):
        for limb, start, way, thick, long in (
            ("arm", (0, 0.25, 0.22), (0, 1, 0), 0.045, 0.28),
            ("leg", (0, 0.1, -0.32), (0, 0, -1), 0.06, 0.38),
        ):
            start, way = np.array(start, float) * (1, side, 1), np.array(way, float) * (1, side, 1)
            points = [start, start + long * way, start + 2.0 * long * way]
            upper = s.rod(f"{name} upper {limb} {side}", points[0], points[1], thick, 0.2 * mass, short=0.01)
            lower = s.rod(f"{name} lower {limb} {side}", points[1], points[2], thick, 0.15 * mass, short=0.01)
            upper.material = lower.material = surface
            s.joint("spherical", trunk, upper, points[0], damping=(0.3, 0.3, 0.3))
            axis = Z if limb == "arm" else Y
            s.joint("revolute", upper, lower, points[1], axis, limits=((-2.2, 0.1),), damping=(0.2,))
    s.move(s.bodies[first:], s.joints[first_joint:], turn, place, velocity, spin)


def ragdoll_at_wall(s: Scene) -> None:
    half = s.rng.uniform(0.15, 0.3, 3)
    s.wall("brick", (0.0, -0.4, 0.0), 3, s.count(2, 4), half, s.gap())
    ragdoll(s, "doll", s.turn(), (-1.6, 0.0, 1.3), (s.speed(2.0, 10.0), 0.0, 1.0), s.rng.normal(0.0, 3.0, 3))


def ragdoll_on_stairs(s: Scene) -> None:
    tread, rise = s.number(0.25, 0.4), s.number(0.15, 0.3)
    for k in range(5):
        half = 0.5 * rise * (5 - k)
        s.fixed(f"step {k}", Box(half_size=(0.5 * tread, 1.0, half)), (tread * k, 0.0, half))
    ragdoll(
        s, "doll", s.turn(), (-0.2, 0.0, 5.0 * rise + 1.1), (s.number(0.5, 3.0), 0.0, 0.0), s.rng.normal(0.0, 3.0, 3)
    )


def ragdoll_pile(s: Scene) -> None:
    for k in range(s.count(2, 3)):
        place = (s.number(-0.2, 0.2), s.number(-0.2, 0.2), 1.1 + 2.0 * k)
        ragdoll(s, f"doll {k}", s.turn(), place, (0.0, 0.0, -2.0 * k), (0.0, 0.0, 0.0))
    s.duration = 2.0


def jointed_stools(s: Scene) -> None:
    """Seats and legs that fixed joints hold together."""
    bottom = 0.0
    for k in range(s.count(1, 3)):
        wide, high, first, first_joint = s.number(0.2, 0.3), s.number(0.15, 0.25), len(s.bodies), len(s.joints)
        seat = s.body(f"seat {k}", Box(half_size=(wide, wide, 0.02)), (0.0, 0.0, 2.0 * high + 0.02), s.mass(3.0))
        for i in (-1, 1):
            for j in (-1, 1):
                place = np.array((0.8 * i * wide, 0.8 * j * wide, high))
                leg = s.body(f"leg {k} {i} {j}", Box(half_size=(0.02, 0.02, high)), place, s.mass(0.3))
                s.joint("fixed", seat, leg, place + high * Z)
        s.move(s.bodies[first:], s.joints[first_joint:], s.slight_turn(), (0.0, 0.0, bottom + s.gap()))
        bottom = seat.position[2] + 0.02
    s.body("weight", Sphere(radius=0.1), (s.number(-0.1, 0.1), 0.0, bottom + 0.1 + s.number(0.0, 0.5)), s.mass(3.0))


def loops_fall(s: Scene) -> None:
    """A closed linkage that is thrown on the ground, among loose things."""
    found = random_loops(int(s.rng.integers(2**31)))
    while start_overlap(found).part > APART:  # where bars cross
        found = random_loops(int(s.rng.integers(2**31)))
    s.bodies, s.joints, s.ground = found.bodies, found.joints, found.contact.ground
    for body in s.bodies:
        body.material = s.surface()
    if s.chance(0.5):
        far = max(np.linalg.norm(body.position[:2]) for body in s.bodies) + 0.6
        s.heap("thing", (far, -0.3, 0.0), (1, 2, 1), 0.2)


def nailed_ring(s: Scene) -> None:
    """A ring of links that hangs on one or two nails; things fall on it, and through it."""
    count, radius, kind = s.count(5, 10), s.number(0.4, 0.7), "spherical" if s.chance(0.6) else "universal"
    angles = 2.0 * np.pi * np.arange(count) / count
    corners = [np.array((0.0, radius * np.sin(a), 1.2 + radius * np.cos(a))) for a in angles]
    mass = s.mass(0.5)
    links = [s.rod(f"link {k}", corners[k], corners[(k + 1) % count], 0.02, mass, short=0.01) for k in range(count)]
    damping = (0.005,) * (3 if kind == "spherical" else 2)
    for k in range(count):
        s.joint(kind, links[k - 1], links[k], corners[k], s.direction(), damping=damping)
    s.constraints.append(Nail(name="nail", body=links[0].name, point=tuple(corners[0])))
    if s.chance(0.3):
        s.constraints.append(Nail(name="nail 2", body=links[2].name, point=tuple(corners[2])))
    size = s.number(0.1, 0.2)
    for k in range(s.count(1, 3)):
        thing = s.body(f"thrown {k}", s.shape(size), (-1.0 - 0.6 * k, s.number(-0.5, 0.5), 1.3), s.mass(), s.turn())
        s.throw(thing, (s.speed(1.0, 8.0), 0.0, s.number(0.0, 2.0)))


def clock(s: Scene) -> None:
    """A pendulum that strikes a hanging bell and knocks things off a shelf."""
    lean = s.number(0.4, 1.3)
    shapes = [
        Box(half_size=(0.02, 0.02, 0.4), position=(0.0, 0.0, -0.4)),
        Sphere(radius=0.12, position=(0.0, 0.0, -0.92)),
    ]
    pendulum = s.body("pendulum", shapes, (0.0, 0.0, 1.5), s.mass(4.0), Rotation.from_rotvec(lean * Y))
    s.joint("revolute", None, pendulum, pendulum.position, Y)
    place = (0.32 + s.number(0.0, 0.1), 0.0, 0.58)
    bell = s.body("bell", Box(half_size=(0.1, 0.1, 0.15)), place, s.mass(2.0))
    s.joint("revolute", None, bell, place + 0.9 * Z, Y)
    s.fixed("shelf", Box(half_size=(0.3, 0.3, 0.02)), (0.85, 0.0, 0.4))
    s.stack("box", (0.75, 0.0, 0.42), s.count(1, 3), 0.1)


def table_on_legs(s: Scene) -> None:
    """A table whose legs balls join to its top, so that it gives way, with things on it."""
    high, wide = s.number(0.2, 0.4), s.number(0.3, 0.6)
    top = s.body("top", Box(half_size=(wide, wide, 0.03)), (0.0, 0.0, 2.0 * high + 0.03), s.mass(5.0))
    for i in (-1, 1):
        for j in (-1, 1):
            place = np.array((0.85 * i * wide, 0.85 * j * wide, high))
            leg = s.body(f"leg {i} {j}", Box(half_size=(0.03, 0.03, high)), place, s.mass())
            kind = str(s.rng.choice(["spherical", "revolute", "universal"]))
            stiff = (s.number(0.0, 50.0),) if kind == "revolute" else None
            s.joint(kind, top, leg, place + high * Z, s.direction() if kind == "universal" else Y, stiffness=stiff)
    s.heap("thing", (-0.2, -0.2, 2.0 * high + 0.06 + s.gap()), (s.count(1, 2), 1, s.count(1, 2)), 0.12)


def snake_in_box(s: Scene) -> None:
    """A chain of hinged blocks thrown between walls."""
    for side in (-1, 1):
        s.fixed(f"wall x {side}", Box(half_size=(0.05, 1.0, 0.5)), (side * 1.05, 0.0, 0.5))
        s.fixed(f"wall y {side}", Box(half_size=(1.0, 0.05, 0.5)), (0.0, side * 1.05, 0.5))
    count, half = s.count(4, 8), np.array((0.08, 0.05, 0.04))
    bodies: list[Body] = []
    for k in range(count):
        bodies.append(s.body(f"block {k}", Box(half_size=half), ((k - 0.5 * count) * 0.2, 0.0, 0.0), s.mass()))
        if k:
            kind = str(s.rng.choice(["revolute", "universal", "spherical"]))
            limits = ((-1.5, 1.5),) if kind == "revolute" and s.chance(0.5) else None
            axis = Z if s.chance(0.5) else Y
            s.joint(kind, bodies[-2], bodies[-1], ((k - 0.5 * count - 0.5) * 0.2, 0.0, 0.0), axis, limits=limits)
    velocity = (s.number(-5.0, 5.0), s.number(-5.0, 5.0), 0.0)
    s.move(bodies, list(s.joints), s.slight_turn(0.3), (0.0, 0.0, s.number(0.1, 0.6)), velocity, 2.0 * s.direction())


def linked_adrift(s: Scene) -> None:
    """Chains and loose things that fly at each other in space: nothing outside acts."""
    for k in range(2):
        first, first_joint = len(s.bodies), len(s.joints)
        links = s.count(2, 4)
        points = [np.array((0.2 * j - 0.1 * links, 0.0, 0.0)) for j in range(links + 1)]
        head = s.body(f"head {k}", s.shape(0.12), points[0] - 0.15 * X, s.mass())
        chain: list[Body] = [head]
        for j in range(links):
            chain.append(s.rod(f"link {k} {j}", points[j], points[j + 1], 0.03, s.mass(), short=0.01))
            s.joint(
                str(s.rng.choice(["spherical", "universal", "revolute"])),
                chain[-2],
                chain[-1],
                points[j],
                s.direction(),
            )
        side = 1.0 if k else -1.0
        velocity, spin = -side * s.number(0.5, 5.0) * Z, s.rng.normal(0.0, 3.0, 3)
        s.move(s.bodies[first:], s.joints[first_joint:], s.turn(), (0.0, 0.0, side * 0.9), velocity, spin)
    thing = s.body("thing", s.shape(0.3), (1.5, 0.0, 0.0), s.mass(), s.turn())
    s.throw(thing, (-s.speed(1.0, 8.0), 0.0, 0.0), s.rng.normal(0.0, 3.0, 3))
    s.duration = 1.5


def flail(s: Scene) -> None:
    """A spherical pendulum of two rods that whirls among posts and balls."""
    pin = np.array((0.0, 0.0, 1.4))
    points = [pin, pin + 0.5 * X, pin + 1.0 * X]
    links: list[Body] = s.chain("rod", points, 0.03, s.mass(2.0), kind=str(s.rng.choice(["spherical", "universal"])))
    links[0].angular_velocity = (0.0, 0.0, s.number(1.0, 12.0))
    links[0].linear_velocity = np.cross(links[0].angular_velocity, links[0].position - pin)
    links[1].angular_velocity = links[0].angular_velocity
    links[1].linear_velocity = np.cross(links[0].angular_velocity, links[1].position - pin)
    for k in range(s.count(1, 3)):
        angle = 0.8 + 1.5 * k
        place = (0.8 * np.cos(angle), 0.8 * np.sin(angle), 0.6)
        s.body(f"post {k}", Box(half_size=(0.08, 0.08, 0.599)), place, s.mass(3.0))
        s.body(f"ball {k}", Sphere(radius=0.08), (place[0], place[1], 1.28 + s.gap()), s.mass())


def weights_on_rope(s: Scene) -> None:
    """A rope of capsules over a round beam, with unlike weights on its ends."""
    radius, count, thick = 0.25, s.count(10, 16), 0.02
    s.fixed("beam", Cylinder(radius=radius, half_length=0.3), (0.0, 0.0, 1.6), along(Y))
    around = radius + thick + 0.02
    angles = np.linspace(np.pi, 0.0, 7)
    arc = [
        np.array((around / np.cos(np.pi / 12.0) * np.cos(a), 0.0, 1.6 + around / np.cos(np.pi / 12.0) * np.sin(a)))
        for a in angles
    ]
    down = 0.15
    left = [arc[0] - down * (k + 1) * Z for k in range((count - 6) // 2)][::-1]
    right = [arc[-1] - down * (k + 1) * Z for k in range(count - 6 - (count - 6) // 2)]
    points = [*left, *arc, *right]
    ends = []
    for name, end in (("left", points[0]), ("right", points[-1])):
        ends.append(s.body(f"{name} weight", Box(half_size=(0.1, 0.1, 0.1)), end - 0.13 * Z, s.mass(3.0)))
    mass = 0.1
    links = s.chain("rope", points, thick, mass, ends[0])
    s.joint("spherical", links[-1], ends[1], points[-1])


KINDS = (
    swing,
    wrecking_ball,
    falling_chains,
    rope_bridge,
    curtain,
    door,
    seesaw,
    newtons_cradle,
    drawer,
    ragdoll_at_wall,
    ragdoll_on_stairs,
    ragdoll_pile,
    jointed_stools,
    loops_fall,
    nailed_ring,
    clock,
    table_on_legs,
    snake_in_box,
    linked_adrift,
    flail,
    weights_on_rope,
)
WITHOUT_GROUND = {linked_adrift}
