# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigs of the structures that makers of rigs use, made by script: Mixamo's, Unreal's, a dog's, a chain."""

from __future__ import annotations

import importlib
import math
from collections.abc import Mapping, Sequence

import bmesh
import bpy
import numpy as np
from mathutils import Matrix, Vector

from .making import select, with_role

Bones = Mapping[str, tuple[str | None, Sequence[float], Sequence[float], float]]
"""(bone above, head, tail, radius of its skin in m; 0: none) by name."""

HUMAN = {
    "Hips": (None, (0, 0, 1.0), (0, 0, 1.1), 0.13),
    "Spine": ("Hips", (0, 0, 1.1), (0, 0, 1.22), 0.13),
    "Spine1": ("Spine", (0, 0, 1.22), (0, 0, 1.34), 0.13),
    "Spine2": ("Spine1", (0, 0, 1.34), (0, 0, 1.5), 0.14),
    "Neck": ("Spine2", (0, 0, 1.5), (0, 0, 1.58), 0.05),
    "Head": ("Neck", (0, 0, 1.58), (0, 0, 1.8), 0.09),
}
SIDE = {
    "Shoulder": ("Spine2", (0.05, 0, 1.45), (0.18, 0, 1.45), 0.05),
    "Arm": ("Shoulder", (0.18, 0, 1.45), (0.46, 0.005, 1.45), 0.05),
    "ForeArm": ("Arm", (0.46, 0.005, 1.45), (0.72, 0, 1.45), 0.04),
    "Hand": ("ForeArm", (0.72, 0, 1.45), (0.81, 0, 1.45), 0.04),
    "UpLeg": ("Hips", (0.1, 0, 0.98), (0.1, -0.01, 0.53), 0.08),
    "Leg": ("UpLeg", (0.1, -0.01, 0.53), (0.1, 0, 0.1), 0.055),
    "Foot": ("Leg", (0.1, 0, 0.1), (0.1, -0.14, 0.03), 0.04),
    "ToeBase": ("Foot", (0.1, -0.14, 0.03), (0.1, -0.2, 0.03), 0.03),
}
FINGERS = {
    f"Hand{finger}{i}": (
        "Hand" if i == 1 else f"Hand{finger}{i - 1}",
        (0.81 + 0.03 * (i - 1), y, 1.45),
        (0.81 + 0.03 * i, y, 1.45),
        0.008,
    )
    for finger, y in (("Thumb", -0.05), ("Index", -0.03), ("Middle", -0.01), ("Ring", 0.01), ("Pinky", 0.03))
    for i in (1, 2, 3)
}


def human(prefix: str = "mixamorig:") -> Bones:
    """Mixamo's structure and names."""
    bones = {f"{prefix}{name}": (above and prefix + above, *rest) for name, (above, *rest) in HUMAN.items()}
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        for name, (above, head, tail, radius) in {**SIDE, **FINGERS}.items():
            above = above if above in HUMAN else side + above
            ends = [(sign * x, y, z) for x, y, z in (head, tail)]
            bones[f"{prefix}{side}{name}"] = (prefix + above, *ends, radius)
    return bones


UNREAL = {
    "Hips": "pelvis", "Spine": "spine_01", "Spine1": "spine_02", "Spine2": "spine_03", "Neck": "neck_01",
    "Head": "head", "Shoulder": "clavicle", "Arm": "upperarm", "ForeArm": "lowerarm", "Hand": "hand",
    "UpLeg": "thigh", "Leg": "calf", "Foot": "foot", "ToeBase": "ball",
}  # fmt: skip


def mannequin() -> Bones:
    """Unreal's structure and names: a root without skin, twist bones with skin, and bones for its IK."""
    found = {"root": (None, (0, 0, 0), (0, 0, 0.1), 0.0)}
    for name, (above, *rest) in HUMAN.items():
        found[UNREAL[name]] = (UNREAL[above] if above else "root", *rest)
    for side, sign in (("l", 1.0), ("r", -1.0)):
        for name, (above, head, tail, radius) in {**SIDE, **FINGERS}.items():
            ends = [(sign * x, y, z) for x, y, z in (head, tail)]
            label = UNREAL.get(name, name.lower())
            above = UNREAL[above] if above in HUMAN else f"{UNREAL.get(above, above.lower())}_{side}"
            found[f"{label}_{side}"] = (above, *ends, radius)
        for limb in ("upperarm", "lowerarm", "thigh", "calf"):
            _, head, tail, radius = found[f"{limb}_{side}"]
            middle, end = (tuple(np.array(head) + part * np.subtract(tail, head)) for part in (0.4, 0.75))
            found[f"{limb}_twist_01_{side}"] = (f"{limb}_{side}", middle, end, radius)
    found["ik_foot_root"] = ("root", (0, 0, 0), (0, 0, 0.1), 0.0)
    found["ik_foot_l"] = ("ik_foot_root", (0.1, 0, 0.1), (0.1, 0, 0.2), 0.0)
    return found


def dog() -> Bones:
    """Four legs, a tail of five, two ears."""
    found = {
        "hips": (None, (0, 0.3, 0.5), (0, 0.1, 0.52), 0.08),
        "spine": ("hips", (0, 0.1, 0.52), (0, -0.15, 0.52), 0.09),
        "chest": ("spine", (0, -0.15, 0.52), (0, -0.35, 0.53), 0.1),
        "neck": ("chest", (0, -0.35, 0.55), (0, -0.5, 0.68), 0.05),
        "head": ("neck", (0, -0.5, 0.68), (0, -0.7, 0.68), 0.06),
    }
    for i in range(5):
        found[f"tail.{i}"] = (f"tail.{i - 1}" if i else "hips", *((0, 0.32 + 0.08 * j, 0.5) for j in (i, i + 1)), 0.02)
    for side, x in (("L", 0.08), ("R", -0.08)):
        for place, above, y in (("front", "chest", -0.3), ("hind", "hips", 0.28)):
            found[f"upper {place}.{side}"] = (above, (x, y, 0.48), (x, y + 0.03, 0.27), 0.04)
            found[f"lower {place}.{side}"] = (f"upper {place}.{side}", (x, y + 0.03, 0.27), (x, y, 0.06), 0.03)
            found[f"paw {place}.{side}"] = (f"lower {place}.{side}", (x, y, 0.06), (x, y - 0.08, 0.02), 0.025)
    return found


def make_rig(
    name: str, bones: Bones, scale: float = 1.0, upright: bool = False, turned: float = 0.0, with_skin: bool = True
) -> bpy.types.Object:
    """An armature in the scene, and its skin. `scale`: units a metre has in its data; the object makes up for it.

    `upright`: its data stands along Y, as that of an import. `turned` (rad): rolls and tails stand askew, as those of
    bones that a game engine has made.
    """
    data = bpy.data.armatures.new(name)
    rig = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(rig)
    select(rig)
    turn = Matrix.Rotation(-0.5 * math.pi if upright else 0.0, 4, "X")
    bpy.ops.object.mode_set(mode="EDIT")
    for label, (above, head, tail, _) in bones.items():
        bone = data.edit_bones.new(label)
        bone.head, bone.tail = (turn @ (scale * Vector(end)) for end in (head, tail))
        if turned:
            bone.roll = turned
        bone.parent = data.edit_bones[above] if above else None
        bone.use_connect = bone.parent is not None and (bone.head - bone.parent.tail).length < 1e-6 * scale
        bone.use_deform = bones[label][3] > 0.0
    bpy.ops.object.mode_set(mode="OBJECT")
    rig.matrix_world = turn.inverted() @ Matrix.Scale(1.0 / scale, 4)
    if with_skin:
        make_skin(rig, bones)
    bpy.context.view_layer.update()
    return rig


def make_skin(rig: bpy.types.Object, bones: Bones) -> bpy.types.Object:
    """A tube around each bone that has a radius, bound to it."""
    made, groups = bmesh.new(), {}
    for label, (_, head, tail, radius) in bones.items():
        if radius == 0.0:
            continue
        along = Vector(tail) - Vector(head)
        place = (
            Matrix.Translation(0.5 * (Vector(head) + Vector(tail))) @ along.to_track_quat("Z", "Y").to_matrix().to_4x4()
        )
        found = bmesh.ops.create_cone(
            made, cap_ends=True, segments=8, radius1=radius, radius2=radius, depth=along.length, matrix=place
        )
        groups[label] = found["verts"]
    made.verts.index_update()
    numbers = {label: [vertex.index for vertex in verts] for label, verts in groups.items()}
    mesh = bpy.data.meshes.new(f"{rig.name} Skin")
    made.to_mesh(mesh)
    made.free()
    ob = bpy.data.objects.new(mesh.name, mesh)
    bpy.context.scene.collection.objects.link(ob)
    for label, indices in numbers.items():
        ob.vertex_groups.new(name=label).add(indices, 1.0, "REPLACE")
    ob.modifiers.new("Armature", "ARMATURE").object = rig
    ob.parent = rig
    ob.matrix_parent_inverse = rig.matrix_world.inverted()
    return ob


def metarig() -> bpy.types.Object:
    """Rigify's metarig of a human, without a skin."""
    bpy.ops.preferences.addon_enable(module="rigify")
    bpy.ops.object.armature_human_metarig_add()
    bpy.ops.object.mode_set(mode="OBJECT")
    return bpy.context.object


def described(rig: bpy.types.Object) -> tuple:
    """All of a rig that a bake or a ragdoll could change, to be compared."""
    bones = [
        (bone.name, bone.parent and bone.parent.name, bone.use_connect, bone.use_deform, *map(tuple, bone.matrix_local))
        for bone in rig.data.bones
    ]
    pose = [
        (
            bone.name,
            bone.rotation_mode,
            *(tuple(getattr(bone, each)) for each in ("location", "rotation_quaternion", "rotation_euler", "scale")),
            tuple(bone.rotation_axis_angle),
            tuple((each.name, each.type, each.mute, each.influence) for each in bone.constraints),
            tuple(bone.keys()),
        )
        for bone in rig.pose.bones
    ]
    action = rig.animation_data.action if rig.animation_data else None
    keys = action and [
        (curve.data_path, curve.array_index, [tuple(key.co) for key in curve.keyframe_points])
        for bag in action.layers[0].strips[0].channelbags
        for curve in bag.fcurves
    ]
    place = [tuple(row) for row in rig.matrix_basis]
    return bones, pose, action and action.name, keys, place, len(rig.constraints), rig.animation_data is None


def row(length: float = 0.3, radius: float = 0.05) -> Bones:
    """Four bones in a row, B0 to B3, 1 m above the ground."""
    return {
        f"B{i}": (f"B{i - 1}" if i else None, (length * i, 0, 1), (length * (i + 1), 0, 1), radius) for i in range(4)
    }


def waving(frames: int) -> bpy.types.Object:
    """A row of bones with bodies, the first of them Keyed, that all wave."""
    rig = make_rig("Rig", row(), with_skin=False)
    bpy.context.scene.frame_end = frames
    for bone in rig.pose.bones:
        bone.rotation_mode = "XYZ"
        for frame in range(1, frames + 1):
            bone.rotation_euler.z = 0.3 * np.sin(0.3 * (frame - 1))
            bone.keyframe_insert("rotation_euler", frame=frame)
    bpy.context.scene.frame_set(1)
    select(rig)
    bpy.ops.ves.ragdoll(use_contact=False, with_limits=False)
    for body in with_role("BODY"):
        body.ves.motion = "KEYED" if body.parent_bone == "B0" else "DYNAMIC"
    return rig


def poses(rig: bpy.types.Object) -> np.ndarray:
    """(frames, bones, 4, 4) from frame 1, which is shown again in the end, to the last one."""
    found = []
    for frame in range(1, bpy.context.scene.frame_end + 1):
        bpy.context.scene.frame_set(frame)
        found.append([np.array(bone.matrix) for bone in rig.pose.bones])
    bpy.context.scene.frame_set(1)
    return np.array(found)


def rigify() -> bpy.types.Object:
    """The rig that Rigify generates of its human metarig: IK limbs, tweaks, a face; neck and head keep their turn."""
    bpy.ops.preferences.addon_enable(module="rigify")
    importlib.import_module("rigify").register_rig_parameters()
    bpy.ops.object.armature_human_metarig_add()
    meta = bpy.context.object
    bpy.ops.pose.rigify_generate()
    rig = bpy.context.object
    bpy.data.objects.remove(meta)
    return rig


def vrm() -> Bones:
    """VRM's structure: VRoid's names, a root, and locks of hair and a skirt beside the body."""
    found = {"Root": (None, (0, 0, 0), (0, 0, 0.1), 0.0)}
    for name, (above, *rest) in human("J_Bip_C_").items():
        found[name] = (above or "Root", *rest)
    for i, x in enumerate((-0.06, 0.0, 0.06)):
        for j in range(3):
            above = f"J_Sec_Hair{j}_{i}" if j else "J_Bip_C_Head"
            ends = ((x, 0.11, z) for z in (1.75 - 0.1 * j, 1.65 - 0.1 * j))
            found[f"J_Sec_Hair{j + 1}_{i}"] = (above, *ends, 0.012)
    return found


def controls(with_poles: bool = False) -> bpy.types.Object:
    """A rig as Auto-Rig Pro makes them: deforming bones copy FK and IK chains, and a driven switch mixes the two.

    with_poles: IK has poles, and elbows and knees are hinges to it.
    """
    bones = human("")
    sides = [f"{side}{name}" for side in ("Left", "Right") for name in ("Arm", "ForeArm", "UpLeg", "Leg")]
    led = dict(bones)
    for name in sides:
        above, *ends, _ = bones[name]
        for kind in ("fk", "ik"):
            led[f"{name}_{kind}"] = (f"{above}_{kind}" if above in sides else above, *ends, 0.0)
    for side, (hand, _) in ((s, each) for s in ("Left", "Right") for each in (("Hand", "ForeArm"), ("Foot", "Leg"))):
        head = bones[f"{side}{hand}"][1]
        led[f"{side}{hand}_target"] = (None, head, tuple(np.add(head, (0, 0.1, 0))), 0.0)
        if with_poles:
            sign, low = (1.0 if side == "Left" else -1.0), hand == "Foot"
            pole = (sign * 0.1, -0.7, 0.55) if low else (sign * 0.46, 0.7, 1.4)
            led[f"{side}{hand}_pole"] = (None, pole, tuple(np.add(pole, (0, 0, 0.1))), 0.0)
    rig = make_rig("Controls", led)
    rig["ik"] = 0.7
    for name in sides:
        for kind in ("fk", "ik"):
            copy = rig.pose.bones[name].constraints.new("COPY_TRANSFORMS")
            copy.name, copy.target, copy.subtarget = kind, rig, f"{name}_{kind}"
        driver = copy.driver_add("influence").driver
        variable = driver.variables.new()
        variable.name, driver.expression = "ik", "ik"
        variable.targets[0].id, variable.targets[0].data_path = rig, '["ik"]'
        if name.endswith(("ForeArm", "Leg")) and "Up" not in name:
            ik = rig.pose.bones[f"{name}_ik"].constraints.new("IK")
            end = "Hand" if name.endswith("ForeArm") else "Foot"
            ik.target, ik.subtarget, ik.chain_count = (
                rig,
                f"{name.removesuffix('ForeArm').removesuffix('Leg')}{end}_target",
                2,
            )
            if with_poles:
                ik.pole_target, ik.pole_subtarget = rig, ik.subtarget.replace("_target", "_pole")
                ik.pole_angle = -0.5 * math.pi
                for axis in "xy" if end == "Hand" else "yz":
                    setattr(rig.pose.bones[f"{name}_ik"], f"lock_ik_{axis}", True)
    bpy.context.view_layer.update()
    return rig


STRUCTURES = {
    "Rigify, generated": rigify,
    "Rigify, metarig": metarig,
    "FK and IK with a switch": controls,
    "Mixamo": lambda: make_rig("Mixamo", human(), 100.0, upright=True),
    "Unreal": lambda: make_rig("Unreal", mannequin(), 100.0, turned=0.7),
    "VRM": lambda: make_rig("VRM", vrm()),
    "dog": lambda: make_rig("Dog", dog()),
}
"""Rigs of the structures that makers have, by their names."""


def solved_poses(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer) -> tuple:
    """Bake; returns (names of bodies, positions, orientations) as they were solved."""
    from virtual_erector_set.scene.bake.bake import keep_motion, read_scene, run_to_end, solve

    reading = run_to_end(read_scene(scene, view_layer))
    solved = run_to_end(solve(reading)).recording
    found = list(solved.body_names), solved.position.copy(), solved.orientation.copy()
    run_to_end(keep_motion(reading, view_layer, solved))
    return found


def largest_errors(solved: tuple) -> tuple[float, float, float, float]:
    """(m, degrees, m, degrees): largest errors over all frames against the physics.

    Of the bones that bodies move, and of those that deform there, whose twist the rig shares out: their directions.
    """
    from virtual_erector_set.scene.geometry import poses as geometry

    names, position, orientation = solved
    bodies = [bpy.data.objects[name] for name in names]
    first, worst = {}, np.zeros(4)
    for row in range(len(position)):
        bpy.context.scene.frame_set(bpy.context.scene.frame_start + row)
        for i, body in enumerate(bodies):
            rig, bone = body.parent, body.parent.pose.bones[body.parent_bone]
            true = np.eye(4)
            true[:3, :3], true[:3, 3] = geometry.rotations(orientation[row, i]), position[row, i]
            pairs = [(0, bone)] + [(2, each) for each in deforming_at(rig, bone)]
            for column, each in pairs:
                shown = geometry.split(np.array(rig.matrix_world @ each.matrix, dtype=np.float64))
                here = np.eye(4)
                here[:3, :3], here[:3, 3] = geometry.rotations(shown.orientation), shown.position
                beside = np.linalg.inv(true) @ here
                rest = first.setdefault((body.name, each.name, column), np.eye(4) if column == 0 else beside)
                off = true @ rest
                turn = geometry.rotation_vector((off[:3, :3].T @ here[:3, :3])[None])[0]
                angle = float(np.linalg.norm(turn))
                if column:
                    angle = float(np.linalg.norm(np.cross(off[:3, 1], here[:3, 1])))
                angle = math.degrees(angle)
                worst[column] = max(worst[column], float(np.linalg.norm(off[:3, 3] - here[:3, 3])))
                worst[column + 1] = max(worst[column + 1], angle)
    return tuple(worst)


def deforming_at(rig: bpy.types.Object, bone: bpy.types.PoseBone) -> list[bpy.types.PoseBone]:
    """The deforming bones whose heads are at that of another one and which point as it does, at rest."""
    here = bone.bone
    return [
        rig.pose.bones[each.name]
        for each in rig.data.bones
        if each.use_deform
        and (each.head_local - here.head_local).length < 1e-4 * here.length
        and each.vector.angle(here.vector, 3.0) < 0.5
    ]
