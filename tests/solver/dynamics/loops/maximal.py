# SPDX-License-Identifier: GPL-3.0-or-later
"""An independent engine: bodies on their own, joint forces as unknowns that hold them together, one dense system.

It shares no line with the solver and takes FORMAT.md's words literally: frames in the world at zero coordinates, joint
coordinates from parent to child as drawn, forces at their points, closed loops and constraints as conditions like any
other. Numbers are long doubles, so that it is a yardstick for the solver's doubles. This page has a mechanism at one
moment: poses, joints, constraints, forces; `maximal_system` has the equations.
"""

from dataclasses import dataclass

import numpy as np

from solver import Mechanism
from solver.mechanism import Brake, Damping, Gravity, Motor, Spring, Table
from solver.simulation.recording import Recording
from tests.solver.dynamics.loops.maximal_joints import JointState, joint_efforts, joint_motion
from tests.solver.dynamics.loops.maximal_system import Solution, solution
from tests.solver.dynamics.loops.maximal_ties import nowhere, tie_state
from tests.solver.dynamics.tree.long_doubles import NONE, ONE, REAL, cross, length, matrix, real
from tests.solver.simulation.told_motion import told_motion


@dataclass
class BodyState:
    """A body at one moment; dynamic ones get their acceleration from the solution."""

    rotation: np.ndarray
    origin: np.ndarray
    center: np.ndarray
    angular: np.ndarray
    linear: np.ndarray  # of the centre of mass
    acceleration: np.ndarray | None = None  # (6,) angular, linear of the centre of mass, if it is known beforehand


class MaximalState:
    """A mechanism at one frame of a recording."""

    def __init__(self, mechanism: Mechanism, recording: Recording, frame: int = 0) -> None:
        self.mechanism, self.time = mechanism, float(recording.times[frame])
        self.number = {body.name: i for i, body in enumerate(mechanism.bodies)}
        self.bodies = [self._body(body, recording, frame, i) for i, body in enumerate(mechanism.bodies)]
        offsets = recording.joint_offsets
        self.coordinates = [
            real(recording.joint_coordinates[frame, offsets[j] : offsets[j + 1]]) for j in range(len(mechanism.joints))
        ]
        self.speeds = [
            real(recording.joint_speeds[frame, offsets[j] : offsets[j + 1]]) for j in range(len(mechanism.joints))
        ]
        self.joints = [self._joint(j, joint) for j, joint in enumerate(mechanism.joints)]
        self.ties = [tie_state(item, self) if item.enabled else nowhere() for item in mechanism.constraints]

    def _body(self, body, recording, frame, i) -> BodyState:
        R, x = matrix(recording.orientation[frame, i]), real(recording.position[frame, i])
        w, v = real(recording.angular_velocity[frame, i]), real(recording.linear_velocity[frame, i])
        arm = R @ real(body.center_of_mass) if body.motion == "dynamic" else np.zeros(3, REAL)
        state = BodyState(R, x, x + arm, w, v + cross(w, arm))
        if body.motion == "fixed":
            state.acceleration = np.zeros(6, REAL)
        elif body.motion == "keyed":
            keys = body.keys
            told = told_motion(np.array(keys.times), keys.positions, keys.orientations, self.time)
            state.acceleration = np.concatenate([told.angular_acceleration, told.linear_acceleration])
        return state

    def state_of(self, name: str | None) -> BodyState:
        if name is None:
            return BodyState(ONE, NONE, NONE, NONE, NONE, np.zeros(6, REAL))
        return self.bodies[self.number[name]]

    def start(self, name: str | None) -> tuple[np.ndarray, np.ndarray]:
        """(rotation, position) at zero coordinates."""
        if name is None:
            return ONE, NONE
        body = self.mechanism.bodies[self.number[name]]
        return matrix(body.orientation or (1, 0, 0, 0)), real(body.position or (0, 0, 0))

    def carried(self, name: str | None, point) -> np.ndarray:
        """The place now of a body's point, given in the world at zero coordinates."""
        R, x = self.start(name)
        state = self.state_of(name)
        return state.origin + state.rotation @ (R.T @ (real(point) - x))

    def carried_frame(self, name: str | None, orientation) -> np.ndarray:
        R, _ = self.start(name)
        return self.state_of(name).rotation @ (R.T @ matrix(orientation))

    def _joint(self, j: int, joint) -> JointState:
        parent, child = self.state_of(joint.parent), self.state_of(joint.child)
        frame, child_frame = (self.carried_frame(name, joint.orientation) for name in (joint.parent, joint.child))
        start, origin = (self.carried(name, joint.position) for name in (joint.parent, joint.child))
        q, speeds = self.coordinates[j], self.speeds[j]
        rotation, travel, turns, travels, bias = joint_motion(joint, q, speeds)
        turns, travels = turns @ frame.T, travels @ frame.T
        gap = max(
            np.abs(child_frame - frame @ rotation).max(), np.abs(origin - (start + frame @ travel)).max(initial=0)
        )
        parent_point = parent.linear + cross(parent.angular, origin - parent.center)
        child_point = child.linear + cross(child.angular, origin - child.center)
        slip = max(
            np.abs(child.angular - parent.angular - speeds @ turns).max(),
            np.abs(child_point - parent_point - speeds @ travels).max(),
        )
        return JointState(frame, origin, turns, travels, frame @ bias, float(gap), float(slip))

    def efforts(self, j: int) -> np.ndarray:
        """(D,): springs, dampers and motors along each coordinate."""
        return joint_efforts(self.mechanism.joints[j], self.coordinates[j], self.speeds[j], self.now)

    def now(self, number) -> float:
        """A number, or what its table says at this time."""
        return np.interp(self.time, number.times, number.values) if isinstance(number, Table) else number

    def wrenches(self) -> np.ndarray:
        """(B, 6): all applied forces, moment about the centre of mass first."""
        result = np.zeros((len(self.bodies), 6), REAL)
        gravity = {body.name: self.mechanism.gravity for body in self.mechanism.bodies}
        for force in self.mechanism.forces:
            if force.enabled and isinstance(force, Gravity):
                gravity[force.body] = [self.now(v) for v in force.acceleration]
            elif force.enabled:
                self._add_force(force, result)
        for i, body in enumerate(self.mechanism.bodies):
            if body.motion == "dynamic":
                result[i, 3:] += body.mass * real(gravity[body.name])
        return result

    def _add_force(self, force, result: np.ndarray) -> None:
        if isinstance(force, Spring):
            a, b = self.carried(force.body_a, force.point_a), self.carried(force.body_b, force.point_b)
            span = length(b - a)
            line = (b - a) / span
            rate = line @ (self.velocity(force.body_b, b) - self.velocity(force.body_a, a))
            pull = self.now(force.stiffness) * (span - self.now(force.rest_length)) + self.now(force.damping) * rate
            for name, point, sign in ((force.body_a, a, 1), (force.body_b, b, -1)):
                if name is not None:
                    self._push(result, name, point, sign * pull * line)
            return
        body = self.state_of(force.body)
        row = result[self.number[force.body]]
        if isinstance(force, Damping):
            row[:3] -= self.now(force.angular) * body.angular
            row[3:] -= self.now(force.linear) * body.linear
            return
        frame, point = self.carried_frame(force.body, force.orientation), self.carried(force.body, force.point)
        if isinstance(force, Motor):
            row[:3] += frame @ real([self.now(v) for v in force.torque])
            self._push(result, force.body, point, frame @ real([self.now(v) for v in force.force]))
        elif isinstance(force, Brake):
            slowing = self._slowing(force)
            if self.slips(force):
                slowing *= self.now(force.max_force) / length(slowing)
            self._push(result, force.body, point, frame @ slowing)
        else:
            raise TypeError(f"this reference knows no {force.type}")

    def _slowing(self, brake: Brake) -> np.ndarray:
        """N: in the brake's frame, without its largest force."""
        frame, point = self.carried_frame(brake.body, brake.orientation), self.carried(brake.body, brake.point)
        damping = brake.damping if isinstance(brake.damping, tuple) else (brake.damping,) * 3
        return -real([self.now(v) for v in damping]) * (frame.T @ self.velocity(brake.body, point))

    def slips(self, brake: Brake) -> bool:
        """True if a brake exerts its largest force."""
        return brake.max_force is not None and length(self._slowing(brake)) > self.now(brake.max_force)

    def _push(self, result: np.ndarray, name: str, point, f) -> None:
        row, body = result[self.number[name]], self.state_of(name)
        row[:3] += cross(point - body.center, f)
        row[3:] += f

    def velocity(self, name: str | None, point) -> np.ndarray:
        body = self.state_of(name)
        return body.linear + cross(body.angular, point - body.center)

    def solve(self, sizes: dict[str, float] | None = None) -> Solution:
        """Accelerations and forces. sizes: m, of each dynamic body's linkage; what redundant ties leave open is least
        with moments divided by it (default 1 m)."""
        return solution(self, sizes or {})
