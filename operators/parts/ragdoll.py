# SPDX-License-Identifier: GPL-3.0-or-later
"""Ragdoll and Secondary Motion: a rig's bones become bodies with joints, in one step."""

from collections import Counter

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty

from ...scene.animation.kept import is_baked
from ...scene.animation.rig_settings import hold_settings
from ...scene.findings import SceneError
from ...scene.owner import bone_shapes, is_armature
from ...scene.parts.bodies import fastened_to, marks_of
from ...scene.rig.bone_shape import SHAPES
from ...scene.rig.keyed_bones import KEYED_ON, key_bones
from ...scene.rig.ragdoll import Options, Ragdoll, make_ragdolls
from ...scene.rig.secondary import Swing, make_secondary, plan_secondary
from ..polls import cancelled, needs
from ..selection import count, was_last


def chosen_rig(context: bpy.types.Context) -> bpy.types.Object | None:
    """The active object, if it is an armature in Object or Pose Mode; in Object Mode it must be selected."""
    ob = context.active_object
    if not is_armature(ob) or context.mode not in ("OBJECT", "POSE"):
        return None
    return ob if context.mode == "POSE" or ob.select_get() else None


def chosen_rigs(context: bpy.types.Context) -> list[bpy.types.Object]:
    """The chosen rig, if there is one, and with it the other armatures that are selected, or in Pose Mode."""
    rig = chosen_rig(context)
    if rig is None:
        return []
    others = context.objects_in_mode if context.mode == "POSE" else context.selected_objects
    return [rig, *(ob for ob in others if is_armature(ob) and ob != rig)]


class VES_OT_ragdoll(bpy.types.Operator):
    """Make bodies of the bones that carry skin, joints between them, and let it fall; of all selected rigs at once"""

    bl_idname = "ves.ragdoll"
    bl_label = "Ragdoll"
    bl_options = {"REGISTER", "UNDO"}

    shape: EnumProperty(name="Shapes", description="What the bodies look like to others", items=SHAPES)
    mass: FloatProperty(
        name="Mass",
        description="Mass of all bodies together, shared out by volume; 0: that of flesh of their size",
        default=0.0,
        min=0.0,
        soft_max=200.0,
        unit="MASS",
    )
    stiffness: FloatProperty(
        name="Damping",
        description="How much the joints resist: 0 is a puppet of wood, 1 limp flesh, 10 stiff",
        default=1.0,
        min=0.0,
        soft_max=10.0,
    )
    with_limits: BoolProperty(
        name="Limits", description="Joints stop where the rig says, else where a body's joints usually do", default=True
    )
    smallest: FloatProperty(
        name="Smallest",
        description="Chains at an end, such as toes, that are shorter than this part of the rig have no bodies",
        default=0.075,
        min=0.0,
        soft_max=0.3,
        subtype="FACTOR",
        max=1.0,
    )
    with_small: BoolProperty(
        name="Fingers, Face and Helpers",
        description="These have bodies too, and do not only go along with the hand or the head",
        default=False,
    )
    keyed_on: EnumProperty(
        name="Keys On", description="The controls of limbs on which Bake puts its keys", items=KEYED_ON
    )
    use_contact: BoolProperty(
        name="Contact", description="Turn the scene's Contact on, so that it falls on something", default=True
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """There must be a rig."""
        return needs(
            cls, chosen_rig(context) is not None or was_last(cls, context), "Select an armature, in Object or Pose Mode"
        )

    def execute(self, context: bpy.types.Context) -> set[str]:
        """One step of undo takes all of it away."""
        rigs = chosen_rigs(context)
        if not rigs:
            return cancelled(self, "Ragdoll: select the armature first", "WARNING")
        rigs = [rig for rig in rigs if not bone_shapes(rig)] or rigs[:1]
        options = Options(self.smallest, self.with_small, self.shape, self.mass, self.stiffness, self.with_limits)
        options.keyed_on = self.keyed_on
        try:
            made = make_ragdolls(rigs, context, options)
        except SceneError as error:
            return cancelled(self, str(error))
        if self.use_contact:
            context.scene.ves.use_contact = True
        self.report({"INFO"}, _said(made))
        return {"FINISHED"}


class VES_OT_keys_on(bpy.types.Operator):
    """Choose on which controls of limbs Bake puts its keys: in Pose Mode of those with selected bones, else of all"""

    bl_idname = "ves.keys_on"
    bl_label = "Keys On"
    bl_options = {"REGISTER", "UNDO"}

    keyed_on: EnumProperty(
        name="Keys On", description="The controls of limbs on which Bake puts its keys", items=KEYED_ON
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """There must be a ragdoll, and it must not be baked: the bake is on other controls."""
        rig = chosen_rig(context)
        return needs(
            cls, rig is not None and bone_shapes(rig), "Select an armature that is a ragdoll, in Object or Pose Mode"
        ) and needs(cls, not is_baked(rig), "Clear Bake first")

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Keyed Bones of its bodies, and the settings that are held, are chosen anew."""
        rig = chosen_rig(context)
        shapes = bone_shapes(rig)
        names = sorted(shapes, key=lambda name: len(rig.data.bones[name].parent_recursive))
        only = {bone.name for bone in context.selected_pose_bones or ()} if context.mode == "POSE" else set()
        found = key_bones(rig, {name: shapes[name] for name in names}, self.keyed_on, context, only or None)
        self.report(
            {"INFO"}, f"Bake keys {count(found, 'control')} of {rig.name}" if found else "Bake keys no controls"
        )
        return {"FINISHED"}


class VES_OT_remove_ragdoll(bpy.types.Operator):
    """Take the bodies and joints of the selected rigs away again; the rigs stay as they are"""

    bl_idname = "ves.remove_ragdoll"
    bl_label = "Remove Ragdoll"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """There must be one, and it must not be baked: the bake could not be cleared any more."""
        rigs = [rig for rig in chosen_rigs(context) if bone_shapes(rig)]
        return needs(cls, rigs, "Select an armature that is a ragdoll, in Object or Pose Mode") and needs(
            cls, not any(map(is_baked, rigs)), "Clear Bake first"
        )

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Joints, constraints and forces on its bodies go with them."""
        rigs = [rig for rig in chosen_rigs(context) if bone_shapes(rig)]
        bodies = [body for rig in rigs for body in bone_shapes(rig).values()]
        hanging = fastened_to(bodies, context.scene)
        for rig in rigs:
            hold_settings(rig, {})
        homes = {home for ob in bodies for home in ob.users_collection}
        meshes = {ob.data for ob in bodies}
        bpy.data.batch_remove({*bodies, *hanging, *marks_of(hanging)})
        bpy.data.batch_remove([mesh for mesh in meshes if not mesh.users])
        for home in homes - {context.scene.collection}:
            if not home.all_objects and not home.children:
                bpy.data.collections.remove(home)
        self.report({"INFO"}, f"Removed {count(len(bodies), 'body')} and what was fastened to them")
        return {"FINISHED"}


class VES_OT_secondary_motion(bpy.types.Operator):
    """Let the selected bones, such as those of a tail, ears or hair, swing after the animation of the rest"""

    bl_idname = "ves.secondary_motion"
    bl_label = "Secondary Motion"
    bl_options = {"REGISTER", "UNDO"}

    softness: FloatProperty(
        name="Softness",
        description="0: it hardly lags behind, as a stiff ear; 1: it swings slowly, as long hair",
        default=0.5,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
    )
    damping_ratio: FloatProperty(
        name="Damping Ratio",
        description="0 swings for ever, 0.3 a few times, 1 comes to rest without swinging past",
        default=0.35,
        min=0.0,
        soft_max=1.0,
        max=100.0,
    )
    droop: FloatProperty(
        name="Droop",
        description="The share of its weight by which it hangs down; 0 keeps its shape",
        default=0.0,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
    )
    use_contact: BoolProperty(
        name="Contact", description="It touches the rest of the character, and what else there is", default=True
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """There must be bones."""
        has_bones = context.mode == "POSE" and bool(context.selected_pose_bones)
        return needs(cls, has_bones or was_last(cls, context), "Select bones in Pose Mode") and needs(
            cls, not is_baked(context.active_object), "Clear Bake first"
        )

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Of each rig with selected bones; one step of undo takes all of it away."""
        swing = Swing(self.softness, self.damping_ratio, self.droop, self.use_contact)
        chosen: dict[bpy.types.Object, list[str]] = {}
        for bone in context.selected_pose_bones:
            chosen.setdefault(bone.id_data, []).append(bone.name)
        try:
            plans = [plan_secondary(rig, names, context) for rig, names in chosen.items()]
        except SceneError as error:
            return cancelled(self, str(error))
        made = [make_secondary(plan, context, swing) for plan in plans]
        if self.use_contact:
            context.scene.ves.use_contact = True
        bodies = sum(len(each.bodies) for each in made)
        self.report({"INFO"}, f"{count(bodies, 'bone')} will swing, at {swing.frequency:.2g} Hz. Press Bake")
        return {"FINISHED"}


def _said(made: list[Ragdoll]) -> str:
    """A report: bodies made, and bones left out."""
    bodies, joints = (sum(len(getattr(each, what)) for each in made) for what in ("bodies", "joints"))
    controls = sum(each.controls for each in made)
    text = f"{len(made)} ragdolls: " if len(made) > 1 else ""
    text += f"{count(bodies, 'body')} of {sum(each.mass for each in made):.3g} kg, {count(joints, 'joint')}"
    own = sum(each.sources.count("the rig") for each in made)
    text += f" ({own} with the rig's own limits)" if own else ""
    text += f", {controls} keyed on controls" if controls else ""
    left_out = Counter()
    for each in made:
        left_out.update({why: len(names) for why, names in each.left_out.items()})
    out = [f"{count(number, 'bone')} ({why})" for why, number in left_out.items()]
    return f"{text}; without a body: {', '.join(out)}" if out else text


CLASSES = (VES_OT_ragdoll, VES_OT_keys_on, VES_OT_secondary_motion, VES_OT_remove_ragdoll)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
