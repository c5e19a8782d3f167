# SPDX-License-Identifier: GPL-3.0-or-later
"""From the frames of the linkages, in the kernels' axes, back to the mechanism's bodies and joints in file order."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..contact.impulses.workspace import IMPACT
from ..integration.motion.between import ANGULAR, LINEAR, SAMPLE
from ..integration.motion.observation import Frames
from ..mechanism import Balance, Mechanism
from ..mechanism.keyed_motion import sample
from ..model.arrays import Scratch
from ..model.linkage.compilation import Compiled
from ..model.loop_joint_coordinates import FrameMotion, closing_joint_motion
from ..model.poses import body_pose, product, quaternions, rotation_matrices, turned
from ..surfaces.touch import in_first_charts
from .contact_totals import Tally
from .recording import Between, Evaluation, Recording

_AT_ONCE = 20_000  # samples of bodies that are worked out together


@dataclass(frozen=True)
class Stretch:
    """One linkage from frame number `first` on, as long as its frames last."""

    compiled: Compiled
    frames: Frames
    first: int = 0
    left: Tally = ()  # what contacts gave after the last of them, for the next frame
    impacts: np.recarray = field(default_factory=lambda: np.recarray(0, IMPACT))

    @property
    def rows(self) -> slice:
        """The frames of the recording."""
        return slice(self.first, self.first + len(self.frames.kinetic))


@dataclass(frozen=True)
class Still:
    """A body (its place in the list) that was taken out at a time (s), and stays where it was then."""

    body: int
    time: float
    position: np.ndarray  # (3,)
    orientation: np.ndarray  # (4,)


def assemble_recording(
    mechanism: Mechanism, stretches: list[Stretch], times: np.ndarray, still: Sequence[Still] = ()
) -> Recording:
    """All linkages' frames as one recording; a body that is put in on the way stands where it is put in before."""
    count, bodies = len(times), len(mechanism.bodies)
    position, orientation = np.zeros((count, bodies, 3)), np.zeros((count, bodies, 4))
    linear, angular = np.zeros((count, bodies, 3)), np.zeros((count, bodies, 3))
    for i, body in enumerate(mechanism.bodies):
        if body.motion == "keyed":
            position[:, i], orientation[:, i], linear[:, i], angular[:, i] = sample(body.keys, times)
        else:
            position[:, i], orientation[:, i] = body_pose(body)
    for each in still:
        gone = times >= each.time
        position[gone, each.body], orientation[gone, each.body] = each.position, each.orientation
        linear[gone, each.body] = angular[gone, each.body] = 0.0
    for stretch in stretches:
        compiled, part, when = stretch.compiled, stretch.frames, stretch.rows
        whole = slice(compiled.linkage.whole)
        rows = compiled.linkage.bodies[whole]
        own, arm = _own_frames(compiled, part.orientation)
        position[when, rows] = (part.center - arm)[:, whole]
        orientation[when, rows] = own[:, whole]
        angular[when, rows] = part.angular[:, whole]
        linear[when, rows] = (part.linear - cross(part.angular, arm))[:, whole]
    _make_continuous(orientation)
    offsets = _joint_offsets(mechanism)
    coordinates = _joint_numbers(stretches, [each.frames.coordinates for each in stretches], offsets, count)
    speeds = _joint_numbers(stretches, [each.frames.speeds for each in stretches], offsets, count)
    _go_to_first_charts(stretches, coordinates, speeds, offsets)
    motion = BodiesMotion(
        mechanism, position, orientation, linear, angular, np.zeros_like(linear), np.zeros_like(linear)
    )
    for j, when in _outside_trees(mechanism, stretches, count):
        q, speed, _ = motion.of_joint(j)
        columns = slice(offsets[j], offsets[j + 1])
        coordinates[when, columns], speeds[when, columns] = q[when], speed[when]
    _count_turns_on(mechanism, stretches, coordinates, offsets)
    balances = [i for i, force in enumerate(mechanism.forces) if isinstance(force, Balance)]
    wrenches = _balance_wrenches(mechanism, stretches, balances, count)
    contact_force, contact_blow = _contacts(mechanism, stretches, times)
    return Recording(
        times=times,
        body_names=_names(mechanism.bodies),
        position=position,
        orientation=orientation,
        linear_velocity=linear,
        angular_velocity=angular,
        joint_names=_names(mechanism.joints),
        joint_force=_joint_forces(mechanism, stretches, count),
        joint_coordinates=coordinates,
        joint_speeds=speeds,
        joint_offsets=offsets,
        kinetic_energy=_sum(stretches, [each.frames.kinetic for each in stretches], count),
        potential_energy=_sum(stretches, [each.frames.potential for each in stretches], count),
        constraint_names=_names(mechanism.constraints),
        constraint_force=_constraint_forces(mechanism, stretches, count),
        constraint_error=_worst_errors(stretches, count),
        contact_force=contact_force,
        contact_blow=contact_blow,
        **_impacts(stretches),
        touches=any(stretch.frames.contact_blow.shape[1] for stretch in stretches),
        balance_names=_names([mechanism.forces[i] for i in balances]),
        balance_asked=wrenches[:, :, :6],
        balance_force=wrenches[:, :, 6:],
    )


def between_frames(stretches: list[Stretch]) -> list[Between]:
    """The recordings between frames of those linkages that have any; many small ones are worked out together."""
    found: list[Between] = []
    some, rows = [], 0
    for stretch in stretches:
        if not stretch.frames.between_time.size:
            continue
        some.append(stretch)
        rows += np.count_nonzero(stretch.frames.between_time) * stretch.compiled.linkage.whole
        if rows >= _AT_ONCE:
            found += _between(some)
            some, rows = [], 0
    return found + _between(some)


def _between(stretches: list[Stretch]) -> list[Between]:
    """Of linkages whose samples are brought to the bodies' own frames together, all in one row."""
    if not stretches:
        return []
    found, rows = [], []
    for stretch in stretches:
        compiled, part, whole = stretch.compiled, stretch.frames, stretch.compiled.linkage.whole
        taken = part.between_time > 0.0
        samples = part.between[taken][:, :whole]
        frame, body, slot = np.nonzero(part.jump_time[:, :whole])
        jumps = part.jump[frame, body, slot]
        later = np.hstack([jumps[:, :ANGULAR], jumps[:, SAMPLE:]])
        turn = quaternions(compiled.own_rotation).astype(np.float32)
        of = np.concatenate([np.tile(np.arange(whole), len(samples)), body, body])
        row = np.concatenate([samples.reshape(-1, SAMPLE), jumps[:, :SAMPLE], later])
        rows.append((row, turn[of], compiled.center_of_mass[of]))
        bodies = np.asarray(compiled.linkage.bodies[:whole])
        found.append((bodies, part.between_time[taken], bodies[body], part.jump_time[frame, body, slot]))
    own, velocity = _own_samples(*map(np.concatenate, zip(*rows, strict=True)))
    ends = np.cumsum([len(row) for row, _, _ in rows])[:-1]
    pieces = zip(found, np.split(own, ends), np.split(velocity, ends), strict=True)
    return [_pieces_of(*each) for each in pieces]


def _pieces_of(known: tuple[np.ndarray, ...], own: np.ndarray, velocity: np.ndarray) -> Between:
    """One linkage's samples, then its jumps before and after, from rows (., 7) and (., 6) of their own."""
    bodies, times, jump_bodies, jump_times = known
    samples, jumps = len(times) * len(bodies), len(jump_times)
    at, before, after = slice(samples), slice(samples, samples + jumps), slice(samples + jumps, None)
    shape = len(times), len(bodies)
    return Between(
        bodies=bodies,
        times=times,
        position=own[at, :3].reshape(*shape, 3),
        orientation=own[at, 3:].reshape(*shape, 4),
        velocity=velocity[at].reshape(*shape, 6),
        jump_bodies=jump_bodies,
        jump_times=jump_times,
        jump_position=own[before, :3],
        jump_orientation=own[before, 3:],
        velocity_before=velocity[before],
        velocity_after=velocity[after],
    )


def _own_samples(samples: np.ndarray, turn: np.ndarray, center: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Samples (R, 13) from the kernels' axes to the own frames of bodies, which turn (R, 4) and center (R, 3) tell.

    Returns position and orientation (R, 7) and linear and angular velocity (R, 6).
    """
    own = _multiply(samples[:, :4], turn)
    arm = turned(rotation_matrices(own), center)
    angular = samples[:, ANGULAR:LINEAR]
    velocity = np.concatenate([samples[:, LINEAR:SAMPLE] - cross(angular, arm), angular], axis=-1)
    return np.concatenate([samples[:, 4:ANGULAR] - arm, own], axis=-1, dtype=np.float32), velocity.astype(np.float32)


def assemble_evaluation(mechanism: Mechanism, stretches: list[Stretch], scratches: list[Scratch]) -> Evaluation:
    """Accelerations and forces from the scratch space of an evaluation."""
    bodies = len(mechanism.bodies)
    linear, angular = np.zeros((bodies, 3)), np.zeros((bodies, 3))
    for i, body in enumerate(mechanism.bodies):
        if body.motion == "keyed":
            linear[i], angular[i] = _keyed_acceleration(body.keys)
    for stretch, scratch in zip(stretches, scratches, strict=True):
        compiled, part = stretch.compiled, stretch.frames
        rows = compiled.linkage.bodies[: compiled.linkage.whole]
        dynamic = slice(compiled.model.driven, compiled.model.driven + len(rows))
        arm = _own_frames(compiled, part.orientation)[1][0, : len(rows)]
        turn, w = scratch.bodies.acceleration[dynamic, :3], scratch.bodies.angular[dynamic]
        angular[rows] = turn
        linear[rows] = scratch.bodies.acceleration[dynamic, 3:] - cross(turn, arm) - cross(w, cross(w, arm))
    offsets = _joint_offsets(mechanism)
    accelerations = [scratch.accelerations[None] for scratch in scratches]
    joint_acceleration = _joint_numbers(stretches, accelerations, offsets, 1)[0]
    start = assemble_recording(mechanism, stretches, np.zeros(1))
    parts = start.position, start.orientation, start.linear_velocity, start.angular_velocity
    motion = BodiesMotion(mechanism, *parts, linear[None], angular[None])
    for j, _ in _outside_trees(mechanism, stretches, 1):
        joint_acceleration[offsets[j] : offsets[j + 1]] = motion.of_joint(j)[2][0]
    return Evaluation(
        body_names=_names(mechanism.bodies),
        linear_acceleration=linear,
        angular_acceleration=angular,
        joint_names=_names(mechanism.joints),
        joint_acceleration=joint_acceleration,
        joint_offsets=offsets,
        joint_force=_joint_forces(mechanism, stretches, 1)[0],
        constraint_names=_names(mechanism.constraints),
        constraint_force=_constraint_forces(mechanism, stretches, 1)[0],
    )


def _sum(stretches: list[Stretch], numbers: list[np.ndarray], count: int) -> np.ndarray:
    """(F,): the numbers of all linkages added up."""
    total = np.zeros(count)
    for stretch, part in zip(stretches, numbers, strict=True):
        total[stretch.rows] += part
    return total


def _worst_errors(stretches: list[Stretch], count: int) -> np.ndarray:
    """(F,): the largest opening of a closure at each frame."""
    worst = np.zeros(count)
    for stretch in stretches:
        worst[stretch.rows] = np.maximum(worst[stretch.rows], stretch.frames.closure_error.max(axis=1, initial=0.0))
    return worst


def _outside_trees(mechanism: Mechanism, stretches: list[Stretch], count: int) -> list[tuple[int, np.ndarray]]:
    """(joint's place in the file, frames (F,) bool at which it closes a loop or is cut, so that no tree has it)."""
    return [(j, when) for j, when in enumerate(~_in_trees(mechanism, stretches, count)) if when.any()]


def _in_trees(mechanism: Mechanism, stretches: list[Stretch], count: int) -> np.ndarray:
    """(J, F) bool: the frames at which a tree has a joint."""
    inside = np.zeros((len(mechanism.joints), count), bool)
    for stretch in stretches:
        inside[[j for j in stretch.compiled.linkage.joint if j is not None], stretch.rows] = True
    return inside


def _count_turns_on(mechanism: Mechanism, stretches: list[Stretch], coordinates: np.ndarray, offsets) -> None:
    """Counts a joint's angle on from its turns, where its coordinates come from elsewhere than before.

    One that a tree takes in has those of the tree: its springs and limits know of no others.
    """
    inside = _in_trees(mechanism, stretches, len(coordinates))
    for frame in sorted({stretch.first for stretch in stretches} - {0}):
        if frame >= len(coordinates):
            continue
        for j, joint in enumerate(mechanism.joints):
            endless = joint.joint_type.endless
            is_taken_in = inside[j, frame] and not inside[j, frame - 1]
            if endless is not None and not is_taken_in:
                angle = coordinates[:, offsets[j] + endless]
                angle[frame:] -= 2.0 * np.pi * np.round((angle[frame] - angle[frame - 1]) / (2.0 * np.pi))


@dataclass
class BodiesMotion:
    """The bodies' motion in file order, as a recording has it, and accelerations of origins and turns, (F, B, .)."""

    mechanism: Mechanism
    position: np.ndarray
    orientation: np.ndarray
    linear: np.ndarray
    angular: np.ndarray
    speeding: np.ndarray
    turning: np.ndarray

    def of_joint(self, j: int) -> tuple[np.ndarray, ...]:
        """(coordinates, speeds, accelerations) of a joint, from the motion of its bodies."""
        number = {body.name: i for i, body in enumerate(self.mechanism.bodies)}
        joint = self.mechanism.joints[j]
        ends = enumerate((joint.parent, joint.child))
        frames = [self._frame(joint, end, None if n is None else number[n]) for end, n in ends]
        return closing_joint_motion(joint, *frames)

    def _frame(self, joint, end: int, body: int | None) -> FrameMotion:
        """The joint's frame on one of its bodies, the parent's (0) or the child's (1)."""
        count = len(self.position)
        place, turn = joint.sides[end]
        axes, origin = rotation_matrices(np.array(turn))[0], np.array(place)
        zero = np.zeros((count, 3))
        if body is None:
            return FrameMotion(np.tile(axes, (count, 1, 1)), np.tile(origin, (count, 1)), zero, zero, zero, zero)
        x, q = body_pose(self.mechanism.bodies[body])
        R = rotation_matrices(np.array(q))[0]
        moving = rotation_matrices(self.orientation[:, body])
        arm, w, turning = turned(moving, turned(R.T, origin - x)), self.angular[:, body], self.turning[:, body]
        return FrameMotion(
            axes=product(moving, product(R.T, axes)),
            origin=self.position[:, body] + arm,
            angular=w,
            linear=self.linear[:, body] + cross(w, arm),
            turning=turning,
            speeding=self.speeding[:, body] + cross(turning, arm) + cross(w, cross(w, arm)),
        )


def _constraint_forces(mechanism: Mechanism, stretches: list[Stretch], count: int) -> np.ndarray:
    """(F, C, 6): what each constraint exerts on its (first) body, force and moment about the body's point."""
    result = np.zeros((count, len(mechanism.constraints), 6))
    for stretch in stretches:
        for number, source in enumerate(stretch.compiled.sources):
            if source.kind == "constraint":
                wrench = stretch.frames.closure_wrench[:, number]
                result[stretch.rows, source.index] = np.hstack([wrench[:, 3:], wrench[:, :3]])
    return result


def _contacts(mechanism: Mechanism, stretches: list[Stretch], times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(F, B, 6) N, N m: mean wrench of all contacts since the frame before; (F, B) N s: the hardest impact since then.

    Where an action ends a linkage between two frames, those that go on from it share that time with it.
    """
    count, bodies = len(times), len(mechanism.bodies)
    impulse, blow = np.zeros((count, bodies, 6)), np.zeros((count, bodies))
    touching = [stretch for stretch in stretches if stretch.frames.contact_blow.shape[1] and count > 1]
    for stretch in touching:
        places, rows = stretch.compiled.places, stretch.rows
        parts = [(rows, stretch.frames.contact_impulse, stretch.frames.contact_blow)]
        if stretch.left and rows.stop < count:
            parts.append((slice(rows.stop, rows.stop + 1), *(array[None] for array in stretch.left)))
        known = np.flatnonzero(places >= 0)
        for when, given, hardest in parts:
            np.add.at(impulse, (when, places[known]), np.roll(given[:, known], 3, axis=2))
            np.maximum.at(blow, (when, places[known]), hardest[:, known])
    force = np.zeros_like(impulse)
    force[1:] = impulse[1:] / np.diff(times)[:, None, None]
    return force, blow


def _impacts(stretches: list[Stretch]) -> dict[str, np.ndarray]:
    """The impacts of all linkages, in their order."""
    bodies = [stretch.compiled.places[stretch.impacts.body] for stretch in stretches]
    impacts = np.concatenate([np.recarray(0, IMPACT), *(stretch.impacts for stretch in stretches)])
    order = np.argsort(impacts["time"], kind="stable")
    return {
        "impact_time": impacts["time"][order],
        "impact_bodies": np.concatenate([np.zeros((0, 2), np.int64), *bodies])[order],
        "impact_point": impacts["point"][order],
        "impact_impulse": impacts["impulse"][order],
        "impact_speed": impacts["speed"][order],
    }


def _balance_wrenches(mechanism: Mechanism, stretches: list[Stretch], balances: list[int], count: int) -> np.ndarray:
    """(F, G, 12): what each balance asks of the ground, and what its feet got of that.

    A live run's mechanism has the springs of hands behind its own forces for a while, and is assembled without them.
    """
    result = np.zeros((count, len(balances), 12))
    for stretch in stretches:
        own = [i for i in stretch.compiled.linkage.forces if i in balances]
        for g, i in enumerate(own):
            result[stretch.rows, balances.index(i)] = stretch.frames.balance[:, g]
    return result


def _names(items: list) -> np.ndarray:
    return np.array([item.name for item in items], dtype=np.str_)


def _joint_offsets(mechanism: Mechanism) -> np.ndarray:
    return np.cumsum([0] + [joint.count for joint in mechanism.joints])


def _own_frames(compiled: Compiled, orientation: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(orientation of the body frames (F, n, 4), centre of mass from their origins along world axes (F, n, 3))."""
    own = _multiply(orientation, quaternions(compiled.own_rotation)[None])
    rotation = rotation_matrices(own.reshape(-1, 4)).reshape(*own.shape[:2], 3, 3)
    return own, turned(rotation, compiled.center_of_mass)


def cross(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """(..., 3): the cross product, bit for bit that of numpy, which takes five times as long where bodies are few."""
    a, b, c = first[..., 0], first[..., 1], first[..., 2]
    x, y, z = second[..., 0], second[..., 1], second[..., 2]
    return np.stack([b * z - c * y, c * x - a * z, a * y - b * x], axis=-1)


def _multiply(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Quaternion products over leading dimensions."""
    pw, pv, qw, qv = p[..., :1], p[..., 1:], q[..., :1], q[..., 1:]
    real = pw * qw - np.sum(pv * qv, axis=-1, keepdims=True)
    return np.concatenate([real, pw * qv + qw * pv + cross(pv, qv)], axis=-1)


def _make_continuous(orientation: np.ndarray) -> None:
    """Flips signs so that quaternions do not jump from frame to frame; the first has a positive real part."""
    first = np.where(orientation[:1, :, :1] < 0, -1.0, 1.0)
    flips = np.where(np.sum(orientation[1:] * orientation[:-1], axis=-1, keepdims=True) < 0, -1.0, 1.0)
    orientation *= np.cumprod(np.concatenate([first, flips]), axis=0)


def _joint_forces(mechanism: Mechanism, stretches: list[Stretch], count: int) -> np.ndarray:
    """(F, J, 6): from wrenches of inner on outer body about its centre of mass to the parent's on the child.

    Motors that lead coordinates are rows, which no tree has among its joints' wrenches.
    """
    result = np.zeros((count, len(mechanism.joints), 6))
    for stretch in stretches:
        compiled, part, when = stretch.compiled, stretch.frames, stretch.rows
        rows = [k for k, joint in enumerate(compiled.linkage.joint) if joint is not None]
        joints = [compiled.linkage.joint[k] for k in rows]
        sign = np.where(np.array(compiled.linkage.reversed)[rows], -1.0, 1.0)[None, :, None]
        force = part.wrench[:, rows, 3:]
        moment = part.wrench[:, rows, :3] + cross(part.center[:, rows] - part.joint_origin[:, rows], force)
        result[when, joints] = sign * np.concatenate([force, moment], axis=2)
        for number, source in enumerate(compiled.sources):
            if source.kind == "joint":
                wrench = part.closure_wrench[:, number]
                result[when, source.index] = np.hstack([wrench[:, 3:], wrench[:, :3]])
            elif source.kind == "motor":
                wrench = part.closure_wrench[:, number]
                result[when, source.index] += np.hstack([wrench[:, 3:], wrench[:, :3]])
    return result


def _joint_numbers(stretches: list[Stretch], numbers: list[np.ndarray], offsets, count: int) -> np.ndarray:
    """(F, D): one number per axis, from the linkages' order to that of the joints."""
    result = np.zeros((count, offsets[-1]))
    for stretch, part in zip(stretches, numbers, strict=True):
        model = stretch.compiled.model
        for k, joint in enumerate(stretch.compiled.linkage.joint):
            if joint is not None:
                body = model.bodies[model.driven + k]
                result[stretch.rows, offsets[joint] : offsets[joint + 1]] = part[:, body.axis_start : body.axis_end]
    return result


def _go_to_first_charts(stretches: list[Stretch], coordinates: np.ndarray, speeds: np.ndarray, offsets) -> None:
    """Gives contact coordinates, and the speeds that go with them, by the first charts (`in_first_charts`)."""
    for stretch in stretches:
        model = stretch.compiled.model
        for r, body in enumerate(model.rides.joints.body):
            joint = stretch.compiled.linkage.joint[body - model.driven]
            columns = slice(offsets[joint], offsets[joint + 1])
            charts = stretch.frames.chart[:, len(model.charted) + r, 1:3].astype(int)
            surfaces = model.rides.surfaces[2 * r : 2 * r + 2]
            for frame in np.flatnonzero(charts.any(axis=1)):
                row = coordinates[stretch.first + frame, columns], speeds[stretch.first + frame, columns]
                row[0][:], row[1][:] = in_first_charts(surfaces, model.rides.pieces, charts[frame], *row)


def _keyed_acceleration(keys) -> tuple[np.ndarray, np.ndarray]:
    """(linear, angular) of a keyed body at the start, by differences of its velocities."""
    step = 1e-5
    _, _, linear, angular = sample(keys, np.array([0.0, step, 2 * step]))
    weights = np.array([-1.5, 2.0, -0.5]) / step
    return weights @ linear, weights @ angular
