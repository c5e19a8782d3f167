# SPDX-License-Identifier: GPL-3.0-or-later
"""Random mechanisms for hypothesis: the structure is drawn, so that it shrinks; the numbers come from a drawn seed."""

import numpy as np
from hypothesis import strategies as st

from solver import Mechanism
from solver.mechanism import (
    COORDINATES,
    Body,
    Brake,
    Damping,
    Gravity,
    Joint,
    JointMotor,
    Keys,
    Motor,
    Spring,
    Table,
)

# Contact joints need surfaces: they have tests of their own, in tests/solver/riding.
TYPES = tuple(kind for kind in COORDINATES if kind != "contact")
GROUNDS = ("floating", "world", "fixed", "keyed")


def unit_quaternion(rng) -> np.ndarray:
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def random_body(rng, name: str) -> Body:
    mass = float(np.exp(rng.uniform(-1.5, 1.5)))
    extent = rng.uniform(0.05, 0.4, 3)
    principal = mass * (np.sum(extent**2) - extent**2)
    axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    full = axes @ np.diag(principal) @ axes.T
    inertia = principal if rng.random() < 0.5 else 0.5 * (full + full.T)
    return Body(
        name,
        mass=mass,
        inertia=inertia.tolist(),
        center_of_mass=0.2 * rng.normal(size=3),
        position=rng.normal(size=3),
        orientation=unit_quaternion(rng),
    )


def ground(rng, name: str, motion: str) -> Body:
    """A fixed or keyed body."""
    if motion == "fixed":
        return Body(name, "fixed", position=rng.normal(size=3), orientation=unit_quaternion(rng))
    times = np.linspace(0.0, 1.0, 11)
    rate = rng.uniform(-2.0, 2.0, (2, 3))
    positions = rng.normal(size=3) + np.sin(np.outer(times, rate[0]) + rng.uniform(0, 6, 3))
    rotations = unit_quaternion(rng) + 0.3 * np.sin(np.outer(times, rng.uniform(-2, 2, 4)))
    rotations /= np.linalg.norm(rotations, axis=1, keepdims=True)
    keys = Keys(times, positions.tolist(), rotations.tolist())
    return Body(name, "keyed", keys=keys, position=positions[0], orientation=rotations[0])


def maybe_table(rng, value: float):
    """The number, or a table that has it at time 0.1."""
    if rng.random() < 0.7:
        return float(value)
    slope = rng.normal()
    return Table((0.0, 0.1, 0.5), (float(abs(value - 0.1 * slope)), float(value), float(value)))


def random_joint(rng, name: str, kind: str, parent: str | None, child: str, efforts: bool) -> Joint:
    count = COORDINATES[kind]
    joint = Joint(
        name,
        kind,
        parent,
        child,
        rng.normal(size=3),
        unit_quaternion(rng),
        pitch=float(rng.uniform(-0.5, 0.5)) if kind == "screw" else None,
        coordinates=rng.uniform(-1.0, 1.0, count),
        speeds=rng.normal(size=count),
    )
    if not efforts:
        return joint
    for key in ("stiffness", "rest", "damping", "armature"):
        if rng.random() < 0.4:
            setattr(joint, key, rng.uniform(0.0, 2.0, count))
    if count and rng.random() < 0.3:
        joint.motor = JointMotor("force", value=[maybe_table(rng, v) for v in rng.normal(size=count)])
    elif count and rng.random() < 0.3:
        numbers = [[maybe_table(rng, v) for v in rng.uniform(0, 2, count)] for _ in range(4)]
        joint.motor = JointMotor("position", None, *numbers[: 3 + (rng.random() < 0.5)])
    return joint


def random_forces(rng, movable: list[str], all_names: list[str]) -> list:
    def pick(names):
        return names[rng.integers(len(names))]

    def number():
        return maybe_table(rng, rng.uniform(0.0, 2.0))

    def vector():
        return [maybe_table(rng, v) for v in rng.normal(size=3)]

    def place():
        return {"body": pick(movable), "point": rng.normal(size=3), "orientation": unit_quaternion(rng)}

    makers = [
        lambda name: Motor(name, **place(), force=vector(), torque=vector()),
        lambda name: Damping(name, body=pick(movable), linear=number(), angular=number()),
        lambda name: Brake(name, **place(), damping=[number(), number(), number()], max_force=0.5),
        lambda name: Brake(name, **place(), damping=number()),
        lambda name: Gravity(name, body=pick(movable), acceleration=vector()),
        lambda name: spring(name),
    ]

    def spring(name):
        a, b = pick(movable), pick([*all_names, None])
        b = None if a == b else b
        ends = (a, b) if b is None or rng.random() < 0.5 else (b, a)
        return Spring(
            name,
            body_a=ends[0],
            body_b=ends[1],
            point_a=rng.normal(size=3),
            point_b=rng.normal(size=3),
            stiffness=number(),
            rest_length=number(),
            damping=number(),
        )

    forces = [makers[rng.integers(len(makers))](f"force {k}") for k in range(rng.integers(1, 5))]
    for force in forces:
        force.enabled = bool(rng.random() < 0.8)
    return forces


@st.composite
def mechanisms(draw, most: int = 6, grounds: tuple[str, ...] = GROUNDS, efforts: bool = True, forces: bool = True):
    """One or more trees of dynamic bodies on `grounds`; bodies and joints in random file order.

    Every joint gives its coordinates and speeds, every floating root its velocities.
    """
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    bodies, joints = [], []
    for i in range(draw(st.integers(1, most))):
        body, inner = random_body(rng, f"body {i}"), draw(st.integers(-1, i - 1))
        on = f"body {inner}"
        if inner < 0:
            on = draw(st.sampled_from(grounds))
            if on in ("fixed", "keyed"):
                bodies.append(ground(rng, f"{on} {i}", on))
                on = bodies[-1].name
            elif on == "world":
                on = None
        bodies.append(body)
        if on == "floating":
            body.linear_velocity, body.angular_velocity = rng.normal(size=(2, 3))
            continue
        ends = [on, body.name]
        if on is not None and draw(st.booleans()):
            ends.reverse()
        joints.append(random_joint(rng, f"joint {i}", draw(st.sampled_from(TYPES)), *ends, efforts))
    acting = []
    if forces and draw(st.booleans()):
        movable = [body.name for body in bodies if body.motion == "dynamic"]
        acting = random_forces(rng, movable, [body.name for body in bodies])
    return Mechanism(
        gravity=(0.0, 0.0, -9.81) if draw(st.booleans()) else rng.normal(size=3),
        bodies=[bodies[i] for i in rng.permutation(len(bodies))],
        joints=[joints[i] for i in rng.permutation(len(joints))],
        forces=acting,
    )
