# SPDX-License-Identifier: GPL-3.0-or-later
"""Keyed bones of a ragdoll: the controls on which a bake puts its keys, FK or IK, as the animator chooses."""

import bpy

from ..animation.rig_settings import STRETCH, held_settings, hold_settings
from .controls import Controls, Keyed, fk_controls, settings_at
from .ik_controls import Limb, limbs_of, on_ik, trunk_control

KEYED_ON = (
    ("STANDS", "As the Rig Stands", "Each limb on the controls to which its switch is set: IK targets, or FK"),
    ("FK", "FK Controls", "Switches are held at FK"),
    ("IK", "IK Controls", "Targets and poles; switches are held at IK, and limbs do not stretch meanwhile"),
    ("NONE", "Bones Behind", "Controls stay where they are: the bones between IK and FK, whose constraints are off"),
)


def key_bones(
    armature: bpy.types.Object,
    bodies: dict[str, bpy.types.Object],
    keyed_on: str,
    context: bpy.types.Context,
    only: set[str] | None = None,
    limbs: list[Limb] | None = None,
) -> int:
    """Choose what is keyed for the bones of bodies, from the root outwards; returns how many controls.

    keyed_on: an item of KEYED_ON. only: bones, of whose limbs alone this is to be so; None for all.
    limbs: those of the rig, where they are known.
    """
    held = {path: value for path, value in held_settings(armature).items() if not path.endswith(STRETCH)}
    limbs = limbs_of(armature, bodies.keys(), held, context) if limbs is None else limbs
    with settings_at(armature, held, context):
        controls = _controls(armature, bodies, keyed_on, context, only, limbs)
    for name, body in bodies.items():
        body.ves.control_bone, body.ves.control_leads = controls.keyed.get(name, Keyed(""))
    hold_settings(armature, held | controls.held)
    return len({keyed.control for keyed in controls.keyed.values() if keyed.control})


def _controls(
    armature: bpy.types.Object,
    bodies: dict[str, bpy.types.Object],
    keyed_on: str,
    context: bpy.types.Context,
    only: set[str] | None,
    limbs: list[Limb],
) -> Controls:
    if keyed_on == "NONE" and only is None:
        return Controls()
    controls = fk_controls(armature, bodies.keys(), context)
    root = _root(bodies) if limbs else ""
    if root and root not in controls.keyed:
        with settings_at(armature, controls.held, context):
            trunk = trunk_control(armature, root, bodies.keys(), limbs, context)
        if trunk is not None:
            controls.keyed[root] = Keyed(trunk)
    on: list[Limb] = []
    for limb in limbs:
        is_chosen = only is None or any(each.has_any(only) for each in limbs if _share(limb, each))
        wanted = keyed_on if is_chosen else _keyed_on_now(limb.names, bodies)
        if limb.is_keyed_on(wanted):
            on.append(limb)
        elif wanted == "NONE":
            for name in limb.names:
                controls.keyed.pop(name, None)
            for path in limb.settings:
                controls.held.pop(path, None)
    on_ik(armature, controls, on, bodies.keys(), context)
    return controls


def _share(one: Limb, other: Limb) -> bool:
    """True for limbs that the same switch has, and for a limb and itself."""
    return one == other or not one.settings.keys().isdisjoint(other.settings)


def _keyed_on_now(names: set[str], bodies: dict[str, bpy.types.Object]) -> str:
    """The controls that the keys of a limb are to be on at present."""
    if any(bodies[name].ves.control_leads != "AS_ONE" for name in names):
        return "IK"
    return "FK" if any(bodies[name].ves.control_bone for name in names) else "NONE"


def _root(bodies: dict[str, bpy.types.Object]) -> str:
    """The bone whose body no joint has as its outer one; the first of such."""
    scenes = {scene for body in bodies.values() for scene in body.users_scene}
    jointed = {ob.ves.body_b for scene in scenes for ob in scene.objects if ob.ves.role == "JOINT"}
    return next((name for name, body in bodies.items() if body not in jointed), next(iter(bodies)))
