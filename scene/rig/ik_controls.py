# SPDX-License-Identifier: GPL-3.0-or-later
"""IK controls of a rig: targets, and poles or roots of chains that turn a limb, and the control of a trunk.

Of limbs of two bones, found by their constraints. Which control takes what along, and at which value of the limb's
switch, is found by trial, as for FK: the rig is as before when this is over.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import bpy
from mathutils import Matrix, Vector

from ..animation.rig_settings import Value, value_of
from ..owner import TRANSFORMS, escaped_constraint
from .choice import targets_of
from .controls import VALUES, Controls, Keyed, controls_at, drive, settings_at
from .movers import SAME, TRIED, is_led, leading, off

NEARER = 0.05  # of a limb's length: by how much its target is tried nearer to the root, where the limb can reach
GOES, STAYS = 0.2, 0.05  # of a trial's way: what is off by less goes along, and what moves less stays
_AXIS = (0.6, 0.0, 0.8)


@dataclass
class Limb:
    """The bodies' bones of a limb that IK leads, its controls, and the settings with which they lead it."""

    upper: str
    lower: str
    end: str | None
    target: str
    swivel: str | None
    end_goes_along: bool
    settings: dict[str, Value] = field(default_factory=dict)
    unstretched: dict[str, Value] = field(default_factory=dict)
    stands: bool = False

    @property
    def names(self) -> set[str]:
        """Its bones."""
        return {name for name in (self.upper, self.lower, self.end) if name}

    def has_any(self, names: set[str]) -> bool:
        """True if one of the names is that of one of its bones or controls."""
        return not names.isdisjoint(self.names | {self.target, self.swivel})

    def is_keyed_on(self, keyed_on: str) -> bool:
        """True if its keys come on IK controls by such a choice, an item of KEYED_ON."""
        return keyed_on == "IK" or (keyed_on == "STANDS" and self.stands)

    def keyed(self) -> dict[str, Keyed]:
        """The way in which each of its bones comes by its pose."""
        found = {
            self.upper: Keyed(self.swivel if self.swivel != self.upper else "", "SWIVEL")
            if self.swivel
            else Keyed("", "BY_IK"),
            self.lower: Keyed("", "BY_IK") if self.end_goes_along else Keyed(self.target, "TIP"),
        }
        if self.end:
            found[self.end] = Keyed(self.target if self.end_goes_along else "", "AS_ONE")
        return found


def limbs_of(
    armature: bpy.types.Object, movers: Collection[str], held: dict[str, Value], context: bpy.types.Context
) -> list[Limb]:
    """The limbs of a rig that have IK, of bones that bodies move, while settings are held."""
    chains = dict(_chains(armature))
    if not chains:
        return []
    switches = {name: drive(armature, name) for name in movers}
    paths = {path for settings in switches.values() for path in settings}
    found: dict[str, Limb] = {}
    for value in VALUES if paths else VALUES[:1]:
        with settings_at(armature, held | dict.fromkeys(paths, value), context):
            for tip, above in chains.items():
                limb = None if tip in found else _limb(armature, tip, above, movers, context)
                if limb is not None:
                    names = (limb.upper, limb.lower, limb.end)
                    limb.settings = {path: value for name in names if name for path in switches[name]}
                    found[tip] = limb
    for tip, limb in found.items():
        limb.stands = _stands(armature, tip, limb)
    return list(found.values())


def trunk_control(
    armature: bpy.types.Object, root: str, movers: Collection[str], limbs: list[Limb], context: bpy.types.Context
) -> str | None:
    """The control, such as Rigify's torso, that takes the root and all of the trunk along, and no target of IK."""
    pose = armature.pose.bones
    in_limbs = {name for limb in limbs for name in (limb.upper, limb.lower, limb.end)}
    trunk = [name for name in movers if name not in in_limbs]
    targets = [limb.target for limb in limbs]
    for bone in pose[root].parent_recursive:
        if _is_free(bone, movers) and not all(bone.lock_location):
            before = {name: pose[name].matrix.copy() for name in (*trunk, *targets)}
            motion = _turned_about(bone.matrix.translation, TRIED, Vector(_AXIS))
            with _posed(bone, motion @ bone.matrix, context):
                goes = all(
                    off(motion @ before[name], pose[name].matrix, pose[name].bone.length) < SAME for name in trunk
                )
                stays = any(off(before[name], pose[name].matrix, pose[name].bone.length) < SAME for name in targets)
            if goes and stays:
                return bone.name
    return None


def on_ik(
    armature: bpy.types.Object,
    controls: Controls,
    limbs: list[Limb],
    movers: Collection[str],
    context: bpy.types.Context,
) -> None:
    """Put the keys of limbs on their IK controls, and hold their switches there; toes are led otherwise too then."""
    settings = {path: value for limb in limbs for path, value in limb.settings.items()}
    of_limbs = {name: keyed for limb in limbs for name, keyed in limb.keyed().items()}
    others = [name for name in movers if not settings.keys().isdisjoint(drive(armature, name))]
    others = [name for name in others if name not in of_limbs]
    led = controls_at(armature, others, settings, context) if others else {}
    controls.keyed.update({name: Keyed(led.get(name, "")) for name in others} | of_limbs)
    controls.held.update(settings | {path: value for limb in limbs for path, value in limb.unstretched.items()})


def _chains(armature: bpy.types.Object) -> Iterator[tuple[str, str]]:
    """(bone with an IK constraint after a bone of the rig, the one above it) of chains of two."""
    for bone in armature.pose.bones:
        if any(len([bone, *bone.parent_recursive][: each.chain_count or None]) == 2 for each in _iks(bone, armature)):
            yield bone.name, bone.parent.name


def _iks(bone: bpy.types.PoseBone, armature: bpy.types.Object) -> list[bpy.types.Constraint]:
    pose = armature.pose.bones
    found = [each for each in bone.constraints if each.type == "IK" and each.target == armature]
    return [each for each in found if each.subtarget in pose and each.use_tail]


def _limb(
    armature: bpy.types.Object, tip: str, above: str, movers: Collection[str], context: bpy.types.Context
) -> Limb | None:
    """The limb of a chain of IK, if it leads bodies with the settings as they are."""
    pose = armature.pose.bones
    ways = {name: leading(armature, name) for name in movers}
    lower = next((name for name in movers if tip in ways[name]), None)
    upper = next((name for name in movers if above in ways[name]), None)
    if lower is None or upper is None or upper == lower:
        return None
    ends = [name for name in movers if _above(pose[name], movers) == lower]
    near = 0.1 * pose[lower].length
    end = next((name for name in ends if (pose[name].head - pose[lower].tail).length < near), None)
    target = _target(armature, tip, (upper, lower, end), movers, context)
    if target is None:
        return None
    limb = Limb(upper, lower, end, target, None, False)
    limb.end_goes_along = end is not None and _end_goes_along(armature, limb, context)
    limb.swivel = _swivel(armature, tip, above, limb, movers, context)
    can_stretch = any(pose[name].ik_stretch for name in (tip, above))
    animation = armature.animation_data
    driven = {each.data_path for each in animation.drivers} if animation else set()
    for each in _iks(pose[tip], armature):
        path = escaped_constraint(pose[tip], each, "use_stretch")
        if can_stretch and each.use_stretch and path not in driven:
            limb.unstretched[path] = False
    return limb


def _stands(armature: bpy.types.Object, tip: str, limb: Limb) -> bool:
    """True if IK leads it as the rig stands."""
    if limb.settings:
        return all(abs(value_of(armature, path) - value) < 1e-3 for path, value in limb.settings.items())
    return any(not each.mute and each.influence > 0.5 for each in _iks(armature.pose.bones[tip], armature))


def _target(
    armature: bpy.types.Object,
    tip: str,
    limb: tuple[str, str, str | None],
    movers: Collection[str],
    context: bpy.types.Context,
) -> str | None:
    """The outermost control that takes the tip of a limb along, and leaves its root."""
    pose, (upper, lower, end) = armature.pose.bones, limb
    starts = [each.subtarget for each in _iks(pose[tip], armature)]
    accepted = []
    for name in _leading_any(armature, starts):
        bone = pose[name]
        if not _is_free(bone, movers) or all(bone.lock_location) or (end and pose[end] in bone.parent_recursive):
            continue
        root, place = pose[upper].head.copy(), pose[lower].tail.copy()
        way = NEARER * (root - place)
        with _posed(bone, Matrix.Translation(way) @ bone.matrix, context):
            goes = (pose[lower].tail - place - way).length < GOES * way.length
            stays = (pose[upper].head - root).length < STAYS * way.length
        if goes and stays:
            accepted.append(name)
    highest = [name for name in accepted if _above(pose[name], accepted) is None]
    return highest[0] if highest else None


def _end_goes_along(armature: bpy.types.Object, limb: Limb, context: bpy.types.Context) -> bool:
    """True if the end, a hand or a foot, goes with the target as one."""
    pose = armature.pose.bones
    bone, end = pose[limb.target], pose[limb.end]
    before, tip = end.matrix.copy(), pose[limb.lower].tail
    way = Matrix.Translation(NEARER * (pose[limb.upper].head - tip))
    motion = way @ _turned_about(end.head, TRIED, Vector(_AXIS))
    with _posed(bone, motion @ bone.matrix, context):
        return off(motion @ before, end.matrix, end.bone.length) < SAME


def _swivel(
    armature: bpy.types.Object,
    tip: str,
    above: str,
    limb: Limb,
    movers: Collection[str],
    context: bpy.types.Context,
) -> str | None:
    """The control that turns the limb about the line from its root to its tip: a pole, or the chain's root."""
    pose = armature.pose.bones
    upper, lower = pose[limb.upper], pose[limb.lower]
    line = lower.tail - upper.head
    starts = [each.pole_subtarget for each in _iks(pose[tip], armature) if not each.mute and each.pole_subtarget]
    poles = [pose[name] for name in _leading_any(armature, starts)]
    tried = [(bone, _turned_about(upper.head, TRIED, line) @ bone.matrix) for bone in poles if _is_free(bone, movers)]
    if not is_led(pose[above]):
        tried.append((pose[above], pose[above].matrix @ Matrix.Rotation(TRIED, 4, "Y")))
    for bone, matrix in tried:
        before, place = upper.matrix.copy(), lower.tail.copy()
        with _posed(bone, matrix, context):
            turned = upper.matrix.to_quaternion().rotation_difference(before.to_quaternion()).angle % 6.283185
            stays = (lower.tail - place).length < STAYS * line.length
        if turned > 0.5 * TRIED and stays:
            return bone.name
    return None


def _leading_any(armature: bpy.types.Object, starts: list[str]) -> list[str]:
    """Bones and all that lead them, by constraints and as parents, nearest first."""
    pose, found, waiting = armature.pose.bones, {}, list(starts)
    while waiting:
        name = waiting.pop(0)
        if name in found or name not in pose:
            continue
        found[name] = None
        waiting += targets_of(pose[name], armature)
        waiting += [pose[name].parent.name] if pose[name].parent else []
    return list(found)


def _above(bone: bpy.types.PoseBone, names: Collection[str]) -> str | None:
    return next((each.name for each in bone.parent_recursive if each.name in names), None)


def _is_free(bone: bpy.types.PoseBone, movers: Collection[str]) -> bool:
    return not is_led(bone) and bone.name not in movers and not bone.bone.use_deform


def _turned_about(place: Vector, angle: float, axis: Vector) -> Matrix:
    shift = Matrix.Translation(place)
    return shift @ Matrix.Rotation(angle, 4, axis.normalized()) @ shift.inverted()


@contextmanager
def _posed(bone: bpy.types.PoseBone, matrix: Matrix, context: bpy.types.Context) -> Iterator[None]:
    """While this lasts, a bone is somewhere else."""
    kept = {path: tuple(getattr(bone, path)) for path in (*TRANSFORMS, "scale")}
    try:
        bone.matrix = matrix
        context.view_layer.update()
        yield
    finally:
        for path, values in kept.items():
            setattr(bone, path, values)
        context.view_layer.update()
