# SPDX-License-Identifier: GPL-3.0-or-later
"""Doubts about what can be solved as described, but is perhaps not meant: gears without a carrier, corners on paths."""

from collections.abc import Iterator

import numpy as np

from .bodies import Keys
from .constraints import AXES, Gear, Generic
from .description import Mechanism
from .joints import Joint
from .keyed_motion import sample
from .messages import Message

_CORNER = np.radians(60.0)  # by which the way turns in one point of a path
_FAR = 0.01  # of the path's extent: how far beside the straight way a path is said to be
_FAR_KEYED = 0.1  # the same of a keyed body: what is sampled from a scene's keyframes follows their corners closely
_SAMPLES = 16  # between two points of a path


def doubts_about(mechanism: Mechanism) -> list[Message]:
    """Notes on parts of a mechanism that has no problems."""
    return [*_gears_without_carrier(mechanism), *_corners_of_paths(mechanism), *_all_locked(mechanism)]


def _all_locked(mechanism: Mechanism) -> Iterator[Message]:
    for part in mechanism.constraints:
        if isinstance(part, Generic) and part.enabled and part.guide is None and len(part.locked) == len(AXES):
            yield Message("all-locked", ("constraint", part.name))


def _gears_without_carrier(mechanism: Mechanism) -> Iterator[Message]:
    """A hinge measures an angle against its parent: that of two wheels in mesh is one against what carries both."""
    joints = {joint.name: joint for joint in mechanism.joints}
    still = {body.name for body in mechanism.bodies if body.motion == "fixed"}
    for gear in mechanism.constraints:
        if not isinstance(gear, Gear) or not gear.enabled:
            continue
        a, b = joints[gear.joint_a], joints[gear.joint_b]
        if a.type == b.type == "revolute" and not _ends(a, still) & _ends(b, still):
            yield Message("gear-without-carrier", ("constraint", gear.name), joint_a=a.name, joint_b=b.name)


def _ends(joint: Joint, still: set[str]) -> set[str | None]:
    """The bodies of a joint; None for the world and all that is fixed in it."""
    return {None if name in still else name for name in (joint.parent, joint.child)}


def _corners_of_paths(mechanism: Mechanism) -> Iterator[Message]:
    """Paths and keys are splines, which go wide where their points turn a corner: the widest of each."""
    paths = [(path, path.guide, _FAR) for path in mechanism.constraints if path.enabled]
    bodies = [(body, body.keys, _FAR_KEYED) for body in mechanism.bodies if body.motion == "keyed"]
    for part, guide, far in paths + bodies:
        if guide is None or len(guide.times) < 3:
            continue
        points = np.array(guide.positions, float)
        ways = np.diff(points, axis=0)
        lengths = np.linalg.norm(ways, axis=1)
        cosines = np.sum(ways[1:] * ways[:-1], axis=1) / np.maximum(lengths[1:] * lengths[:-1], 1e-300)
        corners = 1 + np.flatnonzero((lengths[1:] * lengths[:-1] > 0.0) & (cosines < np.cos(_CORNER)))
        if not len(corners):
            continue
        beside = _beside(guide, points)
        at = max(corners, key=lambda k: beside[k - 1 : k + 1].max())
        gap, extent = beside[at - 1 : at + 1].max(), np.ptp(points, axis=0).max()
        if gap > far * extent:
            angle = np.degrees(np.arccos(np.clip(cosines[at - 1], -1.0, 1.0)))
            how = {"time": f"{guide.times[at]:.6g}", "angle": f"{angle:.0f}", "gap": f"{gap:.3g}"}
            yield Message("path-corner", (part.kind, part.name), **how)


def _beside(guide: Keys, points: np.ndarray) -> np.ndarray:
    """(n - 1,) m: how far a guide leaves the straight way, from each point (n, 3) to the next."""
    times = np.array(guide.times, float)
    parts = np.linspace(0.0, 1.0, _SAMPLES + 1)[1:-1]
    within = (times[:-1, None] + np.diff(times)[:, None] * parts).ravel()
    from_start = sample(guide, within)[0].reshape(len(times) - 1, len(parts), 3) - points[:-1, None]
    ways = np.diff(points, axis=0)[:, None]
    square = np.maximum(np.sum(ways * ways, axis=2), 1e-300)
    share = np.clip(np.sum(from_start * ways, axis=2) / square, 0.0, 1.0)
    return np.linalg.norm(from_start - share[:, :, None] * ways, axis=2).max(axis=1)
