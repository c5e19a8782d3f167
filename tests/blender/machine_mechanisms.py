# SPDX-License-Identifier: GPL-3.0-or-later
"""A machine of the examples as a mechanism in double precision, each body's frame at the origin."""

from __future__ import annotations

import numpy as np
from virtual_erector_set.scene.examples.machines.machine import WORLD, Machine
from virtual_erector_set.solver.mechanism import Body, Gear, Joint, Mechanism


def mechanism_of(machine: Machine) -> tuple[Mechanism, list[str]]:
    """The mechanism, and the names of its drives. Chassis of cars stand."""
    bodies = [
        Body(part.name, mass=1.0, inertia=(0.1, 0.1, 0.1), motion="dynamic" if part.motion == "DYNAMIC" else "fixed")
        for part in machine.parts
    ]
    joints, drives = [], []
    for number, tie in enumerate(machine.ties):
        q = _to(tie.axis)
        parent = None if tie.a == WORLD else machine.parts[tie.a].name
        joints.append(
            Joint(
                machine.name_of(number),
                tie.kind.lower(),
                parent,
                machine.parts[tie.b].name,
                position=tuple(tie.place.tolist()),
                orientation=tuple(q.tolist()),
                limits=None if tie.limits is None else [tie.limits],
            )
        )
        if tie.drives:
            drives.append(machine.name_of(number))
    gears = [
        Gear(f"Gear {i}", joint_a=joints[a].name, joint_b=joints[b].name, ratio=ratio)
        for i, (a, b, ratio) in enumerate(machine.gears)
    ]
    return Mechanism(bodies=bodies, joints=joints, constraints=gears), drives


def _to(axis: np.ndarray) -> np.ndarray:
    """(4,): the shortest turn that takes Z to an axis (3,)."""
    if axis[2] < -1.0 + 1e-12:
        return np.array([0.0, 1.0, 0.0, 0.0])
    q = np.array([1.0 + axis[2], -axis[1], axis[0], 0.0])
    return q / np.linalg.norm(q)
