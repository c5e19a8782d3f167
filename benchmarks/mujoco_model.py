# SPDX-License-Identifier: GPL-3.0-or-later
"""A chain in MuJoCo with all that is not articulated-body dynamics switched off."""

import mujoco
import numpy as np

from solver.mechanism import Mechanism
from solver.model.poses import rotation_matrices

OFF = ("contact", "constraint", "equality", "limit", "frictionloss", "actuation", "sensor", "warmstart", "midphase")
_JOINTS = {"revolute": "hinge", "prismatic": "slide", "spherical": "ball"}


def mujoco_model(mechanism: Mechanism) -> mujoco.MjModel:
    """A chain of bodies in the mechanism's order. Raises ValueError if MuJoCo cannot take it."""
    opening, closing, parent_place, parent_turn = [], [], np.zeros(3), np.eye(3)
    for body, joint in zip(mechanism.bodies, mechanism.joints, strict=True):
        place, turn = np.array(joint.position), rotation_matrices(joint.orientation)[0]
        centre = turn.T @ (np.array(body.position) - place)
        body_turn = turn.T @ rotation_matrices(body.orientation)[0]
        opening.append(
            f'<body pos="{_words(parent_turn.T @ (place - parent_place))}" quat="{_quaternion(parent_turn.T @ turn)}">'
            f'<joint type="{_JOINTS[joint.type]}" axis="0 0 1"/>'
            f'<inertial pos="{_words(centre)}" quat="{_quaternion(body_turn)}" mass="{body.mass!r}" '
            f'diaginertia="{_words(body.inertia)}"/>'
        )
        closing.append("</body>")
        parent_place, parent_turn = place, turn
    flags = " ".join(f'{name}="disable"' for name in OFF)
    return mujoco.MjModel.from_xml_string(
        f'<mujoco><compiler angle="radian"/><option gravity="{_words(mechanism.gravity)}"><flag {flags}/></option>'
        f"<worldbody>{''.join(opening + closing)}</worldbody></mujoco>"
    )


def _words(numbers) -> str:
    return " ".join(repr(float(number)) for number in numbers)


def _quaternion(turn: np.ndarray) -> str:
    quaternion = np.empty(4)
    mujoco.mju_mat2Quat(quaternion, turn.ravel())
    return _words(quaternion)
