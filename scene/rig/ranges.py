# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints of a rig: what its locks and limits say, else the usual range of such a joint of a person or an animal.

A joint's frame is given in the axes of its bone at rest: a hinge turns about Z; a ball's Y is the bone's, about which
it twists, and about X and Z it swings: a hip about X ahead. Limits count from the pose at rest.
"""

import math
from dataclasses import dataclass

import bpy
import numpy as np

from .choice import Choice

FREE = math.pi
LOCKED = math.radians(0.5)  # less room than that is none
BENT = math.radians(2.0)  # a knee or an elbow that is bent at rest shows which way it goes
FLEXED, OVER = math.radians(145.0), math.radians(3.0)  # of a knee or an elbow, from straight; the other way
SHORT = math.radians(4.0)  # of straight: nearer to it IK does not find the bend exactly
SWING_AND_TWIST = {
    "spine": (20.0, 15.0),
    "neck": (30.0, 35.0),
    "collar": (12.0, 8.0),
    "shoulder": (95.0, 45.0),
    "hip": (55.0, 35.0),
    "end": (45.0, 15.0),
    "chain": (40.0, 20.0),
}
"""Degrees: how far a joint swings to each side, and twists: round numbers of our own, about what a person does without
effort. A collar is what lies between the trunk and a shoulder, an end a hand or a foot, a chain a tail. A hip swings so
far to the sides; ahead and back farther and less far:"""
AHEAD, BACK = math.radians(120.0), math.radians(25.0)

Limits = list[tuple[float, float] | None]


@dataclass
class Range:
    """A joint: REVOLUTE or SPHERICAL, its axes (3, 3) as columns in those of the bone, its limits, where from."""

    kind: str
    axes: np.ndarray
    limits: Limits
    source: str


def range_of(name: str, choice: Choice, armature: bpy.types.Object, is_stopped: bool = False) -> Range:
    """The joint between a bone and the one with a body above it.

    is_stopped: a knee or an elbow stops before it is straight, since IK does not lead it farther.
    """
    given = _from_rig(armature.pose.bones[name])
    if given is not None:
        return given
    bones, place = armature.data.bones, place_of(name, choice, armature)
    if place in ("knee", "elbow"):
        over = -SHORT if is_stopped else OVER
        return _hinge(bones[name], bones[choice.above[name]], place, _front(choice, armature), over)
    swing, twist = (math.radians(degrees) for degrees in SWING_AND_TWIST[place])
    if place == "hip":
        axes = _thigh_axes(bones[name], _front(choice, armature))
        if axes is not None:
            return Range("SPHERICAL", axes, [(-BACK, AHEAD), (-twist, twist), (-swing, swing)], place)
    return Range("SPHERICAL", np.eye(3), [(-swing, swing), (-twist, twist), (-swing, swing)], place)


def _from_rig(bone: bpy.types.PoseBone) -> Range | None:
    """By a Limit Rotation constraint, limits of its IK, or locks; None if nothing is said."""
    limits = _limits_of_rig(bone)
    if limits is None:
        return None
    free = [i for i, pair in enumerate(limits) if pair is None or pair[1] - pair[0] > LOCKED]
    if len(free) == 1:
        axis = free[0]
        columns = [(axis + 1) % 3, (axis + 2) % 3, axis]
        return Range("REVOLUTE", np.eye(3)[:, columns], [limits[axis]], "the rig")
    slack = [pair if pair is None or pair[1] - pair[0] > LOCKED else (-LOCKED, LOCKED) for pair in limits]
    return Range("SPHERICAL", np.eye(3), slack, "the rig")


def _limits_of_rig(bone: bpy.types.PoseBone) -> Limits | None:
    for each in bone.constraints:
        if each.type == "LIMIT_ROTATION" and not each.mute and each.owner_space == "LOCAL":
            used = (each.use_limit_x, each.use_limit_y, each.use_limit_z)
            bounds = ((each.min_x, each.max_x), (each.min_y, each.max_y), (each.min_z, each.max_z))
            if any(used):
                return [pair if is_used else None for pair, is_used in zip(bounds, used, strict=True)]
    limits: Limits = []
    for axis in "xyz":
        if getattr(bone, f"lock_ik_{axis}"):
            limits.append((0.0, 0.0))
        elif getattr(bone, f"use_ik_limit_{axis}"):
            limits.append((getattr(bone, f"ik_min_{axis}"), getattr(bone, f"ik_max_{axis}")))
        else:
            limits.append(None)
    if any(limits):
        return limits
    if bone.rotation_mode not in ("QUATERNION", "AXIS_ANGLE") and sum(bone.lock_rotation) == 2:
        return [(0.0, 0.0) if is_locked else None for is_locked in bone.lock_rotation]
    return None


def place_of(name: str, choice: Choice, armature: bpy.types.Object) -> str:
    """The part of a body that a bone is, by the chain that it is in; a key of SWING_AND_TWIST, knee or elbow.

    Limbs are what has a twin on the other side. Those that hang on the root are legs. A tail hangs there too, a neck on
    what arms or front legs hang on.
    """
    twins = _twins(choice, armature)
    chain = _chain(name, choice)
    root = choice.above[chain[0]]
    if not twins:
        return "chain"
    if chain[0] not in twins:
        if root is None or twins & set(_below(chain[-1], choice)):
            return "spine"
        return "neck" if choice.above[root] is not None and len(chain) <= 4 else "chain"
    lengths = [armature.data.bones[each].length for each in chain]
    if not 2 <= len(chain) <= 4:
        return "chain" if len(chain) > 4 else "shoulder"
    bend = max(range(1, len(chain)), key=lambda i: lengths[i - 1] + lengths[i])
    place, is_leg = chain.index(name), _is_leg(chain, choice)
    if place == bend:
        return "knee" if is_leg else "elbow"
    if place > bend:
        return "end"
    return ("hip" if is_leg else "shoulder") if place == bend - 1 else "collar"


def _chain(name: str, choice: Choice) -> list[str]:
    """The bones that follow each other without a branch, in which a bone is, from the branch outwards."""
    chain = [name]
    while (above := choice.above[chain[0]]) is not None and len(_below(above, choice)) == 1:
        chain.insert(0, above)
    while len(below := _below(chain[-1], choice)) == 1:
        chain.append(below[0])
    return chain


def _below(name: str, choice: Choice) -> list[str]:
    if choice.below is None:
        choice.below = {}
        for each in choice.names:
            choice.below.setdefault(choice.above[each], []).append(each)
    return choice.below.get(name, [])


def _twins(choice: Choice, armature: bpy.types.Object) -> set[str]:
    """The bones to which there is a like one, mirrored at the middle of the rig."""
    if choice.twins is None:
        bones = [armature.data.bones[name] for name in choice.names]
        tails = np.array([bone.tail_local for bone in bones])
        near = 0.1 * np.array([bone.length for bone in bones])
        mirrored = tails * (-1.0, 1.0, 1.0)
        choice.twins = set()
        for i, name in enumerate(choice.names):
            is_near = np.linalg.norm(mirrored - tails[i], axis=1) < near[i]
            is_near[i] = False
            if is_near.any():
                choice.twins.add(name)
    return choice.twins


def _is_leg(chain: list[str], choice: Choice) -> bool:
    """True for a limb that hangs on the root."""
    root = choice.above[chain[0]]
    return root is None or choice.above[root] is None


def _front(choice: Choice, armature: bpy.types.Object) -> np.ndarray:
    """The way that the feet point from their legs, in the armature's space; Blender's front without feet."""
    bones, way, twins = armature.data.bones, np.zeros(3), _twins(choice, armature)
    for name in choice.names:
        if not _below(name, choice) and name in twins:
            chain = _chain(name, choice)
            if len(chain) >= 3 and _is_leg(chain, choice):
                leg, foot = (np.array(bones[each].matrix_local.to_3x3().col[1]) for each in chain[-2:])
                way += foot - (foot @ leg) * leg
    length = np.linalg.norm(way)
    return way / length if length > 1e-6 else np.array((0.0, -1.0, 0.0))


def _thigh_axes(bone: bpy.types.Bone, front: np.ndarray) -> np.ndarray | None:
    """X to the side, about which the thigh goes ahead, and Y along it, in its own axes; None if it points ahead."""
    along = np.array(bone.tail_local - bone.head_local, dtype=np.float64)
    along /= np.linalg.norm(along)
    side = np.cross(along, front)
    length = np.linalg.norm(side)
    if length < 0.1:
        return None
    x = side / length
    return np.array(bone.matrix_local.to_3x3(), dtype=np.float64).T @ np.stack([x, along, np.cross(x, along)], axis=1)


def _hinge(bone: bpy.types.Bone, above: bpy.types.Bone, place: str, front: np.ndarray, over: float) -> Range:
    """A knee or an elbow; bent at rest it flexes on, straight a knee flexes backwards and an elbow forwards."""
    upper = np.array(bone.head_local - above.head_local, dtype=np.float64)
    lower = np.array(bone.tail_local - bone.head_local, dtype=np.float64)
    upper, lower = upper / np.linalg.norm(upper), lower / np.linalg.norm(lower)
    axis = np.cross(upper, lower)
    bend = math.atan2(float(np.linalg.norm(axis)), float(upper @ lower))
    if bend < BENT:
        axis = np.cross(lower, -front if place == "knee" else front)
        if np.linalg.norm(axis) < 0.1:
            axis = np.cross(lower, (0.0, 0.0, 1.0))
    z = axis / np.linalg.norm(axis)
    x = np.cross(lower, z)
    x /= np.linalg.norm(x)
    axes = np.stack([x, np.cross(z, x), z], axis=1)
    to_bone = np.array(bone.matrix_local.to_3x3(), dtype=np.float64).T
    return Range("REVOLUTE", to_bone @ axes, [(-bend - over, FLEXED - bend)], place)
