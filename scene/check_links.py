# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be wrong with joints, nails, paths and forces."""

from collections.abc import Callable, Iterator, Sequence

import bpy

from .animation import is_animated
from .bodies import is_body
from .joint_properties import COORDINATE_KINDS
from .problem import Problem, error, warning

NOUNS = {"JOINT": "joint", "NAIL": "nail", "PATH": "path", "FORCE": "force"}


def problems(link: bpy.types.Object, context: bpy.types.Context) -> Iterator[Problem]:
    """All that is wrong with one joint, nail, path or force; nothing while it is switched off."""
    if not link.ves.enabled:
        return
    if link.name not in context.view_layer.objects:
        yield warning(
            link, f"{link.name} is in a collection that is excluded from the view layer: include it, or delete it"
        )
    ends = list(_end_problems(link, context))
    yield from ends
    if not ends:
        yield from _idle_problems(link)
        yield from DETAILS[link.ves.role](link)


def _end_problems(link: bpy.types.Object, context: bpy.types.Context) -> Iterator[Problem]:
    settings, noun = link.ves, NOUNS[link.ves.role]
    remedy = f"choose another in the sidebar or delete the {noun}"
    for body in {settings.body_a, settings.body_b} - {None}:
        if body.name not in context.scene.objects or context.scene.objects[body.name] != body:
            yield error(link, f"{link.name} is fastened to {body.name}, which is not in this scene: {remedy}")
        elif not is_body(body):
            yield error(link, f"{link.name} is fastened to {body.name}, which is no body: use Add Body on it, {remedy}")
    if not _has_two_ends(link):
        if settings.body_a is None:
            yield error(link, f"{link.name} has no body: choose one in the sidebar or delete the {noun}")
        return
    if settings.body_a is not None and settings.body_a == settings.body_b:
        yield error(link, f"{link.name} has {settings.body_a.name} at both ends: choose two different bodies")
    missing = [label for label, body in _ends(link) if body is None]
    if len(missing) == 2:
        yield error(link, f"{link.name} is fastened to nothing: choose its bodies in the sidebar or delete the {noun}")
    elif missing == ["child"]:
        yield error(link, f"{link.name} has no child, perhaps it was deleted: choose one or delete the joint")
    elif missing and not settings.to_world:
        yield error(
            link,
            f"{link.name} has no {missing[0]}, perhaps it was deleted: choose one, turn on To World, "
            f"or delete the {noun}",
        )


def _has_two_ends(link: bpy.types.Object) -> bool:
    return link.ves.role == "JOINT" or (link.ves.role == "FORCE" and link.ves.force_type == "SPRING")


def _ends(link: bpy.types.Object) -> list[tuple[str, bpy.types.Object | None]]:
    names = ("parent", "child") if link.ves.role == "JOINT" else ("first body", "second body")
    return list(zip(names, (link.ves.body_a, link.ves.body_b), strict=True))


def _idle_problems(link: bpy.types.Object) -> Iterator[Problem]:
    """Everything that it is fastened to moves as told, or not at all."""
    bodies = [body for body in (link.ves.body_a, link.ves.body_b if _has_two_ends(link) else None) if body is not None]
    if bodies and not any(body.ves.motion == "DYNAMIC" for body in bodies):
        listed = " and ".join(body.name for body in bodies)
        yield warning(
            link, f"{link.name} does nothing, because {listed} can't be moved: make a body Dynamic or delete the Empty"
        )


def _joint_problems(joint: bpy.types.Object) -> Iterator[Problem]:
    settings = joint.ves
    coordinates = range(len(COORDINATE_KINDS[settings.joint_type]))
    if settings.joint_type == "SCREW" and settings.pitch == 0.0:
        yield warning(joint, f"{joint.name} has a pitch of 0, so it only turns: give it a pitch or make it a Hinge")
    if settings.motor_mode == "NONE" or not coordinates:
        return
    names = {"FORCE": ["motor_value"], "POSITION": ["motor_stiffness", "motor_damping"]}[settings.motor_mode]
    idle = all(getattr(settings, name)[i] == 0.0 for name in names for i in coordinates)
    if idle and not any(is_animated(joint, f"ves.{name}") for name in names):
        what = "force" if settings.motor_mode == "FORCE" else "stiffness"
        yield warning(joint, f"The motor of {joint.name} does nothing: give it a {what}, or set it to None")


def _path_problems(path: bpy.types.Object) -> Iterator[Problem]:
    settings = path.ves
    curve = settings.path_curve
    if curve is None:
        yield error(path, f"{path.name} has no curve, perhaps it was deleted: choose one or delete the path")
    elif curve.type != "CURVE" or not any(spline.bezier_points or spline.points for spline in curve.data.splines):
        yield error(path, f"{path.name} follows {curve.name}, which has no points: draw the curve or choose another")
    if settings.path_frame_end <= settings.path_frame_start and not is_animated(path, "ves.path_time"):
        yield error(path, f"{path.name} ends before it starts: choose a later end frame, or animate Path Time")


def _force_problems(force: bpy.types.Object) -> Iterator[Problem]:
    settings = force.ves
    if settings.force_type == "MOTOR" and not any(is_animated(force, f"ves.{name}") for name in ("force", "torque")):
        if not any(settings.force) and not any(settings.torque):
            yield warning(force, f"{force.name} has neither force nor torque: give it one or delete it")
    elif settings.force_type == "SPRING":
        end = settings.body_b.matrix_world @ settings.point_b if settings.body_b else settings.point_b
        if (end - force.matrix_world.translation).length < 1e-9:
            yield error(
                force, f"The two ends of {force.name} coincide: move the Empty away from the spring's second end"
            )


def _no_problems(_link: bpy.types.Object) -> Iterator[Problem]:
    return iter(())


DETAILS: dict[str, Callable[[bpy.types.Object], Iterator[Problem]]] = {
    "JOINT": _joint_problems,
    "NAIL": _no_problems,
    "PATH": _path_problems,
    "FORCE": _force_problems,
}


def loops(links: Sequence[bpy.types.Object]) -> Iterator[Problem]:
    """Joints, nails and paths that close a loop, which this version can't simulate.

    All bodies that do not move freely count as one ground: a chain held at both ends is a loop, too. (Union-find.)
    """
    leaders = {}

    def leader(body: bpy.types.Object | None) -> bpy.types.Object | None:
        if body is None or body.ves.motion != "DYNAMIC":
            return None
        while body in leaders:
            body = leaders[body]
        return body

    for link in links:
        if link.ves.role == "FORCE" or not link.ves.enabled or _is_loose(link):
            continue
        second = link.ves.body_b if link.ves.role == "JOINT" else None
        ends = leader(link.ves.body_a), leader(second)
        if ends[0] != ends[1]:
            merged, kept = ends if ends[0] is not None else reversed(ends)
            leaders[merged] = kept
        elif link.ves.body_a != second and any(map(_is_free, (link.ves.body_a, second))):
            yield error(
                link,
                f"{link.name} closes a loop, and this version can only simulate open chains and trees: "
                "delete one joint, nail or path of the loop, or switch it off",
            )


def _is_loose(link: bpy.types.Object) -> bool:
    """Whether an end is missing, which is another problem."""
    if link.ves.role == "JOINT":
        return link.ves.body_b is None or (link.ves.body_a is None and not link.ves.to_world)
    return link.ves.body_a is None


def _is_free(body: bpy.types.Object | None) -> bool:
    return is_body(body) and body.ves.motion == "DYNAMIC"
