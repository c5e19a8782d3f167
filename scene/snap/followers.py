# SPDX-License-Identifier: GPL-3.0-or-later
"""Followers of bodies that Snap Together moves: Empties, their marks, and the joints' start values.

The Empty of a joint goes with the parent, or stays where the world holds the joint; those of constraints and forces go
with their body; a mark goes with the body on whose side it is. As children of their bodies most do so by themselves.
"""

import bpy
import numpy as np

from ...solver.assembly.rebase import counted_from
from ...solver.mechanism import Joint, JointMotor, Mechanism, Table
from ...solver.mechanism.joint_types import GENERIC
from ..animation.animated import shift_keys
from ..findings import Finding
from ..geometry import poses
from ..parts.bodies import fastened_to, is_body
from ..parts.constraint_frames import frame_between
from ..preview.transforms import displacement
from ..properties.joint import (
    coordinate_kinds,
    coordinate_values,
    motor_mode,
    set_coordinate_values,
    slot,
)
from ..properties.roles import COUPLINGS, shows_frame
from ..read.open_ties import NEAR
from ..read.placed import placed_at
from ..read.reading import BodyBinding
from ..read.solved import Solved


def places_of_followers(
    view_layer: bpy.types.ViewLayer,
    moved: list[BodyBinding],
    solved: Solved,
    mechanism: Mechanism,
    ties: list[bpy.types.Object],
) -> dict[bpy.types.Object, np.ndarray]:
    """World matrices (4, 4) that Empties and marks are to have once the bodies are moved; call it before that.

    `mechanism` is the assembled one: a joint that turns about axes of both bodies takes its frame from there.
    """
    view_layer.update()
    depsgraph = view_layer.depsgraph
    motions = {binding.object: _motion(binding, solved) for binding in moved}
    joints = {joint.name: joint for joint in mechanism.joints if _has_own_frame(joint)}
    wanted: dict[bpy.types.Object, np.ndarray] = {}
    fastened = fastened_to(list(motions), depsgraph.scene)
    for owner in dict.fromkeys([*ties, *fastened]):
        matrix = _world_matrix(owner, depsgraph)
        if matrix is None:
            continue
        motion = motions.get(carrier_of(owner), np.eye(4))
        joint = joints.get(owner.name_full)
        if joint is not None:
            residual = poses.split(matrix).residual
            wanted[owner] = poses.join(np.array(joint.position), np.array(joint.orientation), residual)
        elif shows_frame(owner.ves):
            other = motions.get(other_carrier_of(owner), np.eye(4))
            wanted[owner] = frame_between(owner.ves, motion @ matrix, other @ matrix)
        else:
            wanted[owner] = motion @ matrix
    for owner in dict.fromkeys([*ties, *fastened]):
        mark = owner.ves.anchor_b
        matrix = None if mark is None or is_body(mark) or mark in wanted else _world_matrix(mark, depsgraph)
        if matrix is not None:
            wanted[mark] = motions.get(other_carrier_of(owner), np.eye(4)) @ matrix
    return wanted


def _has_own_frame(joint: Joint) -> bool:
    """True if the frame that its Empty shows goes along with neither of its bodies."""
    return joint.joint_type.turns_on_both or (joint.type == GENERIC and bool(joint.joint_type.travels))


def settle_start(owner: bpy.types.Object, mechanism: Mechanism) -> list[Finding]:
    """Once bodies stand where a joint's start values have them, these are zero, and springs count from there."""
    settings = owner.ves
    if settings.role == "ROPE":
        return _settle_drums(owner, mechanism)
    if settings.role != "JOINT":
        return []
    if any(motor_mode(settings, c) == "KEYED" for c in range(len(coordinate_kinds(settings)))):
        return _settle_keyed(owner, mechanism)
    if not any(coordinate_values(settings, "coordinates")):
        return []
    joint, placed = next(joint for joint in mechanism.joints if joint.name == owner.name_full), placed_at(owner)
    set_coordinate_values(settings, "coordinates", [0.0] * len(coordinate_values(settings, "coordinates")))
    if settings.joint_type == "GENERIC":
        _settle_motors(settings, joint, placed)
    for name, values in (("rest", joint.rest), ("motor_target", _target(joint))):
        if values is not None and not any(isinstance(value, Table) for value in values):
            counted = counted_from(joint, tuple(-zero for zero in placed), values) if placed else values
            set_coordinate_values(settings, name, list(counted))
    return [Finding(owner, "its start values are part of the new pose, and zero from now on")]


def _settle_drums(owner: bpy.types.Object, mechanism: Mechanism) -> list[Finding]:
    """A rope's own length, with all of its keys, is less by what its drums have wound up on the way."""
    settings = owner.ves
    rope = next(each for each in mechanism.constraints if each.name == owner.name_full)
    if not (rope.drums and settings.use_distance) or isinstance(rope.length, Table):
        return []
    wound = settings.distance - rope.length
    if abs(wound) < NEAR * rope.length:
        return []
    settings.distance = rope.length
    shift_keys(owner, "ves.distance", 0, -wound)
    return [Finding(owner, f"its drums have turned: its own length is {rope.length:.4g} m from now on")]


def _settle_keyed(owner: bpy.types.Object, mechanism: Mechanism) -> list[Finding]:
    """The zero of a joint that is keyed exactly is where its bodies stand now: its keys count from there."""
    joint, settings = next(joint for joint in mechanism.joints if joint.name == owner.name_full), owner.ves
    target, before = joint.led or [], coordinate_values(settings, "motor_target")
    if any(isinstance(value, Table) for value in target):
        return []
    target = [was if now is None else now for now, was in zip(target, before, strict=True)]
    if all(abs(now - was) < 1e-9 for now, was in zip(target, before, strict=True)):
        return []
    set_coordinate_values(settings, "motor_target", target)
    for i, (now, was) in enumerate(zip(target, before, strict=True)):
        path, index = slot(settings, "motor_target", i)
        shift_keys(owner, f"ves.{path}", index, now - was)
    return [Finding(owner, "its keyed angle or travel, with all its keys, counts from the new pose from now on")]


def _settle_motors(settings: bpy.types.PropertyGroup, joint: Joint, placed: tuple[float, ...]) -> None:
    """Servos of single axes count from the new pose."""
    targets = coordinate_values(settings, "motor_target")
    for c, motor in enumerate(joint.motors):
        if motor is not None and motor.mode == "position" and not isinstance(motor.target, Table):
            targets[c] = motor.target + (placed[c] if placed else 0.0)
    set_coordinate_values(settings, "motor_target", targets)


def _target(joint: Joint) -> list | None:
    motor = joint.motor
    if not isinstance(motor, JointMotor) or motor.mode != "position":
        return None
    return list(motor.target) if isinstance(motor.target, list | tuple) else [motor.target]


def _motion(binding: BodyBinding, solved: Solved) -> np.ndarray:
    position, orientation = solved.of(binding.body.name)
    before = np.array(binding.body.position), np.array(binding.body.orientation)
    return displacement(before, (position[0], orientation[0]))


def _world_matrix(owner: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> np.ndarray | None:
    evaluated = owner.evaluated_get(depsgraph)
    return np.array(evaluated.matrix_world, dtype=np.float64) if evaluated.is_evaluated else None


def carrier_of(owner: bpy.types.Object) -> bpy.types.Object | None:
    """The body that an Empty goes along with; None if that is the world."""
    settings = owner.ves
    if settings.role in COUPLINGS:
        return None if settings.joint_a is None else carrier_of(settings.joint_a)
    if settings.role == "JOINT":
        return settings.body_a if settings.body_b is not None else None
    return settings.body_a or settings.body_b


def other_carrier_of(owner: bpy.types.Object) -> bpy.types.Object | None:
    """The body that the second side of a tie goes along with; None if that is the world."""
    settings = owner.ves
    return settings.body_b or (settings.body_a if settings.role == "JOINT" else None)
