# SPDX-License-Identifier: GPL-3.0-or-later
"""From the frames of the linkages, in the kernels' axes, back to the mechanism's bodies and joints in file order."""

from dataclasses import dataclass

import numpy as np

from .closing_joints import FrameMotion, closing_joint_motion
from .integration.observation import Frames
from .mechanism import COORDINATES, Mechanism
from .mechanism.compilation import Compiled, body_pose, rotation_matrices
from .mechanism.keyed_motion import sample
from .mechanism.model import Scratch
from .recording import Evaluation, Recording


def assemble_recording(
    mechanism: Mechanism, linkages: list[Compiled], frames: list[Frames], times: np.ndarray
) -> Recording:
    """All linkages' frames as one recording."""
    count, bodies = len(times), len(mechanism.bodies)
    position, orientation = np.zeros((count, bodies, 3)), np.zeros((count, bodies, 4))
    linear, angular = np.zeros((count, bodies, 3)), np.zeros((count, bodies, 3))
    for i, body in enumerate(mechanism.bodies):
        if body.motion == "fixed":
            position[:, i], orientation[:, i] = body_pose(body)
        elif body.motion == "keyed":
            position[:, i], orientation[:, i], linear[:, i], angular[:, i] = sample(body.keys, times)
    for compiled, part in zip(linkages, frames, strict=True):
        whole = slice(compiled.linkage.whole)
        rows = compiled.linkage.bodies[whole]
        own, arm = _own_frames(compiled, part.orientation)
        position[:, rows] = (part.center - arm)[:, whole]
        orientation[:, rows] = own[:, whole]
        angular[:, rows] = part.angular[:, whole]
        linear[:, rows] = (part.linear - np.cross(part.angular, arm))[:, whole]
    _make_continuous(orientation)
    offsets = _joint_offsets(mechanism)
    coordinates = _joint_numbers(mechanism, linkages, [part.coordinates for part in frames], offsets, count)
    speeds = _joint_numbers(mechanism, linkages, [part.speeds for part in frames], offsets, count)
    motion = _Motion(mechanism, position, orientation, linear, angular, np.zeros_like(linear), np.zeros_like(linear))
    for j, (q, speed, _) in motion.of_closing_joints(linkages):
        coordinates[:, offsets[j] : offsets[j + 1]], speeds[:, offsets[j] : offsets[j + 1]] = q, speed
    return Recording(
        times=times,
        body_names=_names(mechanism.bodies),
        position=position,
        orientation=orientation,
        linear_velocity=linear,
        angular_velocity=angular,
        joint_names=_names(mechanism.joints),
        joint_force=_joint_forces(mechanism, linkages, frames, count),
        joint_coordinates=coordinates,
        joint_speeds=speeds,
        joint_offsets=offsets,
        kinetic_energy=np.sum([part.kinetic for part in frames], axis=0) if frames else np.zeros(count),
        potential_energy=np.sum([part.potential for part in frames], axis=0) if frames else np.zeros(count),
        constraint_names=_names(mechanism.constraints),
        constraint_force=_constraint_forces(mechanism, linkages, frames, count),
        constraint_error=np.max([np.zeros(count), *(_worst_error(part) for part in frames)], axis=0),
    )


def assemble_evaluation(
    mechanism: Mechanism, linkages: list[Compiled], frames: list[Frames], scratches: list[Scratch]
) -> Evaluation:
    """Accelerations and forces from the scratch space of an evaluation."""
    bodies = len(mechanism.bodies)
    linear, angular = np.zeros((bodies, 3)), np.zeros((bodies, 3))
    for i, body in enumerate(mechanism.bodies):
        if body.motion == "keyed":
            linear[i], angular[i] = _keyed_acceleration(body.keys)
    for compiled, part, scratch in zip(linkages, frames, scratches, strict=True):
        rows = compiled.linkage.bodies[: compiled.linkage.whole]
        dynamic = slice(compiled.model.driven, compiled.model.driven + len(rows))
        arm = _own_frames(compiled, part.orientation)[1][0, : len(rows)]
        turn, w = scratch.bodies.acceleration[dynamic, :3], scratch.bodies.angular[dynamic]
        angular[rows] = turn
        linear[rows] = scratch.bodies.acceleration[dynamic, 3:] - np.cross(turn, arm) - np.cross(w, np.cross(w, arm))
    offsets = _joint_offsets(mechanism)
    accelerations = [scratch.accelerations[None] for scratch in scratches]
    joint_acceleration = _joint_numbers(mechanism, linkages, accelerations, offsets, 1)[0]
    start = assemble_recording(mechanism, linkages, frames, np.zeros(1))
    parts = start.position, start.orientation, start.linear_velocity, start.angular_velocity
    for j, (_, _, second) in _Motion(mechanism, *parts, linear[None], angular[None]).of_closing_joints(linkages):
        joint_acceleration[offsets[j] : offsets[j + 1]] = second[0]
    return Evaluation(
        body_names=_names(mechanism.bodies),
        linear_acceleration=linear,
        angular_acceleration=angular,
        joint_names=_names(mechanism.joints),
        joint_acceleration=joint_acceleration,
        joint_offsets=offsets,
        joint_force=_joint_forces(mechanism, linkages, frames, 1)[0],
        constraint_names=_names(mechanism.constraints),
        constraint_force=_constraint_forces(mechanism, linkages, frames, 1)[0],
    )


def _worst_error(part: Frames) -> np.ndarray:
    """(F,): the largest opening of a closure at each frame."""
    return part.closure_error.max(axis=1, initial=0.0)


@dataclass
class _Motion:
    """The bodies' motion in file order, as a recording has it, and accelerations of origins and turns, (F, B, .)."""

    mechanism: Mechanism
    position: np.ndarray
    orientation: np.ndarray
    linear: np.ndarray
    angular: np.ndarray
    speeding: np.ndarray
    turning: np.ndarray

    def of_closing_joints(self, linkages: list[Compiled]):
        """Yields (joint's place in the file, (coordinates, speeds, accelerations)) of joints that close loops."""
        number = {body.name: i for i, body in enumerate(self.mechanism.bodies)}
        for j in (j for compiled in linkages for j in compiled.linkage.closing):
            joint = self.mechanism.joints[j]
            frames = [self._frame(joint, None if n is None else number[n]) for n in (joint.parent, joint.child)]
            yield j, closing_joint_motion(joint, *frames)

    def _frame(self, joint, body: int | None) -> FrameMotion:
        """The joint's frame on one of its bodies."""
        count = len(self.position)
        axes, origin = rotation_matrices(np.array(joint.orientation))[0], np.array(joint.position)
        zero = np.zeros((count, 3))
        if body is None:
            return FrameMotion(np.tile(axes, (count, 1, 1)), np.tile(origin, (count, 1)), zero, zero, zero, zero)
        x, q = body_pose(self.mechanism.bodies[body])
        R = rotation_matrices(np.array(q))[0]
        moving = rotation_matrices(self.orientation[:, body])
        arm, w, turning = moving @ (R.T @ (origin - x)), self.angular[:, body], self.turning[:, body]
        return FrameMotion(
            axes=moving @ (R.T @ axes),
            origin=self.position[:, body] + arm,
            angular=w,
            linear=self.linear[:, body] + np.cross(w, arm),
            turning=turning,
            speeding=self.speeding[:, body] + np.cross(turning, arm) + np.cross(w, np.cross(w, arm)),
        )


def _constraint_forces(mechanism: Mechanism, linkages: list[Compiled], frames: list[Frames], count: int) -> np.ndarray:
    """(F, C, 6): what each constraint exerts on its (first) body, force and moment about the body's point."""
    result = np.zeros((count, len(mechanism.constraints), 6))
    for compiled, part in zip(linkages, frames, strict=True):
        for number, source in enumerate(compiled.sources):
            if source.kind == "constraint":
                result[:, source.index, :3] = part.closure_wrench[:, number, 3:]
                result[:, source.index, 3:] = part.closure_wrench[:, number, :3]
    return result


def _names(items: list) -> np.ndarray:
    return np.array([item.name for item in items], dtype=np.str_)


def _joint_offsets(mechanism: Mechanism) -> np.ndarray:
    return np.cumsum([0] + [COORDINATES[joint.type] for joint in mechanism.joints])


def _own_frames(compiled: Compiled, orientation: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(orientation of the body frames (F, n, 4), centre of mass from their origins along world axes (F, n, 3))."""
    own = _multiply(orientation, _quaternions(compiled.own_rotation)[None])
    rotation = rotation_matrices(own.reshape(-1, 4)).reshape(*own.shape[:2], 3, 3)
    return own, np.einsum("fbij,bj->fbi", rotation, compiled.center_of_mass)


def _quaternions(matrices: np.ndarray) -> np.ndarray:
    """(n, 4) of rotation matrices (n, 3, 3), through the symmetric matrix whose top eigenvector each one is."""
    R = np.asarray(matrices)
    xx, xy, xz, yx, yy, yz, zx, zy, zz = R.reshape(-1, 9).T
    K = np.array(
        [
            [xx + yy + zz, zy - yz, xz - zx, yx - xy],
            [zy - yz, xx - yy - zz, xy + yx, xz + zx],
            [xz - zx, xy + yx, yy - xx - zz, yz + zy],
            [yx - xy, xz + zx, yz + zy, zz - xx - yy],
        ]
    )
    return np.linalg.eigh(np.moveaxis(K, 2, 0))[1][:, :, -1]


def _multiply(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Quaternion products over leading dimensions."""
    pw, pv, qw, qv = p[..., :1], p[..., 1:], q[..., :1], q[..., 1:]
    real = pw * qw - np.sum(pv * qv, axis=-1, keepdims=True)
    return np.concatenate([real, pw * qv + qw * pv + np.cross(pv, qv)], axis=-1)


def _make_continuous(orientation: np.ndarray) -> None:
    """Flips signs so that quaternions do not jump from frame to frame; the first has a positive real part."""
    first = np.where(orientation[:1, :, :1] < 0, -1.0, 1.0)
    flips = np.where(np.sum(orientation[1:] * orientation[:-1], axis=-1, keepdims=True) < 0, -1.0, 1.0)
    orientation *= np.cumprod(np.concatenate([first, flips]), axis=0)


def _joint_forces(mechanism: Mechanism, linkages: list[Compiled], frames: list[Frames], count: int) -> np.ndarray:
    """(F, J, 6): from wrenches of inner on outer body about its centre of mass to the parent's on the child."""
    result = np.zeros((count, len(mechanism.joints), 6))
    for compiled, part in zip(linkages, frames, strict=True):
        rows = [k for k, joint in enumerate(compiled.linkage.joint) if joint is not None]
        joints = [compiled.linkage.joint[k] for k in rows]
        sign = np.where(np.array(compiled.linkage.reversed)[rows], -1.0, 1.0)[None, :, None]
        force = part.wrench[:, rows, 3:]
        moment = part.wrench[:, rows, :3] + np.cross(part.center[:, rows] - part.joint_origin[:, rows], force)
        result[:, joints, :3], result[:, joints, 3:] = sign * force, sign * moment
        for number, source in enumerate(compiled.sources):
            if source.kind == "joint":
                result[:, source.index, :3] = part.closure_wrench[:, number, 3:]
                result[:, source.index, 3:] = part.closure_wrench[:, number, :3]
    return result


def _joint_numbers(mechanism, linkages: list[Compiled], numbers: list[np.ndarray], offsets, count: int) -> np.ndarray:
    """(F, D): one number per axis, from the linkages' order to that of the joints."""
    result = np.zeros((count, offsets[-1]))
    for compiled, part in zip(linkages, numbers, strict=True):
        model = compiled.model
        for k, joint in enumerate(compiled.linkage.joint):
            if joint is not None:
                i = model.driven + k
                result[:, offsets[joint] : offsets[joint + 1]] = part[
                    :, model.bodies[i].axis_start : model.bodies[i].axis_end
                ]
    return result


def _keyed_acceleration(keys) -> tuple[np.ndarray, np.ndarray]:
    """(linear, angular) of a keyed body at the start, by differences of its velocities."""
    step = 1e-5
    _, _, linear, angular = sample(keys, np.array([0.0, step, 2 * step]))
    weights = np.array([-1.5, 2.0, -0.5]) / step
    return weights @ linear, weights @ angular
