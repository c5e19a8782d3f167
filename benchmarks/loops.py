# SPDX-License-Identifier: GPL-3.0-or-later
"""Mechanisms with closed loops, from one loop to hundreds: necklaces, rows of four-bars, scissor lifts, nets."""

import time
from dataclasses import replace

import numpy as np

from solver.mechanism import Body, Contact, Joint, Mechanism, Motor, Nail, Orientation, Sphere
from solver.simulation.recording import Recording
from solver.simulation.simulation import Simulation

from .chains import unit_quaternions

METHODS = ("propagation", "recursive", "lagrange", "composite")
COMPOSITE_UP_TO = 100  # bodies: it is dense
ABOUT_Y = (np.sqrt(0.5), -np.sqrt(0.5), 0.0, 0.0)  # a joint frame whose Z is the world's Y
ROD = 0.02  # m: thickness


def necklace(count: int, seed: int = 1, hung: bool = False) -> Mechanism:
    """Beads of all shapes in an uneven ring, each ball-jointed to the next, spinning as the ring allows.

    It floats; `hung` holds the first joint's place on the first bead with one more ball joint to the world, and
    starts from rest. The last joint of the list is the one between the last bead and the first.
    """
    rng = np.random.default_rng(seed)
    angle = 2.0 * np.pi * np.arange(count) / count
    around = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(count)])
    places = 0.3 * count / (2.0 * np.pi) * around + rng.normal(0.0, 0.05, (count, 3))
    spans = np.roll(places, -1, axis=0) - places
    arms = 0.5 * spans + rng.normal(0.0, 0.05, (count, 3))
    sides, masses = rng.uniform(0.1, 0.4, (count, 3)), rng.uniform(0.5, 2.0, count)
    inertias = masses[:, None] / 12.0 * ((sides**2).sum(axis=1, keepdims=True) - sides**2)
    turns = unit_quaternions(rng, count)
    spins = _closed_spins(rng.normal(0.0, 1.0, (count, 3)), spans) * (0.0 if hung else 1.0)
    along = np.cumsum(np.cross(spins, spans), axis=0)
    speeds = np.roll(along, 1, axis=0) + np.cross(spins, arms)
    speeds[0] -= along[-1]  # zero, but for rounding
    bodies = [
        Body(
            f"bead {i}", mass=masses[i], inertia=inertias[i], position=places[i] + arms[i], orientation=turns[i],
            linear_velocity=speeds[i], angular_velocity=spins[i],
        )
        for i in range(count)
    ]  # fmt: skip
    joints = [
        Joint(f"joint {i}", "spherical", bodies[i - 1].name, bodies[i % count].name, position=places[i % count])
        for i in range(1, count + 1)
    ]
    if hung:
        joints.insert(0, Joint("hook", "spherical", None, bodies[0].name, position=places[0]))
    return Mechanism(name=f"necklace of {count}", bodies=bodies, joints=joints)


def _closed_spins(wanted: np.ndarray, spans: np.ndarray) -> np.ndarray:
    """The nearest angular velocities (n, 3) with sum of spin x span = 0, so that the ring stays closed."""
    x, y, z = spans.T
    zero = np.zeros_like(x)
    cross = np.array([[zero, z, -y], [-z, zero, x], [y, -x, zero]])  # spin -> spin x span
    matrix = np.moveaxis(cross, 2, 1).reshape(3, -1)
    change, *_ = np.linalg.lstsq(matrix, matrix @ wanted.ravel(), rcond=None)
    return wanted - change.reshape(-1, 3)


def four_bars(windows: int) -> Mechanism:
    """The IFToMM benchmark A02: a row of parallel cranks, 1 m long, and the bars between their tops, at 1 m/s."""
    upright, level = (1.0, 0.0, 0.0, 0.0), (np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0)
    cranks = [
        rod(f"crank {i}", (i, 0.0, 0.5), upright, linear_velocity=(0.5, 0.0, 0.0), angular_velocity=(0.0, 1.0, 0.0))
        for i in range(windows + 1)
    ]
    tops = [
        rod(f"top {i}", (i + 0.5, 0.0, 1.0), level, linear_velocity=(1.0, 0.0, 0.0), angular_velocity=(0.0, 0.0, 0.0))
        for i in range(windows)
    ]
    joints = [hinge(None, cranks[i].name, (i, 0.0, 0.0)) for i in range(windows + 1)]
    for i, top in enumerate(tops):
        joints.append(hinge(cranks[i].name, top.name, (i, 0.0, 1.0)))
        joints.append(hinge(cranks[i + 1].name, top.name, (i + 1, 0.0, 1.0)))
    return Mechanism(name=f"{windows} windows", bodies=cranks + tops, joints=joints)


def scissor_lift(storeys: int, angle: float = 0.6) -> Mechanism:
    """Crossed bars of 1 m, storey upon storey; one foot turns in place, the other slides, and all of it sinks."""
    across, up = np.cos(angle), np.sin(angle)
    bodies, joints = [], []
    for k in range(storeys):
        middle = (0.5 * across, 0.0, (k + 0.5) * up)
        for name, lean in (("rising", 0.5 * np.pi - angle), ("falling", angle - 0.5 * np.pi)):
            bodies.append(rod(f"{name} {k}", middle, (np.cos(0.5 * lean), 0.0, np.sin(0.5 * lean), 0.0)))
        joints.append(hinge(f"rising {k}", f"falling {k}", middle))
        if k:
            joints.append(hinge(f"falling {k - 1}", f"rising {k}", (0.0, 0.0, k * up)))
            joints.append(hinge(f"rising {k - 1}", f"falling {k}", (across, 0.0, k * up)))
    slider = Body("slider", mass=0.5, inertia=(1e-3, 1e-3, 1e-3), position=(across, 0.0, 0.0))
    rail = (np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0)  # Z of the frame along the world's X
    joints += [
        hinge(None, "rising 0", (0.0, 0.0, 0.0)),
        Joint("rail", "prismatic", None, slider.name, position=slider.position, orientation=rail),
        hinge(slider.name, "falling 0", slider.position),
    ]
    return Mechanism(name=f"scissor lift, {storeys} storeys", bodies=[*bodies, slider], joints=joints)


def net(rows: int, columns: int) -> Mechanism:
    """Crosses of 0.1 m, ball-jointed to their neighbours, level, held by two corners; every gap is a loop."""
    side = 0.1
    bodies, joints = [], []
    for i in range(rows):
        for j in range(columns):
            bodies.append(Body(f"{i} {j}", mass=0.1, inertia=(1e-4, 1e-4, 2e-4), position=(side * i, side * j, 0.0)))
            if i:
                joints.append(ball(f"{i - 1} {j}", f"{i} {j}", (side * (i - 0.5), side * j, 0.0)))
            if j:
                joints.append(ball(f"{i} {j - 1}", f"{i} {j}", (side * i, side * (j - 0.5), 0.0)))
    corners = bodies[0], bodies[columns - 1]
    joints += [ball(None, body.name, body.position) for body in corners]
    return Mechanism(name=f"net of {rows} x {columns}", bodies=bodies, joints=joints)


def curtain(rows: int, columns: int, bend: float = 2.0) -> Mechanism:
    """The same net hung upright by its upper corners and bent by so much (rad): it has slack, its pose is regular."""
    arm, flat = 0.05, net(rows, columns)
    turns = np.linspace(-0.5 * bend, 0.5 * bend, columns)
    along = np.column_stack([np.cos(turns), np.sin(turns), np.zeros(columns)])
    places = np.vstack([np.zeros(3), np.cumsum(arm * (along[:-1] + along[1:]), axis=0)])
    down = np.array([0.0, 0.0, -1.0])
    bodies = []
    for k, body in enumerate(flat.bodies):
        row, column = divmod(k, columns)
        position = places[column] + 2.0 * arm * row * down
        bodies.append(replace(body, position=position, orientation=_upright(turns[column])))
    where = {body.name: (np.array(body.position), k % columns) for k, body in enumerate(bodies)}
    joints = []
    for joint in flat.joints:
        x, column = where[joint.parent or joint.child]
        if joint.parent is not None:
            x = x + arm * (along[column] if where[joint.child][1] != column else down)
        joints.append(replace(joint, position=x))
    return replace(flat, name=f"curtain of {rows} x {columns}", bodies=bodies, joints=joints)


def _upright(turn: float) -> tuple[float, ...]:
    """Of a cross whose X points down, and whose Y is the world's X turned by so much (rad) about Z."""
    half, s = 0.5 * turn - 0.25 * np.pi, np.sqrt(0.5)  # a turn about Z, after a quarter about Y
    return s * np.cos(half), -s * np.sin(half), s * np.cos(half), s * np.sin(half)


def thesis_bars() -> Mechanism:
    """Schroeder 1990, section 7.5: four bars of 10 x 1 x 0.5 m in a row; the last is held, the second is turned.

    Their joints are 4 m from their centres. The thesis does not say how strong the couple is.
    """
    bodies = [
        Body(f"bar {i}", mass=1.0, inertia=(1.25 / 12, 100.25 / 12, 101.0 / 12), position=(8.0 * i, 0.0, 0.0))
        for i in range(4)
    ]
    joints = [
        Joint(f"joint {i}", "revolute", f"bar {i - 1}", f"bar {i}", position=(8.0 * i - 4.0, 0.0, 0.0))
        for i in range(1, 4)
    ]
    couple = Motor("couple", body="bar 1", point=bodies[1].position, force=(0.0, 0.0, 0.0), torque=(0.0, 0.0, 1.0))
    held = [Nail("held", body="bar 3", point=bodies[3].position), Orientation("not turned", body="bar 3")]
    return Mechanism(
        name="four bars", gravity=(0.0, 0.0, 0.0), bodies=bodies, joints=joints, forces=[couple], constraints=held
    )


def solvable(mechanism: Mechanism) -> list[str]:
    """The methods that a mechanism is timed with."""
    return [name for name in METHODS if name != "composite" or len(mechanism.bodies) <= COMPOSITE_UP_TO]


def rod(name: str, position, orientation, **velocities) -> Body:
    """A bar of 1 m and 1 kg along its own Z, centred."""
    across, along = (1.0 + ROD**2) / 12.0, ROD**2 / 6.0
    return Body(
        name, mass=1.0, inertia=(across, across, along), position=position, orientation=orientation, **velocities
    )


def hinge(parent: str | None, child: str, position) -> Joint:
    """About the world's Y."""
    return Joint(f"{parent or 'world'} - {child}", "revolute", parent, child, position=position, orientation=ABOUT_Y)


def ball(parent: str | None, child: str, position) -> Joint:
    """Free to turn about its place."""
    return Joint(f"{parent or 'world'} - {child}", "spherical", parent, child, position=position)


def with_balls(mechanism: Mechanism, radius: float) -> Mechanism:
    """The same with a ball on each body, so that all may touch each other."""
    bodies = [replace(body, shape=Sphere(radius=radius)) for body in mechanism.bodies]
    return replace(mechanism, bodies=bodies, contact=Contact())


def timed_motion(mechanism: Mechanism, duration: float, frame_rate: float) -> tuple[float, Recording]:
    """(s of processor time, recording) of a motion, warm, from the mechanism to the recording."""
    simulation = Simulation(mechanism, duration, frame_rate)
    for _ in simulation.warm_up():
        pass
    begun = time.process_time()
    for _ in simulation.run():
        pass
    return time.process_time() - begun, simulation.recording
