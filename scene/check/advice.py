# SPDX-License-Identifier: GPL-3.0-or-later
"""Things that run, but are perhaps not meant: what a person who knows the program would point out."""

from collections.abc import Iterator, Sequence

import bpy

from ..animation.animated import animated_paths, has_moving_transform, is_animated, moves_by_itself, own_curves
from ..findings import Finding
from ..owner import is_dynamic
from ..properties.force_types import FORCES
from ..properties.joint import TRAVEL, coordinate_kinds, free_axes, has_motor_maximum, motor_mode, slot

EVEN = 1e-4  # of a length: scales that differ by less are the same
LOOSE, FIRM = 0.05, 0.9
"""Weights of Follow: below the first a body falls away, above the second nothing gives way to its animation."""
DEFORMING = {"ARMATURE", "BUILD", "CLOTH", "MESH_CACHE", "MESH_SEQUENCE_CACHE", "OCEAN", "SOFT_BODY", "WAVE"}
"""Modifiers that change a mesh from frame to frame though no number of theirs is animated."""
IDLE_WITHOUT = {
    "FORCE": ("force", ("motor_value",)),
    "SPEED": ("maximum", ("motor_max_force",)),
    "POSITION": ("stiffness", ("motor_stiffness", "motor_damping")),
}
"""Of each mode of a joint's motor: what it needs, in words, and the settings that must not all be zero."""


def notes_on_body(body: bpy.types.Object) -> Iterator[Finding]:
    """A dynamic body with an animation of its own, a keyed one without."""
    settings = body.ves
    is_free = is_dynamic(body) and not settings.follows and not is_animated(body, "ves.motion")
    if is_free and not settings.is_baked and settings.velocity_source == "GIVEN":
        constraints = [constraint.name for constraint in body.constraints if not constraint.mute]
        if has_moving_transform(body) or constraints:
            what = f"constraints ({', '.join(constraints)})" if constraints else "keyframes"
            yield Finding(
                body,
                f"has {what} but is dynamic: Bake puts them aside and Clear Bake brings them back. "
                "To move as it is animated, it must be Keyed",
            )
    yield from notes_on_weight(body)
    if is_dynamic(body) and body.parent is not None and not _keeps_shapes(body):
        yield Finding(
            body,
            f"hangs on {body.parent.name}, which is scaled unevenly: it will be distorted as it turns. Apply the "
            "parent's scale (Ctrl A), or clear the parent (keep transform)",
        )
    if settings.motion == "KEYED" and not is_dynamic(body) and not moves_by_itself(body):
        yield Finding(body, "is keyed, but nothing moves it: animate it, or make it Fixed")


def notes_on_deforming(scene: bpy.types.Scene, bodies: Sequence[bpy.types.Object]) -> Iterator[Finding]:
    """Bodies whose meshes change over time, where these count: for their mass, or for what touches them."""
    for body in bodies:
        settings = body.ves
        counts = settings.motion == "DYNAMIC" or (scene.ves.use_contact and settings.collide)
        causes = sorted(set(_deformed_by(body))) if counts else []
        if causes:
            yield Finding(
                body,
                f"its mesh changes over time ({', '.join(causes)}), but a body is rigid: its mass and shape stay as "
                "at the first frame",
                is_fact=True,
            )


def _deformed_by(body: bpy.types.Object) -> Iterator[str]:
    """Names of modifiers, and shape keys, that change a mesh from frame to frame."""
    keys = getattr(body.data, "shape_keys", None)
    if keys is not None and any(path.endswith("value") for path in animated_paths(keys)):
        yield "Shape Keys"
    animated = [path for path in animated_paths(body) if path.startswith("modifiers[")]
    for modifier in body.modifiers:
        path = f'modifiers["{bpy.utils.escape_identifier(modifier.name)}"]'
        if modifier.show_viewport and (modifier.type in DEFORMING or any(each.startswith(path) for each in animated)):
            yield modifier.name


def notes_on_weight(body: bpy.types.Object) -> Iterator[Finding]:
    """A body that follows, whose weight is keyed from almost nothing up to where it tears."""
    settings = body.ves
    if settings.role != "BODY" or settings.motion != "DYNAMIC" or not settings.follows:
        return
    for curve in own_curves(body):
        if curve.data_path != "ves.follow_weight" or curve.mute:
            continue
        lowest = (2.0, 0.0)  # weight, frame
        for key in curve.keyframe_points:
            lowest = min(lowest, (key.co.y, key.co.x))
            if lowest[0] < LOOSE and key.co.y > FIRM:
                yield Finding(
                    body,
                    f"its Weight is keyed from {lowest[0]:.2g} at frame {lowest[1]:g} to {key.co.y:.2g} at frame "
                    f"{key.co.x:g}: if it has fallen away meanwhile, it is torn back. Leave the Weight as it is, and "
                    "use Let Go Here and Take Back Here: it comes back in the frames of Blend Back",
                )
                break


def _keeps_shapes(body: bpy.types.Object) -> bool:
    """True if what its parent does turns and scales a body, the same in all directions."""
    columns = (body.parent.matrix_world @ body.matrix_parent_inverse).to_3x3().transposed()
    lengths = [column.length for column in columns]
    skew = max(abs(columns[i].dot(columns[j])) for i, j in ((0, 1), (0, 2), (1, 2)))
    return max(lengths) - min(lengths) <= EVEN * max(lengths) and skew <= EVEN * max(lengths) ** 2


def notes_on_shared_bakes(bodies: Sequence[bpy.types.Object]) -> Iterator[Finding]:
    """Baked bodies whose baked action is also another's, as after duplicating them."""
    owners = {}
    for body in bodies:
        animation = body.animation_data
        if body.ves.is_baked and animation is not None and animation.action is not None:
            first = owners.setdefault((animation.action, animation.action_slot_handle), body)
            if first != body:
                yield Finding(body, f"plays the baked motion of {first.name}: bake to give it a motion of its own")


def notes_on_link(link: bpy.types.Object) -> Iterator[Finding]:
    """Forces and motors that do nothing, paths that lead nowhere."""
    settings = link.ves
    if settings.role == "JOINT":
        yield from _notes_on_joint(link)
    elif settings.role in {"PATH", "GENERIC"}:
        leader = settings.path_object
        if leader is not None and not moves_by_itself(leader):
            yield Finding(link, f"follows {leader.name}, but nothing moves that: animate it")
    elif settings.role == "FORCE":
        row = FORCES.get(settings.force_type)
        what, names = row.lacking if row else ("", ())
        if names and _are_zero(link, names):
            yield Finding(link, f"{what} and does nothing: give it one, or delete it")
        bodies = [body for body in (settings.body_a, settings.body_b) if body is not None]
        if bodies and not any(is_dynamic(body) for body in bodies):
            names = " and ".join(body.name for body in bodies)
            yield Finding(
                link, f"does nothing, because {names} can't be moved: make a body Dynamic, or delete the force"
            )


def _notes_on_joint(joint: bpy.types.Object) -> Iterator[Finding]:
    settings = joint.ves
    count = len(coordinate_kinds(settings))
    if settings.joint_type == "SCREW" and settings.pitch == 0.0:
        yield Finding(joint, "has a pitch of 0, so it only turns: give it a pitch, or make it a Hinge")
    yield from _notes_on_scale(joint)
    if settings.joint_type == "GENERIC":
        for c in range(count):
            what, names = IDLE_WITHOUT.get(motor_mode(settings, c), ("", ()))
            is_unlimited = motor_mode(settings, c) == "SPEED" and not has_motor_maximum(settings, c)
            places = [slot(settings, name, c) for name in names]
            if names and not is_unlimited and all(_is_zero(joint, *place) for place in places):
                axis = free_axes(settings)[c]
                yield Finding(joint, f"has a motor along {axis} that does nothing: give it a {what}, or set it to None")
        return
    what, names = IDLE_WITHOUT.get(settings.motor_mode, ("", ()))
    is_unlimited = settings.motor_mode == "SPEED" and not settings.use_motor_max_force
    if names and count and not is_unlimited and _are_zero(joint, names, count):
        yield Finding(joint, f"has a motor that does nothing: give it a {what}, or set the motor to None")


def _notes_on_scale(joint: bpy.types.Object) -> Iterator[Finding]:
    """Travels in metres, of a linkage that was made larger or smaller as a whole."""
    settings, scale = joint.ves, abs(joint.matrix_world.determinant()) ** (1.0 / 3.0)
    if TRAVEL not in coordinate_kinds(settings) or abs(scale - 1.0) < EVEN or not scale:
        return
    travels = [c for c, kind in enumerate(coordinate_kinds(settings)) if kind == TRAVEL]
    switches = [slot(settings, name, c) for name in ("use_lower_limit", "use_upper_limit") for c in travels]
    is_limited = any(getattr(settings, name)[index] for name, index in switches)
    if is_limited or (settings.is_drive and is_animated(joint, "ves.drive_travel")):
        yield Finding(
            joint,
            f"is scaled by {scale:.3g}, but its limits and keyed travels stay as many metres as they were typed: "
            "type them anew",
        )


def _are_zero(link: bpy.types.Object, names: Sequence[str], count: int = 3) -> bool:
    """True if none of the numbers, the first `count` of vectors, is set or animated."""
    return not any(is_animated(link, f"ves.{name}") or any(_numbers(link, name)[:count]) for name in names)


def _is_zero(link: bpy.types.Object, name: str, index: int) -> bool:
    return not is_animated(link, f"ves.{name}") and not getattr(link.ves, name)[index]


def _numbers(link: bpy.types.Object, name: str) -> list[float]:
    value = getattr(link.ves, name)
    return list(value) if hasattr(value, "__len__") else [value]
