# SPDX-License-Identifier: GPL-3.0-or-later
"""Quantities that a recording does not hold: energies of single bodies, what the springs and motors of joints and
single forces exert, and what joints pass on along their axes.

The frames go back into the kernels that made them (`evaluation.inspection`), with the parameters of their times: tables
and actions count. Symbols: F frames, B bodies, D joint coordinates, N forces, L linkages; world axes, SI units.
"""

import dataclasses
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..assembly.building import with_actions_as_drawn, with_all_parts
from ..evaluation.inspection import Motion, Shares, inspect_frames, new_shares
from ..evaluation.middle import Middle, Recorded, middles
from ..kernel import compiles
from ..mechanism import Balance, Body, Gravity, Mechanism, Spring
from ..mechanism.joint_types import LENGTH
from ..mechanism.keyed_motion import sample_led
from ..model.arrays import RECURSIVE, Model, State, new_scratch, no_rides
from ..model.linkage.compilation import Compiled, compile_linkage
from ..model.linkage.loose_bodies import compile_quickly
from ..model.parameters import acting
from ..model.poses import body_pose, rotation_matrices
from ..model.topology import Linkage, find_linkages
from .actions import changed
from .recording import Recording

_FORCE, _MOMENT = 0, 3
_is_ready = False


@dataclass
class Inspection:
    """Quantities over the frames of a recording, in the mechanism's order.

    Fixed and keyed bodies have no energy here, since nothing tells their mass. At a frame at the very time of an action
    the old values count, as in the recording.
    """

    linkage: np.ndarray  # (B,) int64: the number of each body's linkage, -1 if it is not dynamic
    kinetic_energy: np.ndarray  # (F, B) J
    potential_energy: np.ndarray  # (F, B) J: of gravity, zero at the world's origin
    weight: np.ndarray  # (F, B, 3) N
    linkage_kinetic_energy: np.ndarray  # (F, L) J: reflected inertias included
    linkage_potential_energy: np.ndarray  # (F, L) J: springs included
    joint_effort: np.ndarray  # (F, D) N or N m: spring, damper, motor, friction and limits of each coordinate
    joint_transmitted: np.ndarray  # (F, D) N or N m: of all that the parent exerts on the child, what is along the axes
    force: np.ndarray  # (F, N, 6): force and moment about its point that each force exerts on its (first) body; of a
    # balance what the ground exerts on its feet, about the figure's centre of mass, and
    asked: np.ndarray  # (F, N, 6): what is asked of that, nan for other forces
    tension: np.ndarray  # (F, N) N: pull of a force between two points, nan for other forces; and
    length: np.ndarray  # (F, N) m: distance of these points,
    rate: np.ndarray  # (F, N) m/s: and how fast that grows


def inspect(mechanism: Mechanism, recording: Recording) -> Inspection:
    """All this for a recording (or its first frames) of a mechanism without problems.

    Parts that actions put in stand behind the others, as in the recording.
    """
    told = with_actions_as_drawn(mechanism, recording.times, recording.position, recording.orientation)
    mechanism = with_all_parts(told)
    count, bodies, forces = len(recording.times), len(mechanism.bodies), len(mechanism.forces)
    coordinates, groups = recording.joint_offsets[-1], find_linkages(_all_tied(mechanism))
    result = Inspection(
        linkage=np.full(bodies, -1),
        kinetic_energy=np.zeros((count, bodies)),
        potential_energy=np.zeros((count, bodies)),
        weight=np.zeros((count, bodies, 3)),
        linkage_kinetic_energy=np.zeros((count, len(groups))),
        linkage_potential_energy=np.zeros((count, len(groups))),
        joint_effort=np.zeros((count, coordinates)),
        joint_transmitted=_transmitted(mechanism, recording),
        force=np.zeros((count, forces, 6)),
        asked=np.full((count, forces, 6), np.nan),
        tension=np.full((count, forces), np.nan),
        length=np.full((count, forces), np.nan),
        rate=np.full((count, forces), np.nan),
    )
    for number, group in enumerate(groups):
        result.linkage[group.bodies] = number
    for frames, stage in _stages(told, recording.times):
        forces_of = _Forces(stage)
        for linkage in find_linkages(stage):
            tree = dataclasses.replace(linkage, closing=[], constraints=[])
            (compiled,) = compile_quickly(stage, [tree], RECURSIVE)
            shares = _shares(compiled, _motion(compiled, recording, frames))
            _put_bodies(result, frames, compiled, shares)
            _put_efforts(result, frames, compiled, shares, recording.joint_offsets, _steered(compiled, stage))
            _add_rotors(result, recording.times, frames, linkage, stage, recording.joint_offsets)
            forces_of.put(result, frames, compiled, shares)
    balances = [i for i, force in enumerate(mechanism.forces) if isinstance(force, Balance)]
    result.force[:, balances], result.asked[:, balances] = recording.balance_force, recording.balance_asked
    return result


def inspect_middles(mechanism: Mechanism, recording: Recording, found: Inspection) -> dict[str, Middle]:
    """The forces inside bars, by their names, from what has been found of the same recording."""
    told = with_actions_as_drawn(mechanism, recording.times, recording.position, recording.orientation)
    contact = recording.contact_force[:, :, :3] if recording.touches else np.zeros_like(recording.position)
    recorded = Recorded(
        recording.position, recording.orientation, recording.angular_velocity, recording.joint_force,
        recording.constraint_force, found.force, found.tension, contact,
    )  # fmt: skip
    return middles(with_all_parts(told), recorded)


def warm_up() -> Iterator[str]:
    """Makes ready the kernel, once per process; yields what comes next."""
    global _is_ready
    if compiles() and not _is_ready:
        yield "forces and energies"
        mechanism = Mechanism(bodies=[Body(name="body", mass=1.0, inertia=(1.0, 1.0, 1.0))])
        compiled = compile_linkage(mechanism, find_linkages(mechanism)[0], RECURSIVE)
        model = Model(*compiled.model)
        shapes = (1,), (1, 1, 3), (1, 1, 4), (1, 1, 3), (1, 1, 3), (1,), (1, 9), (1, 3), (1, 6), (1, 6)
        motion = Motion(*(np.zeros(shape) for shape in shapes))._replace(bodies=np.zeros(1, np.int64))
        inspect_frames(model, new_scratch(model), compiled.state, motion, 0, 0, new_shares(model, 1))
        _is_ready = True


def _stages(mechanism: Mechanism, times: np.ndarray) -> Iterator[tuple[slice, Mechanism]]:
    """The frames between actions, and the mechanism as it is then."""
    due = defaultdict(list)
    for action in sorted(mechanism.actions, key=lambda action: action.time):
        due[int(np.searchsorted(times, action.time, side="right")) if action.time > 0.0 else 0].append(action)
    first, present = 0, mechanism
    for frame in sorted(due):
        if first < frame:
            yield slice(first, frame), present
        first, present = frame, changed(present, due[frame])
    if first < len(times):
        yield slice(first, len(times)), present


def _all_tied(mechanism: Mechanism) -> Mechanism:
    """With all that actions may tie: what then hangs together counts as one linkage at all times."""
    to_come = {name for action in mechanism.actions for name in action.names}
    constraints = [
        dataclasses.replace(part, enabled=True) if part.name in to_come else part for part in mechanism.constraints
    ]
    return dataclasses.replace(mechanism, constraints=constraints, actions=[])


def _shares(compiled: Compiled, motion: Motion) -> Shares:
    model = Model(*compiled.model)._replace(rides=no_rides())  # bodies are where they were recorded
    shares = new_shares(model, len(motion.times))
    state = State(*(array.copy() for array in compiled.state))
    state.anchor[:] = (1.0, 0.0, 0.0, 0.0)
    inspect_frames(model, new_scratch(model), state, motion, 0, len(motion.times), shares)
    return shares


def _motion(compiled: Compiled, recording: Recording, frames: slice) -> Motion:
    coordinates, speeds = np.zeros((2, len(recording.times[frames]), len(compiled.model.armature)))
    for of_axes, of_joint in _columns(compiled, recording.joint_offsets):
        coordinates[:, of_axes] = recording.joint_coordinates[frames, of_joint]
        speeds[:, of_axes] = recording.joint_speeds[frames, of_joint]
    motion = Motion(
        times=recording.times[frames],
        position=recording.position[frames],
        orientation=recording.orientation[frames],
        linear=recording.linear_velocity[frames],
        angular=recording.angular_velocity[frames],
        bodies=np.array(compiled.linkage.bodies, np.int64),
        to_body=np.swapaxes(compiled.own_rotation, 1, 2).reshape(-1, 9),
        center=compiled.center_of_mass,
        coordinates=coordinates,
        speeds=speeds,
    )
    return Motion(*map(np.ascontiguousarray, motion))  # the kernel is compiled for such arrays only


def _columns(compiled: Compiled, offsets: np.ndarray) -> Iterator[tuple[slice, slice]]:
    """Of each joint in the trees its axes in the model and its coordinates in the file's order."""
    model = compiled.model
    for k, joint in enumerate(compiled.linkage.joint):
        if joint is not None:
            body = model.bodies[model.driven + k]
            yield slice(body.axis_start, body.axis_end), slice(offsets[joint], offsets[joint + 1])


def _put_bodies(result: Inspection, frames: slice, compiled: Compiled, shares: Shares) -> None:
    bodies = compiled.linkage.bodies
    group = result.linkage[bodies[0]]
    result.linkage_kinetic_energy[frames, group] += shares.energy[:, 0]
    result.linkage_potential_energy[frames, group] += shares.energy[:, 1]
    for k, body in enumerate(bodies):  # the two parts of a cut body have half of it each
        result.kinetic_energy[frames, body] += shares.kinetic[:, k]
        result.potential_energy[frames, body] += shares.potential[:, k]
        result.weight[frames, body] += shares.weight[:, k]


def _steered(compiled: Compiled, mechanism: Mechanism) -> np.ndarray:
    """(A,) bool: the axes whose motors keep a figure's balance, or lead their coordinates."""
    forces = [mechanism.forces[i] for i in compiled.linkage.forces]
    acts = [force.enabled for force in forces if isinstance(force, Balance)]
    figures = compiled.figures
    steered = (figures.limit[acts] >= 0.0).any(axis=0)
    hands = [h for each in figures.figures[acts] for h in range(each.hand_start, each.hand_end)]
    steered |= figures.arm[hands].any(axis=0)
    for k, j in enumerate(compiled.linkage.joint):
        if j is not None and mechanism.joints[j].led:
            body = compiled.model.bodies[compiled.model.driven + k]
            leads = [target is not None for target in mechanism.joints[j].led]
            steered[body.axis_start : body.axis_end] |= leads
    return steered


def _put_efforts(
    result: Inspection,
    frames: slice,
    compiled: Compiled,
    shares: Shares,
    offsets: np.ndarray,
    steered: np.ndarray,
) -> None:
    """Efforts along joint axes; of one that is held or steered, all that the joint passes on."""
    for of_axes, of_joint in _columns(compiled, offsets):
        held = np.where(steered[of_axes] & np.isnan(shares.held[:, of_axes]), 0.0, shares.held[:, of_axes])
        by_hold = result.joint_transmitted[frames, of_joint] + held
        result.joint_effort[frames, of_joint] = np.where(np.isnan(held), shares.effort[:, of_axes], by_hold)


def _add_rotors(result: Inspection, times: np.ndarray, frames: slice, linkage: Linkage, stage: Mechanism, offsets):
    """Adds to the efforts of motors that lead coordinates what turns their own reflected inertia."""
    for j in linkage.joint:
        joint = None if j is None else stage.joints[j]
        if joint is not None and joint.led and joint.armature is not None:
            for c, (target, armature) in enumerate(zip(joint.led, joint.armature, strict=True), start=offsets[j]):
                if target is not None:
                    result.joint_effort[frames, c] += armature * sample_led(target, times[frames])[2]


class _Forces:
    """Forces of a mechanism, and its bodies by number: looked up once for all its linkages."""

    def __init__(self, mechanism: Mechanism) -> None:
        self._forces = mechanism.forces
        self._number = {body.name: i for i, body in enumerate(mechanism.bodies)}
        self._has_record = {id(force) for force in acting(mechanism.forces)}

    def put(self, result: Inspection, frames: slice, compiled: Compiled, shares: Shares) -> None:
        """A first body that is not dynamic feels nothing in the kernels: it has the opposite of what the second has.

        A gravity of its own exerts a body's weight, at its centre of mass.
        """
        row = 0
        for i in compiled.linkage.forces:
            force = self._forces[i]
            if isinstance(force, Gravity) and force.enabled:
                result.force[frames, i, :3] = result.weight[frames, self._number[force.body]]
            if id(force) not in self._has_record:
                continue
            has_two_ends = isinstance(force, Spring)
            opposed = has_two_ends and compiled.model.forces.body[row, 0] < compiled.model.driven
            exerted = -shares.force[:, row, 1] if opposed else shares.force[:, row, 0]
            result.force[frames, i] = exerted
            if has_two_ends:
                line = shares.line[:, row]
                result.tension[frames, i] = np.sum(line[:, :3] * exerted[:, :3], axis=1)
                result.length[frames, i], result.rate[frames, i] = line[:, 3], line[:, 4]
            row += 1


def _transmitted(mechanism: Mechanism, recording: Recording) -> np.ndarray:
    """(F, D): what the parent exerts on the child along the joint's axes, in the order of its coordinates."""
    number = {body.name: i for i, body in enumerate(mechanism.bodies)}
    start = rotation_matrices(np.array([body_pose(body)[1] for body in mechanism.bodies]))
    now = rotation_matrices(recording.orientation).reshape(*recording.orientation.shape[:2], 3, 3)
    result = np.zeros((len(recording.times), recording.joint_offsets[-1]))
    for j, joint in enumerate(mechanism.joints):
        frames = {
            side: rotation_matrices(np.array(turn))[0]
            for side, (_, turn) in zip(("parent", "child"), joint.sides, strict=True)
        }
        joint_type = joint.joint_type
        axes = () if joint_type.rides else joint_type.axes  # all that a ride passes on is across its axes
        for c, (_, kind, k, side) in enumerate(axes, start=recording.joint_offsets[j]):
            body, axis = getattr(joint, side), frames[side][:, k]
            first = _FORCE if kind == LENGTH else _MOMENT
            if body is not None:
                axis = now[:, number[body]] @ (start[number[body]].T @ axis)
            result[:, c] = np.sum(axis * recording.joint_force[:, j, first : first + 3], axis=1)
            if joint_type.is_threaded:
                result[:, c] += (joint.pitch or 0.0) * np.sum(axis * recording.joint_force[:, j, :3], axis=1)
    return result
