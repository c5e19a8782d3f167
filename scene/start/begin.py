# SPDX-License-Identifier: GPL-3.0-or-later
"""A moment becomes the start: bodies stand there, with its velocities, and everything that belongs to them goes along.

What is counted from the start keeps its meaning. Joints know their angles there (`Angle as Placed`), springs get the
length at which they were relaxed, rods and ropes are as long as before anyway. Recorded actions that are over by then
happen at the start, as one. Bodies that were baked keep showing their bake; what they stand at is what it covers.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import bpy
import numpy as np

from ...solver.assembly.rebase import frame_at
from ...solver.mechanism import Joint, Spring
from ...solver.mechanism.joint_types import JointType
from ..animation.kept import is_baked, keep_transform, originals_shown
from ..bake.earlier_frames import note_going_on
from ..findings import Finding, refuse_all
from ..geometry import poses
from ..owner import Owner, is_dynamic
from ..parts.constraint_frames import frame_between
from ..pose.keys import PoseKeys, forget_unkeyed
from ..preview.transforms import displacement, put_bodies, put_parts, stand_at
from ..properties.joint import coordinate_values, set_coordinate_values
from ..properties.roles import shows_frame
from ..properties.scene import frame_range
from ..read.forces import STANDARD_GRAVITY
from ..read.placed import coordinates_in_panels, placed_at
from ..read.reading import BodyBinding, Reading
from ..read.recorded_actions import begin_actions_at
from ..read.sampling import evaluate_at, frame_kept, show_frame
from ..read.scene import read_mechanism
from ..read.solved import Solved
from ..snap.followers import carrier_of, other_carrier_of
from .moment import Moment

SMALL_TURN = 1e-3  # rad
ROUNDING = 1e-7  # of the speed of a fall through a body's size
SMALLEST = 1e-6  # m


@dataclass
class BeginResult:
    """A new start: the frame, how many bodies, whether they move there, and the new frame range.

    `seconds`: how long they have settled, if they have.
    """

    frame: int
    bodies: int
    moves: bool
    frames: tuple[int, int]
    warnings: list[Finding] = field(default_factory=list)
    seconds: float | None = None

    @property
    def summary(self) -> str:
        """One line for the status bar and the panel."""
        bodies, s = (f"{self.bodies} bodies", "") if self.bodies != 1 else ("1 body", "s")
        if self.seconds is not None:
            return f"{bodies} stand{s} as after {self.seconds:.1f} s of settling, at rest"
        if not self.moves:
            return f"{bodies} stand{s} as at frame {self.frame}, at rest"
        first, last = self.frames
        return f"{bodies} start{s} as at frame {self.frame}: Bake and Play go on from there, frames {first} to {last}"


def begin_at(
    scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, moment: Moment, is_pose: bool = False
) -> BeginResult:
    """Make a moment the start of what is baked and played from now on. Raises SceneError; then nothing has changed.

    `is_pose`: only the pose counts, everything is at rest, and the frame range stays where it is, unless something that
    is keyed has moved meanwhile.
    """
    before = _Before(scene, view_layer, moment.first)
    moves_by_keys = any(
        owner.ves.motion == "KEYED"
        and not is_dynamic(owner)
        and not np.allclose(before.motion(owner, moment), np.eye(4), atol=1e-6)
        for owner in moment.poses
    )
    frame = moment.frame if moves_by_keys or not is_pose else moment.first
    if is_pose:
        moment = moment.at_rest()
    followers, springs = _followers(before, moment), _relaxed_lengths(before)
    warnings = _put(scene, view_layer, before, moment, frame, followers)
    warnings += _turned_balls(before, moment)
    for owner, (linear, angular) in moment.velocities.items():
        _give_velocities(owner, linear, angular)
    for owner, coordinates in moment.coordinates.items():
        _place_joint(owner, coordinates, moment.speeds[owner])
    for owner, length in springs.items():
        owner.ves.use_rest_length, owner.ves.rest_length = True, length
    motions = {owner.name_full: before.motion(owner, moment) for owner in moment.poses}
    begin_actions_at(scene, moment.frame, frame, motions)
    _set_range(scene, moment.first, frame)
    if moment.is_shown:
        note_going_on(scene, frame)
    forget_unkeyed(scene)
    show_frame(scene, frame)
    view_layer.update()
    return BeginResult(moment.frame, len(moment.velocities), not is_pose, frame_range(scene), warnings)


class _Before:
    """The start as it was: what has been read of it, and where everything stood."""

    def __init__(self, scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, first: int) -> None:
        with frame_kept(scene), originals_shown(scene.objects):
            depsgraph = evaluate_at(scene, view_layer, first)
            self.reading: Reading = read_mechanism(scene, depsgraph)
            marks = {owner.ves.anchor_b for owner in self.reading.poses} - {None}
            self.marks = {mark: Owner(mark).world(depsgraph) for mark in marks}
        self.joints: dict[str, Joint] = {joint.name: joint for joint in self.reading.mechanism.joints}

    def motion(self, owner: bpy.types.Object | None, moment: Moment) -> np.ndarray:
        """The rigid motion (4, 4) of a body, or of the world, from the start to the moment."""
        if owner is None or owner not in moment.poses or owner not in self.reading.poses:
            return np.eye(4)
        pose = self.reading.poses[owner]
        return displacement((pose.position, pose.orientation), moment.poses[owner])


def _followers(before: _Before, moment: Moment) -> dict[bpy.types.Object, np.ndarray]:
    """World matrices (4, 4) that Empties and marks are to have."""
    wanted: dict[bpy.types.Object, np.ndarray] = {}
    for owner, pose in before.reading.poses.items():
        if owner.ves.role == "BODY":
            continue
        motion = before.motion(carrier_of(owner), moment)
        if owner in moment.coordinates and owner.name_full in before.joints:
            place, turn = _joint_frame(before, moment, owner)
            wanted[owner] = poses.join(place, turn, pose.residual)
        else:
            matrix = poses.join(pose.position, pose.orientation, pose.residual)
            wanted[owner] = motion @ matrix
            if shows_frame(owner.ves):
                other = before.motion(other_carrier_of(owner), moment)
                wanted[owner] = frame_between(owner.ves, motion @ matrix, other @ matrix)
        mark = owner.ves.anchor_b
        if mark in before.marks and mark.ves.role == "NONE":
            wanted[mark] = before.motion(other_carrier_of(owner), moment) @ before.marks[mark]
    return wanted


def _joint_frame(before: _Before, moment: Moment, owner: bpy.types.Object) -> tuple[np.ndarray, np.ndarray]:
    """Position (3,) and orientation (4,) of a joint's Empty, so that its axes are what they are at the moment."""
    joint, settings = before.joints[owner.name_full], owner.ves
    own, placed = moment.coordinates[owner][None], placed_at(owner)
    moved = _since_placed(joint.joint_type, placed, own)[0]
    parent = before.motion(settings.body_a if settings.body_b is not None else None, moment)
    child = before.motion(settings.body_b or settings.body_a, moment)
    axes = poses.rotations(np.array(joint.orientation))
    side = parent[:3, :3] @ np.array(joint.position) + parent[:3, 3], poses.quaternions(parent[:3, :3] @ axes)
    return frame_at(joint, side, poses.quaternions(child[:3, :3] @ axes), tuple(moved))


def _since_placed(joint_type: JointType, placed: tuple[float, ...], coordinates: np.ndarray) -> np.ndarray:
    """Coordinates (F, D) as the mechanism has them, which counts from where the bodies are placed."""
    return coordinates_in_panels(joint_type, tuple(-value for value in placed), coordinates)


def _relaxed_lengths(before: _Before) -> dict[bpy.types.Object, float]:
    """m: of springs and rubbers that are relaxed as they were drawn."""
    forces = {force.name: force for force in before.reading.mechanism.forces if isinstance(force, Spring)}
    found = {}
    for owner in before.reading.poses:
        force = forces.get(owner.name_full)
        if force is not None and force.pull is None and not owner.ves.use_rest_length:
            found[owner] = float(force.rest_length)
    return found


def _put(
    scene: bpy.types.Scene,
    view_layer: bpy.types.ViewLayer,
    before: _Before,
    moment: Moment,
    frame: int,
    followers: dict[bpy.types.Object, np.ndarray],
) -> list[Finding]:
    """Move the bodies and what belongs to them, under their bakes; returns what could not be moved."""
    bindings = [
        dataclasses.replace(binding) for binding in before.reading.bodies if binding.object in moment.velocities
    ]
    names = [binding.body.name for binding in bindings]
    position, orientation = (np.array([moment.poses[binding.object][i] for binding in bindings])[None] for i in (0, 1))
    solved = Solved(names, position, orientation)
    warnings = []
    baked = [binding.owner for binding in bindings if is_baked(binding.owner.holder)]
    with frame_kept(scene), originals_shown(scene.objects):
        depsgraph = evaluate_at(scene, view_layer, frame)
        _refuse_driven(bindings)
        for binding in bindings:
            stand_at(binding, depsgraph)
        warnings += list(_mute_constraints(bindings))
        put_bodies(bindings, solved)
        keyed = {binding.object: binding.owner.transform for binding in bindings if binding.owner.is_animated}
        if keyed:
            PoseKeys().key(keyed, frame)
        warnings += put_parts(followers, view_layer)
        transforms = {owner: owner.transform for owner in baked}
    if moment.is_shown:  # the same, and of the same rotations those that the next bake's curves go on from
        show_frame(scene, frame)
        transforms = {owner: owner.transform for owner in baked}
    for owner, transform in transforms.items():
        keep_transform(owner, transform)
    return warnings


def _refuse_driven(bindings: list[BodyBinding]) -> None:
    held = [
        Finding(
            binding.object, "has its transform from an NLA strip, which would win over the new start: mute its track"
        )
        for binding in bindings
        if binding.owner.holder.animation_data is not None
        and any(not track.mute and track.strips for track in binding.owner.holder.animation_data.nla_tracks)
    ]
    refuse_all(held)


def _mute_constraints(bindings: list[BodyBinding]) -> Iterator[Finding]:
    for binding in bindings:
        working = [
            constraint for constraint in binding.owner.constraints if not constraint.mute and constraint.influence
        ]
        for constraint in working:
            constraint.mute = True
        if working:
            names = ", ".join(constraint.name for constraint in working)
            yield Finding(binding.object, f"its constraints ({names}) are muted: they would win over the new start")


def _give_velocities(owner: bpy.types.Object, linear: np.ndarray, angular: np.ndarray) -> None:
    """Give no velocity to what stands but for rounding."""
    settings = owner.ves
    settings.velocity_source = "GIVEN"
    size = max(Owner(owner).size, SMALLEST)
    rounding = ROUNDING * math.sqrt(STANDARD_GRAVITY * size)
    is_moving = np.linalg.norm(linear) + size * np.linalg.norm(angular) > rounding
    settings.linear_velocity = linear.tolist() if is_moving else (0.0, 0.0, 0.0)
    settings.angular_velocity = angular.tolist() if is_moving else (0.0, 0.0, 0.0)


def _place_joint(owner: bpy.types.Object, coordinates: np.ndarray, speeds: np.ndarray) -> None:
    """Its bodies stand where its coordinates are these; where it said how fast it starts, it says so again."""
    settings = owner.ves
    set_coordinate_values(settings, "placed", coordinates.tolist())
    set_coordinate_values(settings, "coordinates", [0.0] * len(coordinate_values(settings, "coordinates")))
    if settings.use_speeds:
        set_coordinate_values(settings, "speeds", speeds.tolist())


def _turned_balls(before: _Before, moment: Moment) -> Iterator[Finding]:
    """Ball joints of whose spring, servo or limits less is kept than of all others: turns do not add up."""
    for owner, coordinates in moment.coordinates.items():
        joint = before.joints.get(owner.name_full)
        turns = () if joint is None else joint.chart_coordinates
        if not len(turns) or np.abs(coordinates[list(turns)]).max() < SMALL_TURN:
            continue
        has_servo = any(motor is not None and motor.mode == "position" for motor in joint.motors)
        if joint.stiffness is not None or joint.limits or has_servo:
            text = (
                "a ball joint's spring, servo and limits count from where it stands now: they are what they were only "
            )
            yield Finding(owner, text + "as far as it turns about one axis")


def _set_range(scene: bpy.types.Scene, first: int, frame: int) -> None:
    """The range begins at the frame, and ends where it did, or is as long as it was if that is over."""
    settings, (begun, last) = scene.ves, frame_range(scene)
    if frame == first == begun:
        return
    last = last if last > frame else frame + max(1, last - begun)
    settings.frame_source, settings.frame_start, settings.frame_end = "CUSTOM", frame, last
