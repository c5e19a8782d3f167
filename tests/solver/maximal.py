# SPDX-License-Identifier: GPL-3.0-or-later
"""An independent engine: bodies on their own, joint forces as unknowns that hold them together, one dense system.

It shares no line with the solver and takes FORMAT.md's words literally: frames in the world at zero coordinates, joint
coordinates from parent to child as drawn, forces at their points. Numbers are long doubles, and the dense solution is
refined with long double residuals, so that it is a yardstick for the solver's doubles.

Unknowns: acceleration (angular, linear of the centre of mass) of each dynamic body, second derivative of each joint
coordinate, force and moment (about the joint's position on the child) of each joint.
    Newton and Euler for each body;
    for each joint, the child's acceleration from the parent's and the coordinates';
    for each coordinate, the joint force along it is its effort less what turns its armature.
"""

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import make_interp_spline

from solver import Mechanism
from solver.mechanism import Brake, Damping, Gravity, Motor, Spring, Table
from solver.recording import Recording

REAL = np.longdouble
ONE, ZERO = np.eye(3, dtype=REAL), np.zeros((3, 3), REAL)
X, Y, Z = ONE


def real(values) -> np.ndarray:
    return np.array(values, dtype=REAL)


def cross(a, b) -> np.ndarray:
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]], dtype=REAL)


def skew(a) -> np.ndarray:
    """The matrix of a x."""
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]], dtype=REAL)


def blocks(a, b, c, d) -> np.ndarray:
    """The (6, 6) matrix of four (3, 3) ones."""
    return np.vstack([np.hstack([a, b]), np.hstack([c, d])])


def matrix(quaternion) -> np.ndarray:
    """(3, 3) of [w, x, y, z], normalised."""
    q = real(quaternion)
    q = q / np.sqrt(np.sum(q * q))
    v = skew(q[1:])
    return np.eye(3, dtype=REAL) + 2 * q[0] * v + 2 * v @ v


def turn(theta) -> np.ndarray:
    """(3, 3): the rotation by the rotation vector theta (Rodrigues)."""
    theta = real(theta)
    angle = np.sqrt(np.sum(theta * theta))
    if angle == 0:
        return np.eye(3, dtype=REAL)
    v = skew(theta / angle)
    return np.eye(3, dtype=REAL) + np.sin(angle) * v + (1 - np.cos(angle)) * v @ v


@dataclass
class BodyState:
    """A body at one moment; dynamic ones get their acceleration from the solution."""

    rotation: np.ndarray
    origin: np.ndarray
    center: np.ndarray
    angular: np.ndarray
    linear: np.ndarray  # of the centre of mass
    acceleration: np.ndarray | None = None  # (6,) angular, linear of the centre of mass, if it is known beforehand


@dataclass
class JointState:
    """A joint at one moment: frame on the parent, origin on the child, and how coordinates move the child."""

    frame: np.ndarray
    origin: np.ndarray
    turns: np.ndarray  # (D, 3), world axes: angular velocity of child against parent per speed
    travels: np.ndarray  # (D, 3): velocity of the child's origin in the parent's frame per speed
    angular_bias: np.ndarray  # (3,): what the turns' own change adds
    gap: float  # how far the poses are from what the coordinates say: m and rad
    slip: float  # the same for velocities: m/s and rad/s


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

    def _body(self, body, recording, frame, i) -> BodyState:
        R, x = matrix(recording.orientation[frame, i]), real(recording.position[frame, i])
        w, v = real(recording.angular_velocity[frame, i]), real(recording.linear_velocity[frame, i])
        arm = R @ real(body.center_of_mass) if body.motion == "dynamic" else np.zeros(3, REAL)
        state = BodyState(R, x, x + arm, w, v + cross(w, arm))
        if body.motion == "fixed":
            state.acceleration = np.zeros(6, REAL)
        elif body.motion == "keyed":
            state.acceleration = keyed_acceleration(body.keys, self.time)
        return state

    def state_of(self, name: str | None) -> BodyState:
        if name is None:
            o = np.zeros(3, REAL)
            return BodyState(np.eye(3, dtype=REAL), o, o, o, o, np.zeros(6, REAL))
        return self.bodies[self.number[name]]

    def _start(self, name: str | None) -> tuple[np.ndarray, np.ndarray]:
        """(rotation, position) at zero coordinates."""
        if name is None:
            return np.eye(3, dtype=REAL), np.zeros(3, REAL)
        body = self.mechanism.bodies[self.number[name]]
        return matrix(body.orientation or (1, 0, 0, 0)), real(body.position or (0, 0, 0))

    def carried(self, name: str | None, point) -> np.ndarray:
        """Where a point of a body, given in the world at zero coordinates, is now."""
        R, x = self._start(name)
        state = self.state_of(name)
        return state.origin + state.rotation @ (R.T @ (real(point) - x))

    def carried_frame(self, name: str | None, orientation) -> np.ndarray:
        R, _ = self._start(name)
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
        joint = self.mechanism.joints[j]
        q, speed, count = self.coordinates[j], self.speeds[j], len(self.coordinates[j])
        stiffness, rest, damping = (
            real(getattr(joint, key) or (0,) * count) for key in ("stiffness", "rest", "damping")
        )
        along_coordinate, along_speed = -stiffness * (q - rest), -damping * speed
        if joint.motor is not None and joint.motor.mode == "force":
            along_speed = along_speed + real([self.now(v) for v in joint.motor.per_coordinate("value", count)])
        elif joint.motor is not None:
            target, k, c = (
                real([self.now(v) for v in joint.motor.per_coordinate(key, count)])
                for key in ("target", "stiffness", "damping")
            )
            limit = real([np.inf if v is None else self.now(v) for v in joint.motor.per_coordinate("max_force", count)])
            pull, drag = k * (target - q), -c * speed
            share = np.minimum(1, limit / np.maximum(np.abs(pull + drag), REAL(1e-300)))
            along_coordinate, along_speed = along_coordinate + share * pull, along_speed + share * drag
        if joint.type != "spherical":
            return along_coordinate + along_speed
        return along_speed + rotation_vector_rate(q).T @ along_coordinate

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
            length = np.sqrt(np.sum((b - a) ** 2))
            line = (b - a) / length
            rate = line @ (self.velocity(force.body_b, b) - self.velocity(force.body_a, a))
            pull = self.now(force.stiffness) * (length - self.now(force.rest_length)) + self.now(force.damping) * rate
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
            damping = force.damping if isinstance(force.damping, tuple) else (force.damping,) * 3
            slowing = -real([self.now(v) for v in damping]) * (frame.T @ self.velocity(force.body, point))
            size = np.sqrt(np.sum(slowing**2))
            if force.max_force is not None and size > self.now(force.max_force):
                slowing *= self.now(force.max_force) / size
            self._push(result, force.body, point, frame @ slowing)
        else:
            raise NotImplementedError(force.type)

    def _push(self, result: np.ndarray, name: str, point, f) -> None:
        row, body = result[self.number[name]], self.state_of(name)
        row[:3] += cross(point - body.center, f)
        row[3:] += f

    def velocity(self, name: str | None, point) -> np.ndarray:
        body = self.state_of(name)
        return body.linear + cross(body.angular, point - body.center)

    def solve(self) -> "Solution":
        """Accelerations and joint forces."""
        layout = _Layout(self)
        A, b = np.zeros((layout.size, layout.size), REAL), np.zeros(layout.size, REAL)
        self._balance_bodies(layout, A, b)
        row = 6 * len(layout.body)
        for j in range(len(self.joints)):
            self._tie_accelerations(layout, j, row, A, b)
            row += 6
        for j, joint in enumerate(self.mechanism.joints):
            state, count = self.joints[j], len(self.coordinates[j])
            for k, effort in enumerate(self.efforts(j)):
                A[row, layout.force(j)] = np.concatenate([state.travels[k], state.turns[k]])
                A[row, layout.seconds(j)][k : k + 1] = (joint.armature or (0,) * count)[k]
                b[row] = effort
                row += 1
        return self._solution(refined_solution(A, b), layout)

    def _balance_bodies(self, layout: "_Layout", A, b) -> None:
        """Newton and Euler for each dynamic body, joint forces on the child and, reversed, on the parent."""
        wrenches = self.wrenches()
        for i, rows in layout.body.items():
            body, state = self.mechanism.bodies[i], self.bodies[i]
            own = np.diag(real(body.inertia)) if np.ndim(body.inertia) == 1 else real(body.inertia)
            inertia = state.rotation @ own @ state.rotation.T
            A[rows, rows] = blocks(inertia, ZERO, ZERO, body.mass * ONE)
            b[rows] = wrenches[i]
            b[rows][:3] -= cross(state.angular, inertia @ state.angular)
        for j, joint in enumerate(self.mechanism.joints):
            for name, sign in ((joint.child, 1), (joint.parent, -1)):
                rows = layout.rows_of(name)
                if rows is not None:
                    rho = self.joints[j].origin - self.state_of(name).center
                    A[rows, layout.force(j)] = -sign * blocks(skew(rho), ONE, ONE, ZERO)

    def _tie_accelerations(self, layout: "_Layout", j: int, row: int, A, b) -> None:
        """The child's acceleration at the joint's origin is the parent's there and what the coordinates add."""
        joint, state, rows = self.mechanism.joints[j], self.joints[j], slice(row, row + 6)
        for name, sign in ((joint.child, 1), (joint.parent, -1)):
            body = self.state_of(name)
            rho = state.origin - body.center
            at_origin = blocks(ONE, ZERO, -skew(rho), ONE)
            if layout.rows_of(name) is not None:
                A[rows, layout.rows_of(name)] = sign * at_origin
            else:
                b[rows] -= sign * at_origin @ body.acceleration
            b[rows][3:] -= sign * cross(body.angular, cross(body.angular, rho))
        parent, speeds = self.state_of(joint.parent), self.speeds[j]
        b[rows][:3] += cross(parent.angular, speeds @ state.turns) + state.angular_bias
        b[rows][3:] += 2 * cross(parent.angular, speeds @ state.travels)
        A[rows, layout.seconds(j)] = -np.hstack([state.turns, state.travels]).T

    def _solution(self, x: np.ndarray, layout: "_Layout") -> "Solution":
        linear, angular = (np.zeros((len(self.bodies), 3), REAL) for _ in range(2))
        for i, state in enumerate(self.bodies):
            both = x[layout.body[i]] if i in layout.body else state.acceleration
            arm = state.origin - state.center
            angular[i] = both[:3]
            linear[i] = both[3:] + cross(both[:3], arm) + cross(state.angular, cross(state.angular, arm))
        seconds = [x[layout.seconds(j)] for j in range(len(self.joints))]
        forces = [x[layout.force(j)] for j in range(len(self.joints))]
        return Solution(linear, angular, np.concatenate([*seconds, real([])]), real(forces).reshape(-1, 6))


class _Layout:
    """Where the unknowns stand: bodies' accelerations, coordinates' second derivatives, joint forces."""

    def __init__(self, state: MaximalState) -> None:
        self._number = state.number
        dynamic = [i for i, body in enumerate(state.mechanism.bodies) if body.motion == "dynamic"]
        self.body = {i: slice(6 * k, 6 * k + 6) for k, i in enumerate(dynamic)}
        self._second = 6 * len(dynamic) + np.cumsum([0, *(len(q) for q in state.coordinates)])
        self.size = int(self._second[-1]) + 6 * len(state.joints)

    def rows_of(self, name: str | None) -> slice | None:
        return None if name is None else self.body.get(self._number[name])

    def seconds(self, j: int) -> slice:
        return slice(self._second[j], self._second[j + 1])

    def force(self, j: int) -> slice:
        return slice(self._second[-1] + 6 * j, self._second[-1] + 6 * j + 6)


@dataclass
class Solution:
    """As FORMAT's `evaluate`."""

    linear_acceleration: np.ndarray
    angular_acceleration: np.ndarray
    joint_acceleration: np.ndarray
    joint_force: np.ndarray


def joint_motion(joint, q, speeds):
    """FORMAT's table of coordinates: (rotation, travel, turns, travels, bias), all in the parent's joint frame."""
    none = np.zeros(3, REAL)
    if joint.type == "revolute":
        return turn(q[0] * Z), none, real([Z]), real([none]), none
    if joint.type == "prismatic":
        return np.eye(3), q[0] * Z, real([none]), real([Z]), none
    if joint.type == "screw":
        return turn(q[0] * Z), joint.pitch * q[0] * Z, real([Z]), real([joint.pitch * Z]), none
    if joint.type == "cylindrical":
        return turn(q[0] * Z), q[1] * Z, real([Z, none]), real([none, Z]), none
    if joint.type == "universal":
        first = turn(q[0] * X)
        return first @ turn(q[1] * Y), none, real([X, first @ Y]), real([none] * 2), speeds[0] * speeds[1] * first @ Z
    if joint.type == "spherical":
        return turn(q), none, turn(q).T, real([none] * 3), none
    if joint.type == "planar":
        return turn(q[2] * Z), q[0] * X + q[1] * Y, real([none, none, Z]), real([X, Y, none]), none
    return np.eye(3), none, np.zeros((0, 3), REAL), np.zeros((0, 3), REAL), none


def rotation_vector_rate(theta) -> np.ndarray:
    """(3, 3): theta' per angular velocity along the body's axes, as the inverse of the exponential's differential."""
    angle = np.sqrt(np.sum(theta * theta))
    v = skew(theta)
    if angle < 1e-6:
        return np.eye(3, dtype=REAL) + v / 2 + v @ v / 12
    forward = np.eye(3) - (1 - np.cos(angle)) / angle**2 * v + (angle - np.sin(angle)) / angle**3 * v @ v
    return np.stack([refined_solution(forward, column) for column in np.eye(3, dtype=REAL)], axis=1)


def keyed_acceleration(keys, time: float) -> np.ndarray:
    """(6,): of evenly keyed motion, by the quintic splines through the keys and the quotient rule."""
    q = np.array(keys.orientations)
    for k in range(1, len(q)):
        q[k] *= 1.0 if q[k] @ q[k - 1] >= 0 else -1.0
    position = make_interp_spline(keys.times, np.array(keys.positions), k=5)
    x, dx, ddx = (make_interp_spline(keys.times, q, k=5)(time, order) for order in range(3))
    n = np.linalg.norm(x)
    dn = x @ dx / n
    ddn = (dx @ dx + x @ ddx - dn**2) / n
    unit = x / n
    second = ddx / n - 2 * dx * dn / n**2 - x * ddn / n**2 + 2 * x * dn**2 / n**3
    # w' = 2 Im(q'' conj(q))
    angular = 2 * (unit[0] * second[1:] - second[0] * unit[1:] + np.cross(unit[1:], second[1:]))
    return real([*angular, *position(time, 2)])


def refined_solution(A, b) -> np.ndarray:
    """Solves A x = b in long doubles: by doubles, then corrected from the residual (Wilkinson 1963)."""
    rows = 1 / np.abs(A).max(axis=1)
    A, b = A * rows[:, None], b * rows
    columns = 1 / np.abs(A).max(axis=0)
    A = A * columns
    inverse = np.linalg.inv(A.astype(float))
    x = np.zeros(len(b), REAL)
    for _ in range(6):
        x = x + inverse @ (b - A @ x)
    return x * columns
