# SPDX-License-Identifier: GPL-3.0-or-later
"""Fingerprint of all that a bake reads, by which one can tell later whether something has changed since, and what.

Of the scene there is a digest for each setting that counts; of each object that takes part, or by which one of those
goes (parents, targets of constraints, curves), one for each of its ASPECTS. Nothing is evaluated and no frame is set:
of what is animated the keys count and not the present value, of a baked object what its bake covers. So a fingerprint
is the same at all frames, and the same before a bake and after it. Renaming an object changes it.
"""

import functools
import hashlib
from collections.abc import Iterable, Iterator

import bpy
import numpy as np

from ..animation.animated import PLOT
from ..animation.kept import covered_by_bake, is_baked, original_action
from ..owner import TRANSFORMS, Owner
from ..properties.body import BodyProperties
from ..properties.constraint import OF_CONSTRAINTS, GenericProperties
from ..properties.contact import ContactProperties, solver_options
from ..properties.figures import BalanceProperties, ReachProperties, SteeringProperties
from ..properties.force import ForceProperties
from ..properties.joint import JointProperties
from ..properties.ride import RideProperties
from ..properties.scene import frame_range
from ..properties.tables import TableProperties
from .moved import is_moved

ASPECTS = ("{} was moved", "{}: settings", "{}: Collide", "{}: shape", "{}: animation")
"""One sentence for each digest of an object, in order."""
COLLIDE = 2  # its place there; it counts only while Contact is on
Fingerprint = dict[str, dict]
"""`scene`: {label: digest}; `objects`: {name: a digest for each aspect}; `baked`: names of the bodies with keys."""

BOOKKEEPING = {
    "is_baked",
    "kept_action",
    "kept_slot",
    "before_play",
    "before_pose",
    "is_pinned",
    "pin_turn",
    "pin_point",
} | {
    "shown_axis",
    "ghost_action",
    "before_ghost",
    "held_settings",
}
ENDS = {"enabled": True, "body_a": None, "body_b": None, "anchor_b": None, "to_world": False} | {
    "catch_time": 0.0,
    "catch_within": 0.0,
    "catch_force": 0.0,
}
"""Settings that all but bodies have, with their defaults."""
GROUND = (
    *("use_ground", "ground_height", "ground_friction", "ground_static_friction", "ground_stribeck_speed"),
    "ground_restitution",
)
LARGE = 1_000_000  # points of a mesh of which only the number is looked at
KEY_POINTS = ("co", "handle_left", "handle_right")
SIMPLE = {"BOOLEAN", "INT", "FLOAT", "STRING", "ENUM"}
DERIVED = {"is_active", "show_expanded", "error_location", "error_rotation", "is_valid", "execution_time", "influence"}
"""Properties of constraints and modifiers that Blender changes by itself, or that a bake covers."""


def fingerprint(scene: bpy.types.Scene) -> Iterator[None]:
    """Take the fingerprint; pauses after each object, and returns it."""
    found: Fingerprint = {"scene": of_scene(scene), "objects": {}, "baked": []}
    data: dict[int, str] = {}
    for ob in concerned(scene):
        found["objects"][ob.name_full] = _of_object(ob, data)
        if is_baked(ob):
            found["baked"].append(ob.name_full)
        yield
    return found


def is_fingerprint(value: object) -> bool:
    """True for what `fingerprint` returns, as it comes from a file."""
    if not isinstance(value, dict) or value.keys() != {"scene", "objects", "baked"}:
        return False
    labels, objects = value["scene"], value["objects"]
    return (
        isinstance(labels, dict)
        and isinstance(objects, dict)
        and isinstance(value["baked"], list)
        and all(isinstance(digest, str) for digest in labels.values())
        and all(isinstance(name, str) for name in value["baked"])
        and all(isinstance(digests, list) and len(digests) == len(ASPECTS) for digests in objects.values())
    )


def changes(before: Fingerprint, now: Fingerprint) -> list[str]:
    """Sentences on what differs, settings of the scene first."""
    texts = [label for label, digest in now["scene"].items() if before["scene"].get(label, NONE) != digest]
    had, has = before["objects"], now["objects"]
    ignored = COLLIDE if "Contact" in texts or now["scene"]["Contact"] == _digest(False) else -1
    for name, digests in has.items():
        if name not in had:
            texts.append(f"{name} is new")
            continue
        pairs = enumerate(zip(ASPECTS, had[name], digests, strict=True))
        texts += [aspect.format(name) for i, (aspect, old, new) in pairs if old != new and i != ignored]
    texts += [f"{name} is gone" for name in had if name not in has]
    texts += [f"{name}: its keys" for name in before["baked"] if name in has and name not in set(now["baked"])]
    return texts


def of_scene(scene: bpy.types.Scene) -> dict[str, str]:
    """A digest for each setting of the scene, by its label."""
    settings, render = scene.ves, scene.render
    is_keyed = bool(_keys_of(scene, ["ves.use_contact"]))
    ground = []
    if settings.use_contact or is_keyed:
        keyed = _keys_of(scene, [f"ves.{name}" for name in GROUND])
        ground = [getattr(settings, name) for name in GROUND if f"ves.{name}" not in {key[0] for key in keyed}] + keyed
        ground += [settings.ground_softness] if settings.contact_kind == "SOFT" else []
    is_controlled = settings.use_program_in_bake and settings.control_program is not None
    actions = [(a.enabled, a.frame, _name(a.target), a.settings, a.drag) for a in settings.recorded_actions]
    values = {
        "Frames": (*frame_range(scene), "loop") if settings.use_cycle else frame_range(scene),
        "Frame Rate": (render.fps, render.fps_base),
        "Gravity": _gravity(scene),
        "Contact": _keys_of(scene, ["ves.use_contact"]) if is_keyed else settings.use_contact,
        "Ground": ground,
        "Accuracy": settings.accuracy,
        "Steps": sorted(solver_options(scene).items()),
        "Samples per Frame": settings.samples_per_frame,
        "Keys Between Frames": settings.keys_between,
        "Recorded Actions": actions if settings.use_recorded_actions else [],
        "Program": settings.control_program.as_string() if is_controlled else "",
    }
    return {label: _digest(value) for label, value in values.items()}


def _gravity(scene: bpy.types.Scene) -> tuple:
    """Of what is animated the keys."""
    keyed = _keys_of(scene, ["gravity", "use_gravity"])
    animated = {key[0] for key in keyed}
    fixed = [getattr(scene, name) for name in ("use_gravity", "gravity") if name not in animated]
    return (*(_plain(value) for value in fixed), *keyed)


def _keys_of(scene: bpy.types.Scene, paths: list[str]) -> list:
    """Keys and drivers of properties of the scene."""
    animation = scene.animation_data
    curves = [] if animation is None else [*animation.drivers]
    if animation is not None and animation.action is not None:
        curves += _curves_of(animation.action, animation.action_slot)
    return _keys([curve for curve in curves if curve.data_path in paths])


def concerned(scene: bpy.types.Scene) -> Iterator[bpy.types.Object]:
    """All that takes part, and whatever that goes by; each once."""
    pointers = _object_pointers()
    waiting = [ob for ob in scene.objects if ob.ves.role != "NONE"]
    found = set(waiting)
    while waiting:
        ob = waiting.pop()
        yield ob
        near = [ob.parent, *(getattr(constraint, "target", None) for constraint in ob.constraints)]
        if ob.ves.role != "NONE":
            near += [getattr(ob.ves, name) for name in pointers]
        if ob.ves.contact_shape == "COMPOUND":
            near += ob.children
        for other in near:
            if isinstance(other, bpy.types.Object) and other not in found:
                found.add(other)
                waiting.append(other)


@functools.cache
def _object_pointers() -> list[str]:
    properties = bpy.types.Object.bl_rna.properties["ves"].fixed_type.properties
    return [each.identifier for each in properties if each.type == "POINTER" and each.fixed_type.identifier == "Object"]


def _of_object(ob: bpy.types.Object, data: dict[int, str]) -> list[str]:
    """A digest for each aspect. `data` keeps those of meshes that several objects share."""
    curves = list(_own_curves(ob))
    animated = {curve.data_path for curve in curves}
    role = ob.ves.role
    is_off = ob.hide_viewport and "hide_viewport" not in animated
    return [
        _digest(_place(ob, animated)),
        _digest((role, is_off, _values(ob.ves, settings_of_role(role), animated), *_twist(ob.ves))),
        _digest(_values(ob.ves, _defaults(ContactProperties), animated) if role == "BODY" else ""),
        _digest((_shape(ob, data), [_described(modifier) for modifier in ob.modifiers])),
        _digest((_keys(curves), _others_that_move(ob), _described_keys_of_data(ob))),
    ]


def _twist(settings: bpy.types.PropertyGroup) -> list[str]:
    """The twist of the curve along which a bead turns its body."""
    turns = settings.role == "BEAD" and settings.curve_align == "UP" and settings.path_curve is not None
    return [settings.path_curve.data.twist_mode] if turns else []


def _place(ob: bpy.types.Object, animated: set[str]) -> tuple:
    """Whatever places it and is not animated; of a baked one that was moved by hand, that it was."""
    covered = covered_by_bake(ob)
    transform = covered["transform"]
    if Owner(ob).bone is not None:  # that is the bone's, of which the armature tells
        transform = {name: getattr(ob, name) for name in transform}
    own = {name: [float(number) for number in numbers] for name, numbers in transform.items()}
    for name in ("scale", "delta_location", "delta_rotation_euler", "delta_rotation_quaternion", "delta_scale"):
        own[name] = [float(number) for number in getattr(ob, name)]
    fixed = {name: value for name, value in own.items() if name not in animated}
    inverse = [float(number) for row in ob.matrix_parent_inverse for number in row] if ob.parent else ()
    parent = (_name(ob.parent), ob.parent_type, ob.parent_bone, inverse)
    influences = sorted((str(name), float(value)) for name, value in covered["influence"].items())
    pose = _pose(ob, covered["bones"], animated)
    return sorted(fixed.items()), covered["rotation_mode"], influences, parent, is_moved(ob), pose


def _pose(ob: bpy.types.Object, covered: dict, animated: set[str]) -> list:
    """Whatever poses the bones of an armature with bodies and is not animated; of those that are baked, before it."""
    found = []
    for bone in ob.pose.bones if covered else ():
        rest = covered.get(bone.name, {})
        values = rest.get("transform") or {name: getattr(bone, name) for name in TRANSFORMS}
        influence = rest.get("influence") or {each.name: each.influence for each in bone.constraints}
        path = f'pose.bones["{bpy.utils.escape_identifier(bone.name)}"].'
        own = [(name, [float(x) for x in values[name]]) for name in TRANSFORMS if path + name not in animated]
        length = [float(x) for row in bone.bone.matrix_local for x in row], float(bone.bone.length)
        found.append((bone.name, bone.rotation_mode, own, sorted(influence.items()), length))
    return found


def settings_of_role(role: str) -> dict[str, object]:
    """The settings that count for a role, each with its default."""
    if role == "BODY":
        return _defaults(BodyProperties)
    of_joints = JointProperties, GenericProperties, RideProperties, TableProperties
    of_forces = ForceProperties, BalanceProperties, ReachProperties, SteeringProperties, TableProperties
    kinds = {"NONE": (), "JOINT": of_joints, "FORCE": of_forces}
    mixins = kinds.get(role, OF_CONSTRAINTS)
    return {name: default for mixin in mixins for name, default in _defaults(mixin).items()} | (ENDS if mixins else {})


@functools.cache
def _defaults(mixin: type) -> dict[str, object]:
    known = bpy.types.Object.bl_rna.properties["ves"].fixed_type.properties
    return {name: _default(known[name]) for name in mixin.__annotations__ if name not in BOOKKEEPING}


def _default(prop: bpy.types.Property) -> object:
    if prop.type in {"POINTER", "COLLECTION"}:
        return [] if prop.type == "COLLECTION" else None
    return list(prop.default_array) if getattr(prop, "is_array", False) else prop.default


def _values(group: bpy.types.PropertyGroup, defaults: dict[str, object], animated: set[str]) -> list:
    """(name, value) of what is set, and not to its default."""
    names = [name for name in defaults if group.is_property_set(name) and f"ves.{name}" not in animated]
    values = [(name, _plain(getattr(group, name))) for name in names]
    return [(name, value) for name, value in values if value != defaults[name]]


def _plain(value: object) -> object:
    """A value of a property as something with a repr of its own: IDs by their names, collections row by row."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, bpy.types.ID):
        return value.name_full
    if isinstance(value, set):
        return sorted(value)
    if isinstance(value, bpy.types.bpy_prop_collection):
        return [_described(row) for row in value]
    return [_plain(number) for number in value]


def _described(struct: bpy.types.bpy_struct) -> list:
    """The settings of a modifier, a constraint or a row."""
    known = [each for each in struct.bl_rna.properties if each.identifier not in DERIVED]
    simple = [(each.identifier, _plain(getattr(struct, each.identifier))) for each in known if each.type in SIMPLE]
    pointers = [getattr(struct, each.identifier) for each in known if each.type == "POINTER"]
    return simple + [_name(pointed) for pointed in pointers if isinstance(pointed, bpy.types.ID)]


def _name(pointed: bpy.types.ID | None) -> str:
    return "" if pointed is None else pointed.name_full


def _shape(ob: bpy.types.Object, data: dict[int, str]) -> str:
    """The points of its mesh or curve."""
    if ob.data is None:
        return ""
    key = ob.data.session_uid
    if key not in data:
        if isinstance(ob.data, bpy.types.Mesh):
            data[key] = _digest_of_mesh(ob.data)
        elif isinstance(ob.data, bpy.types.Curve):  # SurfaceCurve too
            data[key] = _digest([_spline(spline) for spline in ob.data.splines])
        else:
            data[key] = ob.data.name_full
    return data[key]


def _digest_of_mesh(mesh: bpy.types.Mesh) -> str:
    count = len(mesh.vertices)
    points = np.empty(3 * count if count <= LARGE else 0, dtype=np.float32)
    if len(points):
        mesh.vertices.foreach_get("co", points)
    return hashlib.blake2b(points.tobytes() + repr((count, len(mesh.polygons))).encode(), digest_size=4).hexdigest()


def _spline(spline: bpy.types.Spline) -> tuple:
    is_bezier = spline.type == "BEZIER"
    points, size = (spline.bezier_points, 3) if is_bezier else (spline.points, 4)
    found = []
    for name in KEY_POINTS if is_bezier else ("co",):
        numbers = np.empty(size * len(points), dtype=np.float32)
        points.foreach_get(name, numbers)
        found.append(numbers.tobytes())
    tilts = np.empty(len(points), dtype=np.float32)
    points.foreach_get("tilt", tilts)
    if tilts.any():
        found.append(tilts.tobytes())
    ways = spline.use_cyclic_u, spline.use_cyclic_v, spline.order_u, spline.order_v, spline.use_endpoint_u
    return spline.type, ways, spline.use_endpoint_v, found


def _own_curves(ob: bpy.types.Object) -> Iterator[bpy.types.FCurve]:
    """The curves of the object's own action, baked or not, but for plots, and its drivers."""
    action, identifier = original_action(ob)
    if action is not None:
        slot = next((slot for slot in action.slots if slot.identifier == identifier), None)
        yield from (curve for curve in _curves_of(action, slot) if not curve.data_path.startswith(f'["{PLOT}'))
    if ob.animation_data is not None:
        yield from ob.animation_data.drivers


def _curves_of(action: bpy.types.Action, slot: bpy.types.ActionSlot | None) -> Iterator[bpy.types.FCurve]:
    strips = [strip for layer in action.layers for strip in layer.strips] if slot is not None else []
    for strip in strips:
        bag = strip.channelbag(slot)
        yield from bag.fcurves if bag is not None else ()


def _keys(curves: Iterable[bpy.types.FCurve]) -> list:
    """Keys, modifiers and drivers of curves."""
    found = []
    for curve in curves:
        numbers = np.empty(6 * len(curve.keyframe_points), dtype=np.float32)
        for i, name in enumerate(KEY_POINTS):
            curve.keyframe_points.foreach_get(name, numbers[i * len(numbers) // 3 : (i + 1) * len(numbers) // 3])
        more = [_described(modifier) for modifier in curve.modifiers]
        if curve.driver is not None:
            targets = [
                (variable.name, _name(target.id), target.data_path)
                for variable in curve.driver.variables
                for target in variable.targets
            ]
            more.append((curve.driver.type, curve.driver.expression, targets))
        found.append((curve.data_path, curve.array_index, curve.mute, curve.extrapolation, numbers.tobytes(), more))
    return found


def _others_that_move(ob: bpy.types.Object) -> tuple:
    """Blender's constraints, and the strips of the NLA."""
    tracks = ob.animation_data.nla_tracks if ob.animation_data is not None else ()
    strips = [
        (track.mute, _name(strip.action), strip.frame_start, strip.frame_end)
        for track in tracks
        for strip in track.strips
    ]
    return [_described(constraint) for constraint in ob.constraints], strips


def _described_keys_of_data(ob: bpy.types.Object) -> list:
    """Keys of the object's data, such as a curve's Evaluation Time."""
    animation = getattr(ob.data, "animation_data", None)
    if animation is None:
        return []
    own = _curves_of(animation.action, animation.action_slot) if animation.action is not None else ()
    return _keys([*own, *animation.drivers])


def _digest(value: object) -> str:
    return hashlib.blake2b(repr(value).encode(), digest_size=4).hexdigest()


NONE = _digest("")  # of what an older version did not know
