# SPDX-License-Identifier: GPL-3.0-or-later
"""Motors that give the efforts that were found: the same motion forward, without keys."""

import dataclasses

import numpy as np

from ..mechanism import Mechanism
from ..mechanism.error import refuse
from ..mechanism.joints import JointMotor
from ..mechanism.keyed_motion import sample
from ..mechanism.messages import Message
from ..mechanism.table import Number, Table
from ..model.poses import body_pose
from .drive_efforts import DriveEfforts, freed
from .motion import leads

_ELSEWHERE = 1e-6  # m: by which keys of a body that floats begin beside where it is drawn


def motor_tables(result: DriveEfforts, joint: int) -> list[Number]:
    """The effort of each coordinate of the joint with this place in the list, as a table over the frames."""
    columns = range(result.joint_offsets[joint], result.joint_offsets[joint + 1])
    times = tuple(map(float, result.times))
    return [Table(times, tuple(map(float, result.joint_effort[:, c]))) for c in columns]


def with_motors(result: DriveEfforts) -> Mechanism:
    """The mechanism whose leading bodies are moved by motors of mode `force` in place of their keys.

    It starts as fast as the keys. Efforts are linear between the frames: the motion is met the better, the more frames
    there are. Raises MechanismError for a floating body that is drawn elsewhere than its keys begin.
    """
    mechanism, held = result.mechanism, set()
    for joint in mechanism.joints:
        held |= {joint.parent, joint.child} if joint.enabled else set()
    bodies, problems = [], []
    for body in mechanism.bodies:
        if not leads(body):
            bodies.append(body)
            continue
        place = sample(body.keys, np.zeros(1))[0][0]
        if body.name not in held and np.abs(place - body_pose(body)[0]).max() > _ELSEWHERE:
            problems.append(Message("torques-elsewhere", ("body", body.name)))
        bodies.append(freed(body))
    refuse(problems)
    joints = []
    for j, joint in enumerate(mechanism.joints):
        columns = slice(result.joint_offsets[j], result.joint_offsets[j + 1])
        if result.driven[columns].any():
            start = tuple(map(float, result.joint_coordinates[0, columns]))
            values = tuple(motor_tables(result, j))
            motor = JointMotor("force", value=values[0] if len(values) == 1 else values)
            joint = dataclasses.replace(joint, motor=motor, coordinates=start, speeds=None)
        joints.append(joint)
    return dataclasses.replace(mechanism, bodies=bodies, joints=joints)
