# SPDX-License-Identifier: GPL-3.0-or-later
"""Empties become joints: hinges, sliders, balls, nails, and paths that a point of a body follows."""

import bpy
import numpy as np

from ..solver.mechanism import COORDINATES, Body, Joint, JointMotor, Keys, Table
from .animation import is_animated
from .curve_length import CurveError, CurveLength
from .joint_properties import coordinate_values
from .reading import Reading
from .sampling import Probe


def read_joint(reading: Reading, owner: bpy.types.Object) -> None:
    """Add an Empty of role JOINT to the mechanism, or say what is wrong with it."""
    ends = _joint_ends(reading, owner)
    if ends is None:
        return
    settings = owner.ves
    kind = settings.joint_type.lower()
    pose = reading.poses[owner]
    joint = Joint(
        name=owner.name_full,
        type=kind,
        parent=ends[0],
        child=ends[1],
        position=pose.position,
        orientation=pose.orientation,
        pitch=settings.pitch if kind == "screw" else None,
        speeds=coordinate_values(settings, "speeds") if settings.use_speeds and COORDINATES[kind] else None,
    )
    for name in ("coordinates", "rest"):
        setattr(joint, name, _given(coordinate_values(settings, name)))
    for name in ("stiffness", "damping", "armature"):
        setattr(joint, name, _given(list(getattr(settings, name))[: COORDINATES[kind]]))
    reading.mechanism.joints.append(joint)
    if settings.motor_mode != "NONE" and COORDINATES[kind]:
        _read_motor(reading, owner, joint)


def read_nail(reading: Reading, owner: bpy.types.Object) -> None:
    """A nail holds a point of a body in the world: a ball joint without a parent."""
    body = _held_body(reading, owner)
    if body:
        position = reading.poses[owner].position
        joint = Joint(name=owner.name_full, type="spherical", parent=None, child=body, position=position)
        reading.mechanism.joints.append(joint)


def read_path(reading: Reading, owner: bpy.types.Object) -> None:
    """A path leads a point of a body along a curve: a ball joint to a keyed helper body, which moves along it."""
    settings = owner.ves
    body = _held_body(reading, owner)
    if not body:
        return
    curve_object = settings.path_curve
    if curve_object is None:
        reading.error(owner, "has no curve to follow: choose one")
        return
    if settings.path_frame_end <= settings.path_frame_start and not is_animated(owner, "ves.path_time"):
        reading.error(owner, "arrives before it leaves: make its end frame later than its start frame")
        return
    try:
        curve = CurveLength.of_object(curve_object, reading.depsgraph)
    except CurveError as error:
        reading.error(owner, f"follows {curve_object.name}, which {error}")
        return
    _read_along_curve(reading, owner, body, curve)


def _read_along_curve(reading: Reading, owner: bpy.types.Object, body: str, curve: CurveLength) -> None:
    settings, frames = owner.ves, reading.sampled_frames
    start = reading.poses[owner].position
    helper = Body(name=_unused_name(reading, f"path {owner.name_full}"), motion="fixed", position=start)
    reading.mechanism.bodies.append(helper)
    reading.mechanism.joints.append(
        Joint(name=owner.name_full, type="spherical", parent=helper.name, child=body, position=start)
    )

    def sample(depsgraph: bpy.types.Depsgraph) -> np.ndarray:
        matrix = np.array(settings.path_curve.evaluated_get(depsgraph).matrix_world, dtype=np.float64)
        return np.append(matrix.ravel(), owner.evaluated_get(depsgraph).ves.path_time)

    def use(values: np.ndarray) -> None:
        factors = values[:, 16] if is_animated(owner, "ves.path_time") else _steady_factors(settings, frames)
        points = _transformed(values[:, :16].reshape(-1, 4, 4), curve.points(factors))
        offset = start - points[0]
        if not settings.path_keep_offset and np.linalg.norm(offset) > 1e-4 * max(curve.length, 1e-6):
            reading.error(
                owner,
                f"is {np.linalg.norm(offset):.3g} m away from where its curve begins: "
                "move it there, or turn on Keep Offset",
            )
            return
        points = points + offset
        if (points == points[0]).all():
            return
        helper.motion = "keyed"
        helper.keys = Keys(reading.times(frames).tolist(), points, np.tile([1.0, 0.0, 0.0, 0.0], (len(frames), 1)))

    reading.probes.append(Probe(frames, sample, use))


def _joint_ends(reading: Reading, owner: bpy.types.Object) -> tuple[str | None, str] | None:
    """Names of parent (None: the world) and child, or None after saying what is missing."""
    settings = owner.ves
    given = [body for body in (settings.body_a, settings.body_b) if body]
    if not given:
        reading.error(owner, "connects nothing: choose its bodies")
        return None
    if len(given) == 1 and not settings.to_world:
        reading.error(owner, f"has only one end, {given[0].name}: choose the other body, or turn on To World")
        return None
    if len(given) == 2 and given[0] == given[1]:
        reading.error(owner, f"connects {given[0].name} to itself: choose another body")
        return None
    names = [reading.end(owner, body) for body in given]
    if None in names:
        return None
    return (names[0], names[1]) if len(names) == 2 else (None, names[0])


def _held_body(reading: Reading, owner: bpy.types.Object) -> str | None:
    """Name of the dynamic body that a nail or path holds, or None after saying what is wrong."""
    held = owner.ves.body_a
    if held is None:
        reading.error(owner, "holds nothing: choose its body")
        return None
    name = reading.end(owner, held)
    if name and held.ves.motion != "DYNAMIC":
        reading.error(owner, f"holds {held.name}, which is {held.ves.motion.lower()}: only a dynamic body can be held")
        return None
    return name


def _read_motor(reading: Reading, owner: bpy.types.Object, joint: Joint) -> None:
    """Give the joint its motor; whatever is animated becomes a table."""
    count = COORDINATES[joint.type]

    def numbers(name: str):
        return lambda settings: list(getattr(settings, name))[:count]

    def put(name: str):
        return lambda values: setattr(joint.motor, name, tuple(values))

    if owner.ves.motor_mode == "FORCE":
        joint.motor = JointMotor(mode="force")
        reading.over_time(owner, numbers("motor_value"), put("value"))
        return
    joint.motor = JointMotor(mode="position")
    reading.over_time(owner, lambda settings: coordinate_values(settings, "motor_target"), put("target"))
    reading.over_time(owner, numbers("motor_stiffness"), put("stiffness"))
    reading.over_time(owner, numbers("motor_damping"), put("damping"))

    def put_maximum(values: list[float | Table]) -> None:
        joint.motor.max_force = None if values[0] == 0.0 else tuple(values) * count

    reading.over_time(owner, lambda settings: [settings.motor_max_force], put_maximum)


def _given(values: list[float]) -> list[float] | None:
    """None for values that are all zero, which is what leaving them out means."""
    return list(values) if any(values) else None


def _steady_factors(settings: bpy.types.PropertyGroup, frames: np.ndarray) -> np.ndarray:
    """From 0 to 1 at a steady speed between the two frames of the path, standing still before and after."""
    span = settings.path_frame_end - settings.path_frame_start
    return np.clip((frames - settings.path_frame_start) / span, 0.0, 1.0)


def _transformed(matrices: np.ndarray, points: np.ndarray) -> np.ndarray:
    return np.einsum("tij,tj->ti", matrices[:, :3, :3], points) + matrices[:, :3, 3]


def _unused_name(reading: Reading, name: str) -> str:
    taken = {body.name for body in reading.mechanism.bodies} | {read.body.name for read in reading.bodies}
    while name in taken:
        name += "'"
    return name
