# SPDX-License-Identifier: GPL-3.0-or-later
"""Movers: the bones by which a ragdoll poses a rig of controls, so that all else of the rig goes along.

The deforming bones of such a rig are led by constraints, and fingers, face and twist hang on other bones than these. A
body so moves the bone that leads the deforming one and stands where it stands: a control, or a bone of the mechanism,
whose constraints are off while the bake shows. It is found by constraints and parents, not by names.
"""

from collections.abc import Collection
from dataclasses import replace
from itertools import chain

import bpy
from mathutils import Matrix

from ..owner import TRANSFORMS
from .choice import Choice, targets_of
from .skin import Points

SAME = 0.02  # of a bone's length and rad: two places are the same, as far as a trial goes
SETTLED = 1e-5  # the same, when no round moves a bone any more
LEAST = 1e-3  # rad: less is no gain
TRIED, STAYS = 0.2, 0.1  # rad: by how much each bone is turned for a trial; what turns less with it stays behind
ALIKE = 0.5  # rad: a bone with the same head that points so nearly the same way may lead
DEEP = 16  # bones hang on each other, at most: rounds until a trial stands
_AXIS = (0.6, 0.0, 0.8)


def with_movers(
    armature: bpy.types.Object, choice: Choice, skin: Points, bent: Collection[str], context: bpy.types.Context
) -> tuple[Choice, list[str]]:
    """The same choice, of the bones that are to be moved, and the bones with skin that none of these takes along.

    A rig whose bones nothing leads moves its own. Those of `bent` have no body, but should go along. The rig is as
    before when this is over.
    """
    if not any(is_led(bone) for bone in armature.pose.bones):
        return choice, []
    ways = {name: leading(armature, name) for name in choice.names}
    given: dict[str, str] = {}
    mover = _movers(armature, choice, ways, given)
    bad, behind, lag = _trial(armature, choice, mover, skin, context)
    if behind - mover.keys() - set(bent):
        return choice, sorted(behind)
    for name in choice.names:
        below = [each for each in choice.names if choice.above[each] == name]
        for other in ways[name] if not bad.isdisjoint([name, *below]) else ():
            tried = _movers(armature, choice, ways, given | {name: other})
            found = _trial(armature, choice, tried, skin, context)
            fewer = len(found[0]) + len(found[1]) - len(bad) - len(behind)
            if fewer < 0 or (fewer == 0 and found[2] < 0.9 * lag - LEAST):
                given, mover, (bad, behind, lag) = given | {name: other}, tried, found
    home = {name: mover[owner] for name, owner in choice.home.items() if owner is not None}
    home |= {name: name for name in mover.values()}
    above = {mover[name]: owner and mover[owner] for name, owner in choice.above.items() if name in mover}
    return replace(choice, names=list(mover.values()), above=above, home=home, twins=None, below=None), sorted(
        {*bad, *behind}
    )


def _movers(
    armature: bpy.types.Object, choice: Choice, ways: dict[str, list[str]], given: dict[str, str]
) -> dict[str, str]:
    """The mover of each body: the given one, else that which hangs most directly on the one above, else a free one."""
    pose, mover = armature.pose.bones, {}
    for name in choice.names:
        above = mover.get(choice.above[name])
        found = [each for each in ways[name] if each not in mover.values()] or [name]
        hanging = {}
        for i, each in enumerate(found):
            parents = [bone.name for bone in pose[each].parent_recursive]
            if above in parents:
                between = sum(is_led(pose[bone]) for bone in parents[: parents.index(above)])
                hanging[each] = (between, not is_led(pose[each]), -i)
        free = [each for each in found if not is_led(pose[each])]
        usual = min(hanging, key=hanging.get) if hanging else (free or found)[0]
        mover[name] = given.get(name, usual)
    return mover


def leading(armature: bpy.types.Object, name: str) -> list[str]:
    """A bone and those that lead it by constraints and as parents, nearest first, which stand nearly as it does."""
    bones, order, waiting, looked = armature.data.bones, [], [name], set()
    while waiting:
        here = waiting.pop(0)
        if here in looked or not _stand_alike(bones[name], bones[here]):
            continue
        looked.add(here)
        order.append(here)
        parent = bones[here].parent
        waiting += chain(targets_of(armature.pose.bones[here], armature), [parent.name] if parent else [])
    return order


def _stand_alike(one: bpy.types.Bone, other: bpy.types.Bone) -> bool:
    near = (one.head_local - other.head_local).length < 1e-3 * one.length
    turn = one.matrix_local.to_3x3().inverted() @ other.matrix_local.to_3x3()
    return near and turn.to_quaternion().angle % 6.283185 < ALIKE


def is_led(bone: bpy.types.PoseBone) -> bool:
    """True for a bone that constraints lead after something, now or by a driver of their influence."""
    return any(not each.mute and (hasattr(each, "target") or each.type == "ARMATURE") for each in bone.constraints)


def _trial(
    armature: bpy.types.Object, choice: Choice, mover: dict[str, str], skin: Points, context: bpy.types.Context
) -> tuple[set[str], set[str], float]:
    """Turn each mover a little: the bones whose mover does not hang as a bake takes it, and those left behind.

    Also by how much (rad) the bones of which the movers are turn beside them, together.
    """
    pose = armature.pose.bones
    deforms = [name for name in choice.home if name in skin or (not skin and armature.data.bones[name].use_deform)]
    home = {name: mover[choice.home[name]] for name in deforms if choice.home[name] is not None}
    kept = [
        (
            pose[name],
            [(path, tuple(getattr(pose[name], path))) for path in (*TRANSFORMS, "scale")],
            [each for each in pose[name].constraints if not each.mute],
        )
        for name in mover.values()
    ]
    places = {name: pose[name].matrix.copy() for name in mover.values()}
    try:
        for _, _, constraints in kept:
            for one in constraints:
                one.mute = True
        _place(choice, mover, armature, places, Matrix(), context)
        spaces = {name: _space(pose[name]) for name in mover.values()}
        before = {name: pose[owner].matrix.inverted_safe() @ pose[name].matrix for name, owner in home.items()}
        _place(choice, mover, armature, places, Matrix.Rotation(TRIED, 4, _AXIS), context)
        bad = set()
        for name, moved in mover.items():
            carrier = _carrier(pose[moved], set(mover.values()))
            expected = spaces[moved]
            if carrier is not None:
                expected = pose[carrier].matrix @ places[carrier].inverted_safe() @ expected
            if off(expected, _space(pose[moved]), pose[moved].bone.length) > SAME:
                bad.add(name)
        beside = {
            name: _turned(before[name], pose[owner].matrix.inverted_safe() @ pose[name].matrix)
            for name, owner in home.items()
        }
        behind = {name for name, angle in beside.items() if angle > STAYS}
        lag = sum(angle for name, angle in beside.items() if name in mover)
        return bad | {name for name in behind if name in mover}, behind, lag
    finally:
        for bone, transform, constraints in kept:
            for path, values in transform:
                setattr(bone, path, values)
            for one in constraints:
                one.mute = False
        context.view_layer.update()


def _place(
    choice: Choice,
    mover: dict[str, str],
    armature: bpy.types.Object,
    places: dict[str, Matrix],
    turn: Matrix,
    context: bpy.types.Context,
) -> None:
    """Put the movers where joints would have them, each turned by as much against that above it.

    Again and again, until they stand: each is put as those that it hangs on stand then.
    """
    pose, wanted = armature.pose.bones, {}
    for name, moved in mover.items():
        above = choice.above[name] and mover[choice.above[name]]
        carried = wanted[above] @ places[above].inverted_safe() @ places[moved] if above else places[moved]
        wanted[moved] = carried @ turn
    for _ in range(DEEP):
        gaps = [off(matrix, pose[moved].matrix, pose[moved].bone.length) for moved, matrix in wanted.items()]
        if max(gaps) < SETTLED:
            return
        for moved, matrix in wanted.items():
            pose[moved].matrix = matrix
        context.view_layer.update()


def _space(bone: bpy.types.PoseBone) -> Matrix:
    """P in M = P B, of a bone that no constraint leads."""
    return bone.matrix @ bone.matrix_basis.inverted_safe()


def _carrier(bone: bpy.types.PoseBone, movers: set[str]) -> str | None:
    return next((each.name for each in bone.parent_recursive if each.name in movers), None)


def off(one: Matrix, other: Matrix, length: float) -> float:
    """Distance, in the bone's length, or angle (rad) between two places, whichever is larger."""
    return max((one.translation - other.translation).length / max(length, 1e-9), _turned(one, other))


def _turned(one: Matrix, other: Matrix) -> float:
    """rad"""
    return one.to_quaternion().rotation_difference(other.to_quaternion()).angle % 6.283185
