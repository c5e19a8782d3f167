# SPDX-License-Identifier: GPL-3.0-or-later
"""A ragdoll of a rig: bodies for its bones, joints between them, and pairs that do not touch.

Nothing is added to the rig: bodies are its children, in a collection of their own.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from graphlib import CycleError, TopologicalSorter
from typing import NamedTuple, NoReturn

import bpy
import numpy as np
from mathutils import Matrix, Vector

from ..animation.rig_settings import Value, hold_settings
from ..findings import Finding, refuse, refuse_all
from ..geometry import poses
from ..owner import bone_shapes
from ..parts.bodies import make_body
from ..parts.empties import add_empty, set_up_joint
from ..parts.ignored_pairs import ignore, pairs_among
from ..parts.placement import outline
from ..properties.joint import set_limits
from .bone_shape import extent_of, kind_of, mesh_of
from .choice import Choice, choose, targets_of
from .controls import following, settings_at
from .ik_controls import Limb, limbs_of
from .keyed_bones import key_bones
from .movers import with_movers
from .ranges import Range, place_of, range_of
from .skin import Points, skin_of

MATERIAL = "FLESH"
DAMPED = 2.0  # 1/s: how fast the flesh about a joint takes its speed, times the child's inertia
AT_REST = 1e-4  # rad: less than that a joint is not turned as it is placed
ROOM = math.radians(1.0)  # beyond how a joint is posed, where its usual range ends before that


@dataclass
class Options:
    """Choices of the person. `smallest` is a part of the rig's size; `mass` (kg) is that of all bodies, 0 by volume.

    `wanted`: bones that have bodies, whatever they are. `stopped`: knees and elbows that stop before they are straight.
    """

    smallest: float = 0.075
    with_small: bool = False
    shape: str = "AUTOMATIC"
    mass: float = 0.0
    stiffness: float = 1.0
    with_limits: bool = True
    keyed_on: str = "STANDS"
    wanted: frozenset[str] = frozenset()
    stopped: frozenset[str] = frozenset()


@dataclass
class Ragdoll:
    """Bodies by the names of their bones, from the root outwards; the joints; bones that were left out, and why."""

    bodies: dict[str, bpy.types.Object] = field(default_factory=dict)
    joints: list[bpy.types.Object] = field(default_factory=list)
    left_out: dict[str, list[str]] = field(default_factory=dict)
    sources: list[str] = field(default_factory=list)
    mass: float = 0.0
    controls: int = 0


class RagdollPlan(NamedTuple):
    """A rig's ragdoll that is to be made; `held`: settings of the rig that must be held."""

    armature: bpy.types.Object
    choice: Choice
    skin: Points
    options: Options
    held: dict[str, Value]
    limbs: Sequence[Limb] = ()


def make_ragdolls(armatures: Sequence[bpy.types.Object], context: bpy.types.Context, options: Options) -> list[Ragdoll]:
    """Make them, as the rigs stand at this frame. Raises SceneError, and makes none, where one cannot be made."""
    for armature in armatures:
        if bone_shapes(armature):
            refuse(armature, "has bodies already: use Remove Ragdoll first")
        refuse_unfit(armature)
    plans = [_plan(armature, context, options) for armature in armatures]
    ragdolls = add_ragdolls(plans, context)
    for plan, made in zip(plans, ragdolls, strict=True):
        hold_settings(plan.armature, plan.held)
        made.controls = key_bones(plan.armature, made.bodies, options.keyed_on, context, limbs=plan.limbs)
    return ragdolls


def _plan(armature: bpy.types.Object, context: bpy.types.Context, options: Options) -> RagdollPlan:
    skin = skin_of(armature)
    choice, held = choose_bodies(armature, skin, options, context)
    limbs = limbs_of(armature, choice.names, held, context) if options.keyed_on != "NONE" else []
    on_ik = {limb.lower for limb in limbs if limb.is_keyed_on(options.keyed_on)}
    return RagdollPlan(armature, choice, skin, replace(options, stopped=frozenset(on_ik)), held, limbs)


def add_ragdolls(plans: Sequence[RagdollPlan], context: bpy.types.Context) -> list[Ragdoll]:
    """The bodies and joints of plans, with those of them that are there already.

    Of all rigs at once: whatever comes or goes lets Blender relate all objects of the scene anew.
    """
    made = [_add_bodies(plan, context) for plan in plans]
    context.view_layer.update()
    jointed = {ob.ves.body_b for ob in context.scene.objects if ob.ves.role == "JOINT"}
    for plan, ragdoll in zip(plans, made, strict=True):
        ragdoll.mass = _share_out(ragdoll, plan.armature, plan.options.mass)
        home = next(iter(ragdoll.bodies.values())).users_collection[0]
        for name in plan.choice.names:
            if plan.choice.above[name] is not None and ragdoll.bodies[name] not in jointed:
                ragdoll.joints.append(_joint(plan.armature, name, plan.choice, ragdoll, plan.options, home))
    depsgraph = context.evaluated_depsgraph_get()
    for ragdoll in made:
        _let_pass(list(ragdoll.bodies.values()), depsgraph)
    return made


def _add_bodies(plan: RagdollPlan, context: bpy.types.Context) -> Ragdoll:
    armature, made = plan.armature, Ragdoll(left_out=plan.choice.left_out)
    shapes = bone_shapes(armature)
    homes = [home for ob in shapes.values() for home in ob.users_collection]
    home = homes[0] if homes else _new_collection(f"{armature.name} Ragdoll", armature, context)
    for name in plan.choice.names:
        made.bodies[name] = shapes.get(name) or _body(armature, name, plan.choice, plan.skin, plan.options, home)
    return made


def refuse_unfit(armature: bpy.types.Object) -> None:
    """Raises SceneError for a rig that is scaled unevenly, or shows no motion."""
    errors = []
    scale = np.array(armature.matrix_world.to_scale())
    if not np.isfinite(scale).all() or scale.min() <= 0.0 or armature.matrix_world.is_negative:
        errors.append(Finding(armature, "has a scale that is zero or negative: apply it (Object > Apply > Scale)"))
    elif np.ptp(scale) > 1e-3 * scale.max():
        errors.append(Finding(armature, "is not scaled alike in all directions: apply it (Object > Apply > Scale)"))
    if armature.library and not armature.override_library:
        errors.append(Finding(armature, "is linked from another file and can't get keyframes: make a library override"))
    circle = _circle(armature)
    if circle:
        names = ", ".join(circle)
        text = f"its constraints and parents go in a circle ({names}), which Blender breaks anywhere: mute one"
        errors.append(Finding(armature, text))
    if armature.data.pose_position == "REST":
        errors.append(Finding(armature, "shows its rest position, and no motion would: choose Pose Position"))
    refuse_all(errors)


def _circle(armature: bpy.types.Object) -> list[str]:
    """Bones of which each hangs on the next, or is led by it, and the last one on the first; none mostly."""
    leading = {
        bone.name: {*targets_of(bone, armature), *([bone.parent.name] if bone.parent else ())}
        for bone in armature.pose.bones
    }
    try:
        TopologicalSorter(leading).prepare()
    except CycleError as error:
        return list(dict.fromkeys(error.args[1]))
    return []


def choose_bodies(
    armature: bpy.types.Object, skin: Points, options: Options, context: bpy.types.Context
) -> tuple[Choice, dict[str, Value]]:
    """The bones with bodies, and settings of the rig that must be held so that all with skin goes along with them."""
    choice, behind = _tried(armature, skin, options, context)
    if not behind:
        return choice, {}
    held = following(armature, choice.names, context)
    if held:
        with settings_at(armature, held, context):
            choice, behind = _tried(armature, skin, options, context)
    if behind:
        _refuse_left_behind(armature, behind)
    return choice, held


def _tried(
    armature: bpy.types.Object, skin: Points, options: Options, context: bpy.types.Context
) -> tuple[Choice, list[str]]:
    """The bones with bodies. What these would leave behind, because the rig has it hang on controls, gets one too.

    One between two others that the rig bends itself, such as the middle of a neck, has none. Also what is left behind.
    """
    wanted = set(options.wanted)
    bent: set[str] = set()
    while True:
        choice = choose(armature, skin, options.smallest, options.with_small, wanted, bent)
        if len(choice.names) < 2:
            refuse(armature, "has no two bones that could be bodies: make Smallest smaller, or look at its skin")
        moved, behind = with_movers(armature, choice, skin, bent, context)
        more = set(behind) - set(choice.names) - wanted - bent
        between = set(behind) & {above for above in choice.above.values() if above and choice.above[above]} - bent
        if not behind:
            return moved, []
        if more:
            wanted |= more
        elif between:
            bent |= between
        else:
            return choice, behind


def _refuse_left_behind(armature: bpy.types.Object, behind: list[str]) -> NoReturn:
    names = ", ".join(behind[:3]) + (", ..." if len(behind) > 3 else "")
    settings = [(key, bone.name) for bone in armature.pose.bones for key in tuple(bone.keys())]
    follow = [f"{key.replace('_', ' ').title()} of {name} at 1" for key, name in settings if key.endswith("_follow")]
    told = f" ({', '.join(follow)})" if follow else ""
    refuse(
        armature,
        f"moves {len(behind)} {'bone' if len(behind) == 1 else 'bones'} with skin by its controls ({names}), which a "
        f"ragdoll would leave behind: let them follow the body{told}, mute their constraints, or use the rig that was "
        "exported for games",
    )


def _new_collection(name: str, armature: bpy.types.Object, context: bpy.types.Context) -> bpy.types.Collection:
    collection = bpy.data.collections.new(name)
    context.scene.collection.children.link(collection)
    return collection


def _body(
    armature: bpy.types.Object,
    name: str,
    choice: Choice,
    skin: Points,
    options: Options,
    home: bpy.types.Collection,
) -> bpy.types.Object:
    """The shape of one bone, in the bone's frame."""
    bone = armature.data.bones[name]
    points = [skin[each] for each, owner in choice.home.items() if owner == name and each in skin]
    to_bone = np.linalg.inv(np.array(bone.matrix_local, dtype=np.float64))
    own = np.vstack(points) @ to_bone[:3, :3].T + to_bone[:3, 3] if points else None
    part = place_of(name, choice, armature)
    is_head = part == "neck" and name not in choice.above.values()
    extent = extent_of(own, bone.length, _size(armature, choice), "head" if is_head else part)
    kind = kind_of(extent, options.shape, own is not None)
    ob = bpy.data.objects.new(f"{armature.name} {name}", mesh_of(f"{armature.name} {name}", kind, extent, own))
    home.objects.link(ob)
    ob.parent, ob.parent_type, ob.parent_bone = armature, "BONE", name
    ob.matrix_parent_inverse = Matrix.Translation((0.0, -bone.length, 0.0))
    ob.hide_render, ob.display_type, ob.show_in_front = True, "WIRE", True
    ob.ves.moves_bone = True
    make_body(ob, material=MATERIAL)
    ob.ves.contact_shape = kind
    return ob


def _size(armature: bpy.types.Object, choice: Choice) -> float:
    bones = [armature.data.bones[name] for name in choice.names]
    return float(np.ptp([end for bone in bones for end in (bone.head_local, bone.tail_local)], axis=0).max())


def _share_out(made: Ragdoll, armature: bpy.types.Object, mass: float) -> float:
    """Give all bodies the density with which they weigh as much together (kg); returns the mass."""
    scale = float(np.prod(armature.matrix_world.to_scale()))
    volume = scale * sum(_volume(ob.data) for ob in made.bodies.values())
    for ob in made.bodies.values() if mass > 0.0 else ():
        ob.ves.density = mass / volume
    return mass or volume * next(iter(made.bodies.values())).ves.density


def mass_of(body: bpy.types.Object) -> float:
    """kg: of a shape on a bone."""
    return body.ves.density * _volume(body.data) * body.parent.matrix_world.median_scale**3


def _volume(mesh: bpy.types.Mesh) -> float:
    mesh.calc_loop_triangles()
    points, corners = np.empty(3 * len(mesh.vertices), np.float32), np.empty(3 * len(mesh.loop_triangles), np.int32)
    mesh.vertices.foreach_get("co", points)
    mesh.loop_triangles.foreach_get("vertices", corners)
    a, b, c = points.reshape(-1, 3)[corners.reshape(-1, 3).T].astype(np.float64)
    return abs(float(np.einsum("ij,ij->", a, np.cross(b, c)))) / 6.0


def _joint(
    armature: bpy.types.Object,
    name: str,
    choice: Choice,
    made: Ragdoll,
    options: Options,
    home: bpy.types.Collection,
) -> bpy.types.Object:
    """The joint at the head of a bone; its angles count from the pose at rest."""
    above = choice.above[name]
    found, child = range_of(name, choice, armature, name in options.stopped), made.bodies[name]
    made.sources.append(found.source)
    axes = Matrix(found.axes.tolist()).to_4x4()
    length = armature.data.bones[name].length * armature.matrix_world.median_scale
    matrix = _rigid(child.matrix_world) @ axes
    empty = add_empty(f"{child.name} Joint", "JOINT", matrix, (made.bodies[above], child), 0.25 * length, home)
    inertia = mass_of(child) * length**2
    set_up_joint(empty, found.kind, inertia / length**2, length)
    empty.ves.damping = (options.stiffness * DAMPED * inertia,) * 3
    placed = _placed(armature, name, above, found)
    if np.abs(placed).max() > AT_REST:
        empty.ves.placed = placed.tolist() if found.kind == "SPHERICAL" else (float(placed[2]), 0.0, 0.0)
    if options.with_limits:
        now = placed if found.kind == "SPHERICAL" else placed[2:]
        set_limits(empty.ves, list(_widened(found, now)))
    return empty


def _placed(armature: bpy.types.Object, name: str, above: str, found: Range) -> np.ndarray:
    """The rotation vector (3,) by which a bone is turned from how it is at rest, in the joint's axes."""
    bones, pose = armature.data.bones, armature.pose.bones
    at_rest = bones[above].matrix_local.inverted() @ bones[name].matrix_local
    now = pose[above].matrix.inverted_safe() @ pose[name].matrix
    turn = poses.rotation_part(np.array(at_rest.to_3x3(), float)).T @ poses.rotation_part(np.array(now.to_3x3(), float))
    return found.axes.T @ poses.rotation_vector(turn[None])[0]


def _widened(found: Range, now: np.ndarray) -> Iterator[tuple[float, float] | None]:
    for pair, angle in zip(found.limits, now, strict=True):
        yield None if pair is None else (min(pair[0], angle - ROOM), max(pair[1], angle + ROOM))


def _rigid(matrix: Matrix) -> Matrix:
    place, turn, _ = matrix.decompose()
    return Matrix.LocRotScale(place, turn, None)


def _let_pass(bodies: list[bpy.types.Object], depsgraph: bpy.types.Depsgraph) -> None:
    """Bodies that stand in each other do not touch, nor those with but one between them."""
    shapes = {ob: outline(ob, depsgraph) for ob in bodies}
    corners = [np.array([ob.matrix_world @ Vector(corner) for corner in ob.bound_box]) for ob in bodies]
    low, high = (np.array([getattr(each, end)(axis=0) for each in corners]) for end in ("min", "max"))
    number = {ob: i for i, ob in enumerate(bodies)}
    for one, other in pairs_among(bodies):
        i, j = number[one], number[other]
        if (low[i] > high[j]).any() or (low[j] > high[i]).any():
            continue
        if shapes[one].tree.overlap(shapes[other].tree) or _is_in(shapes[one], shapes[other]):
            ignore(one, other)


def _is_in(one, other) -> bool:
    """True if the middle of one is inside the other, both closed and nearly convex, or the reverse."""
    for inner, outer in ((one, other), (other, one)):
        point, normal, _, _ = outer.tree.find_nearest(inner.middle)
        if point is not None and normal.dot(point) > normal.dot(inner.middle):
            return True
    return False
