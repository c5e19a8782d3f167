# SPDX-License-Identifier: GPL-3.0-or-later
"""Loads along each axis of a linkage's trees that a motion takes, by Newton and Euler (Featherstone 2008, chapter 5).

The kernels evaluate the linkage in the pose and at the speeds of each frame: from them come the forces on bodies, the
efforts of springs, dampers and friction in joints, the axes and the rows of closures. What bodies need beyond that for
their accelerations is summed from the leaves to the root. Symbols: F frames, n dynamic bodies, A axes, R rows.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..integration.motion.observation import new_frames, write_now
from ..model.arrays import ASK_GAP, AXIS_PARAMETERS, STATIC_FRICTION, State, new_scratch
from ..model.linkage.compilation import Compiled
from ..model.poses import rotation_matrices, rotation_vector_quaternion, turned
from ..simulation.recording_assembly import BodiesMotion, cross

_STILL = 1e-6  # of the fastest axis: what is slower stands still under dry friction
_AT_ONCE = 4_000_000  # numbers of rows on bodies that are worked out together


class Loads(NamedTuple):
    """Of the frames from `first` on."""

    first: int
    load: np.ndarray  # (F, A) N or N m: what drives and closures must give along each axis
    rows: np.ndarray  # (F, R, A): what a unit of each row's multiplier gives along each axis
    friction: np.ndarray  # (F, A) N or N m: the most by which dry friction holds an axis that stands still, else 0
    axes: np.ndarray  # (F, A, 6): motion of the centre of mass for the unit speed of each axis, turn first
    off: np.ndarray  # (F, n) m: how far each body is from where the joints put it


class _Frame(NamedTuple):
    rotation: np.ndarray  # (n, 9)
    center: np.ndarray  # (n, 3)
    angular: np.ndarray  # (n, 3)
    wrench: np.ndarray  # (n, 6)
    axes: np.ndarray  # (A, 6)
    effort: np.ndarray  # (A,)
    rows: np.ndarray  # (R, 4, 6)


def linkage_loads(compiled: Compiled, motion: BodiesMotion, times: np.ndarray) -> Iterator[Loads]:
    """All frames of one linkage, some at a time; `compiled` for LAGRANGE, with its leading bodies dynamic."""
    model = compiled.model
    state, held = _States(compiled, motion), _friction_when_still(compiled)
    numbers = max(1, model.closing) * 6 * (len(model.bodies) - model.driven)
    chunk = int(np.clip(_AT_ONCE // numbers, 1, 64))
    scratch, room, now = new_scratch(model), new_frames(model, 1), compiled.state
    scratch.closed[:] = ASK_GAP
    for first in range(0, len(times), chunk):
        frames, which = [], np.arange(first, min(first + chunk, len(times)))
        for frame in which:
            state.put(frame, now)
            still = _slide(model, now, scratch)
            write_now(model, scratch, now, times[frame], np.zeros(2 * len(model.armature)), room)
            moving = scratch.bodies[model.driven :]
            frames.append((*(np.array(array) for array in (
                moving.rotation, moving.center, moving.angular, moving.wrench,
                scratch.axes.S, scratch.efforts, scratch.rows.wrench[: model.closing],
            )), held * still))  # fmt: skip
        *arrays, friction = (np.array(each) for each in zip(*frames, strict=True))
        yield _loads(compiled, motion, which, _Frame(*arrays), friction, state)


class _States:
    """Coordinates, speeds and accelerations of the trees' axes over the frames, from the motion of the bodies."""

    def __init__(self, compiled: Compiled, motion: BodiesMotion) -> None:
        model, count = compiled.model, len(motion.position)
        self._coordinates, self._speeds, self.accelerations = np.zeros((3, count, len(model.armature)))
        self._anchors = np.zeros((count, *compiled.state.anchor.shape))
        for k, (joint, number) in enumerate(zip(compiled.linkage.joint, compiled.linkage.bodies, strict=True)):
            body = model.bodies[model.driven + k]
            axes = slice(body.axis_start, body.axis_end)
            if joint is None:
                R = rotation_matrices(motion.orientation[:, number])
                arm, w = turned(R, compiled.center_of_mass[k]), motion.angular[:, number]
                own = turned(np.swapaxes(R, 1, 2), w)
                self._coordinates[:, axes.start : axes.start + 3] = motion.position[:, number] + arm
                self._speeds[:, axes] = np.hstack([motion.linear[:, number] + cross(w, arm), own])
                self._anchors[:, body.chart] = motion.orientation[:, number]
                continue
            q, speed, second = motion.of_joint(joint)
            self._speeds[:, axes], self.accelerations[:, axes] = speed, second
            if body.chart >= 0 and motion.mechanism.joints[joint].joint_type.is_charted:
                self._anchors[:, body.chart] = [rotation_vector_quaternion(turn) for turn in q[:, -3:]]
                q = np.hstack([q[:, :-3], np.zeros((count, 3))])
            self._coordinates[:, axes] = q

    def put(self, frame: int, state: State) -> None:
        """Writes the state of a frame."""
        state.coordinates[:], state.speeds[:] = self._coordinates[frame], self._speeds[frame]
        state.anchor[:] = self._anchors[frame]


def _friction_when_still(compiled: Compiled) -> np.ndarray:
    """(A,): the most that dry friction holds each axis with, as its numbers begin."""
    axes = len(compiled.model.armature)
    return compiled.model.parameters[: AXIS_PARAMETERS * axes].reshape(axes, AXIS_PARAMETERS)[:, STATIC_FRICTION].copy()


def _slide(model, state: State, scratch) -> np.ndarray:
    """Lets dry friction push against the way of each axis that moves; returns (A,) bool, which stand still."""
    still = np.abs(state.speeds) <= _STILL * max(np.abs(state.speeds).max(initial=0.0), _STILL)
    axis = model.switched.axis
    scratch.switches.hold, scratch.switches.motor = 0, 0.0
    scratch.switches.friction = np.where(still[axis], 0.0, -np.sign(state.speeds[axis]))
    return still


def _loads(
    compiled: Compiled, motion: BodiesMotion, which: np.ndarray, at: _Frame, friction: np.ndarray, states: _States
) -> Loads:
    model, first = compiled.model, compiled.model.driven
    count, bodies = len(which), compiled.linkage.bodies
    R = at.rotation.reshape(count, -1, 3, 3)
    I = R @ _matrices(model.bodies.inertia[first:]) @ np.swapaxes(R, -1, -2)
    own = rotation_matrices(motion.orientation[np.ix_(which, bodies)]).reshape(R.shape)
    arm = turned(own, compiled.center_of_mass)
    turn, w = motion.turning[np.ix_(which, bodies)], at.angular
    a = motion.speeding[np.ix_(which, bodies)] + cross(turn, arm) + cross(w, cross(w, arm))
    need = np.concatenate([turned(I, turn) + cross(w, turned(I, w)), model.bodies.mass[first:, None] * a], axis=-1)
    need -= at.wrench
    off = np.linalg.norm(at.center - motion.position[np.ix_(which, bodies)] - arm, axis=-1)
    held = _row_wrenches(compiled, at.rows)
    load, rows = np.zeros((count, len(model.armature))), np.zeros((count, model.closing, len(model.armature)))
    for k in range(len(bodies) - 1, -1, -1):
        body = model.bodies[first + k]
        for axis in range(body.axis_start, body.axis_end):
            S = at.axes[:, axis]
            load[:, axis] = (S * need[:, k]).sum(axis=-1)
            rows[:, :, axis] = (S[:, None] * held[:, :, k]).sum(axis=-1)
        if body.inner >= first:
            inner = body.inner - first
            r = at.center[:, k] - at.center[:, inner]
            _carry(need[:, inner], need[:, k], r)
            _carry(held[:, :, inner], held[:, :, k], r[:, None])
    load += model.armature * states.accelerations[which] - at.effort
    return Loads(int(which[0]), load, rows, friction, at.axes, off)


def _carry(inner: np.ndarray, outer: np.ndarray, r: np.ndarray) -> None:
    inner[..., :3] += outer[..., :3] + np.cross(r, outer[..., 3:])
    inner[..., 3:] += outer[..., 3:]


def _row_wrenches(compiled: Compiled, wrenches: np.ndarray) -> np.ndarray:
    """(F, R, n, 6): what a unit of each row's multiplier exerts on each dynamic body, about its centre of mass."""
    model, first = compiled.model, compiled.model.driven
    held = np.zeros((len(wrenches), model.closing, len(model.bodies) - first, 6))
    for r in range(model.closing):
        closure = model.closures[model.rows[r].closure]
        for end in range(closure.ends):
            if closure.body[end] >= first:
                held[:, r, closure.body[end] - first] += wrenches[:, r, end]
    return held


def _matrices(six: np.ndarray) -> np.ndarray:
    return six[:, [0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(-1, 3, 3)
