# SPDX-License-Identifier: GPL-3.0-or-later
"""Doubts about what can be solved as described, but is perhaps not meant: gears without a carrier, corners on paths,
animations past limits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from .bodies import IDENTITY, ZERO, Body, Keys
from .constraints import AXES, Gear, Generic
from .description import Mechanism
from .joints import Joint
from .keyed_motion import sample
from .messages import Message

if TYPE_CHECKING:
    from scipy.spatial.transform import Rotation

_CORNER = np.radians(60.0)  # by which the way turns in one point of a path
_FAR = 0.01  # of the path's extent: how far beside the straight way a path is said to be
_FAR_KEYED = 0.1  # the same of a keyed body: what is sampled from a scene's keyframes follows their corners closely
_LOOKED_AT = {"revolute", "prismatic", "spherical"}  # joints by which bodies follow
_LEANS = np.radians(5.0)  # by which an animation may turn a hinge's axis, or a slider
_APART = 0.05  # of the reach of a joint's child: by which an animation may draw the two sides apart
_PAST = 1e-3  # rad, or of the way: by which an animation may go past a limit, as single precision does
_ROUNDING = 1e-6  # of places and limits: the same of a slider that hardly moves
_SAMPLES = 16  # between two points of a path


def doubts_about(mechanism: Mechanism) -> list[Message]:
    """Notes on parts of a mechanism that has no problems."""
    return [
        *_gears_without_carrier(mechanism),
        *_corners_of_paths(mechanism),
        *_all_locked(mechanism),
        *targets_out_of_reach(mechanism),
    ]


def targets_out_of_reach(mechanism: Mechanism) -> list[Message]:
    """Bodies that follow an animation which their own joints, or these joints' limits, do not let them follow.

    Hinges, sliders and balls count whose two bodies follow, are keyed, or stand still. They are looked at where the
    child has keys. A body that is released from the start follows only if an action has it pulled again.
    """
    found = []
    for joint, parent, child in _followed_joints(mechanism):
        found += [*_off_joint(joint, parent, child), *_past_limit(joint, parent, child)]
    return found


def _followed_joints(mechanism: Mechanism) -> Iterator[tuple[Joint, Body | None, Body]]:
    """Joints by which bodies follow, with parent and child."""
    bodies = {body.name: body for body in mechanism.bodies}
    follow = {body.name for body in mechanism.bodies if body.keys is not None and _is_ever_pulled(body, mechanism)}
    for joint in mechanism.joints:
        child, parent = bodies[joint.child], bodies.get(joint.parent)
        if not joint.enabled or joint.type not in _LOOKED_AT or child.name not in follow:
            continue
        if parent is None or parent.motion != "dynamic" or parent.name in follow:
            yield joint, parent, child


def _off_joint(joint: Joint, parent: Body | None, child: Body) -> Iterator[Message]:
    """A note if keys lean the joint's axis, turn a slider, or draw the two sides apart, by more than is to be seen."""
    times = np.asarray(child.keys.times, float)
    turn, apart = _relative(joint, parent, child, times)
    if joint.type == "prismatic":
        apart, lean = apart[:, :2], turn.magnitude()
    else:
        axis = turn.apply((0.0, 0.0, 1.0))
        lean = np.arctan2(np.hypot(axis[:, 0], axis[:, 1]), axis[:, 2])
        lean = lean if joint.type == "revolute" else np.zeros(len(times))
    away = np.linalg.norm(apart, axis=1)
    for off, least, unit in ((lean, _LEANS, "rad"), (away, _APART * _reach(joint, child), "m")):
        worst = int(np.argmax(off))
        if off[worst] > max(least, _ROUNDING * np.abs(child.keys.positions).max()):
            how = {"joint": joint.name, "gap": f"{off[worst]:.3g} {unit}", "time": f"{times[worst]:.6g}"}
            yield Message("follow-off-joint", ("body", child.name), **how)
            return


def _reach(joint: Joint, child: Body) -> float:
    """m: from a joint to its child's middle, and the radius of gyration."""
    middle = _rotations(child.orientation or IDENTITY).apply(child.center_of_mass) + np.array(child.position or ZERO)
    return float(np.linalg.norm(joint.position - middle) + np.sqrt(np.abs(child.inertia).max() / child.mass))


def _past_limit(joint: Joint, parent: Body | None, child: Body) -> Iterator[Message]:
    if joint.limits is None:
        return
    times = np.asarray(child.keys.times, float)
    q = _coordinates(joint, parent, child, times)
    lower, upper = np.array([_bounds(pair) for pair in joint.limits]).T
    past = np.maximum(q - upper, lower - q)
    c, unit = int(np.argmax(past.max(axis=0))), "m" if joint.type == "prismatic" else "rad"
    worst = int(np.argmax(past[:, c]))
    places = [np.abs(child.keys.positions).max(), *(abs(x) for x in (lower[c], upper[c]) if np.isfinite(x))]
    slack = _PAST if unit == "rad" else max(_PAST * np.ptp(q[:, c]), _ROUNDING * max(places))
    if past[worst, c] > slack:
        how = {"joint": joint.name, "gap": f"{past[worst, c]:.3g} {unit}", "time": f"{times[worst]:.6g}"}
        yield Message("follow-past-limit", ("body", child.name), **how)


def _is_ever_pulled(body: Body, mechanism: Mechanism) -> bool:
    again = (each.set for each in mechanism.actions if each.target == body.name and each.set is not None)
    return body.is_pulled or (body.follow is not None and any(given.get("released") is False for given in again))


def _bounds(pair: tuple[float | None, float | None] | None) -> tuple[float, float]:
    lower, upper = pair or (None, None)
    return -np.inf if lower is None else lower, np.inf if upper is None else upper


def _coordinates(joint: Joint, parent: Body | None, child: Body, times: np.ndarray) -> np.ndarray:
    """(F, C) rad or m: what a joint's coordinates are where its bodies' keys have them; zero as they are placed."""
    relative, apart = _relative(joint, parent, child, times)
    if joint.type == "prismatic":
        return apart[:, 2:]
    if joint.type == "spherical":
        return relative.as_rotvec()
    q = relative.as_quat()  # x, y, z, w
    q *= np.copysign(1.0, q[:1, 3:])  # of the two quaternions of the first turn, that of the shorter way
    return np.unwrap(2.0 * np.arctan2(q[:, 2], q[:, 3]))[:, None]


def _relative(joint: Joint, parent: Body | None, child: Body, times: np.ndarray) -> tuple[Rotation, np.ndarray]:
    """Turns (F,) of the frame on the child, and its travel (F, 3) m, in that on the parent, by their keys."""
    (turn, travel), (turn_of_parent, travel_of_parent) = _moved(child, times), _moved(parent, times)
    axes, place = _rotations(joint.orientation), np.asarray(joint.position, float)
    apart = turn.apply(place) + travel - turn_of_parent.apply(place) - travel_of_parent
    return axes.inv() * turn_of_parent.inv() * turn * axes, axes.inv().apply(turn_of_parent.inv().apply(apart))


def _moved(body: Body | None, times: np.ndarray) -> tuple[Rotation, np.ndarray]:
    """Turns (F,), then travel (F, 3) m, by which its keys take a body away from where it is placed."""
    if body is None or body.keys is None:
        return _rotations(np.tile(IDENTITY, (len(times), 1))), np.zeros((len(times), 3))
    position, orientation = sample(body.keys, times)[:2]
    place, placed = body.position or ZERO, body.orientation or IDENTITY
    if body.motion == "keyed":
        first_place, first_turn = (part[0] for part in sample(body.keys, np.zeros(1))[:2])
        place = first_place if body.position is None else place
        placed = first_turn if body.orientation is None else placed
    turn = _rotations(orientation) * _rotations(placed).inv()
    return turn, position - turn.apply(np.asarray(place, float))


def _rotations(quaternions: np.ndarray) -> Rotation:
    """Of quaternions (..., 4) whose real part comes first."""
    from scipy.spatial.transform import Rotation

    return Rotation.from_quat(np.roll(np.asarray(quaternions, float), -1, axis=-1))


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
        if gap > max(far * extent, _ROUNDING * np.abs(points).max()):
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
