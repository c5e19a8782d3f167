# SPDX-License-Identifier: GPL-3.0-or-later
"""FK controls of a rig: the bones on which an animator works, and which lead those that bodies move.

A bone of a limb is mostly led by two others, one of its FK and one of its IK chain, and a setting of the rig mixes the
two. Which control leads it, and at which value of that setting, is found by trial, not by names. So are the settings by
which a bone, such as a head, keeps its own turn while what it hangs on turns.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

import bpy
from mathutils import Matrix

from ..animation.rig_settings import Value, drivers_of_influence, held_settings, set_value, value_of
from ..owner import TRANSFORMS, escaped_constraint
from .movers import SAME, TRIED, is_led, leading, off

VALUES = (0.0, 1.0)
_AXIS = (0.6, 0.0, 0.8)


class Keyed(NamedTuple):
    """The control whose keys give a bone its pose, "" for itself, and how it does (`Object.ves.control_leads`)."""

    control: str
    leads: str = "AS_ONE"


@dataclass
class Controls:
    """The controls that are keyed for bones that bodies move, if not the bone itself, and settings that are held."""

    keyed: dict[str, Keyed] = field(default_factory=dict)
    held: dict[str, Value] = field(default_factory=dict)


def fk_controls(armature: bpy.types.Object, movers: Collection[str], context: bpy.types.Context) -> Controls:
    """The FK control of each mover that constraints lead after one, and the settings with which it does.

    The rig is as before when this is over.
    """
    wanted = _wanted(armature, movers)
    if not wanted:
        return Controls()
    switches = {name: settings for name in wanted if (settings := drive(armature, name))}
    paths = {path for settings in switches.values() for path in settings}
    controls = Controls()
    for value in VALUES if paths else VALUES[:1]:
        with settings_at(armature, dict.fromkeys(paths, value), context):
            led = _led_by(armature, wanted, context)
        for name in led - controls.keyed.keys():
            controls.keyed[name] = Keyed(wanted[name])
            controls.held.update(dict.fromkeys(switches.get(name, ()), value))
    return controls


def following(armature: bpy.types.Object, names: Collection[str], context: bpy.types.Context) -> dict[str, Value]:
    """Settings, at values other than now, with which the controls of bones go along with what they hang on."""
    pose, drivers, wanted = armature.pose.bones, drivers_of_influence(armature), {}
    for name in names:
        free = [each for each in leading(armature, name) if not is_led(pose[each])]
        for bone in {above.name: above for each in free for above in pose[each].parent_recursive}.values():
            for constraint in bone.constraints:
                for path in drivers.get(escaped_constraint(bone, constraint, "influence"), ()):
                    wanted.setdefault(path, []).append(constraint)
    found: dict[str, Value] = {}
    for path, constraints in wanted.items():
        now, influence = value_of(armature, path), sum(each.influence for each in constraints)
        for value in VALUES:
            with settings_at(armature, {path: value}, context):
                less = sum(each.influence for each in constraints)
            if less < influence - 1e-6 and value != now:
                influence, found[path] = less, value
    return found


def hindering(armature: bpy.types.Object, names: Collection[str]) -> list[str]:
    """Settings that a bake would hold at other values than now, of bones between two of `names`: these turn by them."""
    held, drivers, found = held_settings(armature), drivers_of_influence(armature), set()
    other = {path for path, value in held.items() if value_of(armature, path) != value}
    for name in names:
        between = armature.pose.bones[name].parent_recursive
        above = next((i for i, bone in enumerate(between) if bone.name in names), 0)
        for bone in between[:above]:
            for each in bone.constraints:
                found.update(other.intersection(drivers.get(escaped_constraint(bone, each, "influence"), ())))
    return sorted(found)


def controls_at(
    armature: bpy.types.Object, names: Collection[str], settings: dict[str, Value], context: bpy.types.Context
) -> dict[str, str]:
    """The control of each bone that is led after one while settings are so."""
    with settings_at(armature, settings, context):
        wanted = _wanted(armature, names)
        led = _led_by(armature, wanted, context) if wanted else set()
    return {name: wanted[name] for name in led}


def _wanted(armature: bpy.types.Object, movers: Collection[str]) -> dict[str, str]:
    """The control that may lead each bone: the nearest that nothing leads itself."""
    pose, chains = armature.pose.bones, _in_ik_chains(armature)
    wanted: dict[str, str] = {}
    for name in movers:
        found = leading(armature, name)[1:] if is_led(pose[name]) else []
        free = [each for each in found if not is_led(pose[each]) and each not in chains]
        free = [each for each in free if each not in movers and not pose[each].bone.use_deform]
        if free and free[0] not in wanted.values():
            wanted[name] = free[0]
    return wanted


@contextmanager
def settings_at(armature: bpy.types.Object, values: dict[str, Value], context: bpy.types.Context) -> Iterator[None]:
    """While this lasts, settings of the rig have these values."""
    before = {path: value_of(armature, path) for path in values}
    try:
        for path, value in values.items():
            set_value(armature, path, value)
        context.view_layer.update()
        yield
    finally:
        for path, value in before.items():
            set_value(armature, path, value)
        context.view_layer.update()


def drive(armature: bpy.types.Object, name: str) -> list[str]:
    """Paths of the settings that switch the constraints of a bone."""
    drivers, bone = drivers_of_influence(armature), armature.pose.bones[name]
    found = [drivers.get(escaped_constraint(bone, each, "influence"), ()) for each in bone.constraints]
    return sorted({path for paths in found for path in paths})


def _led_by(armature: bpy.types.Object, wanted: dict[str, str], context: bpy.types.Context) -> set[str]:
    """Turn each control a little: the bones that go along, each as if it were fixed to its own."""
    pose = armature.pose.bones
    kept = {control: {path: tuple(getattr(pose[control], path)) for path in TRANSFORMS} for control in wanted.values()}
    before = {name: (pose[name].matrix.copy(), pose[control].matrix.copy()) for name, control in wanted.items()}
    try:
        for control in wanted.values():
            bone = pose[control]
            bone.matrix_basis = bone.matrix_basis @ Matrix.Rotation(TRIED, 4, _AXIS)
        context.view_layer.update()
        return {
            name
            for name, control in wanted.items()
            if off(
                pose[control].matrix @ before[name][1].inverted_safe() @ before[name][0],
                pose[name].matrix,
                pose[name].bone.length,
            )
            < SAME
        }
    finally:
        for control, transform in kept.items():
            for path, values in transform.items():
                setattr(pose[control], path, values)
        context.view_layer.update()


def _in_ik_chains(armature: bpy.types.Object) -> set[str]:
    """Bones that an IK constraint turns."""
    found = set()
    for bone in armature.pose.bones:
        for each in bone.constraints:
            if each.type == "IK":
                chain = [bone, *bone.parent_recursive]
                found.update(one.name for one in chain[: each.chain_count or None])
    return found
