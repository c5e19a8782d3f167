# SPDX-License-Identifier: GPL-3.0-or-later
"""Things that run, but are perhaps not meant: what a person who knows the program would point out."""

from collections.abc import Iterator, Sequence

import bpy

from .animation import has_moving_transform, is_animated, moves_by_itself
from .findings import Finding
from .joint_properties import COORDINATE_KINDS

IDLE_WITHOUT = {"FORCE": ("motor_value",), "POSITION": ("motor_stiffness", "motor_damping")}


def notes_on_body(body: bpy.types.Object) -> Iterator[Finding]:
    """A dynamic body with an animation of its own, a keyed one without."""
    settings = body.ves
    if settings.motion == "DYNAMIC" and not settings.is_baked and settings.velocity_source == "GIVEN":
        constraints = [constraint.name for constraint in body.constraints if not constraint.mute]
        if has_moving_transform(body) or constraints:
            what = f"constraints ({', '.join(constraints)})" if constraints else "keyframes"
            yield Finding(
                body,
                f"has {what} but is dynamic: Bake puts them aside and Clear Bake brings them back. "
                "To move as it is animated, it must be Keyed",
            )
    if settings.motion == "KEYED" and not moves_by_itself(body):
        yield Finding(body, "is keyed, but nothing moves it: animate it, or make it Fixed")


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
    elif settings.role == "PATH":
        leader = settings.path_object
        if leader is not None and not moves_by_itself(leader):
            yield Finding(link, f"follows {leader.name}, but nothing moves that: animate it")
    elif settings.role == "FORCE":
        if settings.force_type == "MOTOR" and _are_zero(link, ("force", "torque"), range(3)):
            yield Finding(link, "has neither force nor torque and does nothing: give it one, or delete it")
        bodies = [body for body in (settings.body_a, settings.body_b) if body is not None]
        if bodies and not any(body.ves.motion == "DYNAMIC" for body in bodies):
            names = " and ".join(body.name for body in bodies)
            yield Finding(
                link, f"does nothing, because {names} can't be moved: make a body Dynamic, or delete the force"
            )


def _notes_on_joint(joint: bpy.types.Object) -> Iterator[Finding]:
    settings = joint.ves
    coordinates = range(len(COORDINATE_KINDS[settings.joint_type]))
    if settings.joint_type == "SCREW" and settings.pitch == 0.0:
        yield Finding(joint, "has a pitch of 0, so it only turns: give it a pitch, or make it a Hinge")
    idle_without = IDLE_WITHOUT.get(settings.motor_mode)
    if idle_without and coordinates and _are_zero(joint, idle_without, coordinates):
        what = "force" if settings.motor_mode == "FORCE" else "stiffness"
        yield Finding(joint, f"has a motor that does nothing: give it a {what}, or set the motor to None")


def _are_zero(link: bpy.types.Object, names: Sequence[str], indices: range) -> bool:
    """Whether none of the numbers is set or animated."""
    return not any(
        is_animated(link, f"ves.{name}") or any(getattr(link.ves, name)[i] for i in indices) for name in names
    )
