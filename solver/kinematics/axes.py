# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints of a linkage's axes, and the limits of their coordinates."""

import numpy as np

from ..mechanism import Mechanism
from ..model.linkage.numbering import NumberedLinkage


def joint_of_axes(mechanism: Mechanism, linkage: NumberedLinkage) -> list[tuple[str | None, int]]:
    """(joint, number of the coordinate) of each axis; no joint where a body floats."""
    found = []
    for j in linkage.joint:
        joint = None if j is None else mechanism.joints[j]
        count = 6 if joint is None else joint.count
        found += [(None if joint is None else joint.name, number) for number in range(count)]
    return found


def axis_limits(mechanism: Mechanism, linkage: NumberedLinkage) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper limits (A,) of the axes, infinite where there are none; those of balls are none of an axis."""
    joints = {joint.name: joint for joint in mechanism.joints}
    axes = joint_of_axes(mechanism, linkage)
    lower, upper = np.full(len(axes), -np.inf), np.full(len(axes), np.inf)
    for axis, (name, number) in enumerate(axes):
        joint = joints.get(name)
        pair = (joint.limits or (None,) * (number + 1))[number] if joint is not None else None
        if pair is not None and number not in joint.chart_coordinates:
            lower[axis] = -np.inf if pair[0] is None else pair[0]
            upper[axis] = np.inf if pair[1] is None else pair[1]
    return lower, upper
