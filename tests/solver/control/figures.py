# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures that can stand: a biped with two legs of six hinges, and a quadruped on round feet."""

from __future__ import annotations

import numpy as np

from solver import Mechanism
from solver.mechanism import Balance, Body, Box, Contact, Ground, Joint, Material, Reach, Sphere
from solver.model.poses import rotation_matrices

X, Y, Z = (np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0), (np.sqrt(0.5), -np.sqrt(0.5), 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)
"""Orientations of joints whose axis (local Z) is the world's X, Y, Z."""
HIP, THIGH, SHIN, SOLE = 0.12, 0.40, 0.40, 0.08  # m: half the hips' width, lengths, height of the ankle
UPPER_ARM, FOREARM = 0.3, 0.3  # m
FRICTION = 0.8


def box_inertia(mass: float, half_size) -> tuple[float, float, float]:
    """Of a solid box."""
    x, y, z = half_size
    return tuple(mass / 3.0 * np.array([y * y + z * z, x * x + z * z, x * x + y * y]))


def biped(bend: float = 0.4, ground: bool = True, at=(0.0, 0.0, 0.0), damping: float = 0.5, **balance) -> Mechanism:
    """Stands on soles at a height `at`, its knees bent (rad); its trunk looks along X.

    Hips have three hinges (about Z, X, Y), knees one (Y), ankles two (Y, X); small bodies lie between.
    """
    base = np.array(at, float)
    ankle = base + (0.0, 0.0, SOLE)
    knee = ankle + SHIN * np.array([np.sin(bend), 0.0, np.cos(bend)])
    hip = knee + THIGH * np.array([-np.sin(bend), 0.0, np.cos(bend)])
    trunk = hip + (0.0, 0.0, 0.30)
    bodies = [_box("trunk", 40.0, (0.1, 0.16, 0.28), trunk)]
    joints = []
    for side, y in (("left", HIP), ("right", -HIP)):
        out = np.array([0.0, y, 0.0])
        parts = [
            (f"{side} hip yaw", Z, hip, _ball(f"{side} pelvis", 1.0, hip + out)),
            (f"{side} hip roll", X, hip, _ball(f"{side} socket", 1.0, hip + out)),
            (f"{side} hip", Y, hip, _box(f"{side} thigh", 6.0, (0.06, 0.06, 0.2), (hip + knee) / 2 + out, -bend)),
            (f"{side} knee", Y, knee, _box(f"{side} shin", 3.0, (0.05, 0.05, 0.2), (knee + ankle) / 2 + out, bend)),
            (f"{side} ankle", Y, ankle, _ball(f"{side} talus", 0.5, ankle + out)),
            (f"{side} ankle roll", X, ankle, _foot(side, base + out)),
        ]
        parent = "trunk"
        for name, axis, place, body in parts:
            bodies.append(body)
            joints.append(Joint(name, "revolute", parent, body.name, place + out, axis, damping=damping, armature=0.01))
            parent = body.name
    force = Balance("balance", body="trunk", feet=("left foot", "right foot"), **balance)
    contact = Contact(ground=Ground(friction=FRICTION, restitution=0.0) if ground else None)
    return Mechanism(name="biped", bodies=bodies, joints=joints, forces=[force], contact=contact)


def with_arm(mechanism: Mechanism, target, damping: float = 0.3, **reach) -> Mechanism:
    """The biped with a right arm of two parts, which hangs down and bends ahead, and reaches for a target."""
    trunk = mechanism.bodies[0]
    shoulder = np.array(trunk.position) + (0.0, -0.22, 0.22)
    elbow, hand = shoulder + (0.0, 0.0, -UPPER_ARM), shoulder + (FOREARM, 0.0, -UPPER_ARM)
    half = (0.03, 0.03, 0.5 * UPPER_ARM), (0.5 * FOREARM, 0.025, 0.025)
    parts = (
        ("shoulder", "spherical", "trunk", _box("upper arm", 2.0, half[0], 0.5 * (shoulder + elbow)), shoulder),
        ("elbow", "revolute", "upper arm", _box("forearm", 1.5, half[1], 0.5 * (elbow + hand)), elbow),
    )
    for name, kind, parent, body, place in parts:
        mechanism.bodies.append(body)
        joint = Joint(name, kind, parent, body.name, place, Y, damping=(damping,) * (3 if kind == "spherical" else 1))
        mechanism.joints.append(joint)
    mechanism.forces.append(Reach("reach", body="forearm", point=tuple(hand), target=target, **reach))
    return mechanism


def hand_of(mechanism: Mechanism, recording) -> np.ndarray:
    """(F, 3) m: the point of the forearm that reaches."""
    i = list(recording.body_names).index("forearm")
    turn = rotation_matrices(recording.orientation[:, i])
    return recording.position[:, i] + 0.5 * FOREARM * turn[:, :, 0]


def quadruped(**balance) -> Mechanism:
    """A trunk on four legs of three hinges with round feet: at each hip about X and Y, and a knee about Y."""
    bodies, joints, feet = [_box("trunk", 20.0, (0.35, 0.15, 0.1), (0.0, 0.0, 0.55))], [], []
    for x in (0.3, -0.3):
        for y in (0.2, -0.2):
            side = ("front" if x > 0 else "back") + (" left" if y > 0 else " right")
            hip, knee, foot = np.array([x, y, 0.55]), np.array([x - 0.1, y, 0.3]), np.array([x, y, 0.03])
            parts = [
                (f"{side} hip roll", X, hip, _ball(f"{side} socket", 0.5, hip)),
                (f"{side} hip", Y, hip, _ball(f"{side} thigh", 1.0, (hip + knee) / 2, 0.08)),
                (f"{side} knee", Y, knee, _ball(f"{side} shin", 0.5, foot, 0.08)),
            ]
            parts[2][3].shape = Sphere(radius=0.03)
            parts[2][3].material = Material(friction=FRICTION, restitution=0.0)
            parent = "trunk"
            for name, axis, place, body in parts:
                bodies.append(body)
                joints.append(Joint(name, "revolute", parent, body.name, place, axis, damping=0.3, armature=0.01))
                parent = body.name
            feet.append(parent)
    force = Balance("balance", body="trunk", feet=tuple(feet), **balance)
    contact = Contact(ground=Ground(friction=FRICTION, restitution=0.0))
    return Mechanism(name="quadruped", bodies=bodies, joints=joints, forces=[force], contact=contact)


def _box(name: str, mass: float, half_size, position, pitch: float = 0.0) -> Body:
    turn = (np.cos(pitch / 2), 0.0, np.sin(pitch / 2), 0.0)
    return Body(name, mass=mass, inertia=box_inertia(mass, half_size), position=position, orientation=turn)


def _ball(name: str, mass: float, position, radius: float = 0.06) -> Body:
    return Body(name, mass=mass, inertia=(0.4 * mass * radius**2,) * 3, position=position)


def _foot(side: str, place) -> Body:
    """A sole that reaches farther forward than back."""
    half = (0.13, 0.05, SOLE / 2)
    return Body(
        f"{side} foot",
        mass=1.2,
        inertia=box_inertia(1.2, half),
        position=place + np.array([0.04, 0.0, SOLE / 2]),
        shape=Box(half_size=half),
        material=Material(friction=FRICTION, restitution=0.0),
    )
