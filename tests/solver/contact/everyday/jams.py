# SPDX-License-Identifier: GPL-3.0-or-later
"""Jams: what drives leaves no room, so rigid bodies cannot go on, and must overlap.

A ball that is dragged over a rough box may wedge it against the ground. Forces within the cones of friction then hold
all loose bodies in balance while they resist what drives, however large they are: a self-stress. By Farkas' lemma there
is one just where no speeds, and no forces, satisfy Coulomb's law with what drives as fast as it does (Stewart and
Trinkle 1996 prove that there are some where there is none). Found by a linear program over pyramids inside the cones.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

from solver import Mechanism, Recording
from tests.solver.contact.everyday.overlaps import Overlaps, Touch

SIDES = 60  # of the pyramids
PUSHES = 1e-3  # of the driving speed: what resists it with a smaller part of all forces is none


def is_jammed(mechanism: Mechanism, recording: Recording, frame: int) -> bool:
    """True if the bodies that touch in a frame are jammed by what is keyed; where joints hold some nothing is said."""
    keyed = {k for k, body in enumerate(mechanism.bodies) if body.motion == "keyed"}
    if not keyed or any(_is_dynamic(mechanism, joint.child) for joint in mechanism.joints):
        return False
    touches = Overlaps(mechanism).touching(recording.position[frame], recording.orientation[frame])
    number = {k: n for n, k in enumerate(k for k, body in enumerate(mechanism.bodies) if body.motion == "dynamic")}
    columns, powers, pressed = [], [], []
    for touch in touches:
        for force in _pyramid(touch):
            column, power = np.zeros(6 * len(number)), 0.0
            for body, sign in ((touch.one, -1.0), (touch.other, 1.0)):
                if body in number:
                    arm = touch.point - recording.position[frame, body]
                    column[6 * number[body] : 6 * number[body] + 6] += sign * np.concatenate(
                        [force, np.cross(arm, force)]
                    )
                elif body in keyed:
                    power -= sign * float(force @ _velocity(recording, frame, body, touch.point))
            columns.append(column)
            powers.append(power)
            pressed.append(float(force @ touch.normal))
    if not columns:
        return False
    speed = max(np.abs(recording.linear_velocity[frame, list(keyed)]).max(), np.abs(powers).max())
    found = linprog(
        -np.array(powers), A_ub=[pressed], b_ub=[1.0], A_eq=np.array(columns).T, b_eq=np.zeros(6 * len(number))
    )
    return found.status == 0 and -found.fun > PUSHES * speed


def _is_dynamic(mechanism: Mechanism, name: str) -> bool:
    return any(body.name == name and body.motion == "dynamic" for body in mechanism.bodies)


def _pyramid(touch: Touch) -> list[np.ndarray]:
    """Edges of a pyramid inside the cone of friction, each with a normal force of 1, that press on `other`."""
    n = touch.normal
    a = np.cross(n, np.eye(3)[np.argmin(np.abs(n))])
    a /= np.linalg.norm(a)
    b = np.cross(n, a)
    turns = 2.0 * np.pi * np.arange(SIDES) / SIDES
    return [n + touch.friction * (np.cos(turn) * a + np.sin(turn) * b) for turn in turns]


def _velocity(recording: Recording, frame: int, body: int, point: np.ndarray) -> np.ndarray:
    arm = point - recording.position[frame, body]
    return recording.linear_velocity[frame, body] + np.cross(recording.angular_velocity[frame, body], arm)
